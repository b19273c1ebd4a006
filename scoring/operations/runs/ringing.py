"""Ring for workers. The database is the record: a bell that is lost is rung again by the sweeper."""

from django.conf import settings

from evalsite import queue
from scoring.models import Run

JOB = "scoring.run_jobs.work"
QUEUE = "runs"


def ring(run: Run) -> None:
    """Ring once for every worker process there is: all of them may work on one run.

    Outside a transaction a queue that is down is left to the sweeper, as it is inside one.
    """
    for place in range(settings.RUN_WORKERS):
        try:
            queue.enqueue(JOB, queue=QUEUE, key=f"run-{run.pk}-{place}", run_id=run.pk)
        except queue.QueueDown:
            return
