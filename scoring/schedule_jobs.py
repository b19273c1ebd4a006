"""What a worker does for suites that run by schedule."""

from typing import Any

from django.utils import timezone

from scoring.operations import suite_schedules


def run_due(**_more: Any) -> None:
    """Ask for the runs whose time has come. Starting this twice is harmless."""
    suite_schedules.run_due(timezone.now())
