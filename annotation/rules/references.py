"""Texts that a good answer may resemble, kept with an item beside its one standard answer."""

from collections.abc import Mapping
from typing import Any

#: Where an item keeps them, among its extra fields. No annotator is shown them.
FIELD = "references"


def of(extra: Mapping[str, Any]) -> list[str]:
    """Return the reference texts of an item: those of a list, or the one there is."""
    found = extra.get(FIELD)
    texts = found if isinstance(found, list) else [found]
    return [one for one in texts if isinstance(one, str) and one.strip()]
