"""How far a fusing judge goes with each assistant whose scores it read. Loads scipy: workers only.

* Several assistants made into one score: AVG, the median, LLMSel and CorrW as raters. Loads scipy: workers only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from django.utils.translation import gettext as _

from annotation.common import draws as seeds
from annotation.rounds.models import Round
from annotation.rubrics.models import Criterion
from annotation.systems.models import Response
from scoring.beside import columns as judge_human
from scoring.beside import options as judge_choice
from scoring.beside.columns import PeopleChoice
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.tasks import FusionTask
from scoring.kinds.judging import queries as machines
from scoring.stats.judges import levels
from scoring.stats.judges.levels import LEVELS, Level, LevelRows
from scoring.stats.machines import aggregation
from scoring.stats.machines.aggregation import Aggregated
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import exact
from scoring.stats.resampled.linear import FloatArray

RESAMPLES: Final = 1_000
USUAL: Final[Level] = "pooled"


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return the correlation of every judge of a run with every assistant, criterion by criterion.

    Args:
        run: of Fusion-Eval.
        params: `level`, one of those of judges beside people; `resamples`.
    """
    version = TaskVersion.objects.get(pk=run.config["version"])
    content = fusion.content(version)
    plan = Plan.objects.filter(pk=run.config["plan"] or 0).first()
    rows, told = _rows(run)
    level: Level = next((one for one in LEVELS if one == params.get("level")), USUAL)
    seed = seeds.integer(str(run.seed), "reliance", below=2**32)
    resamples = int(params.get("resamples", RESAMPLES))
    made: list[Plain] = []
    for judge in run.config["judges"]:
        for criterion in content.design.wanted:
            own = _column(run, rows, judge["rater"], judge["criteria"][criterion.key])
            named = plan.alignment.get(criterion.key, ()) if plan is not None else ()
            for helper in content.helpers:
                key = helper.assistant.key
                column = rows.place(*told[key]) if key in told else np.full(len(own), np.nan)
                pairs = levels.pairs(rows, exact.values(own), exact.values(column))
                made.append(
                    {
                        "rater": judge["rater"],
                        "criterion": criterion.key,
                        "assistant": key,
                        "named": key in named,
                        "cells": judge_human.cells(pairs, level, resamples, seed),
                    }
                )
    return {"level": level, "resamples": resamples, "seed": seed, "rows": plain(made)}


def _rows(run: Run) -> tuple[LevelRows, dict[str, tuple[list[int], list[float]]]]:
    """Return the answers of a run, and what the judge was told of each assistant: answers and scores."""
    facts: dict[int, tuple[str, str]] = {}
    scores: dict[int, Mapping[str, float]] = {}
    steps = Step.objects.filter(run=run).order_by("pk")
    names = ("response_id", "release__system__name", "item__group", "spec")
    for response, system, group, spec in steps.values_list(*names):
        facts[response] = (system, str(group))
        if spec["scores"]:
            scores[response] = spec["scores"]
    if not facts:
        raise ValueError(_("Nothing was evaluated yet."))
    rows = levels.rows(
        response=list(facts),
        system=[one[0] for one in facts.values()],
        group=[one[1] for one in facts.values()],
    )
    told: dict[str, tuple[list[int], list[float]]] = {}
    for response, by_key in scores.items():
        for key, value in by_key.items():
            keys, values = told.setdefault(key, ([], []))
            keys.append(response)
            values.append(value)
    return rows, told


def _column(run: Run, rows: LevelRows, rater: int, criterion: int) -> FloatArray:
    found = Judgment.objects.filter(
        run=run, rater=rater, criterion=criterion, repeat=0, value__isnull=False
    )
    pairs = list(found.order_by("pk").values_list("response_id", "value"))
    return rows.place([one[0] for one in pairs], [one[1] for one in pairs])


PAGE: Final = 1000
#: Stands among the assistants for the judge that is taken in with them.
JUDGE: Final = "judge"
LACKS: Final = "One of the evaluators has no score for this answer."
REASONS: Final[Mapping[Reason, str]] = {
    Reason.NONE_NAMED: "The plan names no assistant for this criterion.",
    Reason.NO_WEIGHT: "There are too few answers with grades of people to weigh by.",
    Reason.FEW_QUESTIONS: "Weights from other questions take at least two questions.",
}


@dataclass(frozen=True, slots=True)
class CombinedScores:
    """One value an answer, None where there is none; `reason` says why nowhere is one."""

    responses: tuple[int, ...]
    values: tuple[float | None, ...]
    reason: str
    method: str
    weights: Plain
    left_out: tuple[str, ...]


def combine(run: Run, how: str, criterion: str) -> CombinedScores:
    """Return what a way of combining makes of the evaluators on one criterion of a run's task.

    Evaluators whose range is open have no share and are left out, by name.

    Raises:
        ValueError: no evaluator is left to combine.
    """
    version = TaskVersion.objects.get(pk=run.config["version"])
    content = fusion.content(version)
    responses = [
        place.response
        for page in fusion.pages(run.project, run.round, run.config["import"])
        for place in page
    ]
    known, left_out = _shares(content, responses)
    if run.config["judge"] is not None:
        known[JUDGE] = _judged(run, content, criterion, responses)
    if not known:
        raise ValueError("No evaluator has a range with both ends, so there is nothing to combine.")
    made = _made(run, how, criterion, content, known, responses)
    values = [None if np.isnan(one) else float(one) for one in made.values]
    why = "" if made.reason is None else REASONS.get(made.reason, LACKS)
    return CombinedScores(
        tuple(responses), tuple(values), why, made.method, plain(made.weights), tuple(left_out)
    )


