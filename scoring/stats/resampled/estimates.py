"""Exact values of shares with their paired draws, and weighted means of them."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np

from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.exact import Block, Cell, FloatArray, Label, Sums

Figure = Literal["score", "accuracy"]
Average = Literal["pooled", "means_of_questions"]
Weight = Fraction | Decimal | int | float | str
FIGURES: tuple[Figure, Figure] = ("score", "accuracy")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value or the reason it has none, and its draws for each block of questions.

    `numerator` and `denominator` are the sums of one criterion; a mean of several has none.
    """

    value: Fraction | None
    reason: Reason | None
    numerator: Fraction | None
    denominator: Fraction | None
    cells: tuple[int, ...]
    draws: Mapping[int, FloatArray]
    few_questions: bool
    missing: tuple[str, ...] = ()
    #: What the questions of each block count for.
    shares: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Child:
    label: str
    weight: Fraction
    estimate: Estimate


NOTHING = Estimate(None, Reason.NO_GRADES, None, None, (), {}, few_questions=False)


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


def cell_estimates(
    sums: Sums,
    *,
    average: Average,
    resamples: int,
    rng: np.random.Generator,
    scheme: resampling.Scheme,
    figures: Sequence[Figure] = FIGURES,
) -> dict[Figure, list[Estimate]]:
    """Estimate the figures of every cell; one set of weights serves all of a block."""
    made: dict[Figure, list[Estimate]] = {figure: [NOTHING] * len(sums.cells) for figure in figures}
    for number, block in enumerate(sums.blocks):
        mine = [i for i, cell in enumerate(sums.cells) if cell.block == number]
        tops = np.concatenate([_columns(block, figure, average)[0] for figure in figures])
        bases = np.concatenate([_columns(block, figure, average)[1] for figure in figures])
        both = np.concatenate([tops, bases]).T
        drawn = resampling.resampled_sums(both, resamples=resamples, rng=rng, scheme=scheme)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = drawn[:, : len(tops)] / drawn[:, len(tops) :]
        for i in mine:
            cell = sums.cells[i]
            for k, figure in enumerate(figures):
                draws = ratios[:, k * len(block.num) + cell.row]
                made[figure][i] = _cell_estimate(i, cell, sums, figure, average, draws)
    return made


def combined(children: Sequence[Child]) -> Estimate:
    """Return the weighted mean of what exists; parts without grades are named as missing.

    Parts of weight zero are left out. One part undefined for another reason than missing
    grades makes the whole undefined for that reason.
    """
    asked = [child for child in children if child.weight > 0]
    there = [child for child in asked if child.estimate.reason is not Reason.NO_GRADES]
    missing = tuple(child.label for child in asked if child not in there)
    cells = tuple(i for child in there for i in child.estimate.cells)
    if not there:
        reason = Reason.NO_GRADES if asked or not children else Reason.NO_WEIGHT
        return Estimate(None, reason, None, None, cells, {}, few_questions=False, missing=missing)
    inner = tuple(name for child in there for name in child.estimate.missing)
    for child in there:
        if child.estimate.reason is not None:
            reason = child.estimate.reason
            return Estimate(
                None, reason, None, None, cells, {}, few_questions=False, missing=missing + inner
            )
    return _weighted_mean(there, cells, missing + inner)


def clusters(sums: Sums, cells: Iterable[int]) -> dict[int, int]:
    """Count the questions that have grades in any of the cells, for each block."""
    rows: dict[int, list[int]] = {}
    for i in cells:
        rows.setdefault(sums.cells[i].block, []).append(sums.cells[i].row)
    return {
        block: int((sums.blocks[block].count[mine] > 0).any(axis=0).sum())
        for block, mine in rows.items()
    }


