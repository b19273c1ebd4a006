import dataclasses
import itertools
import math

import numpy as np
import pytest
import statsmodels.api as sm

from scoring.stats.claims import Certainty
from scoring.stats.plain import Reason
from scoring.stats.preferences import choices as counts
from scoring.stats.preferences.choices import Choices
from scoring.stats.preferences.rates import rates, side
from scoring.stats.preferences.strengths import strengths

#: Games won in the American League's eastern division, 1987: rows against columns (Agresti 1990).
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WON = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)


def made(rows, names=None, *, questions=None, raters=None, both_bad=None):
    """Choices from rows of first, second and worth; each of a question of its own by one person."""
    first, second, worth = (np.array(one) for one in zip(*rows, strict=True))
    n = len(rows)
    question = np.arange(n) if questions is None else np.array(questions)
    return Choices(
        first,
        second,
        worth.astype(float),
        np.zeros(n, int) if both_bad is None else np.array(both_bad),
        question,
        np.zeros(n, int) if raters is None else np.array(raters),
        tuple(names or range(int(max(first.max(), second.max())) + 1)),
        np.zeros(int(question.max()) + 1, int),
    )


def league():
    rows = [(i, j, 1.0) for i, of in enumerate(WON) for j, won in enumerate(of) for _ in range(won)]
    return made(rows, TEAMS)


def drawn(seed, *, n_questions=20, n_raters=3, gap=0.0, tie=0.2):
    """Choices of three systems, of which the first is `gap` stronger on the logit scale."""
    chance = np.random.default_rng(seed)
    theta = np.array([gap, 0.0, 0.0])
    rows, questions, raters = [], [], []
    for question in range(n_questions):
        for (a, b), rater in itertools.product(
            itertools.combinations(range(3), 2), range(n_raters)
        ):
            first, second = (a, b) if chance.random() < 0.5 else (b, a)
            p = 1 / (1 + math.exp(theta[second] - theta[first]))
            rows.append(
                (first, second, 0.5 if chance.random() < tie else float(chance.random() < p))
            )
            questions.append(question)
            raters.append(rater)
    return made(rows, questions=questions, raters=raters)


