"""One row of a file: its line, its cells by column, and what is wrong with it as a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.rules.tabular.problems import Problem, excerpt


@dataclass(slots=True)
class Record:
    line: int
    cells: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()


def broken(code: str, line: int, found: object = "", **facts: str) -> Record:
    """Return a row of which nothing can be used."""
    return Record(line, {}, (Problem(code, line, found=excerpt(found), facts=facts),))


def is_blank(value: object) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())
