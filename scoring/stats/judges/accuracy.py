"""How often a judge orders two responses as people do, ties counted, with a calibrated margin.

* Soft pairwise accuracy: does a judge part two systems as surely as people do?
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.stats.judges import levels
from scoring.stats.judges.levels import Pairs
from scoring.stats.judges.said import PairwiseAccuracy, SoftAccuracy
from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import FloatArray, IntArray

Margin = Literal["cross-fitted", "in-sample", "none"]
SENTENCES: dict[Margin, str] = {
    "cross-fitted": "margin for ties chosen on the other folds of groups",
    "in-sample": "margin for ties chosen on the very pairs it is tested on: too kind to the judge",
    "none": "only equal values are ties of the judge",
}
#: Values nearer than this share of the range are one value: what rounding leaves of equal ones.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class _Within:
    """Pairs of responses of one group: how far the judge parts them, and whether rightly."""

    group: IntArray
    apart: FloatArray
    human_tied: np.ndarray
    alike: np.ndarray

    def right(self, margin: float | FloatArray) -> np.ndarray:
        tied = self.apart <= margin
        return np.where(tied, self.human_tied, self.alike)


def within_groups(
    of: Pairs,
    *,
    margin: Margin = "cross-fitted",
    folds: int = 5,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairwiseAccuracy:
    """Return the accuracy over pairs of responses to one item, mean over groups.

    Args:
        of: what both sides have.
        margin: how ε is found.
        folds: of groups, at most as many as there are groups.
        resamples: of groups, for the interval; 0 for none.
        confidence: of the interval.
        seed: of the folds and the resamples.

    Raises:
        ValueError: fewer than two folds, or no such margin.
    """
    if margin not in SENTENCES:
        raise ValueError(f"There is no margin {margin!r}.")
    if folds < 2:
        raise ValueError("Cross-fitting takes at least two folds.")
    rng = np.random.default_rng(seed)
    made = _within(of)
    groups = np.unique(made.group)
    if not len(groups):
        return _nothing(Reason.FEW_PAIRS, margin, seed)
    if margin == "cross-fitted" and len(groups) < 2:
        return _nothing(Reason.FEW_QUESTIONS, margin, seed)
    place = np.searchsorted(groups, made.group)
    chosen = _margins(made, place, len(groups), margin, folds, rng)
    right = made.right(chosen[place])
    size = np.bincount(place)
    each = np.bincount(place, weights=right) / size
    judged = made.apart <= chosen[place]
    found = _interval(each, resamples, confidence, rng)
    return PairwiseAccuracy(
        value=float(each.mean()),
        low=found.low,
        high=found.high,
        reason=None,
        interval_reason=found.reason,
        n_pairs=len(right),
        n_groups=len(groups),
        n_tied_human=int(made.human_tied.sum()),
        n_tied_judge=int(judged.sum()),
        n_tied_both=int((judged & made.human_tied).sum()),
        n_agree=int(right.sum()),
        margins=tuple(float(one) / of.judge_unit for one in np.unique(chosen)),
        seed=seed,
        method=f"mean over groups of the share of pairs; {SENTENCES[margin]}",
    )


def over_systems(of: Pairs, *, seed: int = 0) -> PairwiseAccuracy:
    """Return the share of pairs of systems whose means a judge orders as people do."""
    judge, human = levels.system_means(of)
    if len(judge) < 2:
        return _nothing(Reason.FEW_PAIRS, "none", seed)
    i, j = np.triu_indices(len(judge), k=1)
    x, y = np.sign(judge[i] - judge[j]), np.sign(human[i] - human[j])
    right = x == y
    return PairwiseAccuracy(
        value=float(right.mean()),
        low=None,
        high=None,
        reason=None,
        interval_reason=Reason.NOT_RESAMPLED,
        n_pairs=len(i),
        n_groups=len(of.groups),
        n_tied_human=int((y == 0).sum()),
        n_tied_judge=int((x == 0).sum()),
        n_tied_both=int(((x == 0) & (y == 0)).sum()),
        n_agree=int(right.sum()),
        margins=(0.0,),
        seed=seed,
        method="share of pairs of systems whose means are ordered alike, ties counted",
    )


def best_margin(apart: FloatArray, gain: FloatArray) -> float:
    """Return the smallest ε with the highest sum of gains over the pairs within it.

    Args:
        apart: how far the judge parts each pair.
        gain: what is won where the pair becomes a tie: its weight, less it, or 0.
    """
    values, place = np.unique(apart, return_inverse=True)
    won = np.cumsum(np.bincount(place.ravel(), weights=gain))
    # ε = 0 makes only equal values ties, whether there are such or not.
    at_zero = won[0] if values[0] == 0 else 0.0
    best = int(np.argmax(won))
    return float(values[best]) if won[best] > at_zero + 1e-12 else 0.0


def _within(of: Pairs) -> _Within:
    order = np.argsort(of.group, kind="stable")
    group, judge, human = of.group[order], of.judge[order], of.human[order]
    size = np.bincount(group, minlength=1)
    start = np.cumsum(size) - size
    left, right, owner = [], [], []
    for n in np.unique(size[size > 1]):
        i, j = np.triu_indices(n, k=1)
        for at in np.flatnonzero(size == n):
            left.append(start[at] + i)
            right.append(start[at] + j)
            owner.append(np.full(len(i), at))
    if not left:
        none = np.zeros(0)
        return _Within(none.astype(np.int64), none, none.astype(bool), none.astype(bool))
    a, b = np.concatenate(left), np.concatenate(right)
    by, told = judge[a] - judge[b], human[a] - human[b]
    apart = np.abs(by)
    if not of.exact:
        apart[apart <= ROUNDING * max(1.0, float(np.abs(judge).max()))] = 0.0
    return _Within(np.concatenate(owner), apart, told == 0, (told != 0) & (by * told > 0))


def _margins(
    made: _Within,
    place: IntArray,
    n_groups: int,
    margin: Margin,
    folds: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the ε of every group."""
    if margin == "none":
        return np.zeros(n_groups)
    weight = 1 / np.bincount(place)[place]
    gain = weight * (made.human_tied.astype(np.float64) - made.alike)
    if margin == "in-sample":
        return np.full(n_groups, best_margin(made.apart, gain))
    fold = rng.permutation(n_groups) % min(folds, n_groups)
    chosen = np.zeros(n_groups)
    for one in range(int(fold.max()) + 1):
        other = fold[place] != one
        chosen[fold == one] = best_margin(made.apart[other], gain[other])
    return chosen


