"""One judge beside people by capability and by system: may it replace a person? Workers only.

* What lies behind a judge's scores: its readings, their spread, weights, and what their order does.
* One judge beside people on one criterion, from every side. Loads pandas: workers only.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from statistics import fmean
from typing import Any, cast

import numpy as np

from annotation.common import draws as seeds
from annotation.rounds.models import Round
from annotation.systems.models import Item, SystemRelease
from scoring.beside import columns as judge_human
from scoring.beside import figures as judge_apart
from scoring.beside import options as judge_choice
from scoring.beside.columns import ChosenSides, HumanMarks, MachineScores
from scoring.beside.records import (
    JudgeFigure,
    JudgeUse,
    Readings,
    Scatter,
    ScatterPoint,
    SystemSides,
)
from scoring.endpoints.models import Judge
from scoring.figures import cells as distributions
from scoring.figures import operations as judgments
from scoring.protocols import samples
from scoring.stats.judges import accuracy, deviation, levels, standing_in
from scoring.stats.judges import blocks as ceiling
from scoring.stats.judges import coefficients as correlation
from scoring.stats.judges import intervals as correlation_intervals
from scoring.stats.judges.levels import LEVELS
from scoring.stats.judges.said import Alternative, Bias, Confusion, Deviation, RatersCeiling
from scoring.stats.plain import Plain, plain
from scoring.stats.resampled.exact import Values
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.told import Coefficient

#: People who agree less than this with each other are no yardstick for a judge.
LEAST_CEILING = 0.5
#: On fewer questions of a part nothing says that a judge may stand in there.
LEAST_QUESTIONS = standing_in.LEAST
#: A judge whose interval reaches below this may neither stand in nor screen.
LEAST_SCREEN = 0.3


class PossibleUse(StrEnum):
    """What a judge may be used for on a part.

    PERSON: the judge passes the alternative-annotator test, its coefficient lies within or above what
    people reach among themselves, and its interval stays above 0.3. SCREEN: without one of the first
    two, but the interval stays above 0.3. NOT: below people, and the interval does not. UNCLEAR: the
    part has fewer than ten questions, people agree too little among themselves (below 0.5), a figure
    is undefined, or so little is compared that the interval reaches below 0.3.
    """

    PERSON = "person"
    SCREEN = "screen"
    NOT = "not"
    UNCLEAR = "unclear"


def by_capability(
    both: ChosenSides,
    human: HumanMarks,
    judged: MachineScores,
    coefficient: str,
    resamples: int,
    seed: int,
    *,
    passes: bool,
) -> tuple[JudgeUse, ...]:
    """Return the pooled coefficient by capability beside that of people with each other.

    `passes` says whether the judge passes the alternative-annotator test.
    """
    rows = both.columns.rows
    known = dict(
        Item.objects.filter(pk__in=set(both.columns.item)).values_list("pk", "capability_id")
    )
    of = [known.get(one) for one in both.columns.item]
    names = sorted({one for one in of if one is not None})
    if len(names) < 2:
        return ()
    values, told = judge_human.upwards(judged), judge_human.as_human(human).values
    made: list[JudgeUse] = []
    for name in names:
        here = np.array([one == name for one in of])
        pairs = levels.pairs(rows, _only(values, here), _only(told, here))
        wanted = [cast("Coefficient", coefficient)]
        (point,) = correlation.correlations(pairs, "pooled", names=wanted)
        (bound,) = correlation_intervals.resampled(
            pairs, "pooled", names=wanted, resamples=resamples, seed=seed
        )
        (people,) = ceiling.ceilings(
            rows, np.where(here, human.marks, np.nan), "pooled", names=wanted
        )
        made.append(
            JudgeUse(
                capability=name,
                n=pairs.n,
                value=point.value,
                reason=point.reason,
                low=bound.low,
                high=bound.high,
                people=people.value,
                people_low=people.low,
                people_high=people.high,
                n_questions=len(pairs.groups),
                use=use(
                    point.value, bound.low, people, n_questions=len(pairs.groups), passes=passes
                ),
            )
        )
    return tuple(made)


def use(
    value: float | None, low: float | None, people: RatersCeiling, *, n_questions: int, passes: bool
) -> PossibleUse:
    """Return what a judge with this coefficient and lower bound may be used for."""
    if value is None or people.value is None or people.low is None:
        return PossibleUse.UNCLEAR
    if people.value < LEAST_CEILING or n_questions < LEAST_QUESTIONS:
        return PossibleUse.UNCLEAR
    is_sure = low is not None and low > LEAST_SCREEN
    if value >= people.low:
        if not is_sure:
            return PossibleUse.UNCLEAR
        return PossibleUse.PERSON if passes else PossibleUse.SCREEN
    return PossibleUse.SCREEN if is_sure else PossibleUse.NOT


def by_system(
    both: ChosenSides, human: HumanMarks, judged: MachineScores, scaled: FloatArray | None
) -> tuple[SystemSides, ...]:
    """Return both sides' means of every release over the responses that both have."""
    mean = judge_human.human_means(human)
    values = judged.values if scaled is None else scaled
    there = ~np.isnan(mean) & ~np.isnan(values)
    release = np.array(both.columns.release)
    made: list[SystemSides] = []
    for one in np.unique(release[there]).tolist():
        here = there & (release == one)
        made.append(
            SystemSides(
                release=one,
                n=int(here.sum()),
                human=float(mean[here].mean()),
                judge=float(values[here].mean()),
                shift=None if scaled is None else float((values - mean)[here].mean()),
            )
        )
    return tuple(sorted(made, key=lambda row: -row.human))


