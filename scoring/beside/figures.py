"""All that a published round was drawn from, with what a judge said of each: the frame of its sample. Workers only.

* Every judge beside people, and judge beside judge, as plain data. Loads pandas: workers only.
* Where a judge and people lie apart, response by response. Loads pandas: workers only.
* Means that need fewer human grades: a random sample of them and a judge's scores. Workers only.
* Several judges made into one, beside each of them and people. Workers only.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from django.utils.translation import gettext as _

from annotation.common import draws as seeds
from annotation.rounds.models import Round
from annotation.systems.models import Item
from scoring.beside import columns as judge_sides
from scoring.beside import options as judge_choice
from scoring.beside.columns import ChosenSides, HumanMarks, MachineScores
from scoring.beside.records import (
    ApartFigure,
    DrawnFrom,
    JudgeOnCriteria,
    JudgeOnCriterion,
    JudgeOnLabels,
    JudgePairsFigure,
    JudgesFigure,
    LeftOut,
    MixesFigure,
    MixesOnCriterion,
    MixRow,
    PoweredFigure,
    PoweredRelease,
    ResponseGap,
    UnreadLabels,
)
from scoring.publishing import choosing, outputs
from scoring.publishing.interviews import SpokenPlace
from scoring.publishing.models import Publication
from scoring.results.computing import label_names
from scoring.shown.wording import NothingYet
from scoring.stats.judges import blocks as ceiling
from scoring.stats.judges import coefficients, deviation, judges, levels, prediction_powered
from scoring.stats.judges import pairs as judge_pairs
from scoring.stats.judges.levels import Pairs
from scoring.stats.machines import aggregation, classification
from scoring.stats.machines.aggregation import Aggregated
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import exact
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.told import COEFFICIENTS, Coefficient


@dataclass(frozen=True, slots=True)
class PoweredFrame:
    """The columns that a prediction-powered mean takes, a place for each response; NaN where there is none.

    `publication` is that of the round, where it was drawn from what a run put out.
    """

    judge: FloatArray
    human: FloatArray
    inclusion: FloatArray
    cluster: IntArray
    release: npt.NDArray[np.int64]
    capability: npt.NDArray[np.int64]
    publication: Publication | None = None


def frame_of(
    round_: Round, both: ChosenSides, human: HumanMarks, judged: MachineScores
) -> PoweredFrame | None:
    """Return the frame of a published round; none of one that was drawn otherwise."""
    found = Publication.objects.filter(round=round_).select_related("run").first()
    if found is None or found.run is None:
        return None
    places = choosing.drawn_from(found, found.run)
    where = [(one.source, one.level, one.index) for one in places]
    said = outputs.said(judged.rater, judged.criterion, where)
    index = {pk: at for at, pk in enumerate(both.columns.response)}
    at = np.array([_column(one, index) for one in places], dtype=np.int64)
    here = np.array([said.get(one, np.nan) for one in where], dtype=np.float64)
    # What a judge said of the published response alone counts too: its own, where it judged the round.
    judge = np.where(np.isnan(here), _taken(judged.values, at), here)
    return PoweredFrame(
        judge=judge,
        human=_taken(judge_sides.human_means(human), at),
        inclusion=_taken(both.columns.inclusion_p, at),
        cluster=np.unique([one.group for one in places], return_inverse=True)[1],
        release=np.array([one.release for one in places], dtype=np.int64),
        capability=np.array([one.capability or 0 for one in places], dtype=np.int64),
        publication=found,
    )


def _column(place: SpokenPlace, index: dict[int, int]) -> int:
    """Return where the response stands among those that were compared; -1 where it does not."""
    return next((index[one] for one in place.published if one in index), -1)


def _taken(values: FloatArray, at: npt.NDArray[np.int64]) -> FloatArray:
    found: FloatArray = np.append(values, np.nan)[at]
    return found


RESAMPLES = 1_000


def judges_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return every judge on every criterion at one level, with ceilings and both overalls.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice, as `judge_choice.Choice.params` says it; `resamples`.
    """
    choice = judge_choice.read_choice(params)
    both = judge_sides.sides(round_, choice)
    seed = seeds.integer(round_.seed, "judges", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    found = judges.judge_table(
        both.columns.rows,
        cast("Mapping[Any, judges.PeopleMarks]", both.people()),
        cast("Mapping[Any, judges.JudgeColumns]", both.judges()),
        at=[choice.level],
        resamples=resamples,
        seed=seed,
    )
    labels = tuple(_on_labels(round_, both, resamples, seed))
    return plain(
        JudgesFigure(
            level=choice.level,
            facts=judge_sides.facts(both),
            criteria=tuple(both.criteria),
            judges=tuple(_judge(both, judge, resamples, seed) for judge in choice.judges),
            table=found,
            labels=tuple(one for one in labels if isinstance(one, JudgeOnLabels)),
            unread=tuple(one for one in labels if isinstance(one, UnreadLabels)),
        )
    )


def _on_labels(
    round_: Round, both: ChosenSides, resamples: int, seed: int
) -> Iterator[JudgeOnLabels | UnreadLabels]:
    """Yield every judge on every criterion whose marks are labels, or why it cannot be read."""
    labels = both.columns.labels
    names = {} if labels.rows.empty else _names_of_labels(round_, both.choice.rounds)
    for criterion, own in both.choice.criteria.items():
        people = labels.of_people(criterion)
        known = names.get(criterion, {})
        for judge in own if people else ():
            if said := labels.of_judge(judge, own[judge]):
                right = {one: label for one, label in people.items() if label}
                told = [one for one in right if said.get(one)]
                try:
                    found = classification.classify(
                        [known.get(right[one], str(right[one])) for one in told],
                        [known.get(said[one], str(said[one])) for one in told],
                        [labels.group[one] for one in told],
                        seed=seed,
                        resamples=resamples,
                    )
                except classification.TooManyLabels as problem:
                    yield UnreadLabels(judge, criterion, str(problem))
                    continue
                divided, without = len(people) - len(right), len(right) - len(told)
                yield JudgeOnLabels(judge, criterion, divided, without, found)


def _names_of_labels(round_: Round, numbers: Sequence[int]) -> dict[str, dict[int, str]]:
    found: dict[str, dict[int, str]] = {}
    for one in Round.objects.filter(project=round_.project_id, number__in=numbers):
        for key, names in label_names(one).items():
            found.setdefault(key, {}).update(names)
    return found


def _judge(both: ChosenSides, judge: int, resamples: int, seed: int) -> JudgeOnCriteria:
    """Return what a judge is beside its correlations, criterion by criterion."""
    made: list[JudgeOnCriterion] = []
    for criterion in both.criteria:
        judged, human = both.judged(judge, criterion), both.human(criterion)
        if judged is None or human is None:
            continue
        scaled = judge_sides.on_the_scale_of(human, judged)
        shift = None
        if scaled is not None:
            shift = deviation.deviation(
                judge=scaled,
                human=judge_sides.human_means(human),
                cluster=both.cluster,
                resamples=resamples,
                seed=seed,
            )
        made.append(
            JudgeOnCriterion(
                criterion=criterion,
                own=judged.criterion,
                higher_is_better=judged.higher_is_better,
                n_failed=judged.n_failed,
                deviation=shift,
                scale=judge_sides.span_of(human),
            )
        )
    return JudgeOnCriteria(judge, tuple(made))


def pairs_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return how judges correlate with each other, and which of two agrees better with people.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice with `criterion`; `resamples`, `swapped`.
    """
    choice = judge_choice.read_choice(params)
    both = judge_sides.sides(round_, choice)
    criterion = choice.criterion or next(iter(both.criteria), "")
    human = both.human(criterion)
    if human is None:
        raise NothingYet(_("These people graded nothing on this criterion. Choose another one."))
    known = {
        judge: judge_sides.upwards(one)
        for judge in choice.judges
        if (one := both.judged(judge, criterion)) is not None
    }
    seed = seeds.integer(round_.seed, "judges", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    values = cast("Mapping[Any, Any]", known)
    return plain(
        JudgePairsFigure(
            level=choice.level,
            coefficient=choice.coefficient,
            criterion=criterion,
            facts=judge_sides.facts(both),
            judges=tuple(known),
            turned=judge_sides.turned(both, criterion),
            between=judge_pairs.between(both.columns.rows, values, choice.level, seed=seed),
            compared=judge_pairs.compared(
                both.columns.rows,
                values,
                judge_sides.as_human(human).values,
                choice.level,
                coefficient=choice.coefficient,
                resamples=resamples,
                seed=seed,
            ),
        )
    )


#: Responses that can be looked through; those that lie farthest apart come first.
MOST = 20_000


def apart_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return every response that both sides marked, those farthest apart first.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice with one judge and a `criterion`.

    Raises:
        NothingYet: the judge has no such criterion, or people do not.
    """
    choice = judge_choice.read_choice(params)
    both = judge_sides.sides(round_, choice)
    key, human, judged = both.of_one()
    return plain(
        ApartFigure(
            judge=choice.judges[0],
            criterion=key,
            by_data=judge_sides.shares(judged) is None,
            rows=rows(both, human, judged, MOST),
            of=int((~np.isnan(judged.values) & (human.count > 0)).sum()),
        )
    )


def rows(
    both: ChosenSides, human: HumanMarks, judged: MachineScores, most: int
) -> tuple[ResponseGap, ...]:
    """Return the responses on which judge and people lie farthest apart.

    The gap is judge minus people, both as shares of their ranges; where the judge's is open, of what
    was seen.
    """
    told = judge_sides.human_shares(human)
    said = judge_sides.shares(judged, by_data=True)
    if told is None or said is None:
        return ()
    gap = said - told
    there = np.flatnonzero(~np.isnan(gap))
    order = there[np.argsort(-np.abs(gap[there]), kind="stable")][:most]
    mean, columns = judge_sides.human_means(human), both.columns
    return tuple(
        ResponseGap(
            response=columns.response[at],
            item=columns.item[at],
            release=columns.release[at],
            human=float(mean[at]),
            n_marks=int(human.count[at]),
            judge=float(judged.values[at]),
            gap=float(gap[at]),
        )
        for at in order.tolist()
    )


def powered_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return for each release the prediction-powered mean of people beside the plain one.

    It is the mean over what the round was drawn from: of a published round all that the run put out, of
    others what the judge scored. Only capabilities count in which people used the criterion: elsewhere
    nobody would grade it.

    Args:
        round_: whose sample people graded; its draw gave every item a chance.
        params: a choice with one round, one judge and a `criterion`.

    Raises:
        ValueError: several rounds are chosen.
        NothingYet: the judge or the people have no such criterion.
    """
    choice = judge_choice.read_choice(params)
    if len(set(choice.rounds)) > 1:
        raise ValueError(_("A chance of being drawn belongs to one round. Choose one."))
    both = judge_sides.sides(round_, choice)
    key, human, judged = both.of_one()
    of = Round.objects.get(project=round_.project, number=choice.rounds[0])
    frame = frame_of(of, both, human, judged) or _judged(both, human, judged)
    made: list[PoweredRelease] = []
    graded = ~np.isnan(frame.human)
    wanted = np.isin(frame.capability, np.unique(frame.capability[graded]))
    for one in np.unique(frame.release[graded]).tolist():
        here = wanted & (frame.release == one)
        found = prediction_powered.powered_mean(
            judge=frame.judge[here],
            human=frame.human[here],
            inclusion=frame.inclusion[here],
            cluster=frame.cluster[here],
        )
        made.append(PoweredRelease(one, found))
    return plain(
        PoweredFigure(
            judge=choice.judges[0],
            criterion=key,
            facts=judge_sides.facts(both),
            drawn_from=_drawn_from(frame),
            scale=judge_sides.span_of(human),
            rows=tuple(sorted(made, key=lambda row: -(row.means.humans.value or 0))),
        )
    )


def _judged(both: ChosenSides, human: HumanMarks, judged: MachineScores) -> PoweredFrame:
    """Return everything that the judge scored, or people graded, as the frame."""
    rows = Item.objects.filter(pk__in=set(both.columns.item))
    known = dict(rows.values_list("pk", "capability_id"))
    return PoweredFrame(
        judge=judged.values,
        human=judge_sides.human_means(human),
        inclusion=both.columns.inclusion_p,
        cluster=both.cluster,
        release=np.array(both.columns.release, dtype=np.int64),
        capability=np.array([known.get(one) or 0 for one in both.columns.item], dtype=np.int64),
    )


def _drawn_from(frame: PoweredFrame) -> DrawnFrom | None:
    """Return the run that a published round was drawn from, and how many outputs it had then."""
    found = frame.publication
    if found is None or found.run is None:
        return None
    return DrawnFrom(found.run.number, found.run.name, found.n_units)


Mask: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _CriterionAsked:
    """What is asked of every criterion."""

    both: ChosenSides
    by_data: bool
    folds: int
    resamples: int
    seed: int


@dataclass(frozen=True, slots=True)
class _GradedMeans:
    """People's means on one criterion where there are any: weights are learnt and tested there."""

    both: ChosenSides
    there: Mask
    mean: FloatArray

    def pairs(self, values: FloatArray, here: Mask) -> Pairs:
        """Return the rows of aggregate and people, both sides as they stand in the columns."""
        judge, human = (np.full(len(self.there), np.nan) for _ in range(2))
        judge[self.there] = np.where(here, values, np.nan)
        human[self.there] = np.where(here, self.mean, np.nan)
        return levels.pairs(self.both.columns.rows, exact.values(judge), exact.values(human))


def mixes_of(round_: Round, params: Mapping[str, Any]) -> Plain:
    """Return AVG, the median, LLMSel and CorrW (cross-fitted and in-sample) beside their assistants.

    Every row stands twice: over everything, with an interval in which the weights are taken as they
    were found; and as the mean over the folds of the cross-fitting, which compares all rows on the
    same terms.

    Args:
        round_: one of the rounds whose people graded.
        params: a choice; `alignment`, for each criterion the judges that a plan names; `folds`;
            `by_data`, whether an open range is taken from what was seen; `resamples`.
    """
    choice = judge_choice.read_choice(params)
    both = judge_sides.sides(round_, choice)
    alignment = {
        str(key): tuple(int(one) for one in named)
        for key, named in dict(params.get("alignment", {})).items()
    }
    asked = _CriterionAsked(
        both,
        by_data=bool(params.get("by_data")),
        folds=int(params.get("folds", 5)),
        resamples=int(params.get("resamples", RESAMPLES)),
        seed=seeds.integer(round_.seed, "mixes", below=2**32),
    )
    return plain(
        MixesFigure(
            level=choice.level,
            facts=judge_sides.facts(both),
            alignment=alignment,
            by_data=asked.by_data,
            folds=asked.folds,
            criteria=tuple(_criterion(asked, key, alignment.get(key, ())) for key in both.criteria),
        )
    )


def _criterion(asked: _CriterionAsked, key: str, named: Sequence[int]) -> MixesOnCriterion:
    both = asked.both
    human = both.columns.people[key]
    known, left_out = _assistants(both, key, by_data=asked.by_data)
    made = MixesOnCriterion(
        criterion=key,
        assistants=tuple(int(one) for one in known),
        left_out=left_out,
        turned=judge_sides.turned(both, key),
        ceilings=ceiling.ceilings(both.columns.rows, human.marks, both.choice.level),
    )
    if not known:
        return made
    mean = judge_sides.human_means(human)
    there = ~np.isnan(mean)
    graded = _GradedMeans(both, there, mean[there])
    known = {one: values[there] for one, values in known.items()}

    def weighted(weighing: aggregation.Weighing) -> Aggregated:
        return aggregation.correlation_weighted(
            known,
            human=graded.mean,
            group=both.cluster[there],
            weighing=weighing,
            folds=asked.folds,
            seed=asked.seed,
        )

    fitted = weighted("cross-fitted")
    found = {
        "AVG": aggregation.average(known),
        "Median": aggregation.median(known),
        "LLMSel": aggregation.selected(known, [str(one) for one in named if str(one) in known]),
        "CorrW": fitted,
        "CorrW in-sample": weighted("in-sample"),
        **{one: aggregation.average({one: values}) for one, values in known.items()},
    }
    return replace(
        made,
        rows=tuple(_row(asked, name, one, graded, fitted) for name, one in found.items()),
        weights=fitted.weights,
        in_sample=found["CorrW in-sample"].weights,
    )


def _assistants(
    both: ChosenSides, key: str, *, by_data: bool
) -> tuple[dict[str, FloatArray], tuple[LeftOut, ...]]:
    """Return shares of ranges by judge, and the judges that have none with the reason."""
    known: dict[str, FloatArray] = {}
    left_out: list[LeftOut] = []
    for judge in both.choice.judges:
        judged = both.judged(judge, key)
        values = None if judged is None else judge_sides.shares(judged, by_data=by_data)
        if values is not None:
            known[str(judge)] = values
        else:
            reason = "no_criterion" if judged is None else Reason.OPEN_SCALE.value
            left_out.append(LeftOut(judge, reason))
    return known, tuple(left_out)


def _row(
    asked: _CriterionAsked, name: str, made: Aggregated, graded: _GradedMeans, folds: Aggregated
) -> MixRow:
    """Return the coefficients of one aggregate, over everything and within the folds."""
    both = asked.both
    whole = graded.pairs(made.values, np.ones(len(graded.mean), dtype=bool))
    parts = [
        _within(both, graded.pairs(made.values, folds.fold == one)) for one in np.unique(folds.fold)
    ]
    return MixRow(
        name=name,
        method=made.method,
        reason=made.reason,
        n_incomplete=made.n_incomplete,
        n=whole.n,
        cells=judge_sides.correlated(whole, both.choice.level, asked.resamples, asked.seed),
        within_folds={one: _mean([part[one] for part in parts]) for one in COEFFICIENTS},
    )


def _within(both: ChosenSides, pairs: Pairs) -> dict[Coefficient, float | None]:
    """Return the coefficients of one fold."""
    level = both.choice.level
    if level == "item":
        found = coefficients.correlations(pairs, level)
        return {one.coefficient: one.value for one in found}
    x, y = levels.system_means(pairs) if level == "system" else (pairs.judge, pairs.human)
    return {name: coefficients.coefficient(x, y, name) for name in COEFFICIENTS}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [one for one in values if one is not None]
    return float(np.mean(known)) if known else None
