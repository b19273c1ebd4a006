"""A worker says now and then that it is still at work, and how often one may end over the same thing."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Final

from django.db import DatabaseError, connection

#: Seconds between two such words; whoever has said nothing for much longer is gone.
BEAT: Final = 15.0
#: So often a thing is begun over which workers end without getting on; then it is for a person to decide.
TRIES: Final = 3


@contextlib.contextmanager
def beating(say: Callable[[], object]) -> Iterator[None]:
    """Call `say` every few seconds while the block is at work, in a thread of its own."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(BEAT):
            with contextlib.suppress(DatabaseError):  # the next one may get through
                say()
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
