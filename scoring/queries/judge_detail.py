"""One judge beside people on one criterion, from every side. Loads pandas: workers only."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from annotation.models import Round, SystemRelease
from annotation.rules import seeds
from scoring.queries import (
    judge_apart,
    judge_choice,
    judge_human,
    judge_parts,
    judge_readings,
    judge_sides,
)
from scoring.queries.judge_human import Human, Judged
from scoring.queries.judge_sides import Sides
from scoring.stats import (
    alternative,
    bias,
    ceiling,
    deviation,
    levels,
    pairwise_accuracy,
    soft_accuracy,
)
from scoring.stats.levels import LEVELS
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain

RESAMPLES = 1_000
MOST_POINTS = 400
MOST_APART = 200
#: Steps of a scale that are set against each other level by level.
MOST_LEVELS = 21


def judge_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return everything about one judge and one criterion.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice with one judge and a `criterion`; `epsilon` of the alternative-annotator
            test, `resamples`.

    Raises:
        NothingYet: the judge has no such criterion, or people do not.
    """
    choice = judge_choice.read(params)
    both = judge_sides.sides(round_, choice)
    criterion, human, judged = both.of_one()
    seed = seeds.integer(round_.seed, "judges", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    pairs = levels.pairs(
        both.columns.rows, judge_sides.upwards(judged), judge_sides.as_human(human).values
    )
    scaled = judge_sides.on_the_scale_of(human, judged)
    return {
        "judge": choice.judges[0],
        "criterion": criterion,
        "own": judged.criterion,
        "turned": plain(judge_sides.turned(both, criterion)),
        "coefficient": choice.coefficient,
        "facts": plain(judge_sides.facts(both)),
        "n": pairs.n,
        "n_failed": judged.n_failed,
        "n_human_only": pairs.n_human_only,
        "n_judge_only": pairs.n_judge_only,
        "scale": plain(judge_sides.span_of(human)),
        "range": plain([judged.scale_min, judged.scale_max]),
        "levels": [
            cell for level in LEVELS for cell in judge_sides.cells(pairs, level, resamples, seed)
        ],
        "ceilings": [
            one.plain()
            for level in LEVELS
            for one in ceiling.ceilings(both.columns.rows, human.marks, level)
        ],
        "scatter": _scatter(both, human, judged, scaled, seed),
        "parts": judge_parts.by_capability(
            both, human, judged, choice.coefficient, resamples, seed
        ),
        "systems": judge_parts.by_system(both, human, judged, scaled),
        "deviation": _deviation(both, human, scaled, resamples, seed),
        "confusion": _confusion(both, human, scaled, resamples, seed),
        "alternative": _alternative(human, scaled, params),
        "pairwise": {
            margin: pairwise_accuracy.within_groups(
                pairs, margin=margin, resamples=resamples, seed=seed
            ).plain()
            for margin in pairwise_accuracy.SENTENCES
        },
        "over_systems": pairwise_accuracy.over_systems(pairs).plain(),
        "soft": soft_accuracy.soft_accuracy(pairs, seed=seed).plain(),
        "bias": _bias(both, human, judged, resamples, seed),
        "readings": _readings(both, human, judged, resamples, seed),
        "apart": judge_apart.rows(both, human, judged, MOST_APART),
    }


def _readings(both: Sides, human: Human, judged: Judged, resamples: int, seed: int) -> Plain:
    """Return what lies behind the judge's scores of the responses that people marked."""
    marked = np.flatnonzero(human.count > 0)
    return judge_readings.of(
        judged,
        [_key(both.columns.rows.response[place]) for place in marked.tolist()],
        both.cluster[marked],
        resamples=resamples,
        seed=seed,
    )


def _scatter(
    both: Sides, human: Human, judged: Judged, scaled: FloatArray | None, seed: int
) -> Plain:
    """Return a sample of responses, and how far two people lie apart four times in five."""
    mean = judge_sides.human_means(human)
    values = judged.values if scaled is None else scaled
    there = np.flatnonzero(~np.isnan(mean) & ~np.isnan(values))
    shown = there
    if len(there) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(seed).choice(there, MOST_POINTS, replace=False))
    rows = both.columns
    return {
        "points": [
            {
                "human": float(mean[at]),
                "judge": float(values[at]),
                "response": _key(rows.rows.response[at]),
                "item": rows.item[at],
                "release": rows.release[at],
            }
            for at in shown.tolist()
        ],
        "of": len(there),
        "same_scale": scaled is not None,
        "band": _band(human),
    }


