"""Ask for a run in which a judge grades a round."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation.people.models import User
from annotation.rounds.models import Round
from scoring.endpoints.models import Judge
from scoring.engine import estimating, kinds
from scoring.engine import requests as requesting
from scoring.engine.models import Run


def config_of(criteria: Sequence[str]) -> dict[str, Any]:
    """Return what decides a run beside its judge and its round: criteria by key, none for all."""
    return {"criteria": sorted(set(criteria))}


def estimate(*, judge: Judge, round_: Round, criteria: Sequence[str] = ()) -> estimating.Estimate:
    """Return what judging a round would take.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    run = Run(
        project=round_.project,
        kind=Run.Kind.JUDGE,
        protocol=judge.protocol,
        config=config_of(criteria),
        round=round_,
        judge=judge,
    )
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


def request_judging(
    *,
    judge: Judge,
    round_: Round,
    key: UUID,
    name: str,
    seed: int,
    user: User,
    now: datetime,
    criteria: Sequence[str] = (),
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the answers of a round judged in the background.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    return requesting.request_run(
        project=round_.project,
        key=key,
        kind=Run.Kind.JUDGE,
        name=name,
        protocol=judge.protocol,
        config=config_of(criteria),
        seed=seed,
        user=user,
        now=now,
        round_=round_,
        judge=judge,
        budget=budget,
        cloned_from=cloned_from,
    )
