import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats import inter_rater

from scoring.stats.people import agreement, strata
from scoring.stats.people.strata import UnitStratum
from scoring.stats.plain import Reason, plain
from tests.scoring import marks
from tests.scoring.marks import KRIPPENDORFF, units_of
from tests.scoring.ratings import frame_of, rated

LEVELS = [1, 2, 3, 4, 5]


def stratum(table, *, levels, questions=None):
    """A table of marks as a stratum; its questions are its rows, or those of the numbers given."""
    made = units_of(table, levels=levels)
    raters = [n for n in range(len(table[0])) if any(row[n] is not None for row in table)]
    numbers = np.arange(len(table)) if questions is None else np.array(questions)
    return UnitStratum(made, numbers, np.array(raters))


def published():
    return stratum(KRIPPENDORFF, levels=LEVELS)


def perfect(n=5, first=100):
    return stratum(
        [[n % 2, n % 2] for n in range(n)], levels=[0, 1], questions=first + np.arange(n)
    )


def nil(rng, n, *, mean, questions, raters=3):
    """Raters who mark by chance alone, around a mean of their criterion."""
    table = np.clip(np.rint(rng.normal(mean, 0.6, (n, raters))), 0, 5).astype(int)
    return stratum(table.tolist(), levels=range(6), questions=questions)


class TestTogether:
    def test_is_the_mean_weighted_by_what_two_raters_marked(self):
        found = strata.together([published(), perfect()], names=("alpha_nominal",), resamples=0)

        (one,) = found.coefficients
        # Krippendorff (2011): α 0.743 over the 11 of 12 units that two or more marked.
        alpha = agreement.agreement(published().units, resamples=0).find("alpha_nominal").value
        assert round(alpha, 3) == 0.743
        assert one.value == pytest.approx((11 * alpha + 5) / 16)
        assert (found.n_pairable, found.n_units, found.n_raters) == (16, 17, 4)
        assert (one.n_strata, one.n_left_out, found.n_clusters) == (2, 0, 17)
        assert json.dumps(plain(found), allow_nan=False)

    def test_takes_no_difference_of_criteria_for_agreement(self):
        rng = np.random.default_rng(1)
        both = [nil(rng, 90, mean=mean, questions=np.arange(90)) for mean in (1, 4)]
        table = np.concatenate([one.units.levels[one.units.matrix] for one in both])
        pooled = units_of(table.tolist(), levels=range(6), cluster=[*range(90), *range(90)])

        found = strata.together(both, names=("alpha_ordinal", "fleiss"), resamples=200)

        assert agreement.agreement(pooled, resamples=0).find("alpha_ordinal").value > 0.5
        assert abs(found.find("alpha_ordinal").value) < 0.15
        assert found.find("alpha_ordinal").low < 0 < found.find("alpha_ordinal").high
        assert abs(found.find("fleiss").value) < 0.15

    def test_of_one_stratum_is_its_coefficient_with_its_interval(self):
        units = units_of(marks.many(120, 3).tolist(), levels=range(5))

        whole = strata.together([UnitStratum(units, np.arange(120), np.arange(3))])
        alone = agreement.agreement(units)

        for one in alone.coefficients:
            other = whole.find(one.name)
            assert (other.value, other.low, other.high) == (
                pytest.approx(one.value),
                pytest.approx(one.low),
                pytest.approx(one.high),
            )

    def test_leaves_out_and_counts_strata_without_a_coefficient(self):
        same = stratum([[1, 1]] * 6, levels=[0, 1], questions=range(50, 56))

        found = strata.together([perfect(), same], names=("alpha_ordinal", "raw"), resamples=0)

        alpha, raw = found.coefficients
        assert (alpha.value, alpha.n_strata, alpha.n_left_out) == (1, 1, 1)
        assert (raw.value, raw.n_strata, raw.n_left_out) == (1, 2, 0)

    def test_says_why_there_is_none(self):
        same = stratum([[1, 1]] * 6, levels=[0, 1])

        nothing = strata.together([], names=("raw",))
        level = strata.together([same], names=("alpha_ordinal",))

        assert nothing.find("raw").reason is Reason.NO_GRADES
        assert level.find("alpha_ordinal").reason is Reason.ONE_LEVEL
        assert level.find("alpha_ordinal").interval_reason is Reason.ONE_LEVEL
        with pytest.raises(KeyError):
            level.find("beta")
        with pytest.raises(KeyError):
            strata.together([same], names=("beta",))

    def test_draws_strata_that_share_questions_together(self):
        # The same marks twice: drawn together the interval is that of one, apart it is narrower.
        table = marks.many(60, 3).tolist()
        one, same, other = (
            stratum(table, levels=range(5), questions=np.arange(60) + first) for first in (0, 0, 60)
        )

        def width(*parts):
            found = strata.together(parts, names=("alpha_interval",)).find("alpha_interval")
            return found.high - found.low

        assert width(one, same) == pytest.approx(width(one))
        assert width(one, other) < 0.95 * width(one)

    def test_of_two_or_three_questions_has_no_interval(self):
        few = stratum([[0, 1, 1], [1, 1, 0], [0, 0, 1]], levels=[0, 1])

        found = strata.together([few], names=("raw",)).find("raw")

        assert (found.low, found.interval_reason) == (None, Reason.FEW_QUESTIONS)

    @settings(max_examples=30)
    @given(st.lists(marks.tables(), min_size=1, max_size=3), st.randoms())
    def test_does_not_depend_on_the_order_of_strata(self, tables, random):
        parts = [stratum(table, levels=range(4)) for table in tables if any(map(any, table))]
        turned = list(parts)
        random.shuffle(turned)

        one, other = (strata.together(held, resamples=0) for held in (parts, turned))

        for mine, theirs in zip(one.coefficients, other.coefficients, strict=True):
            assert (mine.value is None) == (theirs.value is None)
            assert mine.value is None or mine.value == pytest.approx(theirs.value)


