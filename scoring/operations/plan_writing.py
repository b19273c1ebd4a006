"""Have a plan of evaluation written by an endpoint, in the background."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation.models import User
from scoring.models import Endpoint, Run, TaskVersion
from scoring.operations.runs import estimating, kinds, requesting

PROTOCOL = "fusion_eval/plans_v1"


def estimate(*, version: TaskVersion, endpoint: Endpoint) -> estimating.Estimate:
    """Return what having a plan written would take.

    Raises:
        errors.Refusal: it cannot be written; says why.
    """
    run = Run(
        project=version.task.project,
        kind=Run.Kind.PLAN,
        protocol=PROTOCOL,
        config=config_of(version, endpoint),
    )
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


def request_plan(
    *,
    version: TaskVersion,
    endpoint: Endpoint,
    key: UUID,
    name: str,
    seed: int,
    user: User | None,
    now: datetime,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have a plan written by an endpoint in the background. The same key again is the same run.

    Raises:
        errors.Refusal: it cannot be written; says why.
    """
    return requesting.request_run(
        project=version.task.project,
        key=key,
        kind=Run.Kind.PLAN,
        name=name,
        protocol=PROTOCOL,
        config=config_of(version, endpoint),
        seed=seed,
        user=user,
        now=now,
        budget=budget,
        cloned_from=cloned_from,
    )


def config_of(version: TaskVersion, endpoint: Endpoint) -> dict[str, Any]:
    """Return what decides a plan beside the seed."""
    return {
        "task": version.task_id,
        "version": version.pk,
        "version_sha": version.sha,
        "endpoint": endpoint.pk,
    }