def _only(values: Values, here: "np.ndarray[Any, np.dtype[np.bool_]]") -> Values:
    return Values(np.where(here, values.numerators, np.nan), values.unit, values.exact)


FIELDS = ("response", "repeat", "value", "n_valid", "sd", "mass", "label")
Row = tuple[Any, ...]


def readings_of(
    judged: MachineScores, responses: Sequence[int], cluster: IntArray, *, resamples: int, seed: int
) -> Readings:
    """Return what lies behind a judge's scores on a criterion.

    Args:
        judged: the judge, its criterion and its range.
        responses: keys of those that people graded too.
        cluster: the question of each.
        resamples: of questions, for the interval of the order.
        seed: where chance comes from.
    """
    places = {response: place for place, response in enumerate(responses)}
    means: list[Row] = []
    readings: list[Row] = []
    for row in _rows(judged):
        if row[0] in places:
            (readings if row[1] else means).append(row)
    values = [row[2] for row in means if row[2] is not None]
    low, high = (None if math.isnan(end) else end for end in (judged.scale_min, judged.scale_max))
    n_valid = [row[3] for row in means if row[3] is not None]
    spread = [row[4] for row in means if row[4] is not None]
    mass = [row[5] for row in means if row[5] is not None]
    return Readings(
        n=len(means),
        n_scored=len(values),
        n_readings=max((row[1] for row in readings), default=0),
        n_valid=fmean(n_valid) if n_valid else None,
        fewest_valid=min(n_valid, default=None),
        sd=fmean(spread) if spread else None,
        n_weighted=sum(row[6] == samples.WEIGHTED for row in means),
        mass=fmean(mass) if mass else None,
        least_mass=min(mass, default=None),
        distribution=distributions.distribution_of(values),
        parts=tuple(distributions.parts(values, low, high)),
        order=_order(judged, readings, places, cluster, resamples, seed),
    )


def _rows(judged: MachineScores) -> Iterator[Row]:
    """Yield the judgments of a criterion, page by page."""
    rows = judgments.judgments_of([judged.rater]).filter(
        criterion__key=judged.criterion, target_index__isnull=True
    )
    last = 0
    while found := list(
        rows.filter(pk__gt=last).order_by("pk").values_list("pk", *FIELDS)[: judgments.PAGE]
    ):
        yield from (row[1:] for row in found)
        last = found[-1][0]


