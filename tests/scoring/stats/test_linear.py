import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.resampled import linear
from scoring.stats.resampled.linear import Scheme


def pieces(n, seed=0, kinds=4):
    rng = np.random.default_rng(seed)
    return linear.of_units(rng.normal(size=(kinds, 3)), rng.integers(0, kinds, n))


class TestPieces:
    @given(st.integers(1, 200), st.integers(1, 9))
    def test_count_equal_ones_once(self, n, kinds):
        rng = np.random.default_rng(n)
        features = rng.normal(size=(kinds, 2))
        kind = rng.integers(0, kinds, n)
        made = linear.of_units(features, kind)

        assert made.n == n
        assert made.total == pytest.approx(features[kind].sum(axis=0), abs=1e-9)

    def test_are_drawn_exactly_while_few_differ(self):
        assert pieces(100_000).scheme is Scheme.MULTINOMIAL

    @pytest.mark.parametrize("n", [500, 5_000])
    def test_drawn_spread_as_theory_says(self, n):
        values = np.random.default_rng(3).normal(size=n)
        made = linear.Pieces(values[:, None], np.ones(n, dtype=np.int64))
        drawn = made.resampled(resamples=4_000, rng=np.random.default_rng(0))

        assert (made.scheme is Scheme.MULTINOMIAL) == (n < 2_000)
        assert drawn.mean() == pytest.approx(values.sum(), abs=3 * values.std() * np.sqrt(n / 4000))
        assert drawn.std() == pytest.approx(values.std() * np.sqrt(n), rel=0.05)

    def test_drawn_by_a_number_share_their_lots(self):
        one, other = (
            linear.Pieces(values[:, None], np.ones(300, dtype=np.int64))
            for values in np.random.default_rng(1).normal(size=(2, 300))
        )
        drawn = [some.resampled(resamples=500, rng=7) for some in (one, other, one)]
        both = linear.Pieces(one.features + other.features, one.times)

        assert (drawn[0] == drawn[2]).all()
        assert both.resampled(resamples=500, rng=7) == pytest.approx(drawn[0] + drawn[1])

    def test_drawn_in_kinds_spread_as_drawn_one_by_one(self):
        values = np.array([0.0, 1.0, 5.0])
        kinds = linear.Pieces(values[:, None], np.array([4, 4, 4]))
        apart = linear.Pieces(np.repeat(values, 4)[:, None], np.ones(12, dtype=np.int64))

        spread = [p.resampled(resamples=4_000, rng=3).std() for p in (kinds, apart)]

        assert spread[0] == pytest.approx(spread[1], rel=0.05)


class TestWholeNumbers:
    @given(st.integers(30, 80), st.integers(0, 2**18))
    def test_are_added_up_exactly_however_large(self, n, top):
        rng = np.random.default_rng(n)
        features = rng.integers(-top, top + 1, (n, 3))
        made = linear.Pieces(features.astype(np.float64), np.ones(n, dtype=np.int64))

        drawn = made.resampled(resamples=20, rng=7)

        lots = linear._drawn(n, 20, np.random.default_rng(7)).astype(np.int64)
        assert drawn.dtype == np.float64
        assert (drawn == lots @ features).all()

    def test_are_told_from_others(self):
        features = np.full((40, 2), 0.5)
        made = linear.Pieces(features, np.ones(40, dtype=np.int64))

        assert (made.resampled(resamples=10, rng=1) == 20).all()
        assert not linear._is_exact_in_single(features)


class TestOfClusters:
    def test_are_the_same_where_every_unit_is_a_kind_of_its_own(self):
        features = np.random.default_rng(0).normal(size=(60, 2))
        cluster = np.arange(60) // 2

        made = linear.of_clusters(features, np.arange(60), cluster)

        assert made.features == pytest.approx(features[::2] + features[1::2])

    @given(st.integers(1, 40), st.integers(1, 5))
    def test_bring_the_sum_of_their_units(self, n, clusters):
        rng = np.random.default_rng(n)
        features = rng.normal(size=(3, 2))
        kind = rng.integers(0, 3, n)
        cluster = np.sort(rng.integers(0, clusters, n))
        cluster = np.unique(cluster, return_inverse=True)[1]
        made = linear.of_clusters(features, kind, cluster)

        assert made.n == cluster.max() + 1
        first = features[kind][cluster == 0].sum(axis=0)
        assert made.features[0] == pytest.approx(first, abs=1e-9)
        assert made.total == pytest.approx(features[kind].sum(axis=0), abs=1e-9)
