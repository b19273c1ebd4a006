import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from scoring.stats.resampled import weighted
from scoring.stats.told import COEFFICIENTS
from tests.scoring.stats.test_weighted import agrees, drawn, written_out


@st.composite
def long(draw):
    """Two columns longer than a block, with few values or many, and three weightings."""
    n, left, right = (draw(st.integers(2, most)) for most in (110, 160, 100))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x, y = rng.integers(0, left, n).astype(float), rng.integers(0, right, n).astype(float)
    return (
        x,
        np.where(rng.random(n) < 0.4, np.minimum(x, right - 1), y),
        rng.poisson(1, (n, 3)) * 1.0,
    )


class TestOfLong:
    @settings(max_examples=60)
    @given(long())
    def test_of_long_columns_equals_values_written_out(self, given_):
        x, y, w = given_

        for weights in (w, w.astype(np.float32)):
            found = weighted.of_long(x, y, weights, COEFFICIENTS[1:])

            for name in COEFFICIENTS[1:]:
                for r in range(3):
                    assert agrees(found[name][r], written_out(x, y, w[:, r], name), name)

    @settings(max_examples=40)
    @given(drawn())
    def test_equals_values_written_out_as_often_as_drawn(self, given_):
        x, y, w = given_
        found = weighted.of_long(x, y, w[:, None])

        for name in COEFFICIENTS:
            assert agrees(found[name][0], written_out(x, y, w, name), name)

    @settings(max_examples=40)
    @given(drawn())
    def test_of_rank_coefficients_is_bit_for_bit_that_of_copies(self, given_):
        x, y, w = given_
        times = w.astype(int)
        if times.sum() == 0:
            return
        found = weighted.of_long(x, y, w[:, None])
        left, right = (np.repeat(one, times) for one in (x, y))
        known = weighted.of_long(left, right, np.ones((times.sum(), 1)))

        for name in ("spearman", "kendall_b", "kendall_c"):
            assert np.array_equal(found[name], known[name], equal_nan=True)

    def test_of_many_values_is_that_of_scipy(self):
        rng = np.random.default_rng(0)
        x = rng.integers(0, 40, 600).astype(float)
        y = x + rng.integers(0, 40, 600)
        w = rng.multinomial(600, np.full(600, 1 / 600), size=3).T.astype(float)

        found = weighted.of_long(x, y, w)

        for r in range(3):
            a, b = (np.repeat(one, w[:, r].astype(int)) for one in (x, y))
            known = {
                "pearson": scipy_stats.pearsonr(a, b).statistic,
                "spearman": scipy_stats.spearmanr(a, b).statistic,
                "kendall_b": scipy_stats.kendalltau(a, b).statistic,
                "kendall_c": scipy_stats.kendalltau(a, b, variant="c").statistic,
            }
            assert {name: found[name][r] for name in COEFFICIENTS} == pytest.approx(
                known, abs=1e-12
            )

    @pytest.mark.parametrize(("few", "block"), [(64, 8), (2, 64)])
    def test_of_kendall_goes_by_blocks_or_over_all_pairs(self, few, block, monkeypatch):
        rng = np.random.default_rng(0)
        x, y = rng.integers(0, 50, 90).astype(float), rng.integers(0, 7, 90).astype(float)
        w = rng.integers(0, 3, (90, 5)).astype(float)
        monkeypatch.setattr(weighted, "FEW_KINDS", few)
        monkeypatch.setattr(weighted, "BLOCK", block)
        monkeypatch.setattr(weighted, "CHUNK_CELLS", 900)

        for a, b in ((x, y), (y, x), (np.sort(x), y)):
            found = weighted.of_long(a, b, w, ["kendall_b"])["kendall_b"]
            known = [written_out(a, b, w[:, r], "kendall_b") for r in range(5)]
            assert found.tolist() == known

    def test_works_in_pieces(self, monkeypatch):
        rng = np.random.default_rng(0)
        x, y = rng.random(20), rng.random(20)
        w = rng.integers(0, 3, (20, 9)).astype(float)
        whole = weighted.of_long(x, y, w)
        monkeypatch.setattr(weighted, "AT_ONCE", 60)

        found = weighted.of_long(x, y, w)

        for name in COEFFICIENTS:
            assert found[name] == pytest.approx(whole[name], abs=1e-15)

    def test_of_heavy_weights_is_still_exact(self):
        x, y = np.arange(4.0), np.array([0.0, 2, 1, 3])
        light = weighted.of_long(x, y, np.ones((4, 1)), ["spearman"])
        heavy = weighted.of_long(x, y, np.full((4, 1), 1e7), ["spearman", "kendall_b"])

        assert heavy["spearman"] == pytest.approx(light["spearman"])
        assert heavy["kendall_b"] == pytest.approx(8 / 12)

    @pytest.mark.parametrize("most", [3, 40])
    def test_of_ties_among_many_kinds_is_exact_however_often_they_come(self, most):
        rng = np.random.default_rng(0)
        x = np.concatenate([np.arange(80.0), np.repeat(7.0, most), np.repeat(99.0, 2)])
        y = rng.integers(0, 90, len(x)).astype(float)
        w = rng.integers(0, 4, (len(x), 3)).astype(float)

        found = weighted.of_long(x, y, w)

        assert most == 3 or most > weighted.FEW_TIES
        for name in ("spearman", "kendall_b", "kendall_c"):
            known = [written_out(x, y, w[:, r], name) for r in range(3)]
            assert found[name] == pytest.approx(known, abs=1e-12)

    def test_is_the_same_in_either_precision(self, monkeypatch):
        rng = np.random.default_rng(0)
        x, y = rng.random(300), rng.integers(0, 9, 300).astype(float)
        w = rng.integers(0, 4, (300, 5)).astype(float)
        single = weighted.of_long(x, y, w)
        monkeypatch.setattr(weighted, "SINGLE", 0)

        double = weighted.of_long(x, y, w)

        for name in ("spearman", "kendall_b", "kendall_c"):
            assert single[name].tolist() == double[name].tolist()

    def test_of_kendall_takes_a_large_tie_for_a_block_of_its_own(self):
        x = np.concatenate([[1.0, 2], np.repeat(3.0, 70), [4.0, 5]])
        y = np.arange(74) % 5 * 1.0
        w = np.ones((74, 1))

        found = weighted.of_long(np.arange(74) + 0.0, x, w, ["kendall_b"])
        other = weighted.of_long(x, y, w, ["kendall_b"])

        assert found["kendall_b"][0] == written_out(np.arange(74) + 0.0, x, w[:, 0], "kendall_b")
        assert other["kendall_b"][0] == written_out(x, y, w[:, 0], "kendall_b")

    def test_gives_only_what_is_asked_for(self):
        found = weighted.of_long(np.arange(3.0), np.arange(3.0), np.ones((3, 1)), ["kendall_c"])

        assert {name: one.tolist() for name, one in found.items()} == {"kendall_c": [1.0]}


class TestColumns:
    @settings(max_examples=20)
    @given(long())
    def test_are_the_same_either_way_round(self, given_):
        x, y, w = given_
        found, other = weighted.of_long(x, y, w), weighted.of_long(y, x, w)

        for name in COEFFICIENTS[1:]:
            assert np.array_equal(found[name], other[name], equal_nan=True)


class TestRunning:
    @pytest.mark.parametrize("n", [1, 31, 32, 33, 64, 1_025, 2_100])
    def test_is_the_cumulative_sum(self, n):
        a = np.random.default_rng(n).integers(0, 5, (n, 3)).astype(np.float32)

        assert weighted.running(a).tolist() == np.cumsum(a, axis=0).tolist()
