"""What is brought in once and read by every test of a module."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction


@contextmanager
def for_a_module(blocker: Any) -> Iterator[None]:
    """Open the database for a fixture of scope "module"; it is as before when the module has ended.

    Each test has its own transaction inside this one.

    Args:
        blocker: django_db_blocker; the fixture asks for django_db_setup as well.
    """
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]  # a durable block may stand in it
    with blocker.unblock(), around:
        yield
        transaction.set_rollback(True)
