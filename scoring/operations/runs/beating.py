"""What a job tells the database every moment, and what it is told: leases, limits, and whether to go on."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from annotation.operations import audit
from scoring.models import Endpoint, Run, Step
from scoring.operations.runs import sharing
from scoring.operations.runs.sharing import Allowance


@dataclass(frozen=True, slots=True)
class Told:
    """What a job learns of its run."""

    goes_on: bool
    budget: Decimal | None


def look(run: Run) -> Told:
    """Return what somebody may have changed."""
    found = Run.objects.filter(pk=run.pk).values_list("state", "budget").first()
    if found is None:
        return Told(goes_on=False, budget=None)
    return Told(goes_on=found[0] == Run.State.RUNNING, budget=found[1])


def others_wait(run: Run) -> bool:
    """Say whether another run has work that nobody does."""
    others = Run.objects.to_work_on().exclude(pk=run.pk)
    busy = Step.objects.filter(run__in=others, state=Step.State.CLAIMED)
    return others.exclude(pk__in=busy.values("run")).exists()


def agree(
    *,
    holds: Mapping[int, int],
    endpoints: Mapping[int, Endpoint],
    worker: str,
    now: datetime,
    seen_within: timedelta,
) -> dict[int, Allowance]:
    """Agree with the other workers on who may ask how much, endpoint by endpoint in one order."""
    return {
        pk: sharing.check_in(
            endpoint=endpoints[pk],
            worker=worker,
            holds=holds[pk],
            now=now,
            seen_within=seen_within,
        )
        for pk in sorted(endpoints)
    }


def pause(*, run: Run, reason: str, problem: str, now: datetime) -> bool:
    """Stop a run for a reason of its own; return whether it ran."""
    mine = Run.objects.filter(pk=run.pk, state=Run.State.RUNNING)
    if not mine.update(state=Run.State.PAUSED, pause=reason, problem=problem[:500]):
        return False
    audit.record(
        project=run.project,
        actor=None,
        verb="run.stopped",
        subject=f"run:{run.number}",
        at=now,
        reason=reason,
    )
    return True
