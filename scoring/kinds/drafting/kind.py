"""Reads about help with drafting: whether a project has it, what was asked, what came of it.

* Runs in which an endpoint drafts: one step, and proposals of it.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from annotation.bank.models import QuestionVersion
from annotation.people.models import Project, User
from annotation.sources.models import SourceVersion
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine.kinds import Estimated, StepPlan, Work
from scoring.engine.models import Run, Step
from scoring.kinds.drafting import v1
from scoring.kinds.drafting.models import Drafting as DraftingDrafting
from scoring.kinds.drafting.models import DraftingRule, Proposal
from scoring.llm import base as tokens
from scoring.llm.base import ChatModel, Failed, Role
from scoring.protocols import untrusted

#: So many of what somebody asked for last are shown.
MOST_SHOWN = 20


def rules_of(project: Project) -> list[DraftingRule]:
    """Return who was allowed to help, the last first."""
    rows = DraftingRule.objects.filter(project=project).order_by("-pk")
    return list(rows.select_related("endpoint", "by__person")[:MOST_SHOWN])


def endpoint_of(project: Project) -> Endpoint | None:
    """Return the endpoint that helps with drafting in a project; None where none may."""
    rows = DraftingRule.objects.filter(project=project).select_related("endpoint").order_by("-pk")
    last = rows.first()
    if last is None or last.endpoint is None:
        return None
    if last.endpoint.retired_at is None:
        return last.endpoint
    # An edit of an endpoint makes a new row of the same name: the owner allowed the name.
    return Endpoint.objects.in_use().filter(project=project, name=last.endpoint.name).first()


def drafting_of(project: Project, user: User, number: int) -> DraftingDrafting | None:
    """Return what somebody asked to be drafted, by the number of its run."""
    rows = DraftingDrafting.objects.filter(run__project=project, run__number=number)
    named = rows.select_related("run__project", "source_version__source", "question_version")
    return named.filter(run__requested_by=user).first()


def of_user(project: Project, user: User) -> list[DraftingDrafting]:
    """Return what somebody asked to be drafted in a project, the last first."""
    rows = DraftingDrafting.objects.filter(run__project=project, run__requested_by=user)
    return list(rows.select_related("run", "source_version", "question_version")[:MOST_SHOWN])


def of_source(version: SourceVersion, user: User) -> list[DraftingDrafting]:
    """Return what somebody asked to be drafted from a version of a source, the last first."""
    rows = DraftingDrafting.objects.filter(source_version=version, run__requested_by=user)
    return list(rows.select_related("run")[:MOST_SHOWN])


def of_question(version: QuestionVersion, user: User) -> list[DraftingDrafting]:
    """Return what somebody asked to be drafted of a draft, the last first."""
    rows = DraftingDrafting.objects.filter(question_version=version, run__requested_by=user)
    return list(rows.select_related("run")[:MOST_SHOWN])


@dataclass(frozen=True)
class Came:
    """What came of it so far."""

    drafting: DraftingDrafting
    proposals: list[Proposal]
    is_over: bool
    #: Why there is no proposal, once it is over.
    problem: str
    #: What in the material may have been meant for the endpoint (untrusted.Flag).
    flags: list[str]


def came_of(drafting: DraftingDrafting) -> Came:
    run = drafting.run
    step = run.steps.first()
    result: dict[str, Any] = (step.result if step is not None else None) or {}
    over = run.state in {Run.State.DONE, Run.State.CANCELLED}
    proposals = list(drafting.proposals.prefetch_related("uses"))
    problem = ""
    if over and not proposals:
        problem = result.get("problem", "") or (step.trouble if step is not None else "")
    return Came(drafting, proposals, over, str(problem), list(result.get("flags", [])))


#: Tokens of proposals of some length.
PROPOSALS: Final = 900


class DraftingNotAllowed(errors.NotAllowed): ...


class DraftingKind:
    """`run.config` holds what is drafted of (v1.Material) and the endpoint that drafts."""

    def check(self, run: Run) -> None:
        """Refuse a run by an endpoint that does not help with drafting here (any more).

        Raises:
            DraftingNotAllowed: the owner has not allowed it, or it is not in use any more.
        """
        allowed = endpoint_of(run.project)
        if allowed is None or allowed.pk != run.config.get("endpoint"):
            raise DraftingNotAllowed(
                _("No endpoint helps with drafting here. The owner allows one under Settings.")
            )

    def endpoints(self, run: Run) -> Collection[int]:
        return [int(run.config["endpoint"])]

    def prompts(self, run: Run) -> Iterator[Estimated]:
        asked = v1.request(material_of(run), untrusted.Fence("", ""))
        yield Estimated(
            Role.DRAFTER,
            int(run.config["endpoint"]),
            tokens.of_messages(asked.messages),
            PROPOSALS,
            key="draft",
        )

    def plan(self, run: Run) -> Iterator[StepPlan]:
        yield StepPlan(key="draft")

    def prepare(self, step: Step) -> Work:
        material = material_of(step.run)
        fence = untrusted.Fence(step.run.secret, step.key)
        settings = replace(v1.DRAFTER, seed=step.run.seed)

        async def procedure(model: ChatModel) -> dict[str, Any]:
            return (await v1.draft(model, material, fence, settings)).plain()

        return Work(procedure, {Role.DRAFTER: int(step.run.config["endpoint"])})

    def record(self, step: Step, result: Mapping[str, Any], now: datetime) -> Step.Outcome:
        drafting = step.run.drafting
        if not result["proposals"]:
            mine = Step.objects.filter(pk=step.pk, state=Step.State.CLAIMED)
            mine.update(problem=result["problem"][:500])
            return Step.Outcome.NO_READING
        Proposal.objects.bulk_create(
            Proposal(drafting=drafting, number=number, content=content)
            for number, content in enumerate(result["proposals"], start=1)
        )
        return Step.Outcome.OK

    def record_failure(self, step: Step, failed: Failed, now: datetime) -> None:
        """Nothing: no system is asked."""


def material_of(run: Run) -> v1.Material:
    return v1.Material(**run.config["material"])


KIND = DraftingKind()
