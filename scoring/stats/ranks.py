"""Which system is better, and how sure that is: all pairs at once, ranks, who may be best.

Every two releases are compared over the questions both were graded on; p values are corrected for
their number by Holm's method. A release's rank lies between one more than those that are better
beyond doubt and the number of those it is not better than; releases no two of which differ beyond
doubt form a group that is not separable.

References:
    Holm (1979), A simple sequentially rejective multiple test procedure.
    Mogstad, Romano, Shaikh and Wilhelm (2024), Inference for ranks (ranks from pairwise tests).
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from scoring.stats import differences, resampling
from scoring.stats.differences import Difference
from scoring.stats.estimates import Figure
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.scores import OVERALL, Scores
from scoring.stats.sums import Label


@dataclass(frozen=True, slots=True)
class Comparison:
    """A paired difference with its p value, corrected and not; `clear` is beyond doubt."""

    difference: Difference
    p: float | None
    p_holm: float | None
    clear: bool


@dataclass(frozen=True, slots=True)
class Rank:
    """Where a release stands: by its score, between which ranks, and how probably first.

    `best` is the share of resamples in which it is first; ties are shared.
    """

    release: Label
    rank: int | None
    low: int | None
    high: int | None
    best: float | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Ranking:
    ranks: tuple[Rank, ...]
    comparisons: tuple[Comparison, ...]
    groups: tuple[tuple[Label, ...], ...]
    level: float
    method: str

    def plain(self) -> Plain:
        return plain(self)


def ranking(
    scored: Scores, *, capability: Label = None, group: str = OVERALL, figure: Figure = "score"
) -> Ranking:
    """Rank releases in a capability, or in a group where no capability is named.

    Raises:
        KeyError: there is no such capability or group.
    """
    chosen = {"capability": capability, "group": group, "figure": figure}
    values = {
        release: scored.find(release, capability, figure=figure, group=group).value
        for release in scored.releases
    }
    known = [release for release in scored.releases if values[release] is not None]
    known.sort(key=lambda release: -(values[release] or 0))
    pairs = list(itertools.combinations(known, 2))
    found = differences.differences(scored, pairs=pairs, **chosen)  # type: ignore[arg-type]
    draws = differences.draws(scored, known, **chosen)  # type: ignore[arg-type]
    ps = [_p(one, draws, scored) for one in found]
    corrected = holm(ps)
    clear = [p is not None and p < 1 - scored.level for p in corrected]
    made = tuple(map(Comparison, found, ps, corrected, clear))
    best = _best(known, draws)
    ranks = [_rank(release, known, values, made, best) for release in known]
    lost = [release for release in scored.releases if values[release] is None]
    ranks += [Rank(release, None, None, None, None, Reason.NO_GRADES) for release in lost]
    return Ranking(
        tuple(ranks),
        made,
        _groups(known, made),
        scored.level,
        f"all pairs by Student's t over resampled questions, Holm's correction, {scored.level:.0%}",
    )


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Return p values corrected for their number; those that are None stay and do not count."""
    order = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    made: list[float | None] = [None] * len(ps)
    highest = 0.0
    for place, (p, i) in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - place) * p))
        made[i] = highest
    return made


Draws = Mapping[Label, Sequence[resampling.Part]]


def _p(one: Difference, draws: Draws, scored: Scores) -> float | None:
    if one.value is None or one.interval_reason is not None:
        return None
    left, right = draws[one.left], draws[one.right]
    parts = [
        resampling.Part(a.draws - b.draws, min(a.n_clusters, b.n_clusters))
        for a, b in zip(left, right, strict=True)
    ]
    return resampling.p_value(float(one.value), parts, scheme=scored.scheme)


def _best(known: Sequence[Label], draws: Draws) -> dict[Label, float]:
    totals = [_total(draws[release]) for release in known]
    if not totals or any(one is None for one in totals):
        return {}
    table = np.stack([one for one in totals if one is not None])
    table = table[:, np.isfinite(table).all(axis=0)]
    if not table.shape[1]:
        return {}
    first = np.isclose(table, table.max(axis=0), rtol=0, atol=1e-12)
    shares = (first / first.sum(axis=0)).mean(axis=1)
    return dict(zip(known, shares.tolist(), strict=True))


def _total(parts: Sequence[resampling.Part]) -> FloatArray | None:
    if not parts or any(len(part.draws) == 0 for part in parts):
        return None
    total: FloatArray = np.sum([part.draws for part in parts], axis=0)
    return total


def _rank(
    release: Label,
    known: Sequence[Label],
    values: Mapping[Label, Fraction | None],
    made: Sequence[Comparison],
    best: Mapping[Label, float],
) -> Rank:
    better = sum(1 for one in made if one.clear and _loser(one) == release)
    worse = sum(1 for one in made if one.clear and _winner(one) == release)
    mine = values[release] or 0
    above = sum(1 for other in known if (values[other] or 0) > mine)
    return Rank(release, 1 + above, 1 + better, len(known) - worse, best.get(release), None)


def _winner(one: Comparison) -> Label:
    return one.difference.left if (one.difference.value or 0) > 0 else one.difference.right


def _loser(one: Comparison) -> Label:
    return one.difference.right if (one.difference.value or 0) > 0 else one.difference.left


def _groups(known: Sequence[Label], made: Sequence[Comparison]) -> tuple[tuple[Label, ...], ...]:
    """Return the longest runs, in the order of scores, in which no two differ beyond doubt."""
    apart = {frozenset((one.difference.left, one.difference.right)) for one in made if one.clear}
    runs: list[tuple[Label, ...]] = []
    for start in range(len(known)):
        end = start + 1
        while end < len(known) and not any(
            frozenset((known[i], known[end])) in apart for i in range(start, end)
        ):
            end += 1
        if not runs or not set(known[start:end]) <= set(runs[-1]):
            runs.append(tuple(known[start:end]))
    return tuple(runs)
