"""Evaluation tasks, plans and runs of Fusion-Eval by scripted endpoints, for tests."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation.common.scales import Scale
from annotation.rounds.models import Round
from scoring.endpoints.models import Endpoint, Judge
from scoring.engine import working
from scoring.engine.models import Judgment, Run
from scoring.kinds.fusion import combining, task_operations
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.combining import Combined
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.operations import START, Fused
from scoring.kinds.fusion.tasks import QUESTION, FusionTask, Helper, TaskField
from scoring.kinds.fusion.v1 import Variant
from scoring.protocols.task_asking_v1 import Assistant, Criterion
from tests import copies, imports, make
from tests.scoring import connected, machines

#: Answers are those of imports.ANSWERS; one lacks a score of the second assistant.
SCORES = """item,system,overlap,entailment
Q1,Kestrel,0.9,0.1
Q1,Harbour,0.2,0.8
Q2,Kestrel,0.7,
Q2,Harbour,0.1,0.95
"""
ONE_TO_FIVE = Scale(Decimal(1), Decimal(5))


def helpers(*names: str) -> tuple[Helper, ...]:
    """Return assistants of these names among the machines there are, keyed by their names."""
    known = {one.label: one.helper for one in reads.assistants(make.project())}
    return tuple(
        Helper(
            Assistant(name, name, f"how much there is of {name}", "", 0.0, 1.0),
            known[name].rater,
            known[name].criterion,
        )
        for name in names
    )


def content(*assistants: str, **given: Any) -> FusionTask:
    usual: dict[str, Any] = {
        "description": "Judge how good an answer is.",
        "fields": (TaskField("Question", QUESTION),),
        "criteria": (
            Criterion("clear", "Clear", ONE_TO_FIVE, "Easy to read."),
            Criterion("right", "Right", ONE_TO_FIVE, "Nothing wrong in it.", ("Check it.",)),
        ),
        "helpers": helpers(*assistants),
    }
    return FusionTask(**{**usual, **given})


@copies.made_once_among
def scored() -> int:
    """Bring answers in and scores of two assistants for them; return the number of the import."""
    batch = imports.apply(imports.answers())
    machines.brought(SCORES)
    return batch.number


def version(*assistants: str, name: str = "Notes", **given: Any) -> TaskVersion:
    """Return a task by two criteria, with these assistants."""
    return task_operations.create(
        project=make.project(),
        name=name,
        content=content(*assistants, **given),
        by=connected.owner(make.project()),
        now=make.NOW,
    )


def plan(of: TaskVersion, text: str = "Look at overlap first.", **alignment: Sequence[str]) -> Plan:
    return task_operations.write(
        version=of,
        text=text,
        alignment=alignment or {"clear": ["overlap"]},
        source=Plan.Source.PERSON,
        by=connected.owner(make.project()),
        now=make.NOW,
    )


def wish(
    of: TaskVersion,
    *variants: Variant,
    by: Endpoint | None = None,
    plan: Plan | None = None,
    batch: int | None = None,
    round_: Round | None = None,
    **settings: Any,
) -> tuple[TaskVersion, Fused]:
    given: dict[str, Any] = {"predictions": 2, "temperature": 0.0, **settings}
    return of, Fused(
        **connected.head(1, "Fusion"),
        **given,
        variants=tuple(map(str, variants or (Variant.DE,))),
        endpoint=(by or connected.endpoint()).name,
        plan=plan.number if plan else None,
        round=round_.number if round_ else None,
        batch=batch,
    )


def mixed(
    of: TaskVersion,
    ways: Sequence[str],
    *,
    plan: Plan | None = None,
    judge: Judge | None = None,
    round: Round | None = None,
    batch: int | None = None,
    people: Round | None = None,
) -> tuple[TaskVersion, Combined]:
    """Return a wish to combine scores."""
    return of, Combined(
        **connected.head(9, "Combined", 1),
        ways=tuple(ways),
        plan=plan.number if plan else None,
        judge=judge.rater_id if judge else None,
        round=round.number if round else None,
        batch=batch,
        people=people.number if people else None,
    )


def combined(wanted: tuple[TaskVersion, Combined], number: int = 9) -> Run:
    """Return a finished run that combines scores."""
    of, wish = wanted
    return done(connected.begun(combining.START, of, replace(wish, key=UUID(int=number))))


def requested(wanted: tuple[TaskVersion, Fused], number: int = 1, **given: Any) -> Run:
    of, wish = wanted
    named = {"key": UUID(int=number), "name": f"Fusion {number}"}
    return connected.begun(START, of, replace(wish, **named, **given))


def done(run: Run) -> Run:
    """Work on a run to its end, and return it."""
    working.work(run.pk, clock=lambda: make.at(1))
    run.refresh_from_db()
    return run


def ran(wanted: tuple[TaskVersion, Fused], number: int = 1, **given: Any) -> Run:
    return done(requested(wanted, number, **given))


def means(run: Run, variant: Variant) -> dict[tuple[str, str, str], float | None]:
    """Return the mean of each question, system and criterion by the judge of a variant."""
    rater = next(one["rater"] for one in run.config["judges"] if one["variant"] == variant)
    rows = Judgment.objects.filter(run=run, rater=rater, repeat=0)
    names = (
        "response__item__external_id",
        "response__release__system__name",
        "criterion__name",
        "value",
    )
    return {row[:3]: row[3] for row in rows.values_list(*names)}
