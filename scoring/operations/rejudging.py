"""Have the dialogues of a run judged again by more evaluators; no system and no interviewer is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import User
from scoring.models import Endpoint, Judge, Run
from scoring.operations import evaluators
from scoring.operations.runs import estimating, kinds, requesting
from scoring.protocols.kieval import v1

MOST: Final = 12


@dataclass(frozen=True)
class Wish:
    """Who judges: evaluators, or endpoints that new ones are made of, and the seed they get."""

    chosen: Sequence[Judge | Endpoint]
    seed: int
    reference_visible: bool = False

    @property
    def settings(self) -> evaluators.Settings:
        return evaluators.Settings(reference_visible=self.reference_visible)


def check(*, of: Run, wish: Wish) -> estimating.Estimate:
    """Return what judging the dialogues of a run again would take; nothing is written.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    imagined = [
        evaluators.imagined(project=of.project, chosen=one, settings=wish.settings)
        for one in _wanted(wish)
    ]
    run = Run(
        project=of.project,
        kind=Run.Kind.REJUDGE,
        protocol=v1.PROTOCOL,
        config=_config(of, imagined),
    )
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


@transaction.atomic
def start(
    *,
    of: Run,
    wish: Wish,
    key: UUID,
    name: str,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the dialogues judged in the background. The same key again is the same run.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    if found := Run.objects.filter(project=of.project, key=key).first():
        return found
    judges = [
        evaluators.met(project=of.project, chosen=one, settings=wish.settings, by=user, now=now)
        for one in _wanted(wish)
    ]
    return requesting.request_run(
        project=of.project,
        key=key,
        kind=Run.Kind.REJUDGE,
        name=name,
        protocol=v1.PROTOCOL,
        config=_config(of, list(dict.fromkeys(judges))),
        seed=wish.seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def _wanted(wish: Wish) -> Sequence[Judge | Endpoint]:
    if not wish.chosen:
        message = _("Choose at least one evaluator of interviews.")
        raise evaluators.NoEvaluator(message, fields={"evaluators": [message]})
    if len(wish.chosen) > MOST:
        message = _("Choose up to %(most)d evaluators at once.") % {"most": MOST}
        raise evaluators.NoEvaluator(message, fields={"evaluators": [message]})
    return wish.chosen


def _config(of: Run, judges: Sequence[Judge]) -> dict[str, Any]:
    return {
        "of": of.pk,
        "of_run": of.number,
        "evaluators": [
            {"judge": one.pk, "rater": one.rater_id, "endpoint": one.endpoint_id} for one in judges
        ],
        "judged_by": [one.name for one in judges],
    }
