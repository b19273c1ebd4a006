import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.machines import distributions
from scoring.stats.plain import Reason

#: Efron and Tibshirani (1993), table 2.1: survival of the treated mice, in days; their mean is 86.86
#: and the bootstrap's standard error of it 25.24 × √(6/7) = 23.36 (page 13 and 47).
MICE = (94.0, 197.0, 16.0, 38.0, 99.0, 141.0, 23.0)


class TestDescribe:
    def test_gives_the_published_mean_and_an_interval_as_wide_as_its_error(self):
        found = distributions.describe(MICE, range(7), seed=1)

        assert round(found.mean, 2) == 86.86
        assert found.sd == pytest.approx(66.77, abs=0.01)
        # Student's t with 6 degrees of freedom, 2.447 × 25.24, on both sides.
        wide = (found.high or 0) - (found.low or 0)
        assert wide / 2 == pytest.approx(2.447 * 25.24, rel=0.1)
        assert (found.minimum, found.maximum, found.percentiles[2]) == (16, 197, 94)

    def test_interpolates_percentiles_linearly(self):
        found = distributions.describe(list(range(101)), range(101), seed=1)

        assert list(found.percentiles) == [5, 25, 50, 75, 95, 98]
        assert distributions.percentile([1, 2], 50) == 1.5

    def test_resamples_conversations_not_parts(self):
        values = [0.0] * 20 + [1.0] * 20
        alone = distributions.describe(values, range(40), seed=1)
        together = distributions.describe(values, [n // 10 for n in range(40)], seed=1)

        assert together.n_clusters == 4
        assert together.high - together.low > 2 * (alone.high - alone.low)

    def test_has_no_interval_of_one_conversation(self):
        found = distributions.describe([1, 2], [7, 7], seed=1)

        assert (found.low, found.reason, found.n, found.n_clusters) == (
            None,
            Reason.FEW_QUESTIONS,
            2,
            1,
        )
        assert distributions.describe([1], [7], seed=1).sd is None

    def test_refuses_nothing(self):
        with pytest.raises(ValueError, match="needs values"):
            distributions.describe([], [], seed=1)
        with pytest.raises(ValueError, match="no values"):
            distributions.percentile([], 50)

    @given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
    def test_counts_every_part_once_and_keeps_the_mean_between_the_ends(self, values):
        found = distributions.describe(values, range(len(values)), seed=1)

        assert sum(found.counts) == len(values)
        assert found.minimum - 1e-6 <= found.mean <= found.maximum + 1e-6
        assert list(found.percentiles) == sorted(found.percentiles)


class TestByGroup:
    def test_is_the_interval_of_all_parts_where_there_is_one_group(self):
        whole = distributions.describe(MICE, range(7), seed=1)

        (found,) = distributions.by_group(MICE, range(7), [3] * 7, seed=1).values()

        assert (found.mean, found.low, found.high) == (whole.mean, whole.low, whole.high)
        assert (found.n, found.n_clusters) == (7, 7)

    def test_keeps_the_interval_of_a_share_between_nought_and_one(self):
        values = [1.0] + [0.0] * 13
        found = distributions.by_group(values, range(14), [0] * 14, seed=1)[0]

        assert (found.low, 0 < (found.high or 0) < 1) == (0, True)

    def test_says_why_a_rare_group_has_none(self):
        found = distributions.by_group([1, 2, 3], [1, 2, 2], [0, 1, 1], seed=1)

        assert [found[at].reason for at in (0, 1)] == [Reason.FEW_QUESTIONS] * 2
        assert (found[1].n, found[1].n_clusters, found[1].mean) == (2, 1, 2.5)
        assert distributions.by_group([], [], [], seed=1) == {}

    def test_refuses_a_part_without_a_group(self):
        with pytest.raises(ValueError, match="its group"):
            distributions.by_group([1.0], [1], [], seed=1)

    @given(
        st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 9), st.integers(0, 3)), max_size=30)
    )
    def test_counts_every_part_in_one_group(self, rows):
        found = distributions.by_group(*zip(*rows, strict=True), seed=1) if rows else {}

        assert sum(one.n for one in found.values()) == len(rows)
        assert all(one.low is None or one.low <= one.high for one in found.values())


class TestLess:
    def test_pairs_by_conversation(self):
        noise = np.random.default_rng(3).normal(0, 10, 30)
        left = {at: [1.0 + one] for at, one in enumerate(noise)}
        right = {at: [one + (at % 2) * 0.1] for at, one in enumerate(noise)}

        found = distributions.less(left, right, seed=1)

        assert found.value == pytest.approx(0.95)
        assert 0.9 < found.low < found.high < 1.0

    def test_is_nothing_less_itself(self):
        side = {1: [1.0, 2.0], 2: [4.0], 3: [2.0], 4: [1.0]}

        found = distributions.less(side, side, seed=1)

        assert (found.value, found.reason) == (0, Reason.NO_SPREAD)

    def test_has_nothing_to_say_without_shared_conversations(self):
        found = distributions.less({1: [1.0]}, {2: [1.0], 1: []}, seed=1)

        assert (found.value, found.n, found.reason) == (None, 0, Reason.NO_OVERLAP)
