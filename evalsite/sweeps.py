"""What the sweeper does every few seconds. Apps register their sweeps in AppConfig.ready()."""

from collections.abc import Callable, Mapping
from datetime import datetime

Sweep = Callable[[datetime], object]
_sweeps: dict[str, Sweep] = {}
_starts: dict[str, Sweep] = {}


def register(name: str, sweep: Sweep) -> None:
    """Have `sweep(now)` called at every round of the sweeper. A name registered again replaces the first."""
    _sweeps[name] = sweep


def registered() -> Mapping[str, Sweep]:
    return dict(_sweeps)


def register_start(name: str, deed: Sweep) -> None:
    """Have `deed(now)` called before a site starts all its workers: none of them is alive then."""
    _starts[name] = deed


def starts() -> Mapping[str, Sweep]:
    return dict(_starts)
