"""What lower parts of the house let higher ones do: slots of pages, and deeds of the sweeper.

annotation's pages offer slots, scoring fills them. The registries are annotation/apps.py and
scoring/apps.py; what they name is imported when it is first needed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.module_loading import import_string

Builder = Callable[..., Any]
Sweep = Callable[[datetime], object]

_builders: dict[str, dict[str, Builder | str]] = defaultdict(dict)
_sweeps: dict[str, Sweep | str] = {}
_starts: dict[str, Sweep | str] = {}


def load(
    slots: Mapping[str, Mapping[str, Builder | str]],
    sweeps: Mapping[str, Sweep | str] | None = None,
    starts: Mapping[str, Sweep | str] | None = None,
) -> None:
    """Take over an app's registry. A name that is there already is replaced: loading twice is harmless.

    Args:
        slots: by slot and key the dotted name of a builder, or the builder itself.
        sweeps: by name what is called with the time at every round of the sweeper.
        starts: by name what is called with the time before a site starts all its workers: none is alive then.
    """
    for slot, builders in slots.items():
        _builders[slot] |= builders
    _sweeps.update(sweeps or {})
    _starts.update(starts or {})


def fill(slot: str, **context: Any) -> Iterator[Any]:
    """Yield what each builder of the slot makes of the context, in the order of their keys.

    A builder that has nothing to show returns None.
    """
    for _, builder in sorted(_builders[slot].items()):
        made = _found(builder)(**context)
        if made is not None:
            yield made


def supplied(slot: str) -> Mapping[str, Any]:
    """Return what a slot was filled with, by key: as it is, not called."""
    return {key: _found(named) for key, named in _builders[slot].items()}


def registered() -> Mapping[str, Sweep]:
    return {name: _found(sweep) for name, sweep in _sweeps.items()}


def starts() -> Mapping[str, Sweep]:
    return {name: _found(deed) for name, deed in _starts.items()}


def _found(named: Any) -> Any:
    return import_string(named) if isinstance(named, str) else named
