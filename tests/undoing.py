"""What is done for a moment and taken back: the database is as before."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


class Undo(Exception):
    """Ends a transaction whose work is not kept."""


@contextmanager
def undone() -> Iterator[None]:
    """Take back what is done inside."""
    try:
        with transaction.atomic():
            yield
            raise Undo
    except Undo:
        pass
