"""A judge of pairs beside people, and win rates at equal length."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special

from scoring.stats.plain import Reason
from scoring.stats.preferences import judged, lengths
from scoring.stats.preferences.choices import Choices

#: Of six pairs with three people: a judge that is right about the first four.
JUDGE = np.array([1.0, 1.0, 0.0, 0.5, 1.0, 0.5])
PEOPLE = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0.5], [0.5, 0.5, 1], [0, 0, 0], [1, 0, 1]], float)
ONE_EACH = np.arange(6)
#: All of the same two systems.
BOTH = np.zeros(6, int)


def drawn(seed, *, n_questions=40, n_people=3, skill=0.8, tie=0.2):
    """A judge and people who find the better one of a question's three pairs alike, mostly.

    One question is easier than another for all of them, so that what is said of it goes together.
    """
    chance = np.random.default_rng(seed)
    easy = chance.beta(skill * 6, (1 - skill) * 6, n_questions)
    right = np.repeat(easy, 3)[:, None]
    votes = np.where(chance.random((3 * n_questions, n_people + 1)) < right, 1.0, 0.0)
    votes[chance.random(votes.shape) < tie] = 0.5
    return votes[:, 0], votes[:, 1:], np.repeat(np.arange(n_questions), 3)


def three(question):
    """Which two of three systems met, where each question is of their three pairs."""
    return np.arange(len(question)) % 3


def agreed(judge, people, question):
    return judged.agreement(judge, people, question, systems=three(question))


class TestAgreement:
    def test_is_that_of_both_setups_counted_by_hand(self):
        found = judged.agreement(JUDGE, PEOPLE, ONE_EACH, systems=BOTH)

        # 3 + 2 + 2 + 2 + 0 + 0 of 18 votes; of those without a tie on either side 3 + 2 + 2 of 3 + 3 + 2 + 3.
        assert found.with_ties.value == pytest.approx(9 / 18)
        assert found.without_ties.value == pytest.approx(7 / 11)
        assert (found.with_ties.n, found.without_ties.n) == (18, 11)
        assert found.table == ((5, 0, 4), (3, 2, 1), (0, 1, 2))

    def test_has_the_kappa_of_its_table(self):
        found = judged.agreement(JUDGE, PEOPLE, ONE_EACH, systems=BOTH)

        rows, columns = (9, 6, 3), (8, 3, 7)
        chance = sum(a * b for a, b in zip(rows, columns, strict=True)) / 18**2
        assert found.kappa.value == pytest.approx((0.5 - chance) / (1 - chance))

    def test_of_people_counts_every_two_of_them(self):
        found = judged.among(PEOPLE, ONE_EACH, systems=BOTH)

        # Of three: all alike twice, two alike four times.
        assert found.with_ties.value == pytest.approx((3 + 1 + 1 + 1 + 3 + 1) / 18)
        assert found.with_ties.n == 18
        assert sum(map(sum, found.table)) == 36

    def test_of_a_judge_that_says_what_they_say_is_whole(self):
        votes = np.array([1.0, 0.0, 0.5] * 4)

        found = judged.agreement(
            votes, np.column_stack([votes] * 3), np.arange(12), systems=np.zeros(12, int)
        )

        assert (found.with_ties.value, found.kappa.value) == (1.0, pytest.approx(1.0))
        assert found.with_ties.reason is Reason.NO_SPREAD

    @given(st.integers(0, 10_000), st.tuples(*[st.booleans()] * 3))
    def test_does_not_depend_on_which_answer_is_left(self, seed, turned):
        judge, people, question = drawn(seed, n_questions=10)

        of = three(question)
        turns = np.array(turned)[of]
        one = judged.agreement(judge, people, question, systems=of)
        other = judged.agreement(
            np.where(turns, 1 - judge, judge),
            np.where(turns[:, None], 1 - people, people),
            question,
            systems=of,
        )

        assert one.with_ties == other.with_ties
        assert one.without_ties == other.without_ties
        assert other.kappa.value == pytest.approx(one.kappa.value)

    def test_beyond_chance_is_within_two_systems(self):
        # One system wins against each other in nine of ten votes, whoever votes: nobody knows more.
        chance = np.random.default_rng(3)
        votes = (chance.random((600, 4)) < 0.9).astype(float)
        of = np.arange(600) % 3
        votes[of == 2] = 1 - votes[of == 2]  # here it is the right one

        found = judged.agreement(votes[:, 0], votes[:, 1:], np.arange(600) // 3, systems=of)

        assert found.with_ties.value > 0.8
        assert found.kappa.low < 0 < found.kappa.high
        parts = [
            judged.agreement(
                votes[of == n, 0], votes[of == n, 1:], np.arange(200), systems=of[of == n]
            )
            for n in range(3)
        ]
        assert found.kappa.value == pytest.approx(np.mean([one.kappa.value for one in parts]))

    def test_of_few_questions_has_no_interval_and_of_none_no_value(self):
        few = judged.agreement(JUDGE[:5], PEOPLE[:5], ONE_EACH[:5], systems=BOTH[:5])
        none = judged.agreement(np.full(6, np.nan), PEOPLE, ONE_EACH, systems=BOTH)

        assert (few.with_ties.low, few.with_ties.reason) == (None, Reason.UNDER_SIX)
        assert (none.with_ties.value, none.with_ties.reason) == (None, Reason.FEW_PAIRS)

    def test_by_chance_is_not_known_where_all_say_one_thing(self):
        found = judged.agreement(
            np.ones(8), np.ones((8, 3)), np.arange(8), systems=np.zeros(8, int)
        )

        assert (found.kappa.value, found.kappa.reason) == (None, Reason.ONE_LEVEL)

    @pytest.mark.parametrize(
        ("judge", "people", "question", "why"),
        [
            (JUDGE[:5], PEOPLE, ONE_EACH, "length"),
            (JUDGE, PEOPLE[:, 0], ONE_EACH, "length"),
            (JUDGE * 2, PEOPLE, ONE_EACH, "vote"),
            (JUDGE, PEOPLE + 0.1, ONE_EACH, "vote"),
        ],
    )
    def test_refuses_what_is_no_vote(self, judge, people, question, why):
        with pytest.raises(ValueError, match=why):
            judged.agreement(judge, people, question, systems=BOTH)

    def test_refuses_systems_of_other_pairs(self):
        with pytest.raises(ValueError, match="length"):
            judged.among(PEOPLE, ONE_EACH, systems=BOTH[:5])

    @pytest.mark.slow
    @pytest.mark.parametrize("n_questions", [20, 60, 200])
    def test_lies_within_its_interval_as_often_as_it_says(self, n_questions):
        truth = agreed(*drawn(1, n_questions=60_000))
        met = []
        for seed in range(400):
            found = agreed(*drawn(seed + 10, n_questions=n_questions))
            met.append(
                [
                    one.low <= true.value <= one.high
                    for one, true in (
                        (found.with_ties, truth.with_ties),
                        (found.without_ties, truth.without_ties),
                        (found.kappa, truth.kappa),
                    )
                ]
            )

        assert np.mean(met, axis=0).min() >= 0.92
        assert np.mean(met, axis=0).max() <= 0.98


class TestShare:
    def test_is_counted_by_hand(self):
        found = judged.share(np.array([1, 0, 0, 1, np.nan, 1]), ONE_EACH)

        assert (found.value, found.n, found.n_questions) == (0.6, 5, 5)

    def test_has_students_interval_of_means_where_questions_weigh_alike(self):
        rows = np.array([1.0, 0, 0, 1, 1, 0, 1, 1, 0, 0] * 4)

        found = judged.share(rows, np.arange(40))

        half = rows.std(ddof=1) / math.sqrt(40) * special.stdtrit(39, 0.975)
        assert found.value == 0.5
        assert found.low == pytest.approx(0.5 - half, abs=0.003)

    @given(st.integers(0, 10_000))
    def test_lies_within_its_interval(self, seed):
        rows = (np.random.default_rng(seed).random(60) < 0.3).astype(float)

        found = judged.share(rows, np.arange(60) // 3)

        assert found.low is None or 0 <= found.low <= found.value <= found.high <= 1

    def test_refuses_what_is_neither(self):
        with pytest.raises(ValueError, match="so"):
            judged.share(np.array([0.5]), np.array([0]))
        with pytest.raises(ValueError, match="length"):
            judged.share(np.array([1.0]), np.array([0, 1]))


class TestLeaning:
    def test_is_counted_by_hand(self):
        trait = np.array([1, -1, 0, 1, -1, 1.0])

        found = judged.leaning(trait, JUDGE, PEOPLE, ONE_EACH)

        # Pairs 0, 1, 3, 4 and 5: the judge is for it once, against it twice, and twice it says a tie.
        assert (found.judge.value, found.judge.n) == (pytest.approx(1 / 3), 3)
        # People: 3 : 0, 1 : 2, 1 : 0, 3 : 0, 2 : 1.
        assert (found.people.value, found.people.n) == (pytest.approx(10 / 13), 13)
        assert found.more.value == pytest.approx(1 / 3 - 10 / 13)

    @given(st.integers(0, 10_000))
    def test_turns_round_with_the_trait(self, seed):
        judge, people, question = drawn(seed, n_questions=12)
        trait = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], len(judge))

        one = judged.leaning(trait, judge, people, question)
        other = judged.leaning(-trait, judge, people, question)

        if one.judge.value is not None and one.people.value is not None:
            assert other.judge.value == pytest.approx(1 - one.judge.value)
            assert other.more.value == pytest.approx(-one.more.value)

    def test_refuses_a_trait_that_is_none(self):
        with pytest.raises(ValueError, match="trait"):
            judged.leaning(np.full(6, 2.0), JUDGE, PEOPLE, ONE_EACH)

    @pytest.mark.slow
    @pytest.mark.parametrize("n_questions", [20, 100])
    def test_finds_none_where_there_is_none(self, n_questions):
        false, met = [], []
        for seed in range(400):
            judge, people, question = drawn(seed, n_questions=n_questions, skill=0.5)
            trait = np.random.default_rng([seed, 1]).choice([-1.0, 1.0], len(judge))
            found = judged.leaning(trait, judge, people, question)
            false.append(not found.more.low <= 0 <= found.more.high)
            met.append(found.judge.low <= 0.5 <= found.judge.high)

        assert np.mean(false) <= 0.08
        assert 0.92 <= np.mean(met) <= 0.98


THETA, SLOPE = np.array([0.6, 0.0, -0.4]), 1.2


def compared(seed, *, n_questions=40, slope=SLOPE, alike=0.5, theta=THETA):
    """Choices of a judge that likes length, and by how much the first answer is longer.

    The strongest answers are the longest. Two pairs of a question go together with chance `alike`.
    """
    chance = np.random.default_rng(seed)
    rows, gaps = [], []
    for question in range(n_questions):
        shared = chance.random()
        long = chance.normal([900, 700, 650], 250)
        for a, b in itertools.combinations(range(3), 2):
            first, second = (a, b) if chance.random() < 0.5 else (b, a)
            gap = long[first] - long[second]
            p = special.expit(theta[first] - theta[second] + slope * np.tanh(gap / 380))
            own = chance.random() if chance.random() > alike else shared
            won = float((own if first < second else 1 - own) < p)
            rows.append((first, second, won, question))
            gaps.append(gap)
    left, right, worth, asked = (np.array(one) for one in zip(*rows, strict=True))
    nobody = np.zeros(len(worth), int)
    names = tuple(range(len(theta)))
    capability = np.zeros(n_questions, int)
    chosen = Choices(left, right, worth, nobody, asked, nobody, names, capability)
    return chosen, np.array(gaps)


def field(theta=THETA):
    each = special.expit(theta[:, None] - theta[None, :])
    return [float(np.delete(each[i], i).mean()) for i in range(len(theta))]


class TestEqualLength:
    def test_is_the_maximum_of_its_likelihood(self):
        chosen, gaps = compared(3, n_questions=60)

        found = lengths.equal_length(chosen, gaps)

        long = np.tanh(gaps / np.sqrt((gaps**2).mean()))

        def loss(at):
            theta = np.array([0.0, at[0], at[1]])
            odds = theta[chosen.first] - theta[chosen.second] + at[2] * long
            return -(chosen.worth * odds - np.logaddexp(0, odds)).sum()

        best = optimize.minimize(loss, np.zeros(3), tol=1e-10).x
        expected = field(np.array([0.0, best[0], best[1]]))
        assert [one.value for one in found.rates] == pytest.approx(expected, abs=1e-5)
        assert found.longer.value == pytest.approx(special.expit(best[2] * np.tanh(1)), abs=1e-5)

    def test_of_two_systems_is_known_by_hand_where_length_is_balanced(self):
        # 12 of 16, whether longer or shorter: nothing is due to length.
        n = 32
        worth = np.array(([1.0] * 3 + [0.0]) * 8)
        gaps = np.array(([100.0] * 4 + [-100.0] * 4) * 4)
        nobody = np.zeros(n, int)
        chosen = Choices(
            nobody, nobody + 1, worth, nobody, np.arange(n), nobody, ("A", "B"), np.zeros(n, int)
        )

        found = lengths.equal_length(chosen, gaps)

        assert found.rates[0].value == pytest.approx(0.75)
        assert found.rates[1].value == pytest.approx(0.25)
        assert found.longer.value == pytest.approx(0.5)
        # Variance 1 / (32 · 3/4 · 1/4) of the logit, corrected for 32 clusters and two parameters.
        half = special.stdtrit(31, 0.975) * math.sqrt(1 / 6 * 32 / 30)
        assert found.rates[0].low == pytest.approx(special.expit(math.log(3) - half))
        assert found.scale == 100

    def test_does_not_depend_on_which_answer_came_first(self):
        chosen, gaps = compared(5)
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

        one, other = lengths.equal_length(chosen, gaps), lengths.equal_length(turned, -gaps)

        for a, b in zip(one.rates, other.rates, strict=True):
            assert (a.value, a.low) == pytest.approx((b.value, b.low))

    def test_takes_from_the_longest_what_it_owes_to_length(self):
        chosen, gaps = compared(2, n_questions=300)

        found = lengths.equal_length(chosen, gaps)
        plain = lengths.equal_length(chosen, np.random.default_rng(1).normal(0, 1, len(gaps)))

        assert found.rates[0].value < plain.rates[0].value
        assert found.longer.low > 0.5

    @pytest.mark.parametrize(
        ("gaps", "reason"),
        [(np.full(120, np.nan), Reason.NO_LENGTHS), (np.zeros(120), Reason.NO_LENGTHS)],
    )
    def test_needs_lengths(self, gaps, reason):
        found = lengths.equal_length(compared(1)[0], gaps)

        assert {one.reason for one in found.rates} == {reason}
        assert found.longer.value is None

    def test_has_no_value_where_one_never_lost_or_length_decides_all(self):
        never, gaps = compared(1)
        worth = np.where(never.first == 0, 1.0, np.where(never.second == 0, 0.0, never.worth))
        won = Choices(
            never.first, never.second, worth, never.both_bad, never.question, never.rater,
            never.names, never.capability,
        )  # fmt: skip
        by_length = Choices(
            never.first, never.second, (gaps > 0).astype(float), never.both_bad, never.question,
            never.rater, never.names, never.capability,
        )  # fmt: skip

        assert lengths.equal_length(won, gaps).rates[0].reason is Reason.NEVER_LOST
        assert lengths.equal_length(by_length, gaps).rates[0].reason is Reason.NOT_CONVERGED

    def test_takes_wordings_of_a_question_for_one(self):
        chosen, gaps = compared(3, n_questions=60)
        together = dataclasses.replace(chosen, group=np.arange(60) // 3)

        found, alone = (lengths.equal_length(one, gaps) for one in (together, chosen))

        assert (found.n_questions, alone.n_questions) == (20, 60)
        assert found.rates[0].value == alone.rates[0].value
        assert found.rates[0].low != alone.rates[0].low

    def test_of_few_questions_has_no_interval(self):
        found = lengths.equal_length(*compared(11, n_questions=5, theta=np.zeros(3)))

        assert {one.low for one in found.rates} == {None}

    def test_refuses_columns_of_different_length(self):
        with pytest.raises(ValueError, match="length"):
            lengths.equal_length(compared(1)[0], np.zeros(3))

    @pytest.mark.slow
    @pytest.mark.parametrize("n_questions", [20, 60, 200])
    def test_lies_within_its_interval_as_often_as_it_says(self, n_questions):
        truth, met = field(), []
        for seed in range(300):
            found = lengths.equal_length(*compared(seed, n_questions=n_questions))
            if found.rates[0].low is not None:
                met.append([a.low <= b <= a.high for a, b in zip(found.rates, truth, strict=True)])

        assert len(met) >= 290
        assert 0.92 <= np.mean(met) <= 0.98
