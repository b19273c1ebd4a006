"""Soft pairwise accuracy: does a judge part two systems as surely as people do?

For every two systems a one-sided paired permutation test says how sure each side is that the first
is the better one. The value is 1 less the mean distance of the two p values over all pairs of
systems: a judge is not punished for a wrong order that people themselves could not tell.

Both sides of all pairs share the same random exchanges. p = (1 + c) / (1 + B).

Reference:
    Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human
    evaluation of automatic metrics via soft pairwise accuracy, section 3.
"""

from dataclasses import dataclass

import numpy as np

from scoring.stats import levels
from scoring.stats.levels import Pairs
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason

METHOD = "1 − mean |p by people − p by judge| over pairs of systems, one-sided paired permutation"
CHUNK_CELLS = 4_000_000
CLOSE = 1e-12  # sums nearer than this, for their size, are equal


@dataclass(frozen=True, slots=True)
class SoftAccuracy:
    """`n_pairs` pairs of systems entered; `n_left_out` share no group and did not."""

    value: float | None
    reason: Reason | None
    n_pairs: int
    n_left_out: int
    n_groups: int
    permutations: int
    seed: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


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
