"""Exact values of shares, and weighted means of them: what each criterion counts for in a figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np

from scoring.stats.claims import FIGURES, Figure
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import (
    BoolArray,
    CellSums,
    FloatArray,
    IntArray,
    Label,
    SumBlock,
    SumCell,
    dense,
)
from scoring.stats.scores.components import MeetingLayout, MetValues

Average = Literal["pooled", "means_of_questions"]
#: Shares that differ by less are the same.
PRECISION = 1e9
#: Shares of which the commonest is looked for; of more only whether most are the same.
FEW = 64
Weight = Fraction | Decimal | int | float | str


@dataclass(frozen=True, slots=True)
class Mean:
    """A value or the reason it has none, and what each cell counts for in it.

    `numerator` and `denominator` are the sums of one criterion; a mean of several has none.
    """

    value: Fraction | None
    reason: Reason | None
    numerator: Fraction | None
    denominator: Fraction | None
    cells: tuple[int, ...]
    missing: tuple[str, ...] = ()
    shares: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MeanChild:
    label: str
    weight: Fraction
    mean: Mean


NOTHING = Mean(None, Reason.NO_GRADES, None, None, ())


def as_weight(label: Label, weight: Weight) -> Fraction:
    """Return a weight exactly as written.

    Raises:
        ValueError: it is negative or not a number.
    """
    try:
        exact = Fraction(str(weight)) if isinstance(weight, float) else Fraction(weight)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"The weight of {label} is not a number: {weight!r}.") from error
    if exact < 0:
        raise ValueError(f"The weight of {label} is negative: {weight}.")
    return exact


def cell_means(sums: CellSums, *, average: Average) -> dict[Figure, list[Mean]]:
    """Return the figures of every cell."""
    return {
        figure: [
            cell_mean(i, cell, sums, figure, average, kept=None)
            for i, cell in enumerate(sums.cells)
        ]
        for figure in FIGURES
    }


def combined(children: Sequence[MeanChild]) -> Mean:
    """Return the weighted mean of what exists; parts without grades are named as missing.

    Parts of weight zero are left out. One part undefined for another reason than missing
    grades makes the whole undefined for that reason.
    """
    asked = [child for child in children if child.weight > 0]
    there = [child for child in asked if child.mean.reason is not Reason.NO_GRADES]
    missing = tuple(child.label for child in asked if child not in there)
    cells = tuple(i for child in there for i in child.mean.cells)
    if not there:
        reason = Reason.NO_GRADES if asked or not children else Reason.NO_WEIGHT
        return Mean(None, reason, None, None, cells, missing)
    inner = tuple(name for child in there for name in child.mean.missing)
    for child in there:
        if child.mean.reason is not None:
            reason = child.mean.reason
            return Mean(None, reason, None, None, cells, missing + inner)
    return _weighted_mean(there, cells, missing + inner)


def columns(block: SumBlock, figure: Figure) -> tuple[FloatArray, FloatArray]:
    """Return what the figure divides, and by what: rows × places."""
    return (block.num, block.den) if figure == "score" else (block.passed, block.count)


def cell_mean(
    i: int,
    cell: SumCell,
    sums: CellSums,
    figure: Figure,
    average: Average,
    *,
    kept: BoolArray | None,
) -> Mean:
    """Return the figure of a cell, of those of its places that are kept, if not of all."""
    block = sums.blocks[cell.block]
    top, base = (part[cell.row] for part in columns(block, figure))
    question = block.question
    if kept is not None:
        top, base, question = top[kept], base[kept], question[kept]
        if not len(top):
            return NOTHING
    reason = _undefined(cell, figure, base)
    if reason is not None:
        return Mean(None, reason, None, None, (i,))
    unit = sums.unit if figure == "score" else 1
    numerator, denominator = (Fraction(int(part.sum()), unit) for part in (top, base))
    value = numerator / denominator
    if average == "means_of_questions":
        by_question = (np.bincount(question, part).astype(np.float64) for part in (top, base))
        value = _mean_of_questions(*by_question)
    return Mean(value, None, numerator, denominator, (i,), shares={i: 1.0})


def _undefined(cell: SumCell, figure: Figure, base: FloatArray) -> Reason | None:
    if figure == "accuracy":
        return Reason.NO_THRESHOLD if cell.no_pass_at else None
    return Reason.OPEN_SCALE if cell.open_scale or base.sum() <= 0 else None


def _mean_of_questions(top: FloatArray, base: FloatArray) -> Fraction:
    bases, which = np.unique(base, return_inverse=True)
    tops = np.bincount(which, weights=top)
    parts = [Fraction(int(t), int(b)) for t, b in zip(tops, bases, strict=True) if b > 0]
    return sum(parts, Fraction(0)) / int((base > 0).sum())


def _weighted_mean(
    there: Sequence[MeanChild], cells: tuple[int, ...], missing: tuple[str, ...]
) -> Mean:
    total = sum((child.weight for child in there), Fraction(0))
    value = Fraction(0)
    shares: dict[int, float] = {}
    for child in there:
        assert child.mean.value is not None
        share = child.weight / total
        value += share * child.mean.value
        for cell, part in child.mean.shares.items():
            shares[cell] = shares.get(cell, 0.0) + float(share) * part
    alone = there[0].mean if len(there) == 1 else NOTHING
    return Mean(value, None, alone.numerator, alone.denominator, cells, missing, shares)


@dataclass(frozen=True, slots=True)
class MeanRow:
    """What a criterion adds to a figure: the row of its sums, and of those that are taken off."""

    block: int
    left: int
    right: int | None
    share: float


def rows_of(mean: Mean, sums: CellSums, less: Mapping[int, int] | None = None) -> list[MeanRow]:
    """Return the rows of a figure; `less` names for each cell the one that is taken off."""
    cells = sums.cells
    return [
        MeanRow(cells[i].block, cells[i].row, None if less is None else cells[less[i]].row, share)
        for i, share in mean.shares.items()
    ]


Layouts = dict[bytes, MeetingLayout]


def values(
    sums: CellSums,
    rows: Sequence[MeanRow],
    figure: Figure,
    average: Average,
    known: Layouts | None = None,
) -> MetValues:
    """Return what every annotator said of every question, as the figure counts it.

    Each value is set against the mean of its criterion, so that a criterion that somebody left out
    is no difference between questions. Layouts that are `known` are not worked out again.
    """
    by_block: dict[int, list[MeanRow]] = {}
    for row in rows:
        by_block.setdefault(row.block, []).append(row)
    parts = [_of_block(n, sums.blocks[n], some, figure, average) for n, some in by_block.items()]
    pairs, value, weight, level = (np.concatenate(column) for column in zip(*parts, strict=True))
    there = weight > 0
    key = b"".join([*(n.to_bytes(8) for n in by_block), np.packbits(there).tobytes()])
    layout = None if known is None else known.get(key)
    if layout is None:
        layout = _layout(pairs[there])
        if known is not None:
            known[key] = layout
    value, weight, level = value[there], weight[there], level[there]
    tops = np.bincount(layout.question, level)
    share = np.rint(PRECISION * tops / np.bincount(layout.question, weight))
    return MetValues(layout, value / weight, weight, _different(share))


def _layout(pairs: IntArray) -> MeetingLayout:
    question, rater = (dense(pairs[:, place]) for place in (1, 2))
    stratum = np.empty(int(question.max(initial=-1)) + 1, dtype=np.int64)
    stratum[question] = pairs[:, 0]
    return MeetingLayout(question, rater, stratum)


def _different(shares: FloatArray) -> int:
    """Return how many differ from the commonest; of many without a majority, at least half."""
    n = len(shares)
    if n < FEW:
        return n - int(np.unique(shares, return_counts=True)[1].max(initial=0))
    return n - int((shares == np.partition(shares, n // 2)[n // 2]).sum())


def _of_block(
    number: int, block: SumBlock, rows: Sequence[MeanRow], figure: Figure, average: Average
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return block, question and annotator of each pair, its value, weight and share."""
    left, shares = [row.left for row in rows], np.array([row.share for row in rows])
    right = [row.right for row in rows if row.right is not None]
    kept = (block.count[left] > 0) & (block.count[right] > 0) if right else None
    value, weight, level = _side(block, left, shares, kept, figure, average)
    if right:
        value = value - _side(block, right, shares, kept, figure, average)[0]
    of = np.empty((int(block.pair.max(initial=-1)) + 1, 3), dtype=np.int64)
    of[:, 0] = number
    of[block.pair, 1], of[block.pair, 2] = block.question, block.rater
    if not np.array_equal(block.pair, np.arange(len(of))):
        value, weight, level = (
            np.bincount(block.pair, one).astype(np.float64) for one in (value, weight, level)
        )
    return of, value, weight, level


