"""Runs in which an endpoint writes the plan of an evaluation: one step, and a plan of it."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from evalsite import errors
from scoring.llm import tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.models import Endpoint, Plan, Run, Step, TaskVersion
from scoring.operations import evaluation_plans
from scoring.operations.runs.kinds import Estimated, StepPlan, Work
from scoring.protocols.fusion_eval import plans_v1
from scoring.queries import evaluation_tasks

#: Tokens of a plan of some length.
A_PLAN: Final = 900


class NoTask(errors.Invalid):
    code = "no_task"


class PlannerRetired(errors.Conflict):
    code = "endpoint_retired"


class PlanningEvaluation:
    """`run.config` names a version of a task and the endpoint that writes."""

    def check(self, run: Run) -> None:
        """Refuse a run without a task or an endpoint.

        Raises:
            NoTask: the task is none of this project.
            PlannerRetired: the endpoint is not in use any more.
        """
        version = _version(run)
        if version is None or version.task.project_id != run.project_id:
            raise NoTask(_("Choose a task to write a plan for."))
        endpoint = Endpoint.objects.filter(pk=run.config.get("endpoint", 0)).first()
        if endpoint is None or endpoint.retired_at is not None:
            raise PlannerRetired(_("This endpoint is not in use any more. Choose another."))

    def endpoints(self, run: Run) -> Collection[int]:
        return [int(run.config["endpoint"])]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        version = _version(run)
        assert version is not None
        asked = plans_v1.request(evaluation_tasks.content(version).design)
        yield Estimated(
            Role.PLANNER,
            int(run.config["endpoint"]),
            tokens.of_messages(asked.messages),
            A_PLAN,
            key=version.task.name,
        )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        yield StepPlan(key="plan")

    def prepare(self, step: Step) -> Work:
        version = _version(step.run)
        assert version is not None
        design = evaluation_tasks.content(version).design
        settings = replace(plans_v1.PLANNER, seed=step.run.seed)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return (await plans_v1.write(model, design, settings)).plain()

        return Work(procedure, {Role.PLANNER: int(step.run.config["endpoint"])})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        version = _version(step.run)
        assert version is not None
        if not result["text"].strip():
            return Step.Outcome.NO_READING
        evaluation_plans.write(
            version=version,
            text=result["text"],
            alignment=result["alignment"],
            source=Plan.Source.ENDPOINT,
            by=step.run.requested_by,
            now=now,
            run=step.run,
            endpoint=Endpoint.objects.get(pk=step.run.config["endpoint"]),
            problem=result["problem"],
            unknown=result["unknown"],
        )
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked."""


def _version(run: Run) -> TaskVersion | None:
    rows = TaskVersion.objects.select_related("task__project")
    return rows.filter(pk=run.config.get("version", 0)).first()


KIND = PlanningEvaluation()