def _order(
    judged: MachineScores,
    readings: Sequence[Row],
    places: dict[int, int],
    cluster: IntArray,
    resamples: int,
    seed: int,
) -> Deviation | None:
    """Return the readings in the opposite order less those as given; none where no order was turned."""
    configured = Judge.objects.filter(rater=judged.rater).values_list("config", flat=True).first()
    if not (configured or {}).get("turned"):
        return None
    sides: dict[tuple[int, bool], list[float]] = defaultdict(list)
    for response, repeat, value, *_rest in readings:
        if value is not None:
            sides[response, samples.is_turned(repeat)].append(value)
    columns = np.full((2, len(places)), np.nan)
    for (response, is_turned), values in sides.items():
        columns[int(is_turned), places[response]] = fmean(values)
    return deviation.deviation(
        judge=columns[1], human=columns[0], cluster=cluster, resamples=resamples, seed=seed
    )


RESAMPLES = 1_000
MOST_POINTS = 400
MOST_APART = 200
#: Steps of a scale that are set against each other level by level.
MOST_LEVELS = 21


def judge_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return everything about one judge and one criterion.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice with one judge and a `criterion`; `epsilon`, `nearness` and `test` of the
            alternative-annotator test, `resamples`.

    Raises:
        NothingYet: the judge has no such criterion, or people do not.
    """
    choice = judge_choice.read_choice(params)
    both = judge_human.sides(round_, choice)
    criterion, human, judged = both.of_one()
    seed = seeds.integer(round_.seed, "judges", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    pairs = levels.pairs(
        both.columns.rows, judge_human.upwards(judged), judge_human.as_human(human).values
    )
    scaled = judge_human.on_the_scale_of(human, judged)
    test = _alternative(both, human, scaled, params)
    passes = test is not None and test.passes is True
    return plain(
        JudgeFigure(
            judge=choice.judges[0],
            criterion=criterion,
            own=judged.criterion,
            turned=judge_human.turned(both, criterion),
            coefficient=choice.coefficient,
            facts=judge_human.facts(both),
            n=pairs.n,
            n_failed=judged.n_failed,
            n_human_only=pairs.n_human_only,
            scale=judge_human.span_of(human),
            levels=tuple(
                cell
                for level in LEVELS
                for cell in judge_human.correlated(pairs, level, resamples, seed)
            ),
            ceilings=tuple(
                one
                for level in LEVELS
                for one in ceiling.ceilings(both.columns.rows, human.marks, level)
            ),
            scatter=_scatter(both, human, judged, scaled, seed),
            parts=by_capability(
                both, human, judged, choice.coefficient, resamples, seed, passes=passes
            ),
            systems=by_system(both, human, judged, scaled),
            deviation=_deviation(both, human, scaled, resamples, seed),
            confusion=_confusion(both, human, scaled, resamples, seed),
            alternative=test,
            pairwise={
                margin: accuracy.within_groups(pairs, margin=margin, resamples=resamples, seed=seed)
                for margin in accuracy.SENTENCES
            },
            over_systems=accuracy.over_systems(pairs),
            soft=accuracy.soft_accuracy(pairs, seed=seed),
            bias=_bias(both, human, judged, resamples, seed),
            readings=_readings(both, human, judged, resamples, seed),
            apart=judge_apart.rows(both, human, judged, MOST_APART),
        )
    )


def _readings(
    both: ChosenSides, human: HumanMarks, judged: MachineScores, resamples: int, seed: int
) -> Readings:
    """Return what lies behind the judge's scores of the responses that people marked."""
    marked = np.flatnonzero(human.count > 0)
    return readings_of(
        judged,
        [both.columns.response[place] for place in marked.tolist()],
        both.cluster[marked],
        resamples=resamples,
        seed=seed,
    )