def interval(
    estimate: Estimate, sums: Sums, *, scheme: resampling.Scheme, level: float
) -> resampling.Interval:
    """Return the interval of an estimate, or why there is none."""
    counted = clusters(sums, estimate.cells)
    n = sum(counted.values())
    reason = estimate.reason
    if reason is None and estimate.few_questions:
        reason = Reason.FEW_QUESTIONS
    if reason is None and any(len(draws) == 0 for draws in estimate.draws.values()):
        reason = Reason.NOT_RESAMPLED
    if reason is not None:
        return resampling.Interval(None, None, level, n, reason)
    parts = [
        resampling.Part(draws, counted[block], estimate.shares[block])
        for block, draws in estimate.draws.items()
    ]
    inside = estimate.value is not None and 0 <= estimate.value <= 1
    within = (0.0, 1.0) if inside else (-math.inf, math.inf)
    return resampling.interval(parts, scheme=scheme, level=level, within=within)


def _columns(block: Block, figure: Figure, average: Average) -> tuple[FloatArray, FloatArray]:
    top, base = (block.num, block.den) if figure == "score" else (block.passed, block.count)
    if average == "pooled":
        return top, base
    there = base > 0
    return np.divide(top, base, out=np.zeros_like(top), where=there), there.astype(np.float64)


def _cell_estimate(
    i: int, cell: Cell, sums: Sums, figure: Figure, average: Average, draws: FloatArray
) -> Estimate:
    block = sums.blocks[cell.block]
    top, base, unit = (
        (block.num[cell.row], block.den[cell.row], sums.unit)
        if figure == "score"
        else (block.passed[cell.row], block.count[cell.row], 1)
    )
    reason = _undefined(cell, figure, base)
    numerator, denominator = (Fraction(int(part.sum()), unit) for part in (top, base))
    # A criterion with one question beside others in its capability; alone it has its parts' variance.
    few = int((block.count[cell.row] > 0).sum()) < 2 <= block.count.shape[1]
    if reason is not None:
        return Estimate(None, reason, None, None, (i,), {}, few_questions=few)
    value = numerator / denominator if average == "pooled" else _mean_of_questions(top, base)
    return Estimate(
        value,
        None,
        numerator,
        denominator,
        (i,),
        {cell.block: draws},
        few_questions=few,
        shares={cell.block: 1.0},
    )


def _undefined(cell: Cell, figure: Figure, base: FloatArray) -> Reason | None:
    if figure == "accuracy":
        return Reason.NO_THRESHOLD if cell.no_pass_at else None
    return Reason.OPEN_SCALE if cell.open_scale or base.sum() <= 0 else None


def _mean_of_questions(top: FloatArray, base: FloatArray) -> Fraction:
    bases, which = np.unique(base, return_inverse=True)
    tops = np.bincount(which, weights=top)
    parts = [Fraction(int(t), int(b)) for t, b in zip(tops, bases, strict=True) if b > 0]
    return sum(parts, Fraction(0)) / int((base > 0).sum())


def _weighted_mean(
    there: Sequence[Child], cells: tuple[int, ...], missing: tuple[str, ...]
) -> Estimate:
    total = sum((child.weight for child in there), Fraction(0))
    value = Fraction(0)
    draws: dict[int, FloatArray] = {}
    shares: dict[int, float] = {}
    for child in there:
        assert child.estimate.value is not None
        share = child.weight / total
        value += share * child.estimate.value
        for block, part in child.estimate.shares.items():
            shares[block] = shares.get(block, 0.0) + float(share) * part
        for block, mine in child.estimate.draws.items():
            draws[block] = draws.get(block, 0.0) + float(share) * mine
    few = any(child.estimate.few_questions for child in there)
    alone = there[0].estimate if len(there) == 1 else NOTHING
    return Estimate(
        value, None, alone.numerator, alone.denominator, cells, draws, few, missing, shares
    )


Weigher = Callable[[Label], Fraction]


def weigher(weights: Mapping[Label, Weight] | None) -> Weigher:
    """Return the weight of a part by its label: what is not named weighs 1."""
    exact = {label: as_weight(label, weight) for label, weight in (weights or {}).items()}
    return lambda label: exact.get(label, Fraction(1))
