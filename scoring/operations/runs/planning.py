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
    n_there = run.steps.count()
    try:
        plans = itertools.islice(kinds.of(run.kind).plan(run), n_there, None)
        _write_all(run, plans, n_there, Run.State.STAGED)
    except _Overtaken:
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
    try:
        _write_all(run, rows, len(known), Run.State.RUNNING)
    except _Overtaken:
        return True
    return bool(rows)


def _write_all(run: Run, plans: Iterable[StepPlan], n_there: int, state: str) -> None:
    """Write steps in batches, numbered from those that are there.

    Raises:
        _Overtaken: somebody else wrote some of them, or the run has moved on.
        IntegrityError: two of them have the same key, which no further attempt would mend.
    """
    n_known = n_there
    pace = Pace(start=200, most=MOST_AT_ONCE)
    for batch in pace.batches(enumerate(plans, start=n_there)):
        rows = list(batch)
        try:
            _write(run, rows, state)
        except IntegrityError as clash:
            if run.steps.count() > n_known:
                raise _Overtaken from clash
            raise
        n_known += len(rows)


@transaction.atomic
def _write(run: Run, batch: Iterable[tuple[int, StepPlan]], state: str) -> None:
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
