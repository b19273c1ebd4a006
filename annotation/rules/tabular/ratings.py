"""A record of a table of grades, read by its mapping: one grade, or one for each column."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from annotation.rules import scales
from annotation.rules.tabular import cells, mappings
from annotation.rules.tabular.cells import Unfit
from annotation.rules.tabular.mappings import GradeMapping, Place
from annotation.rules.tabular.problems import Problem, excerpt
from annotation.rules.tabular.records import Record, is_blank
from annotation.rules.tabular.targets import Target


@dataclass(slots=True)
class Cell:
    """One grade. `number` counts the cells of the file that may hold one."""

    number: int
    column: str
    rater: str
    criterion: str
    value: Decimal
    at: datetime | None = None
    comment: str = ""


@dataclass(slots=True)
class Row:
    line: int
    item: str = ""
    system: str = ""
    release: str = ""
    sample_no: int | None = None
    cells: list[Cell] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    n_empty: int = 0


class Reader:
    """Reads records one by one; every problem goes with its row."""

    def __init__(self, mapping: GradeMapping) -> None:
        self._mapping = mapping
        self._known = {place.column for place in mapping.places}
        self._column = {place.target: place.column for place in mapping.places}
        self._wide = [place for place in mapping.places if place.target == Target.GRADE]

    def read(self, record: Record, ordinal: int) -> Row:
        """Return the grades of a record.

        Args:
            ordinal: how many records stand before it in the file.
        """
        row = Row(record.line, problems=list(record.problems))
        if record.problems:
            return row
        for name in record.cells.keys() - self._known:
            row.problems.append(Problem("new_column", record.line, name))
        row.item = self._named(record, row, Target.ITEM)
        row.system = self._named(record, row, Target.SYSTEM)
        row.release = self._cell(record, row, Target.RELEASE, _release) or self._mapping.release
        row.sample_no = self._cell(record, row, Target.SAMPLE_NO, cells.whole_number)
        if self._wide:
            for place, column in enumerate(self._wide, start=1):
                self._wide_cell(record, row, column, ordinal * len(self._wide) + place)
        else:
            self._long_cell(record, row, ordinal + 1)
        return row

    def _wide_cell(self, record: Record, row: Row, place: Place, number: int) -> None:
        value = record.cells.get(place.column)
        if is_blank(value):
            row.n_empty += 1
            return
        number_value = self._parse(row, place.column, value, _value)
        if number_value is not None:
            criterion = self._mapping.criterion(place.criterion)
            row.cells.append(Cell(number, place.column, place.rater, criterion, number_value))

    def _long_cell(self, record: Record, row: Row, number: int) -> None:
        rater = self._cell(record, row, Target.RATER, cells.name) or self._mapping.rater
        if not rater and Target.RATER in self._column:
            row.problems.append(Problem("empty_cell", row.line, self._column[Target.RATER]))
        criterion = self._named(record, row, Target.CRITERION)
        column = self._column[Target.VALUE]
        if is_blank(value := record.cells.get(column)):
            row.problems.append(Problem("empty_cell", row.line, column))
            return
        number_value = self._parse(row, column, value, _value)
        given_at = self._cell(record, row, Target.AT, _moment)
        comment = self._cell(record, row, Target.COMMENT, cells.text) or ""
        if number_value is not None and rater and criterion:
            row.cells.append(
                Cell(
                    number,
                    column,
                    rater,
                    self._mapping.criterion(criterion),
                    number_value,
                    given_at,
                    comment,
                )
            )

    def _named(self, record: Record, row: Row, target: Target) -> str:
        before = len(row.problems)
        named: str | None = self._cell(record, row, target, cells.name)
        if not named and len(row.problems) == before:
            row.problems.append(Problem("empty_cell", row.line, self._column[target]))
        return named or ""

    def _cell(
        self, record: Record, row: Row, target: Target, parse: Callable[[Any], Any]
    ) -> Any | None:
        column = self._column.get(target)
        if column is None or is_blank(value := record.cells.get(column)):
            return None
        return self._parse(row, column, value, parse)

    def _parse(
        self, row: Row, column: str, value: object, parse: Callable[[Any], Any]
    ) -> Any | None:
        try:
            return parse(value)
        except Unfit as unfit:
            found = excerpt(unfit.found)
            row.problems.append(Problem(unfit.code, row.line, column, found, unfit.facts))
            return None


def _value(value: object) -> Decimal:
    written = cells.text(value)
    try:
        return scales.parse(written)
    except ValueError as problem:
        raise Unfit("not_a_number", value, reason=str(problem)) from problem


def _moment(value: object) -> datetime:
    written = cells.text(value).strip()
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as problem:
        raise Unfit("no_moment", value) from problem
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _release(value: object) -> str:
    return cells.name(value, mappings.MAX_RELEASE)
