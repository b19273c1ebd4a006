"""What a worker does for runs: look for work until none is left or its time is up."""

from typing import Any

from django.utils import timezone

from evalsite import queue
from scoring.operations.runs import working
from scoring.operations.runs.means import Means


def work(run_id: int, **_: Any) -> None:
    """Work on a run. Starting this twice is harmless: the second one takes what the first left."""
    working.work(run_id, timezone.now, Means(stopping=queue.is_stopping))
