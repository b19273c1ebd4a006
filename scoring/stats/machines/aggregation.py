"""Several assistant evaluators made into one: AVG, the median, LLMSel, CorrW.

Every assistant is first rescaled to a share of its declared range, turned round where lower is
better. *AVG* is the mean of all; the *median* is what more than half of them give, where so many give
the same, and else the middle; *LLMSel* of those that a plan names for the criterion (none named:
undefined), *CorrW* their mean weighted by how each agrees with people.

CorrW's weights must not come from the items they are tested on. Groups (questions) are dealt into
folds, a fold's weights come from the other folds, and so a figure about CorrW must be computed
*within* folds and averaged: over all items at once the weights have seen the people's marks. Weights
are correlations divided by the sum of their sizes; an assistant against people counts negatively.
The paper's form, all items at once, is the named option `in-sample`.

A response that lacks one of the assistants used has no aggregate; those are counted.

Source: Shu et al. (2024), Fusion-Eval, section 4 (AVG(AE), LLMSel(AE), CorrW(AE)).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.stats.judges import coefficients
from scoring.stats.judges.coefficients import NAMES
from scoring.stats.judges.said import AssistantWeights
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.told import Coefficient

Weighing = Literal["cross-fitted", "in-sample"]
Agreement = Callable[[FloatArray, FloatArray], float | None]


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One value a response, NaN where there is none; `fold` numbers folds, 0 where there are none."""

    values: FloatArray
    fold: IntArray
    reason: Reason | None
    weights: tuple[AssistantWeights, ...]
    n_incomplete: int
    method: str


def rescaled(
    values: FloatArray, minimum: float, maximum: float, *, higher_is_better: bool = True
) -> FloatArray:
    """Return values as shares of the declared range.

    Raises:
        ValueError: the range has no width or an open end, or a value lies outside it.
    """
    if not (np.isfinite(minimum) and np.isfinite(maximum) and minimum < maximum):
        raise ValueError("Only a range with both ends and some width has shares.")
    outside = (values < minimum) | (values > maximum)
    if outside.any():
        raise ValueError(f"{values[outside][0]:g} lies outside {minimum:g} to {maximum:g}.")
    share = (values - minimum) / (maximum - minimum)
    return share if higher_is_better else 1 - share


def average(assistants: Mapping[str, FloatArray]) -> Aggregated:
    """Return AVG: the mean of all assistants (shares of their ranges).

    Raises:
        ValueError: there is no assistant, or columns are uneven.
    """
    columns = _columns(assistants)
    return _plain_mean(columns, f"AVG: mean of {len(assistants)} assistants")


def median(assistants: Mapping[str, FloatArray]) -> Aggregated:
    """Return the median of all assistants (shares of their ranges): the majority's value where there is one.

    Raises:
        ValueError: there is no assistant, or columns are uneven.
    """
    columns = _columns(assistants)
    return _whole(np.median(columns, axis=0), f"Median of {len(assistants)} assistants")


def selected(assistants: Mapping[str, FloatArray], named: Sequence[str]) -> Aggregated:
    """Return LLMSel: the mean of the assistants that a plan names for this criterion.

    Raises:
        ValueError: a named one is no assistant, or columns are uneven.
    """
    unknown = [one for one in named if one not in assistants]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is none of the assistants.")
    columns = _columns(assistants)
    if not named:
        gone = np.full(len(columns[0]), np.nan)
        fold = np.zeros(len(gone), dtype=np.int64)
        return Aggregated(gone, fold, Reason.NONE_NAMED, (), 0, "LLMSel: no assistant is named")
    used = np.stack([assistants[one] for one in dict.fromkeys(named)])
    return _plain_mean(used, "LLMSel: mean of " + ", ".join(dict.fromkeys(named)))


def correlation_weighted(
    assistants: Mapping[str, FloatArray],
    *,
    human: FloatArray,
    group: Sequence[Label] | IntArray,
    coefficient: Coefficient = "spearman",
    weighing: Weighing = "cross-fitted",
    folds: int = 5,
    seed: int = 0,
) -> Aggregated:
    """Return CorrW: assistants weighted by their pooled correlation with people's means.

    Args:
        assistants: shares of their ranges; NaN is missing.
        human: people's means; NaN is missing.
        group: the question of each response; no question is split over folds.
        coefficient: which correlation weighs.
        weighing: cross-fitted, or in-sample as in the paper.
        folds: of questions.
        seed: of the folds.

    Raises:
        ValueError: columns are uneven, there are fewer than two folds, or no such weighing.
    """
    columns = _columns(assistants)
    place = np.unique(np.asarray(group), return_inverse=True)[1].ravel()
    if not len(human) == len(place) == columns.shape[1]:
        raise ValueError("The columns differ in length.")
    if weighing not in ("cross-fitted", "in-sample"):
        raise ValueError(f"There is no weighing {weighing!r}.")
    if folds < 2:
        raise ValueError("Cross-fitting takes at least two folds.")
    n_groups = int(place.max(initial=-1)) + 1
    name = f"CorrW by {NAMES[coefficient]}, {weighing}"
    if weighing == "in-sample":
        fold = np.zeros(len(place), dtype=np.int64)
    elif n_groups < 2:
        gone = np.full(len(place), np.nan)
        nowhere = np.zeros(len(place), dtype=np.int64)
        return Aggregated(gone, nowhere, Reason.FEW_QUESTIONS, (), 0, name)
    else:
        order = np.random.default_rng(seed).permutation(n_groups)
        fold = (order % min(folds, n_groups))[place]
    values = np.full(len(place), np.nan)
    made = []
    for one in range(int(fold.max(initial=0)) + 1):
        train = np.ones(len(fold), dtype=bool) if weighing == "in-sample" else fold != one
        found = _weights(columns, human, train, coefficient)
        if found is not None:
            values[fold == one] = found @ columns[:, fold == one]
        told = [None] * len(columns) if found is None else found.tolist()
        by = dict(zip(assistants, told, strict=True))
        made.append(AssistantWeights(one, by, int((train & ~np.isnan(human)).sum())))
    reason = Reason.NO_WEIGHT if np.isnan(values).all() else None
    incomplete = int(np.isnan(columns).any(axis=0).sum())
    return Aggregated(values, fold, reason, tuple(made), incomplete, name)


def _columns(assistants: Mapping[str, FloatArray]) -> FloatArray:
    if not assistants:
        raise ValueError("There is no assistant to aggregate.")
    if len({len(one) for one in assistants.values()}) > 1:
        raise ValueError("The columns differ in length.")
    return np.stack([np.asarray(one, dtype=np.float64) for one in assistants.values()])


def _plain_mean(columns: FloatArray, method: str) -> Aggregated:
    return _whole(columns.mean(axis=0), method)


def _whole(values: FloatArray, method: str) -> Aggregated:
    """Return values that come of no folds; where an assistant is missing there is none."""
    fold = np.zeros(len(values), dtype=np.int64)
    reason = Reason.NO_SCORES if np.isnan(values).all() else None
    return Aggregated(values, fold, reason, (), int(np.isnan(values).sum()), method)


def _weights(
    columns: FloatArray, human: FloatArray, train: np.ndarray, coefficient: Coefficient
) -> FloatArray | None:
    found = []
    for one in columns:
        both = train & ~np.isnan(one) & ~np.isnan(human)
        found.append(coefficients.coefficient(one[both], human[both], coefficient))
    sizes = np.array([0.0 if one is None else one for one in found])
    total = np.abs(sizes).sum()
    return sizes / total if total > 0 else None
