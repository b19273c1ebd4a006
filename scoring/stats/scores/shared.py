"""What two releases were both graded on: only that is compared.

A *cell* is a question, an annotator and a criterion; it counts where both releases have a grade in
it. Two equal systems of which one was graded on the easier questions alone would differ by what the
questions are worth; on the cells that both have they do not.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scoring.stats.plain import Reason
from scoring.stats.resampled import estimates
from scoring.stats.resampled import exact as grade_sums
from scoring.stats.resampled.estimates import Estimate, Figure
from scoring.stats.resampled.exact import Grades, IntArray, Label, Sums
from scoring.stats.scores.scores import Key, Level, Scores, all_estimates

Pair = tuple[Label, Label]
#: What makes a cell beside the capability, as far as a frame has it.
CELL = ("group", "item", "rater", "criterion", "occasion")
#: Numbers that are resampled together: 64 MB.
AT_ONCE = 1 << 23
#: Keys are numbered anew before they outgrow whole numbers.
MOST_KEYS = 1 << 62


@dataclass(frozen=True, slots=True)
class Part:
    """What is compared: a figure of a capability, or of a group of them."""

    figure: Figure
    level: Level
    label: Label

    def key(self, release: Label) -> Key:
        return self.figure, self.level, release, self.label, None


@dataclass(frozen=True, slots=True)
class Shared:
    """Both sides of a pair on what both were graded on.

    `n_questions` are common, `n_either` those that either was graded on; `n_pairs` cells are
    common, and `n_left_out` grades of either side have no partner.
    """

    left: Estimate
    right: Estimate
    sums: Sums
    reason: Reason | None
    n_questions: int
    n_either: int
    n_pairs: int
    n_left_out: int


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a pair that have a partner."""

    left: IntArray
    right: IntArray


def shared(scored: Scores, pairs: Sequence[Pair], parts: Sequence[Part]) -> Iterator[list[Shared]]:
    """Yield for every pair its parts on what both were graded on, resampled together.

    Raises:
        KeyError: a release or a part is not among the scores.
    """
    for one in {release for pair in pairs for release in pair}:
        for part in parts:
            scored._estimates[part.key(one)]  # refuses what there is not
    if not pairs:
        return
    keys = scored._kept.get("keys") or _Keys(scored)
    scored._kept["keys"] = keys  # the next part needs the same
    waiting = iter(pairs)
    size = _at_once(scored)
    while some := tuple(islice(waiting, size)):
        yield from _shared(scored, keys, some, parts)


class _Keys:
    """The grades of every release with the cell of each, by number."""

    def __init__(self, scored: Scores) -> None:
        self._scored = scored
        ratings, (release_by, capability_by) = scored._ratings, scored.by
        there = ratings["value"].notna().to_numpy()
        whole = there.all()
        release = grade_sums.codes(ratings[release_by], release_by)
        capability = grade_sums.codes(ratings[capability_by], capability_by, missing_allowed=True)
        columns = [capability.codes, *(_codes(ratings[name]) for name in CELL)]
        key = _cells([one if whole else one[there] for one in columns])
        of = release.codes if whole else release.codes[there]
        order = np.lexsort((key, of))
        ends = np.cumsum(np.bincount(of, minlength=len(release.labels)))
        rows = np.split(order, ends[:-1])
        self._rows = dict(zip(release.labels, rows, strict=True))
        self._keys = {label: key[mine] for label, mine in self._rows.items()}

    @cached_property
    def grades(self) -> Grades:
        scored = self._scored
        return grade_sums.grades(
            scored._ratings, by=scored.by, convention=scored._settings.convention
        )

    def common(self, left: Label, right: Label) -> _Rows | None:
        """Return the rows of both sides that have a partner; None if all of them have."""
        a, b = self._keys[left], self._keys[right]
        if np.array_equal(a, b):
            return None
        in_a, in_b = _among(a, b), _among(b, a)
        if in_a.all() and in_b.all():
            return None
        return _Rows(self._rows[left][in_a], self._rows[right][in_b])


