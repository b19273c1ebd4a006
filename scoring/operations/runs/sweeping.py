"""What is done about runs every few seconds, and before the workers of a site start."""

from datetime import datetime

from django.db.models import Exists, OuterRef

from scoring.models import Run, Step
from scoring.operations.runs import claiming, ringing

State = Step.State


def sweep(now: datetime) -> int:
    """Free the steps of workers that are no more, and ring for runs that have work; return how many runs.

    A run without any open step is rung for as well: its last worker died before it could say so.
    """
    claiming.free_lost(now=now)
    runs = list(_with_work())
    for run in runs:
        ringing.ring(run)
    return len(runs)


def hand_out_again(now: datetime) -> int:
    """Free the steps of all workers, since none is alive; return how many runs are rung for."""
    claiming.free_lost(now=now, every=True)
    return sweep(now)


def _with_work() -> "list[Run]":
    mine = Step.objects.filter(run=OuterRef("pk"))
    free = Exists(mine.filter(state=State.FREE))
    busy = Exists(mine.filter(state=State.CLAIMED))
    moving = Run.objects.to_work_on()
    return list(moving.filter(free | ~busy).only("pk"))