def _scatter(
    both: ChosenSides,
    human: HumanMarks,
    judged: MachineScores,
    scaled: FloatArray | None,
    seed: int,
) -> Scatter:
    """Return a sample of responses, and how far two people lie apart four times in five."""
    mean = judge_human.human_means(human)
    values = judged.values if scaled is None else scaled
    there = np.flatnonzero(~np.isnan(mean) & ~np.isnan(values))
    shown = there
    if len(there) > MOST_POINTS:
        shown = np.sort(np.random.default_rng(seed).choice(there, MOST_POINTS, replace=False))
    rows = both.columns
    return Scatter(
        points=tuple(
            ScatterPoint(float(mean[at]), float(values[at]), rows.response[at], rows.release[at])
            for at in shown.tolist()
        ),
        of=len(there),
        same_scale=scaled is not None,
        band=_band(human),
    )


def _band(human: HumanMarks) -> float | None:
    """Return the distance within which four in five pairs of people's marks of a response lie."""
    gaps = [
        np.abs(human.marks[i] - human.marks[j]) for i in range(len(human.raters)) for j in range(i)
    ]
    known = np.concatenate(gaps) if gaps else np.zeros(0)
    known = known[~np.isnan(known)]
    return float(np.quantile(known, 0.8)) if len(known) else None


def _deviation(
    both: ChosenSides, human: HumanMarks, scaled: FloatArray | None, resamples: int, seed: int
) -> Deviation | None:
    if scaled is None:
        return None
    return deviation.deviation(
        judge=scaled,
        human=judge_human.human_means(human),
        cluster=both.cluster,
        resamples=resamples,
        seed=seed,
    )


def _confusion(
    both: ChosenSides, human: HumanMarks, scaled: FloatArray | None, resamples: int, seed: int
) -> Confusion | None:
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
    )
    return replace(found, rounded=bool((nearest[there] != scaled[there]).any()))


def _scale(human: HumanMarks, known: FloatArray) -> FloatArray | None:
    """Return the levels of the scale: its ends and steps as fine as the marks that were given."""
    span = judge_human.span_of(human)
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


def _alternative(
    both: ChosenSides, human: HumanMarks, scaled: FloatArray | None, params: Mapping[str, Any]
) -> Alternative | None:
    if scaled is None:
        return None
    return standing_in.alternative(
        judge=scaled,
        people=human.marks.T,
        question=both.cluster,
        epsilon=float(params.get("epsilon", 0.2)),
        nearness=params.get("nearness", "rmse"),
        test=params.get("test", "by_question"),
    )


def _bias(
    both: ChosenSides, human: HumanMarks, judged: MachineScores, resamples: int, seed: int
) -> Bias | None:
    """Return what sways the judge; open ranges are taken from what was seen, and it is said."""
    told = judge_human.human_shares(human)
    said = judge_human.shares(judged, by_data=True)
    if told is None or said is None:
        return None
    keys = both.columns.response
    known = judge_human.lengths(keys)
    return deviation.bias(
        judge=said,
        human=told,
        cluster=both.cluster,
        length=np.array([known.get(one, 0) for one in keys], dtype=np.float64),
        own=_own(judged.family, both.columns.release),
        resamples=resamples,
        seed=seed,
    )


def _own(family: str, releases: Sequence[int]) -> FloatArray | None:
    """Return 1 where a system is of this family, 0 where of another, NaN where it says none."""
    wanted = family.strip().casefold()
    if not wanted:
        return None
    rows = SystemRelease.objects.filter(pk__in=set(releases)).values_list("pk", "system__family")
    known = {pk: name.strip().casefold() for pk, name in rows}
    told = [known.get(one, "") for one in releases]
    return np.array([float(name == wanted) if name else np.nan for name in told])
