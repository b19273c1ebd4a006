import itertools
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.plain import Reason, plain
from scoring.stats.scores import fluctuation
from scoring.stats.scores.fluctuation import CAUSES, METHODS, Regraded, TwoRounds, two_rounds


def record(question, content, rater, value):
    return Regraded(question, (question, content), rater, value, 3)


def other(question, content, rater, value):
    """Return a grade of another system."""
    return Regraded(question, ("other", question, content), rater, value, 3, own=False)


PLACES = (st.integers(0, 4), st.integers(0, 2), st.integers(0, 3), st.integers(0, 3))
GRADES = st.lists(st.builds(record, *PLACES), min_size=1, max_size=15)
OTHERS = st.lists(st.builds(other, *PLACES), max_size=10)
SIDES = st.builds(lambda own, others: own + others, GRADES, OTHERS)
DESIGNS = st.builds(two_rounds, SIDES, SIDES)
METHOD = st.sampled_from(sorted(METHODS))

#: METHODS-LALAEVAL, "Worked example": rows question, columns rater; the response to Q2 changed.
BEFORE = {1: (2, 1, 2), 2: (1, 1, 0), 3: (2, 2, 1), 4: (2, 2, 2)}
AFTER = {5: (0, 1, 1), 2: (2, 2, 2), 3: (1, 2, 2), 4: (2, 1, 2)}


def worked():
    def records(table, raters, round_):
        return [
            Regraded(question, (question, round_ if question == 2 else 0), rater, value, 2)
            for question, values in table.items()
            for rater, value in zip(raters, values, strict=True)
        ]

    return two_rounds(records(BEFORE, (1, 2, 3), 1), records(AFTER, (1, 2, 4), 2))


def total(found):
    """Return the sum of the causes."""
    return sum(one for one in (*causes(found), found.together) if one is not None)


def causes(found):
    return [getattr(found, name) for name in CAUSES]


class TestWorkedExample:
    def test_of_fixed_effects(self):
        found = fluctuation.fixed_effects(worked())

        assert causes(found) == pytest.approx([-5 / 48, 3 / 16, -5 / 36, 1 / 18], abs=1e-12)
        assert found.drift == Fraction(1, 4)
        rounds = worked()
        met = (rounds.common_questions, rounds.unchanged, rounds.common_raters)
        assert [int(one.sum()) for one in met] == [3, 2, 2]

    @pytest.mark.parametrize("method", [fluctuation.lalaeval, fluctuation.shapley])
    def test_of_the_scenarios(self, method):
        exact = [Fraction(-1, 8), Fraction(1, 6), Fraction(-1, 12), Fraction(1, 24)]

        assert causes(method(worked())) == exact

    def test_is_the_one_that_is_published(self, golden):
        known = json.loads((golden / "lalaeval" / "worked_examples.json").read_text())
        known = known["fluctuation_example"]

        assert causes(fluctuation.lalaeval(worked())) == [Fraction(x) for x in known["corrected"]]
        assert causes(fluctuation.shapley(worked())) == [Fraction(x) for x in known["shapley"]]
        assert causes(fluctuation.fixed_effects(worked())) == pytest.approx(known["fixed_effects"])

    def test_has_the_six_scenarios(self):
        rows = fluctuation.scenarios(worked())

        assert [row.mean_before for row in rows] == [
            Fraction(3, 4), 1, Fraction(1, 2), 0, 1, Fraction(3, 4),
        ]  # fmt: skip
        assert [row.mean_after for row in rows] == [
            Fraction(1, 4), Fraction(1, 2), 1, 1, Fraction(3, 4), 1,
        ]  # fmt: skip
        assert sum(row.share_before for row in rows) == 1
        assert (rows[4].questions, rows[4].raters, rows[4].share_after) == (
            "unchanged",
            "common",
            Fraction(1, 3),
        )


