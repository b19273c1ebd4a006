"""A record of a table of grades, read by its mapping: one grade, or one for each column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from annotation.common import scales
from annotation.files import cells, mappings
from annotation.files.cells import Problem, Record, Unfit, excerpt, is_blank
from annotation.files.columns import Target
from annotation.files.mappings import GradeMapping, Place

#: The numbers of levels by their labels in small letters, by the key of their criterion.
Labels = Mapping[str, Mapping[str, Decimal]]


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

    def __init__(self, mapping: GradeMapping, labels: Labels | None = None) -> None:
        """Make a reader; `labels` are the words of the rubric's levels, criterion by criterion."""
        self._mapping = mapping
        self._words = {word.casefold(): number for word, number in mapping.words.items()}
        self._labels = labels or {}
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
        if self._is_missing(value):
            row.n_empty += 1
            return
        rater = place.rater or self._rater(record, row)
        written = place.criterion or self._named(record, row, Target.CRITERION)
        criterion = self._mapping.criterion(written)
        number_value = self._parse(row, place.column, value, self._reading(criterion))
        if number_value is not None and rater and criterion:
            given_at = self._cell(record, row, Target.AT, moment)
            row.cells.append(Cell(number, place.column, rater, criterion, number_value, given_at))

    def _long_cell(self, record: Record, row: Row, number: int) -> None:
        rater = self._rater(record, row)
        criterion = self._named(record, row, Target.CRITERION)
        column = self._column[Target.VALUE]
        if self._is_missing(value := record.cells.get(column)):
            row.n_empty += 1
            row.problems.append(Problem("no_grade_here", row.line, column, warning=True))
            return
        named = self._mapping.criterion(criterion)
        number_value = self._parse(row, column, value, self._reading(named))
        given_at = self._cell(record, row, Target.AT, moment)
        comment = self._cell(record, row, Target.COMMENT, cells.text) or ""
        if number_value is not None and rater and criterion:
            row.cells.append(
                Cell(
                    number,
                    column,
                    rater,
                    named,
                    number_value,
                    given_at,
                    comment,
                )
            )

    def _rater(self, record: Record, row: Row) -> str:
        """Return who gave the grades of a row; empty, with the reason, where nobody is named."""
        before = len(row.problems)
        rater: str = self._cell(record, row, Target.RATER, cells.name) or self._mapping.rater
        if not rater and Target.RATER in self._column and len(row.problems) == before:
            row.problems.append(Problem("empty_cell", row.line, self._column[Target.RATER]))
        return rater

    def _is_missing(self, value: object) -> bool:
        if is_blank(value):
            return True
        word = value.strip().casefold() if isinstance(value, str) else ""
        return word not in self._words and cells.is_missing(word)

    def _reading(self, criterion: str) -> Callable[[Any], Decimal]:
        """Return what reads a cell of a criterion: a number, or a word that stands for one."""
        labels = self._labels.get(criterion, {})

        def read(value: object) -> Decimal:
            word = cells.text(value).strip().casefold()
            if word in self._words:
                return scales.parse(self._words[word])
            return labels[word] if word in labels else _value(value)

        return read

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


def moment(value: object) -> datetime:
    """Return a moment; one without a time zone is of the universal one.

    Raises:
        Unfit: it is none.
    """
    written = cells.text(value).strip()
    try:
        found = datetime.fromisoformat(written)
    except ValueError as problem:
        raise Unfit("no_moment", value) from problem
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _release(value: object) -> str:
    return cells.name(value, mappings.MAX_RELEASE)