def _made(
    run: Run,
    how: str,
    criterion: str,
    content: FusionTask,
    known: Mapping[str, FloatArray],
    responses: Sequence[int],
) -> Aggregated:
    if how == "AVG":
        return aggregation.average(known)
    if how == "MEDIAN":
        return aggregation.median(known)
    if how == "LLMSEL":
        plan = Plan.objects.get(pk=run.config["plan"])
        named = [one for one in plan.alignment.get(criterion, ()) if one in known]
        also = [JUDGE] if JUDGE in known and named else []
        return aggregation.selected(known, [*named, *also])
    groups = dict(Response.objects.filter(pk__in=responses).values_list("pk", "item__group"))
    group = [str(groups[one]) for one in responses]
    rater = next(one["rater"] for one in run.config["mixes"] if one["how"] == how)
    tuned_on = list(machines.tuned_on([rater]).get(rater, ()))
    people = _people(run, content, criterion, responses)
    weighted = aggregation.correlation_weighted(
        known,
        human=np.where(np.isin(group, tuned_on), np.nan, people),
        group=group,
        seed=seeds.integer(str(run.seed), "folds", below=2**32),
    )
    return _within_range(weighted)


def _within_range(weighted: Aggregated) -> Aggregated:
    """Return weighted sums as shares from 0 to 1: what goes against people counts the other way round.

    −w · x and w · (1 − x) differ by w alone, so nothing changes within a fold but the place of 0.
    """
    values = weighted.values.copy()
    for one in weighted.weights:
        against = -sum(min(weight or 0.0, 0.0) for weight in one.by_assistant.values())
        values[weighted.fold == one.fold] += against
    return replace(weighted, values=values)


def _shares(
    content: FusionTask, responses: Sequence[int]
) -> tuple[dict[str, FloatArray], list[str]]:
    """Return shares of declared ranges by assistant, and the names of those that have none."""
    scores: fusion.Scores = {}
    for start in range(0, len(responses), PAGE):
        scores |= fusion.scores(content, responses[start : start + PAGE])
    upwards = _directions(content)
    known: dict[str, FloatArray] = {}
    left_out = []
    for helper in content.helpers:
        one = helper.assistant
        if one.low is None or one.high is None:
            left_out.append(one.name)
            continue
        found = [scores.get(response, {}).get(one.key, np.nan) for response in responses]
        known[one.key] = aggregation.rescaled(
            np.array(found, dtype=np.float64),
            one.low,
            one.high,
            higher_is_better=upwards.get((helper.rater, helper.criterion), True),
        )
    return known, left_out


def _directions(content: FusionTask) -> dict[tuple[int, str], bool]:
    raters = [one.rater for one in content.helpers]
    rows = Criterion.objects.filter(rubric_version__rubric__machine__rater__in=raters)
    names = ("rubric_version__rubric__machine__rater", "key", "higher_is_better")
    ordered = rows.order_by("rubric_version__number").values_list(*names)
    return {(rater, key): better for rater, key, better in ordered}


def _judged(run: Run, content: FusionTask, criterion: str, responses: Sequence[int]) -> FloatArray:
    """Return a judge's scores as shares of the criterion's range; its last finished run counts."""
    judge = Judge.objects.get(pk=run.config["judge"])
    wanted = next(one for one in content.design.wanted if one.key == criterion)
    rows = Judgment.objects.filter(
        rater=judge.rater_id,
        criterion__name=wanted.name,
        response__in=responses,
        repeat=0,
        value__isnull=False,
        run__state=Run.State.DONE,
    )
    found = dict(rows.order_by("pk").values_list("response_id", "value"))
    values = np.array([found.get(one, np.nan) for one in responses], dtype=np.float64)
    return aggregation.rescaled(values, float(wanted.scale.minimum), float(wanted.scale.maximum))


def _people(run: Run, content: FusionTask, criterion: str, responses: Sequence[int]) -> FloatArray:
    """Return people's mean grades on what they call this criterion; NaN where there are none."""
    round_ = Round.objects.get(project=run.project, number=run.config["people"])
    columns = judge_human.columns(PeopleChoice((round_,)), ())
    names = {key: key for key in columns.people}
    own = {one.key: one.name for one in content.criteria}
    if len(own) == 1:
        own |= {"": ""}  # a judge with one criterion would have it for all
    matched = judge_choice.matched(names, {0: own})
    mine = next((key for key, found in matched.items() if found.get(0) == criterion), None)
    if mine is None:
        return np.full(len(responses), np.nan)
    means = judge_human.human_means(columns.people[mine])
    by_response: dict[Any, float] = dict(zip(columns.response, means.tolist(), strict=True))
    return np.array([by_response.get(one, np.nan) for one in responses], dtype=np.float64)