def _among(keys: IntArray, others: IntArray) -> "npt.NDArray[np.bool_]":
    """Return which of the keys are among others; both are sorted."""
    if not len(others):
        return np.zeros(len(keys), dtype=np.bool_)
    place = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    found: npt.NDArray[np.bool_] = others[place] == keys
    return found


def _codes(column: "pd.Series[Any]") -> IntArray:
    if isinstance(column.dtype, pd.CategoricalDtype):
        # Nothing counts as a value of its own.
        codes: IntArray = np.asarray(column.cat.codes, dtype=np.int64) + 1
        return codes
    return column.to_numpy(np.int64)


def _cells(columns: Sequence[IntArray]) -> IntArray:
    """Return the cell of each row as a number."""
    key, size = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes in columns:
        width = int(codes.max(initial=0)) + 1
        if size * width >= MOST_KEYS:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = int(key.max(initial=0)) + 1
        key, size = key * width + codes, size * width
    made: IntArray = np.asarray(key, dtype=np.int64)
    return made


def _at_once(scored: Scores) -> int:
    """Return how many pairs are resampled together."""
    widths = [int(block.num.shape[1]) for block in scored._sums.blocks]
    wide = max([1, scored.resamples, *widths])
    columns = 4 * max(1, len(scored._sums.expected))
    return max(1, AT_ONCE // (wide * columns))


def _shared(
    scored: Scores, keys: _Keys, pairs: Sequence[Pair], parts: Sequence[Part]
) -> Iterator[list[Shared]]:
    rows = [keys.common(*pair) for pair in pairs]
    sides = [side for one in rows if one is not None for side in (one.left, one.right)]
    made, sums = _estimated(scored, keys.grades, sides, parts) if sides else ({}, scored._sums)
    place = 0
    for pair, partial in zip(pairs, rows, strict=True):
        own = [tuple(scored._estimates[part.key(one)] for one in pair) for part in parts]
        if partial is None:
            yield [_told(scored, one, one, scored._sums) for one in own]
            continue
        both = [tuple(made[part.key(place + side)] for side in (0, 1)) for part in parts]
        yield [_told(scored, one, two, sums) for one, two in zip(own, both, strict=True)]
        place += 2


def _estimated(
    scored: Scores, grades: Grades, sides: Sequence[IntArray], parts: Sequence[Part]
) -> tuple[dict[Key, Estimate], Sums]:
    figures = tuple(dict.fromkeys(part.figure for part in parts))
    wanted = {part.key(n) for part in parts for n in range(len(sides))}
    side = np.repeat(np.arange(len(sides)), [len(one) for one in sides])
    sums = grade_sums.chosen(grades, np.concatenate(sides), side, len(sides), scored._sums)
    cells = estimates.cell_estimates(
        sums,
        average=scored._settings.average,
        resamples=scored.resamples,
        rng=copy.deepcopy(scored._chance),
        scheme=scored.scheme,
        figures=figures,
    )
    found = all_estimates(sums, cells, scored._settings)
    return {key: one for key, one in found if key in wanted}, sums


def _told(
    scored: Scores, own: tuple[Estimate, ...], sides: tuple[Estimate, ...], sums: Sums
) -> Shared:
    (a, b), (left, right) = own, sides
    reason = a.reason or b.reason or left.reason or right.reason
    if reason is Reason.NO_GRADES and not (a.reason or b.reason):
        reason = Reason.NOTHING_SHARED
    n_shared = [_grades(sums, side) for side in sides]
    n_own = sum(_grades(scored._sums, side) for side in own)
    return Shared(
        left,
        right,
        sums,
        reason,
        sum(estimates.clusters(sums, (*left.cells, *right.cells)).values()),
        sum(estimates.clusters(scored._sums, (*a.cells, *b.cells)).values()),
        min(n_shared),
        n_own - sum(n_shared),
    )


def _grades(sums: Sums, of: Estimate) -> int:
    cells = (sums.cells[i] for i in of.cells)
    return sum(int(sums.blocks[cell.block].count[cell.row].sum()) for cell in cells)
