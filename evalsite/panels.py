"""Named slots on pages that another app fills. annotation's pages offer them, scoring fills them."""

from collections import defaultdict
from collections.abc import Callable, Iterator
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