def _band(human: Human) -> float | None:
    """Return the distance within which four in five pairs of people's marks of a response lie."""
    gaps = [
        np.abs(human.marks[i] - human.marks[j]) for i in range(len(human.raters)) for j in range(i)
    ]
    known = np.concatenate(gaps) if gaps else np.zeros(0)
    known = known[~np.isnan(known)]
    return float(np.quantile(known, 0.8)) if len(known) else None


def _deviation(
    both: Sides, human: Human, scaled: FloatArray | None, resamples: int, seed: int
) -> Plain:
    if scaled is None:
        return None
    return deviation.deviation(
        judge=scaled,
        human=judge_sides.human_means(human),
        cluster=both.cluster,
        resamples=resamples,
        seed=seed,
    ).plain()


def _confusion(
    both: Sides, human: Human, scaled: FloatArray | None, resamples: int, seed: int
) -> Plain:
    """Set the judge's level against every single mark of people, where the scale has few levels."""
    marks = human.marks
    known = np.unique(marks[~np.isnan(marks)])
    if scaled is None or not 1 <= len(known) <= MOST_LEVELS:
        return None
    steps = np.diff(known)
    if len(steps) and not np.allclose(steps / steps.min(), np.rint(steps / steps.min())):
        return None
    scale = _scale(human, known)
    if scale is None:
        return None
    there = ~np.isnan(scaled)
    nearest = np.full(len(scaled), np.nan)
    nearest[there] = scale[np.abs(scaled[there, None] - scale).argmin(axis=1)]
    n = len(human.raters)
    found = deviation.confusion(
        judge=np.tile(nearest, n),
        human=marks.ravel(),
        cluster=np.tile(both.cluster, n),
        levels=scale.tolist(),
        resamples=resamples,
        seed=seed,
    ).plain()
    rounded = bool((nearest[there] != scaled[there]).any())
    return {**found, "rounded": rounded} if isinstance(found, dict) else found


def _scale(human: Human, known: FloatArray) -> FloatArray | None:
    """Return the levels of the scale: its ends and steps as fine as the marks that were given."""
    span = judge_sides.span_of(human)
    if span is None:
        return None
    step = float(np.diff(known).min()) if len(known) > 1 else 1.0
    if span == (np.floor(span[0]), np.floor(span[1])) and step >= 1:
        step = 1.0
    n = round((span[1] - span[0]) / step) + 1
    scale: FloatArray = span[0] + step * np.arange(n, dtype=np.float64)
    fits = n <= MOST_LEVELS and np.isin(np.round(known, 9), np.round(scale, 9)).all()
    if not fits:
        return None
    scale[np.searchsorted(scale, known - step / 2)] = known
    return scale


def _alternative(human: Human, scaled: FloatArray | None, params: Mapping[str, Any]) -> Plain:
    if scaled is None:
        return None
    found = alternative.alternative(
        judge=scaled, people=human.marks.T, epsilon=float(params.get("epsilon", 0.2))
    ).plain()
    assert isinstance(found, dict)
    return {**found, "raters": list(human.raters)}


def _bias(both: Sides, human: Human, judged: Judged, resamples: int, seed: int) -> Plain:
    """Return what sways the judge; open ranges are taken from what was seen, and it is said."""
    told = judge_sides.human_shares(human)
    said = judge_sides.shares(judged, by_data=True)
    if told is None or said is None:
        return None
    rows = both.columns.rows
    keys = [_key(one) for one in rows.response]
    known = judge_human.lengths(keys)
    found = bias.bias(
        judge=said,
        human=told,
        cluster=both.cluster,
        length=np.array([known.get(one, 0) for one in keys], dtype=np.float64),
        own=_own(judged.family, both.columns.release),
        resamples=resamples,
        seed=seed,
    ).plain()
    assert isinstance(found, dict)
    return {
        **found,
        "judge_family": judged.family,
        "by_data": judge_sides.shares(judged) is None,
    }


def _own(family: str, releases: Sequence[int]) -> FloatArray | None:
    """Return 1 where a system is of this family, 0 where of another, NaN where it says none."""
    wanted = family.strip().casefold()
    if not wanted:
        return None
    rows = SystemRelease.objects.filter(pk__in=set(releases)).values_list("pk", "system__family")
    known = {pk: name.strip().casefold() for pk, name in rows}
    told = [known.get(one, "") for one in releases]
    return np.array([float(name == wanted) if name else np.nan for name in told])


def _key(response: object) -> int:
    """Return the key that a row's label is."""
    return int(str(response))
