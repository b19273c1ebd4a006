"""Write down the steps of a run, in short batches; a plan that was stopped goes on where it was."""

import itertools
from collections.abc import Callable, Iterable
from datetime import datetime

from django.db import IntegrityError, transaction

from annotation.operations.pace import Pace
from evalsite import errors
from scoring.models import Run, Step
from scoring.operations.runs import kinds, ringing
from scoring.operations.runs.kinds import StepPlan

Clock = Callable[[], datetime]
#: Looked for by whoever plans, so that a run that is called off is not planned to its end.
MOST_AT_ONCE = 2000
MOST_KEY = 200


class _Overtaken(Exception):
    """Somebody else plans this run, or it was called off."""


def plan(*, run: Run, clock: Clock) -> None:
    """Write the steps that are missing, and set the run going once all of them are there.

    Two who plan at once do no harm: the one who comes second to a batch stops.
    """
    kind = kinds.of(run.kind)
    n_there = run.steps.count()
    pace = Pace(start=200, most=MOST_AT_ONCE)
    rows = enumerate(itertools.islice(kind.plan(run), n_there, None), start=n_there)
    try:
        for batch in pace.batches(rows):
            _write(run, batch)
    except (_Overtaken, IntegrityError):
        return
    except errors.Refusal as refusal:
        _give_up(run, str(refusal), clock())
        return
    staged = Run.objects.filter(pk=run.pk, state=Run.State.STAGED)
    if staged.update(state=Run.State.RUNNING, started_at=clock()):
        ringing.ring(run)  # whoever came while it was planned has gone again


def extend(*, run: Run) -> bool:
    """Write the steps of a run's next stage; return whether there is one.

    Two who do it at once do no harm, and one that was stopped is made up for when its steps are done.
    """
    kind = kinds.of(run.kind)
    if not isinstance(kind, kinds.Staged):
        return False
    known = set(run.steps.values_list("key", flat=True))
    rows = [one for one in kind.more(run) if one.key[:MOST_KEY] not in known]
    pace = Pace(start=200, most=MOST_AT_ONCE)
    try:
        for batch in pace.batches(enumerate(rows, start=len(known))):
            _write(run, batch, Run.State.RUNNING)
    except (_Overtaken, IntegrityError):
        return True
    return bool(rows)


@transaction.atomic
def _write(run: Run, batch: Iterable[tuple[int, StepPlan]], state: str = Run.State.STAGED) -> None:
    if not Run.objects.select_for_update().filter(pk=run.pk, state=state).exists():
        raise _Overtaken
    Step.objects.bulk_create(
        Step(
            run=run,
            ordinal=ordinal,
            key=one.key[:MOST_KEY],
            spec=dict(one.spec),
            item_id=one.item_id,
            release_id=one.release_id,
            response_id=one.response_id,
        )
        for ordinal, one in batch
    )


def _give_up(run: Run, problem: str, now: datetime) -> None:
    """Call off a run that turned out not to be possible; its page says why."""
    Run.objects.filter(pk=run.pk, state=Run.State.STAGED).update(
        state=Run.State.CANCELLED, problem=problem[:500], finished_at=now
    )
