"""Reads about help with drafting: whether a project has it, what was asked, what came of it."""

from dataclasses import dataclass
from typing import Any

from annotation.models import Project, QuestionVersion, SourceVersion, User
from scoring.models import Drafting, DraftingRule, Endpoint, Proposal, Run

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


def drafting_of(project: Project, user: User, number: int) -> Drafting | None:
    """Return what somebody asked to be drafted, by the number of its run."""
    rows = Drafting.objects.filter(run__project=project, run__number=number)
    named = rows.select_related("run__project", "source_version__source", "question_version")
    return named.filter(run__requested_by=user).first()


def of_user(project: Project, user: User) -> list[Drafting]:
    """Return what somebody asked to be drafted in a project, the last first."""
    rows = Drafting.objects.filter(run__project=project, run__requested_by=user)
    return list(rows.select_related("run", "source_version", "question_version")[:MOST_SHOWN])


def of_source(version: SourceVersion, user: User) -> list[Drafting]:
    """Return what somebody asked to be drafted from a version of a source, the last first."""
    rows = Drafting.objects.filter(source_version=version, run__requested_by=user)
    return list(rows.select_related("run")[:MOST_SHOWN])


def of_question(version: QuestionVersion, user: User) -> list[Drafting]:
    """Return what somebody asked to be drafted of a draft, the last first."""
    rows = Drafting.objects.filter(question_version=version, run__requested_by=user)
    return list(rows.select_related("run")[:MOST_SHOWN])


@dataclass(frozen=True)
class Came:
    """What came of it so far."""

    drafting: Drafting
    proposals: list[Proposal]
    is_over: bool
    #: Why there is no proposal, once it is over.
    problem: str
    #: What in the material may have been meant for the endpoint (untrusted.Flag).
    flags: list[str]


def came_of(drafting: Drafting) -> Came:
    run = drafting.run
    step = run.steps.first()
    result: dict[str, Any] = (step.result if step is not None else None) or {}
    over = run.state in {Run.State.DONE, Run.State.CANCELLED}
    proposals = list(drafting.proposals.prefetch_related("uses"))
    problem = ""
    if over and not proposals:
        problem = result.get("problem", "") or (step.trouble if step is not None else "")
    return Came(drafting, proposals, over, str(problem), list(result.get("flags", [])))