class TestStrengths:
    def test_are_the_published_ones_of_the_american_league(self):
        found = strengths(league()).logs

        published = (1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839, 0.0)
        assert (found - found[-1]).round(4).tolist() == list(published)

    def test_without_ties_are_those_of_a_binomial_regression(self):
        chosen = drawn(5, gap=0.7, tie=0.0)
        signs = np.zeros((len(chosen), 3))
        signs[np.arange(len(chosen)), chosen.first] = 1
        signs[np.arange(len(chosen)), chosen.second] = -1

        fit = sm.GLM(chosen.worth, signs[:, 1:], family=sm.families.Binomial()).fit()

        found = strengths(chosen).logs
        assert (found[1:] - found[0]).tolist() == pytest.approx(fit.params.tolist(), abs=1e-8)

    def test_fit_the_number_of_ties_and_what_each_system_was_worth(self):
        chosen = drawn(7, gap=0.5)
        found = strengths(chosen)

        told = found.rates[chosen.first, chosen.second]
        for system in range(3):
            own = (chosen.first == system, chosen.second == system)
            got = chosen.worth[own[0]].sum() + (1 - chosen.worth[own[1]]).sum()
            due = told[own[0]].sum() + (1 - told[own[1]]).sum()
            assert got == pytest.approx(due)
        # Two alike: they tie with chance t / (2 + t), and the whole table as often as it did.
        assert found.log_tie is not None
        assert 0.1 < math.exp(found.log_tie) / (2 + math.exp(found.log_tie)) < 0.35

    def test_say_how_each_choice_moves_a_rate(self):
        chosen = drawn(3, n_questions=60, gap=0.4)
        whole = strengths(chosen)

        without = [
            strengths(chosen.kept(np.delete(np.arange(len(chosen)), row))).field
            for row in range(0, 40, 10)
        ]

        for field, row in zip(without, range(0, 40, 10), strict=True):
            moved = whole.field - field
            assert moved.tolist() == pytest.approx(whole.influence[:, row].tolist(), abs=4e-5)

    def test_have_no_end_where_one_never_lost(self):
        found = strengths(made([(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (2, 1, 1.0)]))

        assert found.reason is Reason.NEVER_LOST
        assert np.isnan(found.field).all()

    def test_of_systems_that_never_met_are_none(self):
        rows = [(0, 1, 1.0), (1, 0, 1.0), (2, 3, 1.0), (3, 2, 1.0)]

        assert strengths(made(rows)).reason is Reason.NEVER_MET
        assert strengths(made([*rows, (0, 2, 1.0)])).reason is Reason.NEVER_LOST
        assert strengths(made([*rows, (0, 2, 0.5)])).reason is None

    def test_of_one_system_are_none(self):
        nothing = np.zeros(0, int)
        alone = Choices(nothing, nothing, np.zeros(0), nothing, nothing, nothing, ("A",), nothing)

        assert strengths(alone).reason is Reason.ONE_SYSTEM


class TestRates:
    def test_of_a_league_where_all_meet_alike_are_the_shares_of_wins(self):
        found = rates(league())

        assert [one.name for one in found.field] == list(TEAMS)
        shares = [sum(row) / 78 for row in WON]
        assert [float(one.these.value) for one in found.field] == pytest.approx(shares)

    def test_do_not_depend_on_which_answer_stood_at_a(self):
        chosen = drawn(11, gap=0.6)
        turned = Choices(
            chosen.second,
            chosen.first,
            1 - chosen.worth,
            chosen.both_bad,
            chosen.question,
            chosen.rater,
            chosen.names,
            chosen.capability,
        )

        one, other = rates(chosen), rates(turned)

        for a, b in zip(one.field, other.field, strict=True):
            assert (a.name, a.others.low) == (b.name, pytest.approx(b.others.low))
        assert [a.tally for a in one.pairs] == [b.tally for b in other.pairs]

    def test_are_clear_where_one_is_much_stronger(self):
        found = rates(drawn(2, n_questions=40, gap=2.0))

        assert found.field[0].name == 0
        assert found.pairs[0].certainty is Certainty.CLEAR
        assert found.others.ranks[0].high == 1
        low, high = found.field[0].others.low, found.field[0].others.high
        assert 0.5 < low < float(found.field[0].others.value) < high < 1

    def test_of_few_questions_have_no_interval(self):
        found = rates(drawn(4, n_questions=5))

        assert {one.others.interval_reason for one in found.field} == {Reason.UNDER_SIX}
        assert {one.others.interval_reason for one in found.pairs} == {Reason.UNDER_SIX}

    def test_hold_for_other_annotators_from_three_on(self):
        found = rates(drawn(4, n_raters=2))

        assert {one.others.interval_reason for one in found.pairs} == {Reason.FEW_RATERS}
        assert all(one.these.low is not None for one in found.pairs)

    def test_count_pairs_that_never_met_as_such(self):
        rows = [(0, 1, 1.0), (1, 0, 1.0), (1, 2, 1.0), (2, 1, 1.0)] * 4

        never = rates(made(rows)).pairs[1]

        assert (never.left, never.right, never.tally.n) == (0, 2, 0)
        assert never.these.reason is Reason.NEVER_MET

    @pytest.mark.parametrize("margin", [0.0, 0.5])
    def test_refuse_a_margin_that_is_none(self, margin):
        with pytest.raises(ValueError, match="margin"):
            rates(league(), margin=margin)


def grouped(seed, *, n_groups=10, n_wordings=3, as_one=True):
    """Choices by three people between two systems that are as good; wordings of a question go together."""
    chance = np.random.default_rng(seed)
    own = np.repeat(chance.normal(0, 1.5, n_groups), n_wordings)
    rows, questions, raters = [], [], []
    for question, rater in itertools.product(range(len(own)), range(3)):
        won = float(chance.random() < 1 / (1 + math.exp(-own[question])))
        rows.append((0, 1, won) if chance.random() < 0.5 else (1, 0, 1 - won))
        questions.append(question)
        raters.append(rater)
    chosen = made(rows, questions=questions, raters=raters)
    group = np.arange(len(own)) // n_wordings
    return dataclasses.replace(chosen, group=group) if as_one else chosen


class TestGroups:
    def test_are_one_question_each(self):
        of_groups, alone = rates(grouped(1)), rates(grouped(1, as_one=False))

        assert [one.others.n for one in of_groups.field] == [10, 10]
        assert [one.others.n for one in alone.field] == [30, 30]
        assert of_groups.pairs[0].these.n == 10
        assert of_groups.pairs[0].value == alone.pairs[0].value
        assert of_groups.pairs[0].these.low < alone.pairs[0].these.low

    def test_of_one_question_each_change_nothing(self):
        chosen = drawn(3, gap=0.4)

        found = rates(dataclasses.replace(chosen, group=np.arange(20)[::-1]))

        for one, other in zip(found.field, rates(chosen).field, strict=True):
            assert (one.others.low, one.others.n) == (pytest.approx(other.others.low), 20)

    def test_stay_with_some_of_the_choices(self):
        chosen = grouped(1)

        assert chosen.kept(np.arange(9)).cluster.tolist() == [0] * 9
        assert chosen.kept(np.arange(9, 12)).cluster.tolist() == [1] * 3

    def test_refuse_to_be_of_other_questions(self):
        with pytest.raises(ValueError, match="one group"):
            dataclasses.replace(drawn(1), group=np.zeros(3, int))

    def test_call_as_good_systems_different_as_rarely_as_they_say(self):
        false = [
            [
                not one.these.low <= 0.5 <= one.these.high
                for one in (rates(grouped(n)).pairs[0], rates(grouped(n, as_one=False)).pairs[0])
            ]
            for n in range(400)
        ]

        mine, alone = np.mean(false, axis=0)
        assert mine <= 0.08
        assert alone > 0.12  # what it was to count every wording


class TestSide:
    def test_is_even_where_the_same_answers_win_on_either(self):
        rows = [(0, 1, 1.0), (1, 0, 0.0)] * 10

        found = side(made(rows, questions=[n // 2 for n in range(20)]))

        assert float(found.these.value) == 0.5

    def test_is_told_where_a_is_always_chosen(self):
        rows = [(0, 1, 1.0), (1, 0, 1.0), (0, 1, 1.0), (1, 0, 0.5)] * 10

        found = side(made(rows))

        assert float(found.these.value) == 0.875
        assert found.these.low > 0.5


class TestCounts:
    def test_are_of_wins_ties_and_losses(self):
        rows = [(0, 1, 1.0), (1, 0, 1.0), (1, 0, 0.5), (0, 1, 0.5)]

        (tally,) = counts.tallies(made(rows, ("A", "B"), both_bad=[0, 0, 0, 1]))

        assert (tally.won, tally.tied, tally.both_bad, tally.lost) == (1, 2, 1, 1)
        assert tally.rate == 0.5

    def test_find_what_goes_in_a_circle(self):
        circle = [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)]
        line = [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)]
        tied = [(0, 1, 1.0), (1, 2, 0.5), (2, 0, 1.0)]

        found = counts.triads(made(circle + line + tied, questions=[0] * 3 + [1] * 3 + [2] * 3))

        assert (found.n, found.n_circular, found.share) == (2, 1, 0.5)

    def test_find_a_quarter_of_circles_by_chance(self):
        found = counts.triads(drawn(1, n_questions=400, tie=0.0))

        assert found.share == pytest.approx(0.25, abs=0.04)

    @pytest.mark.parametrize(
        ("row", "bad", "why"),
        [
            ((0, 0, 1.0), 0, "two systems"),
            ((0, 1, 0.7), 0, "worth"),
            ((0, 1, 1.0), 1, "bad"),
        ],
    )
    def test_refuse_what_is_no_choice(self, row, bad, why):
        with pytest.raises(ValueError, match=why):
            made([row], ("A", "B"), both_bad=[bad])
