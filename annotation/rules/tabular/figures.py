"""A record of a table of figures of other benchmarks, read by its mapping."""

import math
import re
from dataclasses import dataclass, field
from typing import Final

from annotation.rules.tabular import cells
from annotation.rules.tabular.cells import Unfit
from annotation.rules.tabular.figure_mappings import FigureMapping
from annotation.rules.tabular.problems import Problem, excerpt
from annotation.rules.tabular.records import Record, is_blank
from annotation.rules.tabular.targets import Target

MOST_NAME: Final = 120
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?%?")


@dataclass(slots=True)
class Row:
    """A figure of a system; no value where the cell is empty."""

    line: int
    number: int = 0
    system: str = ""
    release: str = ""
    dataset: str = ""
    figure: str = ""
    value: float | None = None
    problems: list[Problem] = field(default_factory=list)
    is_empty: bool = False


class Reader:
    """Reads records one by one; every problem goes with its row."""

    def __init__(self, mapping: FigureMapping) -> None:
        self._mapping = mapping
        self._known = {place.column for place in mapping.places}

    def read(self, record: Record, number: int) -> Row:
        row = Row(record.line, number, problems=list(record.problems))
        if record.problems:
            return row
        row.problems += [
            Problem("new_column", record.line, name)
            for name in sorted(record.cells.keys() - self._known)
        ]
        row.system = self._text(record, row, Target.SYSTEM, must=True)
        row.release = self._text(record, row, Target.RELEASE) or self._mapping.release.strip()
        row.dataset = self._text(record, row, Target.DATASET)
        own = self._mapping.figure.strip()
        row.figure = self._text(record, row, Target.FIGURE, must=not own) or own
        row.value = self._value(record, row)
        return row

    def _text(self, record: Record, row: Row, target: Target, *, must: bool = False) -> str:
        column = self._mapping.column(target)
        value = record.cells.get(column) if column else None
        if is_blank(value):
            if must:
                row.problems.append(Problem("empty_cell", record.line, column))
            return ""
        try:
            most = 200 if target in {Target.SYSTEM, Target.RELEASE} else MOST_NAME
            return cells.name(value, most)
        except Unfit as unfit:
            found = excerpt(unfit.found)
            row.problems.append(Problem(unfit.code, record.line, column, found, unfit.facts))
            return ""

    def _value(self, record: Record, row: Row) -> float | None:
        column = self._mapping.column(Target.VALUE)
        written = record.cells.get(column)
        if is_blank(written):
            row.is_empty = True
            return None
        plain = cells.text(written).strip().replace("−", "-")
        value = float(plain.rstrip("%")) if _NUMBER.fullmatch(plain) else math.nan
        if not math.isfinite(value):
            row.problems.append(Problem("no_figure_value", record.line, column, excerpt(plain)))
            return None
        return value
