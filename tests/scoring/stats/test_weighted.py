import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.stats.resampled import weighted
from scoring.stats.told import COEFFICIENTS
from tests.scoring import judged_beside as beside


@st.composite
def drawn(draw):
    """Two columns with ties, and how often each pair was drawn."""
    x, y = draw(beside.columns())
    w = draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)))
    return np.array(x, dtype=float), np.array(y, dtype=float), np.array(w, dtype=float)


def written_out(x, y, w, name):
    times = w.astype(int)
    found = beside.slow(np.repeat(x, times).tolist(), np.repeat(y, times).tolist(), name)
    return np.nan if found is None else found


def agrees(found, known, name):
    exactly = name != "pearson"
    return (
        np.array_equal(found, known, equal_nan=True)
        if exactly and np.isnan(known)
        else (found == pytest.approx(known, abs=1e-12, nan_ok=True))
    )


class TestOfRows:
    @settings(max_examples=40)
    @given(drawn())
    def test_equals_values_written_out_as_often_as_drawn(self, given_):
        x, y, w = given_
        found = weighted.of_rows(x[None], y[None], w[None])

        for name in COEFFICIENTS:
            assert agrees(found[name][0], written_out(x, y, w, name), name)

    @settings(max_examples=40)
    @given(drawn())
    def test_of_rank_coefficients_is_bit_for_bit_that_of_copies(self, given_):
        x, y, w = given_
        times = w.astype(int)
        left, right = (np.repeat(one, times)[None] for one in (x, y))
        found = weighted.of_rows(x[None], y[None], w[None])
        if times.sum() == 0:
            return
        known = weighted.of_rows(left, right, np.ones((1, times.sum())))

        for name in ("spearman", "kendall_b", "kendall_c"):
            assert np.array_equal(found[name], known[name], equal_nan=True)

    def test_works_in_pieces(self, monkeypatch):
        monkeypatch.setattr(weighted, "NEAR_CELLS", 30)
        rng = np.random.default_rng(0)
        x, y = rng.random((7, 4)), rng.random((1, 4))

        found = weighted.of_rows(x, y, np.ones((1, 4)), ["kendall_b"])["kendall_b"]

        assert found.tolist() == [
            pytest.approx(beside.slow(row.tolist(), y[0].tolist(), "kendall_b")) for row in x
        ]


class TestOfGroups:
    @settings(max_examples=40)
    @given(st.lists(drawn(), min_size=1, max_size=3))
    def test_equals_each_group_alone(self, groups):
        width = max(len(x) for x, _, _ in groups)
        x, y, valid = (np.zeros((len(groups), width)) for _ in range(3))
        w = np.ones((width, 1))
        for i, (a, b, _) in enumerate(groups):
            x[i, : len(a)], y[i, : len(b)], valid[i, : len(a)] = a, b, 1
        longest = max(groups, key=lambda one: len(one[0]))[2]
        w[: len(longest), 0] = longest

        found = weighted.of_groups(x, y, valid, w)

        for name in COEFFICIENTS:
            for i, (a, b, _) in enumerate(groups):
                known = written_out(a, b, w[: len(a), 0], name)
                assert agrees(found[name][i, 0], known, name)

    def test_works_in_pieces(self, monkeypatch):
        rng = np.random.default_rng(0)
        x, y, w = rng.random((3, 4)), rng.random((3, 4)), rng.integers(0, 3, (4, 9)).astype(float)
        whole = weighted.of_groups(x, y, np.ones((3, 4)), w)
        monkeypatch.setattr(weighted, "CHUNK_CELLS", 30)

        found = weighted.of_groups(x, y, np.ones((3, 4)), w)

        for name in COEFFICIENTS:
            assert found[name] == pytest.approx(whole[name], abs=1e-12, nan_ok=True)


class TestMeanOverGroups:
    def test_leaves_out_groups_that_do_not_vary_and_counts_as_often_as_drawn(self):
        each = {"pearson": np.array([[1.0], [np.nan], [0.5]])}

        found = weighted.mean_over_groups(each, np.array([[1.0, 0], [2, 1], [3, 0]]))["pearson"]

        assert np.array_equal(found, [2.5 / 4, np.nan], equal_nan=True)


class TestRatio:
    def test_is_undefined_without_spread_and_never_beyond_one(self):
        one = np.ones(2)

        found = weighted.ratio(one * 1.0000001, one, np.array([0, 1.0]))

        assert np.array_equal(found, [np.nan, 1], equal_nan=True)