class TestCauses:
    @given(DESIGNS, METHOD)
    def test_add_up_on_any_design(self, rounds, method):
        found = METHODS[method](rounds)

        assert abs(float(total(found) - found.change)) <= 1e-12

    @given(DESIGNS, METHOD)
    def test_change_sign_when_time_is_turned(self, rounds, method):
        found = METHODS[method](rounds)
        turned = METHODS[method](replace(rounds, later=~rounds.later))

        for one, other in zip(causes(found), causes(turned), strict=True):
            assert (one is None) == (other is None)
            assert one is None or float(one + other) == pytest.approx(0, abs=1e-9)

    @given(DESIGNS, METHOD, st.randoms(use_true_random=False))
    def test_do_not_depend_on_names_or_order(self, rounds, method, random):
        order = np.array(random.sample(range(len(rounds.later)), len(rounds.later)))
        shuffled = TwoRounds(
            rounds.question[order] + 3,
            rounds.content[order] + 7,
            rounds.rater[order] * 2,
            rounds.later[order],
            rounds.numerator[order],
            rounds.denominator[order],
            rounds.counted[order],
        )

        one, other = METHODS[method](rounds), METHODS[method](shuffled)

        assert [x if x is None else float(x) for x in causes(one)] == pytest.approx(
            [x if x is None else float(x) for x in causes(other)], abs=1e-9
        )

    @pytest.mark.nightly
    @pytest.mark.timeout(3000)
    def test_add_up_and_turn_on_very_many_designs(self):
        rng = np.random.default_rng(5)
        for _ in range(10_000):
            rounds = anything(rng)
            turned = replace(rounds, later=~rounds.later)
            for find in METHODS.values():
                found, back = find(rounds), find(turned)
                assert abs(float(total(found) - found.change)) <= 1e-12
                for one, other in zip(causes(found), causes(back), strict=True):
                    assert (one is None) == (other is None)
                    assert one is None or abs(float(one + other)) <= 1e-9

    def test_come_back_as_they_were_planted(self):
        # METHODS: planted causes (.05, .05, .03, −.06) come back within .01 at 50 % density.
        planted = (0.05, 0.05, 0.03, -0.06)

        assert causes(fluctuation.fixed_effects(simulated(planted))) == pytest.approx(
            planted, abs=0.01
        )

    def test_that_cannot_be_told_apart_are_given_as_one(self):
        rounds = two_rounds([record(1, 0, 1, 0)], [record(1, 1, 1, 3)])

        found = fluctuation.fixed_effects(rounds)

        assert (found.responses, found.same_raters) == (None, None)
        assert found.reason is Reason.NOT_CONNECTED
        assert "anchor" in found.reason.sentence
        assert float(found.together) == pytest.approx(1)
        assert plain(found)["change"]["value"] == 1.0


def anything(rng):
    """Return two rounds of any design: gaps, other scales, other raters, other contents."""
    n = int(rng.integers(2, 30))
    later = rng.random(n) < 0.5
    later[:2] = False, True
    question = rng.integers(0, 5, n)
    content = question * 3 + rng.integers(0, 3, n)
    rater = rng.integers(0, 4, n) + later * rng.integers(0, 3)
    top = rng.integers(1, 4, n)
    return TwoRounds(question, content, rater, later, rng.integers(0, top + 1), top)


def drawn(rng, severity, planted, n):
    """Return two rounds over n questions a round, of kinds drawn by lot, all drawn afresh.

    An interval allows for how many questions are of which kind, so chance decides that here, too.

    What is planted moves the score in expectation: replaced questions are worth more, changed
    responses are, common raters get more lenient, others differ from those they replace.
    """
    questions, responses, same, mix = planted
    raters = len(severity)
    half = raters // 2
    rows = []
    lean = [dict(enumerate(severity))]
    gone = float(np.mean(severity[half:]))
    others = dict.fromkeys(range(raters, raters + half), gone + 2 * mix)
    lean.append({r: s + 2 * same for r, s in lean[0].items() if r < half} | others)
    worth = rng.uniform(0.2, 0.6, (2, n))
    kinds = rng.integers(0, 3, n)  # replaced, changed, unchanged
    worth[1, kinds > 0] = worth[0, kinds > 0]
    worth[1, kinds == 0] += 3 * questions
    worth[1, kinds == 1] += 3 * responses
    for later in (0, 1):
        names = np.array(list(lean[later]))
        lenient = np.array(list(lean[later].values()))
        k, at = np.nonzero(rng.random((n, len(names))) < 0.5)
        y = worth[later, k] + lenient[at] + rng.normal(0, 0.05, len(k))
        question = k + n * ((kinds[k] == 0) & (later == 1))
        content = 2 * question + ((kinds[k] == 1) & (later == 1))
        rows.append(
            np.column_stack([question, content, names[at], np.full(len(k), later), y * 1e6])
        )
    table = np.rint(np.concatenate(rows)).astype(np.int64)
    whole = np.full(len(table), 1_000_000)
    return TwoRounds(table[:, 0], table[:, 1], table[:, 2], table[:, 3] == 1, table[:, 4], whole)


