"""Ask for a run in which an assistant scores the answers of a round or an import."""

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation.models import Criterion, Round, User
from scoring.models import Judge, Run
from scoring.operations import assistants
from scoring.operations.runs import estimating, kinds, requesting


def estimate(
    *, assistant: Judge, round_: Round | None = None, batch: int | None = None
) -> estimating.Estimate:
    """Return what scoring the answers of a round or an import would take.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    run = Run(
        project=assistant.project,
        kind=Run.Kind.ASSIST,
        protocol=assistant.protocol,
        config=_config(assistant, batch),
        round=round_,
        judge=assistant,
    )
    kinds.of(run.kind).check(run)
    return estimating.estimate(run)


def request_scores(
    *,
    assistant: Judge,
    key: UUID,
    name: str,
    seed: int,
    user: User,
    now: datetime,
    round_: Round | None = None,
    batch: int | None = None,
    budget: Decimal | None = None,
    cloned_from: Run | None = None,
) -> Run:
    """Have the answers of a round or an import scored in the background. The same key is the same run.

    Raises:
        errors.Refusal: it cannot be done; says why.
    """
    return requesting.request_run(
        project=assistant.project,
        key=key,
        kind=Run.Kind.ASSIST,
        name=name,
        protocol=assistant.protocol,
        config=_config(assistant, batch),
        seed=seed,
        user=user,
        now=now,
        round_=round_,
        judge=assistant,
        budget=budget,
        cloned_from=cloned_from,
    )


def _config(assistant: Judge, batch: int | None) -> dict[str, Any]:
    """Return what decides a run beside assistant and round; the texts are chosen as for metrics."""
    own = Criterion.objects.filter(rubric_version__rubric__machine__rater=assistant.rater_id)
    return {
        **assistants.settings_of(assistant).compared(),
        "import": batch,
        "criterion": own.latest("rubric_version__number").pk,
    }
