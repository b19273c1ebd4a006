import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.claims import Claim
from scoring.stats.plain import Reason, plain
from scoring.stats.scores import components, differences, scores
from scoring.stats.scores.components import MeetingLayout, MetValues
from tests.scoring.ratings import frame_of, rated, record_lists
from tests.scoring.stats import recomputed

#: Shrout and Fleiss (1979), table 2: six targets by four judges.
TARGETS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float
)


def values(table, stratum=None):
    """Return a table of questions × annotators as values; NaN is missing."""
    question, rater = np.nonzero(~np.isnan(table))
    n = len(question)
    strata = np.zeros(len(table), dtype=int) if stratum is None else np.array(stratum)
    weight = 1 / np.bincount(strata[question])[strata[question]] / len(set(strata.tolist()))
    return MetValues(MeetingLayout(question, rater, strata), table[question, rater], weight, n)


def told(of, claim, centre=0.0, **options):
    around = components.spread([of])
    both = components.estimates(centre, of, around, **{"level": 0.95, "is_share": False, **options})
    return dict(zip(Claim, both, strict=True))[claim]


class TestSpread:
    def test_of_shrout_and_fleiss_is_that_of_their_mean_squares(self):
        found = components.spread([values(TARGETS)])

        # Their table 3: between targets 11.24, between judges 32.49, residual 1.02.
        assert found.question == pytest.approx((11.24 - 1.02) / 4, abs=0.01)
        assert found.rater == pytest.approx((32.49 - 1.02) / 6, abs=0.01)
        assert found.residual == pytest.approx(1.02, abs=0.01)
        assert found.rater_square == pytest.approx(32.49 / 6, abs=0.01)

    @settings(max_examples=30)
    @given(st.integers(0, 2**31), st.floats(-3, 3), st.floats(0.1, 3))
    def test_moves_with_nothing_and_stretches_with_the_values(self, seed, shift, stretch):
        rng = np.random.default_rng(seed)
        table = rng.normal(size=(8, 3))
        table[rng.random((8, 3)) < 0.2] = np.nan
        table = table[~np.isnan(table).all(axis=1)]
        before, after = (
            components.spread([values(one)]) for one in (table, shift + stretch * table)
        )

        for name in ("question", "rater", "residual", "rater_square"):
            assert getattr(after, name) == pytest.approx(
                stretch**2 * getattr(before, name), rel=1e-6, abs=1e-9
            )

    def test_is_right_in_the_mean_where_grades_are_missing_and_strata_differ(self):
        rng = np.random.default_rng(0)
        stratum = np.repeat([0, 1], [12, 8])
        gone = rng.random((20, 5)) < 0.4
        gone[:, 0] = False
        found = []
        for _ in range(600):
            table = rng.normal(0, 1, (20, 1)) + rng.normal(0, 0.5, 5) + 3 * stratum[:, None]
            table = np.where(gone, np.nan, table + rng.normal(0, 0.8, (20, 5)))
            found.append(components.moments(values(table, stratum))[:3])

        mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(600)
        assert (np.abs(mean - [1, 0.25, 0.64]) < 4 * error).all()

    def test_of_one_grade_a_question_tells_question_and_rest_as_one(self):
        column = np.random.default_rng(1).normal(size=(9, 1))

        found = components.spread([values(column)])

        assert found.question + found.residual == pytest.approx(column.var(ddof=1))
        assert found.rater == 0