@pytest.mark.nightly
@pytest.mark.timeout(3000)
class TestCoverage:
    def test_of_the_causes_is_93_to_97_percent(self):
        planted = (0.05, 0.05, 0.03, -0.06)
        severity = np.random.default_rng(1).normal(0, 0.02, 8)
        rng = np.random.default_rng(2)
        whole = fluctuation.fixed_effects(drawn(rng, severity, planted, 60_000))
        truth = dict(zip((*CAUSES, "change"), (*causes(whole), float(whole.change)), strict=True))
        assert list(truth.values())[:4] == pytest.approx(planted, abs=0.005)

        hits, trials = dict.fromkeys(truth, 0), 800
        for _ in range(trials):
            rounds = drawn(rng, severity, planted, 60)
            found = fluctuation.intervals(rounds, resamples=300, seed=rng)
            for name, value in truth.items():
                hits[name] += found[name].low <= value <= found[name].high

        shares = {name: n / trials for name, n in hits.items()}
        assert all(0.93 <= share <= 0.97 for share in shares.values()), shares


def simulated(planted, *, n=2400, raters=12, seed=4):
    """Return two rounds in which each cause has moved the score by so much."""
    rng = np.random.default_rng(seed)
    questions, responses, same, mix = planted
    width = 1_000_000
    third = n // 3
    worth = rng.uniform(0.3, 0.5, (2, n))
    kinds = np.repeat([0, 1, 2], third)  # replaced, changed, unchanged
    worth[1] = worth[0]
    worth[1, kinds == 0] += 3 * questions
    worth[1, kinds == 1] += 3 * responses
    lenient = rng.normal(0, 0.02, raters)
    half = raters // 2
    severity = {0: dict(zip(range(raters), lenient - lenient[:half].mean(), strict=True))}
    severity[1] = {r: s + 2 * same for r, s in severity[0].items() if r < half}
    gone = float(np.mean([severity[0][r] for r in range(half, raters)]))
    severity[1] |= dict.fromkeys(range(raters, raters + half), gone + 2 * mix)
    rows = []
    for later in (0, 1):
        for k in range(n):
            question = k + (n if later and kinds[k] == 0 else 0)
            content = 2 * question + int(later and kinds[k] == 1)
            for r, s in severity[later].items():
                if rng.random() < 0.5:
                    y = worth[later, k] + s + rng.normal(0, 0.02)
                    rows.append((question, content, r, later, round(y * width)))
    columns = np.array(rows)
    at, whole = columns[:, 3] == 1, np.full(len(columns), width)
    return TwoRounds(columns[:, 0], columns[:, 1], columns[:, 2], at, columns[:, 4], whole)


class TestIntervals:
    def test_rest_on_the_questions_of_their_cause(self):
        found = fluctuation.intervals(simulated((0.05, 0.05, 0.03, -0.06), n=24), resamples=20)

        counts = [found[name].n_clusters for name in (*CAUSES, "change")]
        assert counts == [8, 8, 32, 32, 32]

    def test_hold_what_was_planted(self):
        planted = (0.05, 0.05, 0.03, -0.06)
        rounds = simulated(planted, n=240)

        found = fluctuation.intervals(rounds, resamples=100)

        for name, value in zip(CAUSES, planted, strict=True):
            assert found[name].low - 0.01 < value < found[name].high + 0.01
        assert found["together"].reason is Reason.EMPTY_RESAMPLES

    def test_leave_out_resamples_that_lack_a_round(self):
        rounds = two_rounds([record(1, 0, 1, 0)], [record(2, 0, 1, 3)])

        found = fluctuation.intervals(rounds, method="lalaeval", resamples=50)

        assert found["change"].low is None


