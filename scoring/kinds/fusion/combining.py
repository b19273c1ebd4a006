"""Runs that make AVG, the median, LLMSel and CorrW of what evaluators scored: nobody is asked, a thread computes.

* Have the scores of evaluators made into one: which way, over which answers, and the raters it makes.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final

from django.utils.translation import gettext as _
from pydantic import Field

from annotation.people.models import Project, Rater, RaterKind, User
from annotation.rounds.models import Round
from annotation.rubrics import measures
from annotation.rubrics.models import Criterion
from annotation.rubrics.rules import Measure
from evalsite import errors
from evalsite.kinds import Choice, Whole, gettext_noop
from evalsite.records import Ask
from scoring.endpoints.models import Judge
from scoring.engine.kinds import LARGEST_SEED, AskedRun, Estimated, RunAsking, StepPlan, Work
from scoring.engine.models import Judgment, Machine, Run, Step
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion import queries as fusion
from scoring.kinds.fusion.models import Plan, TaskVersion
from scoring.kinds.metrics import queries as measured
from scoring.kinds.metrics.operations import OfAnswers
from scoring.llm.base import ChatModel, Failed

PAGE: Final = 1000


class NothingToCombine(errors.Invalid): ...


class PeopleStillGrade(errors.Conflict):
    """Weights by people's grades are not learnt while the grades may change."""


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
WAYS: Final = {"AVG": "AVG", "MEDIAN": "Median", "LLMSEL": "LLMSel", "CORRW": "CorrW"}


@dataclass(frozen=True)
class CombiningWish:
    """What is wanted. `judge` is taken in with the assistants; `people` graded what CorrW weighs by."""

    version: TaskVersion
    ways: Sequence[str]
    plan: Plan | None = None
    judge: Judge | None = None
    round: Round | None = None
    batch: int | None = None
    people: Round | None = None


@dataclass(frozen=True, kw_only=True)
class Combined(OfAnswers):
    """How scores are combined, over a round or an import. With `estimate` nothing is started.

    Args:
        plan: by its number; for LLMSel.
        judge: one of the task's, by the key of its rater; taken in with the assistants.
        people: the number of the round whose grades CorrW weighs by.
    """

    ways: Annotated[
        tuple[Annotated[str, Choice(tuple(WAYS))], ...],
        Field(min_length=1),
        Ask(
            gettext_noop("Ways of combining"),
            gettext_noop("One rater each, as shares of declared ranges."),
        ),
    ]
    plan: Annotated[int | None, Whole(1, LARGEST_SEED), Ask(gettext_noop("Plan"))] = None
    judge: Annotated[
        int | None,
        Whole(1, LARGEST_SEED),
        Ask(
            gettext_noop("Judge"),
            gettext_noop("Its last finished run counts."),
        ),
    ] = None
    people: Annotated[
        int | None,
        Whole(1, LARGEST_SEED),
        Ask(gettext_noop("People’s grades"), gettext_noop("What CorrW weighs by.")),
    ] = None


class CombiningStarting:
    kind = Run.Kind.COMBINE
    wish = Combined
    writes = True

    def asked(self, of: TaskVersion, wish: Combined, asking: RunAsking) -> AskedRun:
        """Find what is combined; to start, the raters are made that are not there.

        Raises:
            errors.Refusal: it cannot be done; says why.
        """
        wanted = CombiningWish(
            version=of,
            ways=wish.ways,
            plan=fusing.plan_of(of, wish.plan),
            judge=_judge(of, wish.judge),
            round=wish.chosen(of.project),
            batch=wish.batch,
            people=_people(of, wish.people),
        )
        _check_plan(wanted)
        found = fusion.count_answers(of.project, wanted.round, wanted.batch, fusion.content(of))
        mixes = [
            _meet(of.project, wanted, how, asking.user, asking.now)
            if asking.starts
            else {"how": how, "rater": None, "criteria": {}}
            for how in WAYS
            if how in wish.ways
        ]
        return AskedRun(
            protocol=PROTOCOL,
            config=_config(wanted, mixes),
            round=wanted.round,
            told=found.told,
        )

    def again(self, run: Run) -> dict[str, Any]:
        config = run.config
        plan = Plan.objects.filter(pk=config["plan"]).first()
        judge = Judge.objects.filter(pk=config["judge"]).first()
        return {
            "over": measured.over(run),
            "ways": [one["how"] for one in config["mixes"]],
            "plan": plan.number if plan else "",
            "judge": judge.rater_id if judge else "",
            "people": config["people"] or "",
        }


START = CombiningStarting()


def _judge(of: TaskVersion, rater: int | None) -> Judge | None:
    if rater is None:
        return None
    found = Judge.objects.filter(project=of.project, rater=rater).first()
    if found is None:
        message = _("There is no judge of this number in the project.")
        raise NothingToCombine(message, fields={"judge": [message]})
    return found


def _people(of: TaskVersion, number: int | None) -> Round | None:
    if number is None:
        return None
    found = Round.objects.filter(project=of.project, number=number).first()
    if found is None:
        message = _("There is no round of this number in the project.")
        raise NothingToCombine(message, fields={"people": [message]})
    return found


def _check_plan(wish: CombiningWish) -> None:
    planned = wish.plan is not None and wish.plan.version_id == wish.version.pk
    if "LLMSEL" in wish.ways and not planned:
        message = _("LLMSel takes the assistants that a plan names: choose a plan of this version.")
        raise NothingToCombine(message, fields={"plan": [message]})
    if wish.judge is not None and wish.judge.config.get("version") != wish.version.pk:
        message = _("Choose a judge that goes by this version of the task.")
        raise NothingToCombine(message, fields={"judge": [message]})


def _config(wish: CombiningWish, mixes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    of = [one.rater for one in fusion.content(wish.version).helpers]
    of += [wish.judge.rater_id] if wish.judge else []
    return {
        "task": wish.version.task_id,
        "version": wish.version.pk,
        "version_sha": wish.version.sha,
        "plan": None if wish.plan is None else wish.plan.pk,
        "judge": None if wish.judge is None else wish.judge.pk,
        "people": None if wish.people is None else wish.people.number,
        "import": wish.batch,
        "mixes": list(mixes),
        "made_of": {str(one["rater"]): of for one in mixes if one["rater"]},
    }


def _meet(
    project: Project, wish: CombiningWish, how: str, user: User | None, now: datetime
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


def _name(wish: CombiningWish, how: str) -> str:
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
