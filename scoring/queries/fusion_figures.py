"""How far a fusing judge goes with each assistant whose scores it read. Loads scipy: workers only.

The papers's tables 5 to 8: for each criterion the correlation of the judge's score with that of every
assistant, whatever people say; those that the plan names for the criterion are marked.
"""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from django.utils.translation import gettext as _

from annotation.rules import seeds
from scoring.models import Judgment, Plan, Run, Step, TaskVersion
from scoring.queries import evaluation_tasks, judge_sides
from scoring.stats import exact, levels
from scoring.stats.levels import LEVELS, Level, Rows
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain

RESAMPLES: Final = 1_000
USUAL: Final[Level] = "pooled"


def of_figure(params: Mapping[str, Any]) -> Plain:
    """Compute the figure of a run that its parameters name.

    Raises:
        ValueError: there is no such run of Fusion-Eval, or nothing in it was judged yet.
    """
    run = Run.objects.filter(kind=Run.Kind.FUSION, pk=params.get("run", 0)).first()
    if run is None:
        raise ValueError("There is no such run of Fusion-Eval.")
    return compute(run, params)


def compute(run: Run, params: Mapping[str, Any]) -> Plain:
    """Return the correlation of every judge of a run with every assistant, criterion by criterion.

    Args:
        run: of Fusion-Eval.
        params: `level`, one of those of judges beside people; `resamples`.
    """
    version = TaskVersion.objects.get(pk=run.config["version"])
    content = evaluation_tasks.content(version)
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
                        "cells": judge_sides.cells(pairs, level, resamples, seed),
                    }
                )
    return {"level": level, "resamples": resamples, "seed": seed, "rows": plain(made)}


def _rows(run: Run) -> tuple[Rows, dict[str, tuple[list[int], list[float]]]]:
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


def _column(run: Run, rows: Rows, rater: int, criterion: int) -> FloatArray:
    found = Judgment.objects.filter(
        run=run, rater=rater, criterion=criterion, repeat=0, value__isnull=False
    )
    pairs = list(found.order_by("pk").values_list("response_id", "value"))
    return rows.place([one[0] for one in pairs], [one[1] for one in pairs])