#: CLAIMS §4: all responses of C rewritten, A and B unchanged, the same four annotators.
CRITERIA = ("correct", "tone")
RISE = {"correct": (1, 3), "tone": (3, 1)}


def rewritten(criteria=CRITERIA, weights=None):
    """Return two rounds in which C's responses are others; the second time everybody is stricter by 1."""

    def side(later):
        rng = np.random.default_rng(9 + later)
        made = []
        for question, criterion in itertools.product(range(20), criteria):
            for rater in range(4):
                mark = RISE[criterion][later] + 2 + (rater == 0) - later + rng.integers(0, 2)
                content = ("C", question, later, criterion)
                made.append(Regraded(question, content, rater, mark, 8, part=criterion))
                for name in "AB":
                    mark = 4 + (rater == 0) - later + rng.integers(0, 2)
                    same = (name, question, criterion)
                    given = Regraded(question, same, rater, mark, 8, own=False, part=criterion)
                    made.append(given)
        return made

    chosen = weights or dict.fromkeys(criteria, Fraction(1))
    return two_rounds(side(0), side(1), chosen)


class TestOtherSystems:
    def test_tie_the_annotators_of_both_rounds_together(self):
        found = fluctuation.fixed_effects(rewritten(("correct",)))

        assert found.reason is None
        assert found.together is None
        assert found.responses == pytest.approx(2 / 8, abs=0.02)
        assert found.same_raters == pytest.approx(-1 / 8, abs=0.02)
        assert (found.questions, found.other_raters) == pytest.approx((0, 0), abs=1e-9)

    def test_leave_causes_of_a_criterion_that_fell_as_they_are(self):
        found = fluctuation.fixed_effects(rewritten(("tone",)))

        assert found.responses == pytest.approx(-2 / 8, abs=0.02)

    def test_do_not_count_in_the_score(self):
        alone = rewritten()
        kept = alone.counted
        bare = TwoRounds(
            *(
                getattr(alone, name)[kept]
                for name in ("question", "content", "rater", "later", "numerator", "denominator")
            )
        )

        for side in (0, 1):
            assert alone.mean(side) == bare.mean(side)
        assert fluctuation.fixed_effects(bare).reason is Reason.NOT_CONNECTED

    def test_are_drawn_with_their_questions(self):
        found = fluctuation.intervals(rewritten(("correct",)), resamples=200)

        assert found["responses"].low > 0.2
        assert found["responses"].n_clusters == 20
        assert found["same_raters"].high < 0


class TestParts:
    def test_weigh_what_they_are_said_to(self):
        weights = {"correct": Fraction(3), "tone": Fraction(1)}
        together = rewritten(weights=weights)
        single = {one: rewritten((one,)) for one in CRITERIA}

        for side in (0, 1):
            mean = sum(weights[one] * single[one].mean(side) for one in CRITERIA) / 4
            assert float(together.mean(side)) == pytest.approx(float(mean), abs=0.02)
        for find in METHODS.values():
            found = find(together)
            assert float(total(found)) == pytest.approx(float(found.change), abs=1e-12)

    def test_that_a_round_has_not_give_their_weight_to_the_others(self):
        both = two_rounds(
            [Regraded(1, 1, 1, 1, 2, part="a"), Regraded(2, 2, 1, 0, 2, part="b")],
            [Regraded(1, 1, 1, 1, 2, part="a")],
            {"a": Fraction(1), "b": Fraction(3)},
        )

        assert (both.mean(0), both.mean(1)) == (Fraction(1, 8), Fraction(1, 2))
