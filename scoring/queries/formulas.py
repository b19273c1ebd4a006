"""By which formulas figures are computed: a stored one knows, and is computed anew by others."""

import functools
import hashlib
from pathlib import Path

import scoring

#: The rooms that a figure's numbers come from.
ROOMS = (
    "annotation/queries",
    "annotation/rules",
    "scoring/protocols",
    "scoring/queries",
    "scoring/stats",
)


@functools.cache
def fingerprint() -> str:
    """Return what changes whenever the program computes a figure, or tells it, in another way.

    It is of the source, so that nobody has to remember it; a few milliseconds, once a process.
    """
    return of(Path(scoring.__file__).parents[1])


def of(home: Path) -> str:
    """Return the fingerprint of the rooms in this folder, which holds the packages."""
    found = hashlib.sha256()
    for room in ROOMS:
        for source in sorted((home / room).rglob("*.py")):
            found.update(f"\0{source.relative_to(home).as_posix()}\0".encode())
            found.update(source.read_bytes())
    return found.hexdigest()[:16]
