"""The rubrics that come with the product, to start from."""

import functools
import json
from typing import Any

from django.conf import settings

Entry = dict[str, Any]


@functools.cache
def _read() -> tuple[Entry, ...]:
    path = settings.BASE_DIR / "fixtures" / "rubrics" / "lalaeval.json"
    return tuple(json.loads(path.read_text(encoding="utf-8")))


def list_rubrics() -> list[Entry]:
    """Return the example rubrics as the fixture writes them."""
    return list(_read())


def rubric(key: str) -> Entry | None:
    return next((entry for entry in _read() if entry["key"] == key), None)