class TestFromRatings:
    def test_numbers_questions_and_raters_by_the_frame(self):
        rows = [
            rated(f"q{n}", mark, rater=rater, response=f"x{n}")
            for n, marks_ in enumerate([(None, None, 1), (0, None, 1), (1, None, 1)])
            for rater, mark in zip(("r1", "r2", "r3"), marks_, strict=True)
        ]

        found = strata.from_ratings(frame_of(rows), levels=[0, 1])

        assert found.question.tolist() == [0, 1, 2]
        assert found.rater.tolist() == [0, 2]
        assert (found.units.n_units, found.units.n_raters) == (3, 2)


class TestLeaveOneOut:
    def test_is_the_mean_over_the_same_criteria_with_the_same_weights(self):
        held = [published(), perfect()]

        found = strata.leave_one_out(held, "alpha_nominal")

        rest = {one.rater: one for one in agreement.leave_one_out(held[0].units, "alpha_nominal")}
        # Rater 2 marked nothing in the second stratum, which stays as it is.
        assert found[2].value == pytest.approx((11 * rest[2].value + 5) / 16)
        assert found[2].change == pytest.approx(11 * rest[2].change / 16)
        # Without rater 0 nobody is left to compare there: only the first one counts.
        assert found[0].value == pytest.approx(rest[0].value)
        assert found[0].change == pytest.approx(rest[0].change)

    def test_of_one_rater_of_two_says_why(self):
        (one, _other) = strata.leave_one_out([perfect()]).values()

        assert (one.value, one.reason) == (None, Reason.ONE_RATER)

    def test_of_nobody_is_nobody(self):
        assert strata.leave_one_out([]) == {}


class TestBetween:
    def test_is_the_mean_of_kappas_weighted_by_what_both_marked(self):
        # Cohen (1960): κ of each criterion; raters 0 and 1 share 10 units of one and 5 of the other.
        table = [(1, 1)] * 5 + [(0, 0)] * 3 + [(1, 0), (0, 1)]
        held = [stratum(table, levels=[0, 1]), perfect()]

        (found,) = strata.between(held, weights="nominal", resamples=0)

        (alone,) = agreement.pairs(held[0].units, weights="nominal", resamples=0)
        assert found.value == pytest.approx((10 * alone.value + 5) / 15)
        assert (found.left, found.right, found.n_units, found.n_clusters) == (0, 1, 15, 15)
        assert found.raw == pytest.approx(13 / 15)
        assert found.interval_reason is Reason.NOT_RESAMPLED

    def test_of_one_stratum_is_that_of_its_pairs(self):
        units = units_of(marks.many(80, 3).tolist(), levels=range(5))

        whole = strata.between([UnitStratum(units, np.arange(80), np.arange(3))])

        for one, other in zip(whole, agreement.pairs(units), strict=True):
            assert (one.left, one.right, one.n_units) == (other.left, other.right, other.n_units)
            assert (one.value, one.low, one.high) == (
                pytest.approx(other.value),
                pytest.approx(other.low),
                pytest.approx(other.high),
            )

    def test_takes_no_difference_of_criteria_for_agreement(self):
        rng = np.random.default_rng(0)
        both = [nil(rng, 60, mean=mean, questions=np.arange(60), raters=2) for mean in (1, 4)]

        (found,) = strata.between(both)

        assert found.low < 0 < found.high

    def test_of_raters_who_never_met_says_so(self):
        apart = stratum([[0, None], [None, 1]], levels=[0, 1])

        (found,) = strata.between([apart])

        assert (found.value, found.reason, found.n_units) == (None, Reason.NO_OVERLAP, 0)

    def test_of_one_level_alone_says_so(self):
        (found,) = strata.between([stratum([[1, 1]] * 5, levels=[0, 1])])

        assert (found.value, found.reason, found.raw) == (None, Reason.ONE_LEVEL, 1)


