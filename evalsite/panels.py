"""Named slots on pages that another app fills. annotation's pages offer them, scoring fills them.

* What the sweeper does every few seconds. Apps register their sweeps in AppConfig.ready().
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

Builder = Callable[..., Any]

_builders: dict[str, dict[str, Builder]] = defaultdict(dict)


def register(slot: str, key: str, builder: Builder) -> None:
    """Fill a slot. The same key twice replaces, so that importing twice is harmless."""
    _builders[slot][key] = builder


def fill(slot: str, **context: Any) -> Iterator[Any]:
    """Yield what each builder of the slot makes of the context, in the order of their keys.

    A builder that has nothing to show returns None.
    """
    for _, builder in sorted(_builders[slot].items()):
        made = builder(**context)
        if made is not None:
            yield made


Sweep = Callable[[datetime], object]
_sweeps: dict[str, Sweep] = {}
_starts: dict[str, Sweep] = {}


def register_sweep(name: str, sweep: Sweep) -> None:
    """Have `sweep(now)` called at every round of the sweeper. A name registered again replaces the first."""
    _sweeps[name] = sweep


def registered() -> Mapping[str, Sweep]:
    return dict(_sweeps)


def register_start(name: str, deed: Sweep) -> None:
    """Have `deed(now)` called before a site starts all its workers: none of them is alive then."""
    _starts[name] = deed


def starts() -> Mapping[str, Sweep]:
    return dict(_starts)
