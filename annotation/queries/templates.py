"""What a new project can begin from: the templates that come with the product, and what is in them."""

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evalsite import env

FOLDER = env.BASE_DIR / "fixtures" / "templates"


@dataclass(frozen=True)
class Area:
    """A subject area as a preview shows it."""

    name: str
    priority: str
    in_scope: bool
    depth: int


@dataclass(frozen=True)
class Template:
    """A beginning: areas, capabilities, rubrics, a checklist (the usual one if empty), a plan."""

    key: str
    name: str
    summary: str
    body: Mapping[str, Any]

    @property
    def areas(self) -> list[Area]:
        return list(_areas(self.body["domains"], 0))

    @property
    def capabilities(self) -> list[Mapping[str, Any]]:
        return list(self.body["capabilities"])

    @property
    def rubrics(self) -> list[str]:
        return [one["name"] for one in self.body["rubrics"]]

    @property
    def n_lines(self) -> int:
        return len(self.body["checklist"])

    @property
    def n_wanted(self) -> int:
        return sum(one["wanted"] for one in self.body["plan"])


def list_templates() -> list[Template]:
    """Return the templates, the shortest first."""
    found = [_read(path) for path in sorted(FOLDER.glob("*.json"))]
    return sorted(found, key=lambda one: (len(one.capabilities), one.name))


def find(key: str) -> Template | None:
    return next((one for one in list_templates() if one.key == key), None)


@functools.cache
def _read(path: Path) -> Template:
    body = json.loads(path.read_text(encoding="utf-8"))
    return Template(key=body["key"], name=body["name"], summary=body["summary"], body=body)


def _areas(nodes: list[Mapping[str, Any]], depth: int) -> Iterator[Area]:
    for one in nodes:
        yield Area(one["name"], one["priority"], one["in_scope"], depth)
        yield from _areas(one["children"], depth + 1)