def _interval(
    each: FloatArray, resamples: int, confidence: float, rng: np.random.Generator
) -> resampling.Interval:
    n = len(each)
    if resamples == 0:
        return resampling.Interval(None, None, confidence, n, Reason.NOT_RESAMPLED)
    scheme = resampling.scheme_for(n)
    sums = np.stack([each, np.ones(n)], axis=1)
    drawn = resampling.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme)
    part = resampling.DrawnPart(drawn[:, 0] / drawn[:, 1], n)
    return resampling.interval([part], scheme=scheme, level=confidence)


def _nothing(reason: Reason, margin: Margin, seed: int) -> PairwiseAccuracy:
    return PairwiseAccuracy(
        None, None, None, reason, reason, 0, 0, 0, 0, 0, 0, (), seed, SENTENCES[margin]
    )


METHOD = "1 − mean |p by people − p by judge| over pairs of systems, one-sided paired permutation"
CHUNK_CELLS = 4_000_000
CLOSE = 1e-12  # sums nearer than this, for their size, are equal


def soft_accuracy(of: Pairs, *, permutations: int = 1_000, seed: int = 0) -> SoftAccuracy:
    """Return the soft pairwise accuracy over the systems' means in each group.

    Raises:
        ValueError: fewer than one permutation.
    """
    if permutations < 1:
        raise ValueError("A permutation test takes at least one permutation.")
    sums = levels.sums(of)
    there = sums.count > 0
    i, j = np.triu_indices(len(of.systems), k=1)
    both = there[i] & there[j]
    enough = both.sum(axis=1) >= 2
    i, j, both = i[enough], j[enough], both[enough]
    left_out = int((~enough).sum())
    if not len(i):
        return SoftAccuracy(
            None, Reason.FEW_PAIRS, 0, left_out, len(of.groups), permutations, seed, METHOD
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        judge, human = sums.judge / sums.count, sums.human / sums.count
    by, told = (np.where(both, side[i] - side[j], 0.0).T for side in (judge, human))
    p_judge, p_human = _p_values([by, told], permutations, np.random.default_rng(seed))
    value = float(1 - np.abs(p_human - p_judge).mean())
    return SoftAccuracy(value, None, len(i), left_out, len(of.groups), permutations, seed, METHOD)


def _p_values(
    sides: list[FloatArray], permutations: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Return for each side the p of every pair: groups × pairs in, pairs out."""
    n_groups, n_pairs = sides[0].shape
    seen = [side.sum(axis=0) for side in sides]
    slack = [CLOSE * np.maximum(1.0, np.abs(side).sum(axis=0)) for side in sides]
    count = [np.zeros(n_pairs) for _ in sides]
    at_once = max(1, CHUNK_CELLS // max(n_groups, n_pairs))
    for start in range(0, permutations, at_once):
        signs = rng.integers(0, 2, (min(at_once, permutations - start), n_groups)) * 2.0 - 1.0
        for place, side in enumerate(sides):
            count[place] += (signs @ side >= seen[place] - slack[place]).sum(axis=0)
    return [(1 + one) / (1 + permutations) for one in count]