class TestEstimate:
    def test_of_one_annotator_is_the_t_test(self):
        column = np.random.default_rng(2).normal(0.1, 0.2, (15, 1))
        known = stats.ttest_1samp(column[:, 0], 0)

        found = told(values(column), Claim.THESE, column.mean())

        ends = known.confidence_interval()
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high))
        assert found.p == pytest.approx(known.pvalue)

    def test_of_two_small_strata_is_the_test_of_two_samples_with_one_variance(self):
        of = values(np.array([0.1, 0.4, 0.2, 0.6, 0.9, 0.8])[:, None], [0, 0, 0, 1, 1, 1])
        known = stats.ttest_ind([0.1, 0.4, 0.2], [0.6, 0.9, 0.8])

        (variance, freedom), _others = components.variances(of, components.spread([of]))

        # Their means differ by 2 × the mean of what is off it, with the variance 4 × that of the mean.
        assert (0.7 / 3 - 2.3 / 3) / (2 * np.sqrt(variance)) == pytest.approx(known.statistic)
        assert freedom == known.df

    def test_of_two_large_strata_is_the_test_of_welch(self):
        rng = np.random.default_rng(3)
        left, right = rng.normal(0, 0.05, 6), rng.normal(0, 0.4, 9)
        known = stats.ttest_ind(left, right, equal_var=False).confidence_interval()
        of = values(np.concatenate([left, right])[:, None], [0] * 6 + [1] * 9)

        found = told(of, Claim.THESE)

        assert found.high - found.low == pytest.approx((known.high - known.low) / 2)

    @settings(max_examples=40)
    @given(st.integers(0, 2**31))
    def test_varies_more_for_other_annotators(self, seed):
        table = np.random.default_rng(seed).normal(0, 0.2, (9, 4))
        of = values(table)

        these, others = components.variances(of, components.spread([of]))

        assert these[0] <= others[0]

    @pytest.mark.parametrize("mean", [0.02, 0.98])
    def test_of_a_share_ends_beyond_where_it_stands_and_within_the_scale(self, mean):
        column = np.full((60, 3), float(round(mean)))
        column[:6] = 1 - abs(mean - 0.5) * 0.4
        column[::7, 0] = 0.5
        found = told(values(column), Claim.THESE, column.mean(), is_share=True)

        assert 0 <= found.low < column.mean() < found.high <= 1
        assert found.low < found.high

    def test_says_why_there_is_no_interval(self):
        few = values(np.zeros((5, 3)))
        two = values(np.random.default_rng(0).normal(size=(8, 2)))
        still = values(np.zeros((8, 3)))

        assert told(few, Claim.THESE).interval_reason is Reason.UNDER_SIX
        assert told(two, Claim.OTHERS).interval_reason is Reason.FEW_RATERS
        assert told(still, Claim.THESE).interval_reason is Reason.NO_SPREAD


def awkward(seed):
    """Systems that lack questions, ties, scales of two widths, a capability of one question."""
    rng = np.random.default_rng(seed)
    records = []
    for k in range(14):
        capability, top = ("k1", 3) if k < 8 else ("k2", 5) if k < 13 else ("k3", 3)
        hard = rng.normal(0, 0.7)
        for n, release in enumerate("ABCD"):
            if (release == "C" and k % 3 == 0) or (release == "D" and k < 8):
                continue
            for j in range(4):
                for criterion in ("c1", "c2")[: 1 + (k < 8)]:
                    if rng.random() < 0.25:
                        continue
                    mark = 0.5 * top + hard + 0.3 * n + 0.2 * j + rng.normal(0, 0.6)
                    records.append(
                        rated(
                            f"q{k:02}",
                            int(np.clip(np.rint(mark), 0, top)),
                            release=release,
                            capability=capability,
                            criterion=criterion,
                            rater=f"r{j}",
                            top=top,
                        )
                    )
    return records


def alone(records):
    return [one for one in records if one["rater"] == "r0"]


def equal(records):
    return [{**one, "value": 2} for one in records]


def cut(records):
    return [one for one in records if one["capability"] != "k1"]


class TestAgainstAnotherProgram:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("some", [list, alone, equal, cut])
    def test_differences_of_awkward_data_are_the_same(self, seed, some):
        records = some(awkward(seed))
        made = scores.scores(frame_of(records))

        self.compare(made, records)

    @settings(max_examples=40)
    @given(record_lists())
    def test_differences_of_any_small_data_are_the_same(self, records):
        kept = [one for one in records if one["capability"] is not None]

        if any(one["value"] is not None for one in kept):
            self.compare(scores.scores(frame_of(kept)), kept)

    def compare(self, made, records):
        wanted = recomputed.differences(records, made.releases)
        for found in differences.differences(made):
            value, *claims = wanted.get((found.left, found.right), (None, None, None))
            assert (found.value is None) == (value is None)
            if value is not None:
                assert float(found.value) == pytest.approx(value, abs=1e-9)
            for mine, ours in zip((found.these, found.others), claims, strict=True):
                if ours is None:
                    assert mine.low is None
                else:
                    assert (mine.low, mine.high, mine.p) == pytest.approx(ours, rel=1e-6, abs=1e-9)
            assert json.dumps(plain(found), allow_nan=False)

    @pytest.mark.parametrize("seed", range(4))
    def test_variances_of_scores_are_the_same(self, seed):
        records = awkward(seed)
        found = scores.scores(frame_of(records)).find("A")
        of = recomputed.layout(records, "A")

        assert float(found.value) == pytest.approx(of.value)
        for one, (variance, freedom) in zip(
            (found.these, found.others), recomputed.bounds(of, [of], 1), strict=True
        ):
            half = stats.t.ppf(0.975, freedom) * np.sqrt(variance)
            # As far as on the plain or on the logit scale, whichever is farther.
            around = of.value * (1 - of.value)
            at = np.log(of.value / (1 - of.value))
            ends = [1 / (1 + np.exp(-(at + sign * half / around))) for sign in (-1, 1)]
            assert one.low == pytest.approx(max(0, min(of.value - half, ends[0])))
            assert one.high == pytest.approx(min(1, max(of.value + half, ends[1])))
