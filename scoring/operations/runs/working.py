"""A job of a run: take free steps, do them side by side, hand the rest back, and end in time.

The event loop runs in a thread of its own; the thread that calls `work` does what touches the database.
"""

import os
import secrets
import socket
from collections.abc import Callable
from datetime import datetime

from scoring.models import Run
from scoring.operations.runs import claiming, planning, ringing, unforeseen
from scoring.operations.runs.means import Means
from scoring.operations.runs.shifts import Shift


def work(run_id: int, clock: Callable[[], datetime], means: Means | None = None) -> None:
    """Plan a run if need be, and work on its steps until none is left or the time is up.

    Starting this twice is harmless: the second one takes what the first left. What nobody thought of
    stops the run, once; what passes by itself is raised, and the sweeper rings again.
    """
    run = Run.objects.select_related("project", "round", "judge__rater").filter(pk=run_id).first()
    if run is None:
        return
    try:
        _work(run, clock, means or Means())
    except Exception as problem:
        if unforeseen.passes(problem):
            raise
        unforeseen.stop(run=run, problem=problem, now=clock())


def _work(run: Run, clock: Callable[[], datetime], means: Means) -> None:
    if run.state == Run.State.STAGED:
        planning.plan(run=run, clock=clock)
        run.refresh_from_db(fields=["state", "started_at", "problem"])
    if run.state != Run.State.RUNNING:
        return
    desk = means.desk()
    shift = Shift(run, desk, clock, worker_name(), means)
    desk.serve(shift.work)
    extended = claiming.is_worked_off(run) and planning.extend(run=run)
    if extended or (not claiming.finish(run=run, now=clock()) and shift.goes_on):
        ringing.ring(run)


def worker_name() -> str:
    """Return a name that no other job has."""
    return f"{socket.gethostname()[:30]}-{os.getpid()}-{secrets.token_hex(4)}"
