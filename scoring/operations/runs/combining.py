"""Runs that make AVG, LLMSel and CorrW of what evaluators scored: nobody is asked, a thread computes."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.models import RaterKind, Round
from evalsite import errors
from scoring.llm.base import ChatModel, Failed
from scoring.models import Judgment, Machine, Run, Step, TaskVersion
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.queries import evaluation_tasks, fused

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
        if not evaluation_tasks.content(version).helpers:
            raise NothingToCombine(_("The task has no assistants, so there is nothing to combine."))
        if not fused.count(run.project, run.round, run.config["import"]):
            raise NothingToCombine(_("There is no answer here. Choose another round or import."))
        if any(one["how"] == "CORRW" for one in mixes):
            _check_people(run)

    def endpoints(self, run: Run) -> Collection[int]:
        return ()

    def prompts(self, run: Run) -> Iterator[Estimated]:
        return iter(())

    def plan(self, run: Run) -> Iterator[StepPlan]:
        n = fused.count(run.project, run.round, run.config["import"])
        for mix in run.config["mixes"]:
            for criterion in mix["criteria"]:
                for start in range(0, n, PAGE):
                    yield StepPlan(
                        key=f"{mix['how']} {criterion} {start + 1}–{min(n, start + PAGE)}",
                        spec={"how": mix["how"], "criterion": criterion, "start": start},
                    )

    def prepare(self, step: Step) -> Work:
        from scoring.queries import combined  # its libraries are for workers alone

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