def both(block: SumBlock, left: int, right: int) -> BoolArray:
    """Return the places in which two cells have grades."""
    kept: BoolArray = (block.count[left] > 0) & (block.count[right] > 0)
    return kept


def _side(
    block: SumBlock,
    rows: Sequence[int],
    shares: FloatArray,
    kept: BoolArray | None,
    figure: Figure,
    average: Average,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return what each place adds to a figure beyond the means, what it weighs, and what it adds."""
    top, base = (part[rows] for part in columns(block, figure))
    if kept is not None:
        top, base = top * kept, base * kept
    if average == "means_of_questions":
        whole = np.array([np.bincount(block.question, one)[block.question] for one in base])
        top, base = (
            np.divide(one, whole, where=base > 0, out=np.zeros_like(base)) for one in (top, base)
        )
    total = base.sum(axis=1)
    each, mean = shares / total, top.sum(axis=1) / total
    adds, weighs, expected = (
        np.einsum("r,rp->p", one, of)
        for one, of in ((each, top), (each, base), (each * mean, base))
    )
    return adds - expected, weighs, adds


Weigher = Callable[[Label], Fraction]


def weigher(weights: Mapping[Label, Weight] | None) -> Weigher:
    """Return the weight of a part by its label: what is not named weighs 1."""
    exact = {label: as_weight(label, weight) for label, weight in (weights or {}).items()}
    return lambda label: exact.get(label, Fraction(1))
