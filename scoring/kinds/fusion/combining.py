"""Runs that make AVG, LLMSel and CorrW of what evaluators scored: nobody is asked, a thread computes.

* Have the scores of evaluators made into one: which way, over which answers, and the raters it makes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from evalsite import errors
from scoring.endpoints.models import Judge
from scoring.engine import kinds
from scoring.engine import requests as requesting
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Judgment, Machine, Run, Step
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.fusion.queries import Found
from scoring.llm.base import ChatModel, Failed

PAGE: Final = 1000


class NothingToCombine(errors.Invalid):
    code = "nothing_to_combine"


class PeopleStillGrade(errors.Conflict):
    """Weights by people's grades are not learnt while the grades may change."""

    code = "people_still_grade"


class Combining:
    """`run.config` has task, version, plan, import, judge, people and `mixes`: how, rater, criteria."""

    def check(self, run: Run) -> None:
        """Refuse a run without anything to combine.

        Raises:
            NothingToCombine: no way, no evaluators or no answers.
            PeopleStillGrade: the round to weigh by is not final.
        """
        version = TaskVersion.objects.filter(
            pk=run.config.get("version", 0), task__project=run.project
        ).first()
        mixes = run.config.get("mixes") or ()
        if version is None or not mixes:
            raise NothingToCombine(_("Choose a task, and at least one way of combining."))
        raters = {one["rater"] for one in mixes if one["rater"]}
        known = Machine.objects.filter(
            rater__project=run.project, rater__kind=RaterKind.DERIVED, rater__in=raters
        )
        if known.count() < len(raters):
            raise NothingToCombine(_("A way of combining is not declared. Start it from its page."))
        if not fusion.content(version).helpers:
            raise NothingToCombine(_("The task has no assistants, so there is nothing to combine."))
        if not fusion.count(run.project, run.round, run.config["import"]):
            raise NothingToCombine(_("There is no answer here. Choose another round or import."))
        if any(one["how"] == "CORRW" for one in mixes):
            _check_people(run)

    def endpoints(self, run: Run) -> Collection[int]:
        return ()

    def prompts(self, run: Run) -> Iterator[Estimated]:
        return iter(())

    def plan(self, run: Run) -> Iterator[StepPlan]:
        n = fusion.count(run.project, run.round, run.config["import"])
        for mix in run.config["mixes"]:
            for criterion in mix["criteria"]:
                for start in range(0, n, PAGE):
                    yield StepPlan(
                        key=f"{mix['how']} {criterion} {start + 1}–{min(n, start + PAGE)}",
                        spec={"how": mix["how"], "criterion": criterion, "start": start},
                    )

    def prepare(self, step: Step) -> Work:
        from scoring.kinds.fusion import figure as combined  # its libraries are for workers alone

        spec = step.spec
        try:
            found = combined.combine(step.run, spec["how"], spec["criterion"])
        except ValueError as problem:
            raise NothingToCombine(str(problem)) from problem
        part = slice(spec["start"], spec["start"] + PAGE)
        result = {
            "values": list(zip(found.responses[part], found.values[part], strict=True)),
            "reason": found.reason or combined.LACKS,
            "method": found.method,
            "weights": found.weights,
            "left_out": list(found.left_out),
        }

        async def procedure(_model: ChatModel) -> dict[str, Any]:
            return result

        return Work(procedure, blocking=True)

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        mix = next(one for one in step.run.config["mixes"] if one["how"] == step.spec["how"])
        Judgment.objects.bulk_create(
            Judgment(
                rater_id=mix["rater"],
                criterion_id=mix["criteria"][step.spec["criterion"]],
                response_id=response,
                run_id=step.run_id,
                step_id=step.pk,
                outcome="UNSCORED" if value is None else "SCORED",
                reason=result["reason"] if value is None else "",
                value=value,
                at=now,
            )
            for response, value in result["values"]
        )
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: nobody is asked who could fail."""


def _check_people(run: Run) -> None:
    rows = Round.objects.filter(project=run.project, number=run.config.get("people") or 0)
    round_ = rows.first()
    if round_ is None:
        raise NothingToCombine(_("CorrW weighs by people’s grades: choose the round they gave."))
    if round_.state != Round.State.FINAL:
        raise PeopleStillGrade(_("The round to weigh by is not final: its grades may change."))


KIND = Combining()


PROTOCOL: Final = "combine/v1"
#: So much of a judge's name stands in that of a combination.
MOST_NAME: Final = 60
#: What the ways are called, as in the paper's tables.
WAYS: Final = {"AVG": "AVG", "LLMSEL": "LLMSel", "CORRW": "CorrW"}


@dataclass(frozen=True)
class Wish:
    """What is wanted. `judge` is taken in with the assistants; `people` graded what CorrW weighs by."""

    version: TaskVersion
    ways: Sequence[str]
    plan: Plan | None = None
    judge: Judge | None = None
    round: Round | None = None
    batch: int | None = None
    people: Round | None = None


def check(*, project: Project, wish: Wish) -> Found:
    """Return how many answers and scores there are to combine; nothing is written.

    Raises:
        errors.Refusal: they cannot be combined; says why.
    """
    _check_plan(wish)
    mixes: list[dict[str, Any]] = [{"how": one, "rater": None, "criteria": {}} for one in wish.ways]
    run = Run(project=project, kind=Run.Kind.COMBINE, config=_config(wish, mixes), round=wish.round)
    kinds.of(run.kind).check(run)
    return fusion.found(project, wish.round, wish.batch, fusion.content(wish.version))


@transaction.atomic
def start(
    *,
    project: Project,
    wish: Wish,
    key: UUID,
    name: str,
    seed: int,
    user: User | None,
    now: datetime,
    cloned_from: Run | None = None,
) -> Run:
    """Have scores combined in the background. The same key again is the same run.

    Raises:
        errors.Refusal: they cannot be combined; says why.
    """
    if found := Run.objects.filter(project=project, key=key).first():
        return found
    check(project=project, wish=wish)
    mixes = [_meet(project, wish, how, user, now) for how in WAYS if how in wish.ways]
    return requesting.request_run(
        project=project,
        key=key,
        kind=Run.Kind.COMBINE,
        name=name,
        protocol=PROTOCOL,
        config=_config(wish, mixes),
        seed=seed,
        user=user,
        now=now,
        round_=wish.round,
        cloned_from=cloned_from,
    )


def _check_plan(wish: Wish) -> None:
    if not wish.ways:
        message = _("Choose at least one way of combining.")
        raise NothingToCombine(message, fields={"ways": [message]})
    planned = wish.plan is not None and wish.plan.version_id == wish.version.pk
    if "LLMSEL" in wish.ways and not planned:
        message = _("LLMSel takes the assistants that a plan names: choose a plan of this version.")
        raise NothingToCombine(message, fields={"plan": [message]})
    if wish.judge is not None and wish.judge.config.get("version") != wish.version.pk:
        message = _("Choose a judge that goes by this version of the task.")
        raise NothingToCombine(message, fields={"judge": [message]})


def _config(wish: Wish, mixes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "task": wish.version.task_id,
        "version": wish.version.pk,
        "version_sha": wish.version.sha,
        "plan": None if wish.plan is None else wish.plan.pk,
        "judge": None if wish.judge is None else wish.judge.pk,
        "people": None if wish.people is None else wish.people.number,
        "import": wish.batch,
        "mixes": list(mixes),
    }


def _meet(
    project: Project, wish: Wish, how: str, user: User | None, now: datetime
) -> dict[str, Any]:
    """Return a way with its rater and criteria, made if they are not there; all are shares of 0 to 1."""
    name = _name(wish, how)
    rater, _made = Rater.objects.get_or_create(
        project=project, kind=RaterKind.DERIVED, ref=name, defaults={"created_at": now}
    )
    machine = Machine.objects.filter(rater=rater).first()
    if machine is None:
        rubric = measures.create(project=project, name=name, now=now)
        machine = Machine.objects.create(rater=rater, rubric=rubric, created_at=now)
    criteria = fusion.content(wish.version).criteria
    wanted = [Measure(one.name, Decimal(0), Decimal(1)) for one in criteria]
    version = measures.declare(rubric=machine.rubric, measures=wanted, by=user, now=now)
    rows = Criterion.objects.filter(rubric_version=version)
    by_name = dict(rows.values_list("name", "pk"))
    return {
        "how": how,
        "rater": rater.pk,
        "criteria": {one.key: by_name[one.name] for one in criteria},
    }


def _name(wish: Wish, how: str) -> str:
    """Return a name that says what is combined, by what."""
    parts = [WAYS[how]]
    if how == "LLMSEL" and wish.plan is not None:
        parts.append(f"plan {wish.plan.number}")
    if how == "CORRW" and wish.people is not None:
        parts.append(f"by round {wish.people.number}")
    if wish.judge is not None:
        parts.append(_with(wish.judge, wish.version))
    return " · ".join([*parts, f"{wish.version.task.name[:40]} v{wish.version.number}"])


def _with(judge: Judge, version: TaskVersion) -> str:
    """Return which judge is taken in; the task, which its name ends with, is said once."""
    own = judge.name.removesuffix(f" · {version.task.name[:50]} v{version.number}")
    short = own if len(own) <= MOST_NAME else f"{own[:MOST_NAME]}… ({judge.pk})"
    return f"with {short}"