@pytest.mark.nightly
@pytest.mark.timeout(900)
class TestCoverage:
    """α over two capabilities with two criteria each, of different base rates, three raters."""

    N, TRIALS = 40, 300

    def drawn(self, rng, n):
        made = []
        for capability in range(2):
            for mean in (1.0, 3.0):
                worth = rng.normal(mean + capability / 2, 0.8, n)
                table = np.clip(np.rint(worth[:, None] + rng.normal(0, 0.6, (n, 3))), 0, 4)
                questions = np.arange(n) + capability * n
                made.append(
                    stratum(table.astype(int).tolist(), levels=range(5), questions=questions)
                )
        return made

    def test_is_92_to_97_percent(self):
        rng, name = np.random.default_rng(2), "alpha_interval"
        truth = strata.together(self.drawn(rng, 20_000), names=(name,), resamples=0).find(name)

        found = [
            strata.together(self.drawn(rng, self.N), names=(name,), resamples=300, seed=rng)
            for _ in range(self.TRIALS)
        ]

        hits = np.mean([one.find(name).low <= truth.value <= one.find(name).high for one in found])
        assert 0.915 <= hits <= 0.98


class TestAcrossGroups:
    @pytest.mark.parametrize(("metric", "weights"), [("nominal", None), ("interval", "quadratic")])
    def test_of_two_raters_is_cohens_kappa(self, metric, weights):
        table = marks.many(80, 2)
        square = np.zeros((5, 5))
        np.add.at(square, tuple(table.T), 1)

        found = strata.across(
            [stratum(table.tolist(), levels=range(5))], [0], [1], metric=metric, resamples=0
        )

        expected = inter_rater.cohens_kappa(square, wt=weights, return_results=False)
        assert found.coefficients[0].value == pytest.approx(expected, abs=1e-9)

    def test_is_about_alpha_where_groups_are_drawn_by_lot(self):
        one = stratum(marks.many(900, 6).tolist(), levels=range(5))

        found = strata.across([one], [0, 1, 2], [3, 4, 5], resamples=400)

        (made,) = found.coefficients
        alpha = agreement.agreement(one.units, names=("alpha_ordinal",), resamples=0)
        assert made.value == pytest.approx(alpha.coefficients[0].value, abs=0.01)
        assert made.low < made.value < made.high
        assert (found.n_raters, found.n_pairable, found.n_clusters) == (6, 900, 900)

    def test_sees_a_group_that_agrees_with_itself_alone(self):
        table = [[n % 3] * 2 + [2 - n % 3] * 2 for n in range(30)]
        one = stratum(table, levels=range(3))

        assert strata.together([one], resamples=0).find("alpha_ordinal").value < 0
        assert strata.across([one], [0, 1], [2, 3]).coefficients[0].value < 0
        assert strata.across([one], [0, 2], [1, 3]).coefficients[0].value == pytest.approx(
            0, abs=0.1
        )

    def test_leaves_out_what_only_one_group_marked(self):
        met = [[0, 1, 1], [2, 2, 1], [1, 1, 1], [0, 0, 2]]
        alone = [[0, 2, None], [None, None, 2]]

        found, fewer = (
            strata.across([stratum(rows, levels=range(3))], [0, 1], [2], resamples=0)
            for rows in (met + alone, met)
        )

        assert found.coefficients == fewer.coefficients
        assert (found.n_units, found.n_pairable, found.n_marks) == (6, 4, 12)

    def test_counts_whoever_is_in_both_groups_in_neither(self):
        one = stratum(marks.many(40, 3).tolist(), levels=range(5))

        found = strata.across([one], [0, 1], [1, 2], resamples=0)

        assert found.coefficients == strata.across([one], [0], [2], resamples=0).coefficients
        assert strata.across([one], [1], [1, 2]).coefficients[0].reason is Reason.NO_OVERLAP

    def test_says_why_there_is_no_figure(self):
        apart = stratum([[1, 2, None], [None, None, 1]], levels=range(3))
        same = stratum([[1, 1, 1]] * 4, levels=range(3))

        (nothing,) = strata.across([apart], [0, 1], [2]).coefficients
        (level,) = strata.across([same, apart], [0, 1], [2]).coefficients

        assert (nothing.value, nothing.reason) == (None, Reason.NO_OVERLAP)
        assert (level.value, level.reason, level.n_left_out) == (None, Reason.ONE_LEVEL, 2)
