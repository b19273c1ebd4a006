import itertools

import numpy as np
import pytest

from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as swaps
from scoring.stats.judges import levels
from scoring.stats.judges.levels import LEVELS
from scoring.stats.resampled import exact
from scoring.stats.told import COEFFICIENTS
from tests.scoring import judged_beside as beside

NAN = float("nan")


def judges(systems=5, groups=6, holes=0.0, seed=0):
    """Two judges and people over the same responses, standardised tables beside them."""
    left, human = beside.noisy(systems, groups, seed=seed, levels_of_marks=3)
    right = np.round(left + np.random.default_rng(seed).normal(0, 1, left.shape), 1)
    gone = np.random.default_rng(seed + 1).random(left.shape) < holes
    left, right = (np.where(gone, NAN, one) for one in (left, right))
    return left, right, human


def written_out(left, right, human, level, name, rows, columns):
    """The difference after swapping these systems and groups, by copying the tables."""
    x, y = ((one - np.nanmean(one)) / np.nanstd(one) for one in (left, right))
    bit = rows[:, None] ^ columns[None, :]
    a, b = np.where(bit, y, x), np.where(bit, x, y)
    found = []
    for one in (a, b):
        of = beside.pairs_of(np.round(one, 9) if level == "system" else one, human)
        (value,) = correlation.correlations(of, level, names=[name])
        found.append(np.nan if value.value is None else value.value)
    return found[0] - found[1]


class TestDifferences:
    @pytest.mark.parametrize("swapped", swaps.SWAPPED)
    @pytest.mark.parametrize("holes", [0, 0.25])
    def test_equal_those_of_tables_swapped_by_hand(self, swapped, holes, monkeypatch):
        left, right, human = judges(holes=holes)
        a, b = beside.pairs_of(left, human), beside.pairs_of(right, human)
        options = {"swapped": swapped, "resamples": 3, "seed": 2}
        rng = np.random.default_rng([2, len(a.systems), len(a.groups)])
        coins = swaps.coins(a, swapped, 3, rng)
        monkeypatch.setattr(swaps, "CHUNK_CELLS", 150)

        for level, name in itertools.product(LEVELS, COEFFICIENTS):
            found = swaps.differences(a, b, level, name, **options)
            known = [
                written_out(left, right, human, level, name, rows, columns)
                for rows, columns in zip(coins.systems, coins.groups, strict=True)
            ]
            every = [found.observed, *found.others]
            assert every == pytest.approx(known, abs=1e-7, nan_ok=True)

    def test_observed_is_the_plain_difference(self):
        left, right, human = judges()
        a, b = beside.pairs_of(left, human), beside.pairs_of(right, human)

        for level, name in itertools.product(LEVELS, COEFFICIENTS):
            found = swaps.differences(a, b, level, name, swapped="both", resamples=1, seed=0)
            (one,), (other,) = (correlation.correlations(of, level, names=[name]) for of in (a, b))
            assert found.observed == pytest.approx(one.value - other.value, abs=1e-12)

    def test_of_equal_judges_are_0(self):
        left, _, human = judges()
        a = beside.pairs_of(left, human)

        for level in LEVELS:
            found = swaps.differences(a, a, level, "kendall_b", swapped="both", resamples=9, seed=0)
            assert {found.observed, *found.others} == {0}

    def test_of_several_samples_swap_all_of_a_system_in_a_group(self):
        table = beside.rows_of(3, 4, samples=2)
        rng = np.random.default_rng(0)
        columns = [exact.values(np.round(rng.random(24), 2)) for _ in range(3)]
        a, b = (levels.pairs(table, one, columns[2]) for one in columns[:2])

        found = swaps.differences(a, b, "item", "pearson", swapped="both", resamples=5, seed=0)

        (one,), (other,) = (
            correlation.correlations(of, "item", names=["pearson"]) for of in (a, b)
        )
        assert found.observed == pytest.approx(one.value - other.value)
        assert np.isfinite(found.others).all()


class TestCoins:
    @pytest.mark.parametrize(
        ("swapped", "systems", "groups"),
        [("systems", True, False), ("items", False, True), ("both", True, True)],
    )
    def test_fall_for_what_is_swapped_and_not_for_what_was_observed(self, swapped, systems, groups):
        of = beside.pairs_of(*beside.noisy())

        made = swaps.coins(of, swapped, 50, np.random.default_rng(0))

        assert not made.systems[0].any()
        assert not made.groups[0].any()
        assert (made.systems.any(), made.groups.any()) == (systems, groups)
