"""What a worker does for runs: look for work until none is left or its time is up.

* What a worker does for endpoints.
* What a worker does for suites that run by schedule.
"""

from typing import Any

from django.utils import timezone

from evalsite import queue
from scoring.endpoints import testing as endpoint_tests
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.kinds.suites import schedules as suite_schedules


def work(run_id: int, **_: Any) -> None:
    """Work on a run. Starting this twice is harmless: the second one takes what the first left."""
    working.work(run_id, timezone.now, Means(stopping=queue.is_stopping, got_on=queue.got_on))


def test_connection(test_id: int, **_more: Any) -> None:
    """Carry out a test of a connection, unless it is over or in somebody's hands."""
    endpoint_tests.carry_out(test_id=test_id, clock=timezone.now)


def run_due(**_more: Any) -> None:
    """Ask for the runs whose time has come. Starting this twice is harmless."""
    suite_schedules.run_due(timezone.now())
