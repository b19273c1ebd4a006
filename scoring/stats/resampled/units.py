"""What was marked, as counts: how many raters gave each level to each unit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

DENSE_KINDS = 1 << 20
DENSE_PAIRS = 50_000_000  # units × raters, of which a table is kept
AT_ONCE = 1 << 15  # marks
#: What is read of a ratings frame.
COLUMNS = ("response", "criterion", "rater", "value", "group")


@dataclass(frozen=True)
class Units:
    """Marks of many raters on many units; a unit is one thing that is marked on one scale.

    Attributes:
        unit: of each mark, numbered from 0 without gaps.
        rater: of each mark, numbered from 0.
        level: of each mark, its place in `levels`.
        levels: the values of the scale in rising order, used or not.
        cluster: of each unit, the question it belongs to, numbered from 0 without gaps.
    """

    unit: IntArray
    rater: IntArray
    level: IntArray
    levels: FloatArray
    cluster: IntArray

    @property
    def n_marks(self) -> int:
        return len(self.unit)

    @property
    def n_units(self) -> int:
        return len(self.cluster)

    @property
    def n_clusters(self) -> int:
        return int(self.cluster.max(initial=-1)) + 1

    @cached_property
    def n_raters(self) -> int:
        return int((np.bincount(self.rater) > 0).sum())

    @cached_property
    def counts(self) -> IntArray:
        """Units × levels: how many marks."""
        q = len(self.levels)
        place = self.unit * q
        place += self.level
        flat = np.bincount(place, minlength=self.n_units * q)
        return flat.reshape(self.n_units, q)

    @cached_property
    def kinds(self) -> tuple[IntArray, IntArray]:
        """The distinct rows of `counts`, and which of them each unit has."""
        counts = self.counts
        base = int(counts.max(initial=0)) + 1
        if base ** len(self.levels) >= 2**62:
            rows, kind = np.unique(counts, axis=0, return_inverse=True)
            return rows, kind.ravel()
        code = counts @ (base ** np.arange(len(self.levels), dtype=np.int64))
        if base ** len(self.levels) <= DENSE_KINDS:
            there = np.bincount(code) > 0
            kind = (np.cumsum(there) - 1)[code]
            first = np.empty(int(there.sum()), dtype=np.int64)
            first[kind] = np.arange(len(code))
            return counts[first], kind
        _codes, first, kind = np.unique(code, return_index=True, return_inverse=True)
        return counts[first], kind

    def without(self, rater: int) -> "Units":
        """Return the marks of everybody else; the units stay, marked or not."""
        keep = self.rater != rater
        return Units(self.unit[keep], self.rater[keep], self.level[keep], self.levels, self.cluster)

    @cached_property
    def matrix(self) -> IntArray:
        """Units × raters: the level each gave, −1 where they gave none."""
        n = int(self.rater.max(initial=-1)) + 1
        made = np.full((self.n_units, n), -1, dtype=np.int64)
        made[self.unit, self.rater] = self.level
        return made

    @cached_property
    def rows(self) -> npt.NDArray[np.int16]:
        """Raters × units: as `matrix`, for reading a rater at a time."""
        n = int(self.rater.max(initial=-1)) + 1
        made = np.full((n, self.n_units), -1, dtype=np.int16)
        made[self.rater, self.unit] = self.level
        return made


def units(
    *,
    unit: Sequence[object] | npt.NDArray[np.generic],
    rater: Sequence[object] | npt.NDArray[np.generic],
    value: Sequence[float] | FloatArray,
    levels: Sequence[float] | FloatArray | None = None,
    cluster: Sequence[object] | npt.NDArray[np.generic] | None = None,
) -> Units:
    """Return marks as units; a mark that is NaN is left out, and so is a unit without any.

    Args:
        unit: of each mark.
        rater: of each mark.
        value: of each mark.
        levels: of the scale; without them those that were used.
        cluster: of each mark, the question of its unit; without it every unit stands alone.

    Raises:
        ValueError: the columns differ in length, a mark is no level of the scale, or a rater
            marked a unit twice.
    """
    values = np.asarray(value, dtype=np.float64)
    there = ~np.isnan(values)
    if not len(unit) == len(rater) == len(values) or (
        cluster is not None and len(cluster) != len(unit)
    ):
        raise ValueError("The columns of marks differ in length.")
    values = values if there.all() else values[there]
    unit_code = _codes(unit, there)
    rater_code = _codes(rater, there)
    scale = np.unique(values if levels is None else np.asarray(levels, dtype=np.float64))
    level = _levels_of(values, scale)
    _refuse_double(unit_code, rater_code)
    if cluster is None:
        clusters = np.arange(int(unit_code.max(initial=-1)) + 1)
    else:
        clusters = _cluster_of(unit_code, _codes(cluster, there))
    return Units(unit_code, rater_code, level, scale, clusters)


def from_ratings(ratings: pd.DataFrame, *, levels: Sequence[float] | None = None) -> Units:
    """Return the marks of a ratings frame: a unit is a response on a criterion."""
    there = ratings["value"].notna()
    marked = ratings[[*COLUMNS]] if there.all() else ratings.loc[there, [*COLUMNS]]
    response, criterion = (
        marked[name].cat.codes.to_numpy(np.int64) for name in ("response", "criterion")
    )
    width = len(marked["criterion"].cat.categories)
    return units(
        unit=response * width + criterion,
        rater=marked["rater"].cat.codes.to_numpy(np.int64),
        value=marked["value"].to_numpy(np.float64),
        levels=levels,
        cluster=marked["group"].cat.codes.to_numpy(np.int64),
    )


def _codes(
    column: Sequence[object] | npt.NDArray[np.generic], there: npt.NDArray[np.bool_]
) -> IntArray:
    values: npt.NDArray[Any] = np.asarray(column)
    values = values if there.all() else values[there]
    if (
        values.dtype.kind in "iu"
        and len(values)
        and values.min() >= 0
        and values.max() < 4 * len(values) + 64
    ):
        used = np.bincount(values) > 0
        codes: npt.NDArray[np.int64] = values if used.all() else (np.cumsum(used) - 1)[values]
        return codes.astype(np.int64, copy=False)
    return np.asarray(pd.factorize(values, sort=True)[0], dtype=np.int64)


def _levels_of(values: FloatArray, scale: FloatArray) -> IntArray:
    """Return the place of each mark in the scale; a scale of equal steps needs no search."""
    step = scale[1] - scale[0] if len(scale) > 1 else 1.0
    even = len(scale) > 0 and np.array_equal(scale, scale[0] + step * np.arange(len(scale)))
    level = np.empty(len(values), dtype=np.int64)
    for part in _parts(len(values)):
        some = values[part]
        if even:
            place = np.rint((some - scale[0]) / step)
            level[part] = np.clip(place, 0, len(scale) - 1, out=place)
        else:
            level[part] = np.searchsorted(scale, some)
        _refuse_strange(some, level[part], scale)
    return level


def _refuse_strange(values: FloatArray, level: IntArray, scale: FloatArray) -> None:
    wrong = scale.take(level, mode="clip") != values if len(scale) else np.ones(len(values), bool)
    if wrong.any():
        raise ValueError(f"The mark {values[wrong][0]:g} is no level of the scale.")


def _parts(n: int) -> Iterator[slice]:
    """Yield which of n marks to look at together: what is made of them stays near the processor."""
    return (slice(start, start + AT_ONCE) for start in range(0, n, AT_ONCE))


def _cluster_of(unit: IntArray, cluster: IntArray) -> IntArray:
    of = np.empty(int(unit.max(initial=-1)) + 1, dtype=np.int64)
    of[unit] = cluster
    if any((of.take(unit[part]) != cluster[part]).any() for part in _parts(len(unit))):
        raise ValueError("A unit belongs to two clusters.")
    return of


def _refuse_double(unit: IntArray, rater: IntArray) -> None:
    width = int(rater.max(initial=0)) + 1
    space = (int(unit.max(initial=0)) + 1) * width
    if space <= DENSE_PAIRS:
        seen = np.zeros(space, dtype=np.bool_)
        for part in _parts(len(unit)):
            seen[unit[part] * width + rater[part]] = True
        n = int(np.count_nonzero(seen))
    else:
        n = len(np.unique(unit * width + rater))
    if n < len(unit):
        raise ValueError("A rater marked a unit twice.")
