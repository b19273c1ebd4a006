"""Start interviews from what a person or a program chose: a source of questions, names, settings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Project, User
from evalsite import errors
from scoring.models import Endpoint, Judge, Run
from scoring.operations import evaluators, interviewing
from scoring.operations.runs.estimating import Estimate
from scoring.queries import interview_choice
from scoring.queries.interview_choice import Found


class NoQuestions(errors.Invalid):
    code = "no_questions"


@dataclass(frozen=True)
class Wish:
    """What interviews are wanted.

    Args:
        over: where the questions come from (scoring.queries.interview_choice).
        releases: who is interviewed.
        interactor: who asks.
        evaluator: a judge of interviews, or an endpoint that one is made of.
        seed: of the draw and of the run.
        reference_visible: whether a new evaluator sees the standard answer.
        settings: the other settings of interviewing.configure.
    """

    over: str
    releases: Sequence[int]
    interactor: Endpoint
    evaluator: Judge | Endpoint
    seed: int
    reference_visible: bool = False
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Checked:
    """What interviews would take, and about how many questions they could be."""

    estimate: Estimate
    found: Found


def check(*, project: Project, wish: Wish, now: datetime) -> Checked:
    """Return what the interviews would take; nothing is written.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    found = _found(project, wish, now)
    imagined = evaluators.imagined(project=project, chosen=wish.evaluator, settings=_settings(wish))
    estimate = interviewing.estimate(
        project=project, config=_config(wish, found), evaluator=imagined
    )
    return Checked(estimate, found)


@transaction.atomic
def start(
    *,
    project: Project,
    wish: Wish,
    key: UUID,
    name: str,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the interviews held; an evaluator is made of an endpoint where one was named.

    Raises:
        errors.Refusal: they cannot be held; says why.
    """
    config = _config(wish, _found(project, wish, now))
    return interviewing.request_interviews(
        project=project,
        key=key,
        name=name,
        config=config,
        evaluator=evaluators.met(
            project=project,
            chosen=wish.evaluator,
            settings=_settings(wish),
            by=user,
            now=now,
        ),
        seed=wish.seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def _found(project: Project, wish: Wish, now: datetime) -> Found:
    try:
        found = interview_choice.found(project, wish.over, now)
    except interview_choice.NoSuchQuestions as missing:
        message = _("There are no such questions. Name a capability, a round or an import.")
        raise NoQuestions(message, fields={"over": [message]}) from missing
    if not found.items:
        message = _("None of these questions has a standard answer, so none can be asked about.")
        raise NoQuestions(message, fields={"over": [message]})
    return found


def _config(wish: Wish, found: Found) -> dict[str, Any]:
    made = interviewing.configure(
        items=found.items,
        releases=wish.releases,
        interactor=wish.interactor,
        seed=wish.seed,
        **wish.settings,
    )
    return {**made, "over": wish.over}


def _settings(wish: Wish) -> evaluators.Settings:
    return evaluators.Settings(reference_visible=wish.reference_visible)
