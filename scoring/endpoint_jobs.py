"""What a worker does for endpoints."""

from typing import Any

from django.utils import timezone

from scoring.operations import endpoint_tests


def test_connection(test_id: int, **_more: Any) -> None:
    """Carry out a test of a connection, unless it is over or in somebody's hands."""
    endpoint_tests.carry_out(test_id=test_id, clock=timezone.now)
