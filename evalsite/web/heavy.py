"""Files that a web process reads itself, though they may be large: one at a time."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from evalsite import errors

#: A smaller file takes no time worth speaking of.
SMALL: Final = 128 * 1024
#: Seconds that one waits for its turn: a thread waits with it.
PATIENCE: Final = 2.0
_GATE = threading.Lock()


class Busy(errors.Refusal):
    """Another file is being read; nothing of this one was."""

    code = "busy"
    status = 503


@contextlib.contextmanager
def reading(size: int, *, patience: float = PATIENCE) -> Iterator[None]:
    """Read a file of so many bytes, after whoever else reads one.

    Raises:
        Busy: somebody else reads for longer than one may be kept waiting.
    """
    if size <= SMALL:
        yield
        return
    if not _GATE.acquire(timeout=patience):
        raise Busy(_("Another large file is being read just now. Try again in a minute."))
    try:
        yield
    finally:
        _GATE.release()
