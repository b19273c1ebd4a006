"""What others add to the demo: annotation knows nothing of numbers and machines, and asks whoever does."""

from collections.abc import Callable

from django.utils.module_loading import import_string

#: Takes the project, who does it (an owner) and the time, all by name.
Part = Callable[..., None]
_NAMES: list[str] = []


def register(name: str) -> None:
    """Have a function, by its dotted name, called at the end of loading; it is imported only then."""
    if name not in _NAMES:
        _NAMES.append(name)


def registered() -> list[Part]:
    """Return the functions by name, so that every demo is loaded in one order."""
    return [import_string(name) for name in sorted(_NAMES)]
