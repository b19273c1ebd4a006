"""A record of a table of grades, read by its mapping: one grade, or one for each column."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from annotation.common import scales
from annotation.files import cells
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import FileProblem, FileRecord, Unfit, is_number
from annotation.files.columns import Target
from annotation.files.mappings import ColumnTarget, GradeMapping, MarkedRow, NumberedReader, release
from annotation.files.shapes import parsed as json_of
from annotation.files.values import (
    CRITERION,
    RATER,
    REMEMBERED,
    WORDED,
    Form,
    Names,
    Survey,
    ValueReader,
    fold,
    form_of,
    plain,
)

#: Kinds of mark that are words without order.
LABEL, LABELS = "LABEL", "LABELS"
MOST_OF_LABEL = 120
#: The numbers of levels by their labels in small letters, by the key of their criterion.
Labels = Mapping[str, Mapping[str, Decimal]]
#: What stands between several labels of one cell.
BETWEEN = re.compile(r"\s*(?:;|\|\|\||\n)\s*")
#: Said where no label fits.
NONE = frozenset({"none", "none of these"})


@dataclass(frozen=True, slots=True)
class FileLabels:
    """What a criterion that is made from a file asks for: `mark` is LABEL or LABELS."""

    mark: str
    labels: tuple[str, ...]

    @property
    def places(self) -> dict[str, Decimal]:
        """The numbers of the labels, in small letters."""
        return {name.casefold(): Decimal(no) for no, name in enumerate(self.labels, start=1)}

    def words(self, value: Decimal | None) -> str:
        """Return a number as its labels."""
        if value is None:
            return ""
        chosen = scales.places(value) if self.mark == LABELS else [int(value)]
        return "; ".join(self.labels[place - 1] for place in chosen)


@dataclass(slots=True)
class _LabelWords:
    """The words of a criterion: as whole cells, and divided; each as it is written first."""

    whole: dict[str, str] = field(default_factory=dict)
    parts: dict[str, str] = field(default_factory=dict)
    forms: set[Form | None] = field(default_factory=set)
    has_numbers: bool = False
    has_sets: bool = False
    is_long: bool = False

    def options(self, told: Told) -> tuple[str, ...]:
        """Return what may be made of the words; nothing where they are read as numbers."""
        answered = all(told.get(form) == "no" for form in self.forms if form is not None)
        if (
            self.has_numbers
            or self.is_long
            or not (None in self.forms or (self.forms and answered))
        ):
            return ()
        one = not self.has_sets and 2 <= len(self.whole) <= scales.MOST_LABELS
        least = 1 if self.has_sets else 2
        several = least <= len(self.parts) <= scales.MOST_LABELS
        found = [mark for mark, fits in ((LABEL, one), (LABELS, several)) if fits]
        return (*found, "no") if found else ()


class LabelSurvey:
    """Looks at the words of a file, of which the labels of a new rubric may be made."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._of: dict[str, _LabelWords] = {}

    def number(self, criterion: str) -> None:
        """Note that a word of a criterion stands for a number."""
        self._of.setdefault(criterion, _LabelWords()).has_numbers = True

    def add(self, criterion: str, value: object) -> None:
        """Look at a cell that is not empty."""
        found = self._of.setdefault(criterion, _LabelWords())
        value = json_of(value)
        if isinstance(value, list):
            found.has_sets |= len(value) != 1
            found.forms.add(None)
            parts = [cells.text(one).strip() for one in value]
            whole = parts
        else:
            written = cells.text(value).strip()
            form = form_of(plain(written), decimal_comma=False)
            found.has_numbers |= form is not None and form not in WORDED
            found.forms.add(form)
            whole, parts = [written], BETWEEN.split(written)
        for known, words in ((found.whole, whole), (found.parts, parts)):
            for word in words:
                found.is_long |= len(word) > MOST_OF_LABEL
                if word and len(known) <= scales.MOST_LABELS:
                    known.setdefault(word.casefold(), word)

    def asks(self) -> list[FileAsk]:
        """Return for each criterion of words whether they are its labels: nothing is made unless it is said."""
        return [
            FileAsk(
                f"labels:{criterion}",
                "labels",
                options,
                found=", ".join((seen.whole if LABEL in options else seen.parts).values()),
                facts={"criterion": criterion},
            )
            for criterion, seen in self._of.items()
            if (options := seen.options(self._told))
        ]

    def taken(self, told: Told) -> dict[str, FileLabels]:
        """Return the labels of each criterion that has them, by what was said.

        Until it is said, the first that may be is taken: nothing comes in before.
        """
        found: dict[str, FileLabels] = {}
        for criterion, seen in self._of.items():
            options = seen.options(self._told)
            said = told.get(f"labels:{criterion}", "")
            mark = said if said in options else next(iter(options), "no")
            if mark != "no":
                name = Names(told).of(CRITERION, criterion)
                words = seen.whole if mark == LABEL else seen.parts
                before = found[name].labels if name in found else ()
                several = (
                    mark if not before else LABELS if LABELS in (mark, found[name].mark) else mark
                )
                every = {word.casefold(): word for word in (*words.values(), *before)}
                found[name] = FileLabels(several, tuple(every.values()))
        return found


@dataclass(slots=True)
class GradeCell:
    """One grade. `number` counts the cells of the file that may hold one."""

    number: int
    column: str
    rater: str
    criterion: str
    #: None where the criterion asks for a text.
    value: Decimal | None
    at: datetime | None = None
    comment: str = ""
    text: str = ""


@dataclass(slots=True, kw_only=True)
class GradesRow(MarkedRow):
    cells: list[GradeCell] = field(default_factory=list)


class GradesReader(NumberedReader):
    """Reads records one by one; every problem goes with its row."""

    def __init__(
        self,
        mapping: GradeMapping,
        labels: Labels | None = None,
        values: ValueReader | None = None,
        criteria: Mapping[str, str] | None = None,
        sets: Collection[str] = (),
        texts: Collection[str] = (),
    ) -> None:
        """Make a reader.

        Args:
            mapping: where the columns go.
            labels: the words of the rubric's levels, criterion by criterion.
            values: reads numbers and moments, by what was said of the file.
            criteria: the keys of the rubric's criteria by what a file may call them, as `fold` has it.
            sets: the keys of those criteria that ask for several labels.
            texts: the keys of those that ask for a text.
        """
        super().__init__(mapping.places)
        self._mapping = mapping
        self._words = {word.casefold(): number for word, number in mapping.words.items()}
        self._labels = labels or {}
        self._values = values or ValueReader()
        self._names = Names(self._values.told)
        self._criteria = criteria or {}
        self._sets = sets
        self._texts = texts
        self._aliases = {fold(written): key for written, key in mapping.aliases.items()}
        self._keys: dict[str, str] = {}
        self._wide = [place for place in mapping.places if place.target == Target.GRADE]
        self._across = list(dict.fromkeys(place.system for place in self._wide)) or [""]

    def read(self, record: FileRecord, ordinal: int) -> list[GradesRow]:
        """Return the grades of a record: a row for each system that its columns name, else one.

        Args:
            ordinal: how many records stand before it in the file.
        """
        rows = [self._row(record, ordinal, system) for system in self._across]
        used = [row for row in rows if row.cells or row.problems] or rows[:1]
        used[0].n_empty = sum(row.n_empty for row in rows)
        for other in used[1:]:  # what is wrong with a record is told once
            other.n_empty = 0
            other.problems = [one for one in other.problems if one not in used[0].problems]
        return used

    def _row(self, record: FileRecord, ordinal: int, system: str) -> GradesRow:
        row = GradesRow(line=record.line, problems=list(record.problems))
        if record.problems:
            return row
        self._tell_new(record, row)
        row.item = self._named(record, row, Target.ITEM)
        row.system = system or self._named(record, row, Target.SYSTEM, self._mapping.system)
        row.release = self._cell(record, row, Target.RELEASE, release) or self._mapping.release
        row.sample_no = self._cell(record, row, Target.SAMPLE_NO, cells.whole_number)
        if self._wide:
            for place, column in enumerate(self._wide, start=1):
                if column.system == system:
                    self._wide_cell(record, row, column, ordinal * len(self._wide) + place)
        else:
            self._long_cell(record, row, ordinal + 1)
        return row

    def look(self, record: FileRecord, survey: Survey, labels: LabelSurvey | None = None) -> None:
        """Have the grades, times and names of a record looked at; `labels` where a rubric is made of them."""
        if record.problems:
            return
        if self._wide:
            for place in self._wide:
                value = record.cells.get(place.column)
                self._look(record, survey, labels, value, place.rater, place.criterion)
        elif Target.VALUE in self._column:
            self._look(record, survey, labels, record.cells.get(self._column[Target.VALUE]))
        if Target.AT in self._column:
            survey.moment(record.cells.get(self._column[Target.AT]))

    def _look(
        self,
        record: FileRecord,
        survey: Survey,
        labels: LabelSurvey | None,
        value: object,
        rater: str = "",
        criterion: str = "",
    ) -> None:
        row = GradesRow(line=record.line)  # what is wrong in it is told when it is read
        survey.name(RATER, rater or self._written_rater(record, row))
        written = criterion or self._written_criterion(record, row)
        key = self._key_of(written)
        if not key:
            survey.name(CRITERION, written)
        named = key or written
        is_word = self._is_word(value, named)
        if not is_word:
            survey.number((named,), value)
        if labels is not None and not self._is_missing(value):
            if is_word:
                labels.number(named)
            else:
                labels.add(named, value)

    def _wide_cell(
        self, record: FileRecord, row: GradesRow, place: ColumnTarget, number: int
    ) -> None:
        value = record.cells.get(place.column)
        if self._is_missing(value):
            row.n_empty += 1
            return
        rater = self._rater(record, row, place.rater)
        criterion = self._criterion(record, row, place.criterion)
        found = self._parse(row, place.column, value, self._reading(criterion))
        if found is not None and rater and criterion:
            given_at = self._cell(record, row, Target.AT, self._values.moment)
            said = self._cell(record, row, Target.COMMENT, cells.text) or ""
            mark, text = _apart(found)
            row.cells.append(
                GradeCell(number, place.column, rater, criterion, mark, given_at, said, text)
            )

    def _long_cell(self, record: FileRecord, row: GradesRow, number: int) -> None:
        rater = self._rater(record, row)
        criterion = self._criterion(record, row)
        column = self._column[Target.VALUE]
        if self._is_missing(value := record.cells.get(column)):
            row.n_empty += 1
            row.problems.append(FileProblem("no_grade_here", row.line, column, warning=True))
            return
        found = self._parse(row, column, value, self._reading(criterion))
        given_at = self._cell(record, row, Target.AT, self._values.moment)
        comment = self._cell(record, row, Target.COMMENT, cells.text) or ""
        if found is not None and rater and criterion:
            mark, text = _apart(found)
            row.cells.append(
                GradeCell(number, column, rater, criterion, mark, given_at, comment, text)
            )

    def _rater(self, record: FileRecord, row: GradesRow, of_column: str = "") -> str:
        """Return who gave a grade; empty, with the reason, where nobody is named."""
        return self._names.of(RATER, of_column or self._written_rater(record, row))

    def _written_rater(self, record: FileRecord, row: GradesRow) -> str:
        before = len(row.problems)
        rater: str = self._cell(record, row, Target.RATER, cells.name) or self._mapping.rater
        if not rater and Target.RATER in self._column and len(row.problems) == before:
            row.problems.append(FileProblem("empty_cell", row.line, self._column[Target.RATER]))
        return rater

    def _criterion(self, record: FileRecord, row: GradesRow, of_column: str = "") -> str:
        """Return the criterion of a grade as the rubric has it; empty, with the reason, where none is named."""
        written = of_column or self._written_criterion(record, row)
        return self._key_of(written) or self._names.of(CRITERION, written)

    def _written_criterion(self, record: FileRecord, row: GradesRow) -> str:
        return self._named(record, row, Target.CRITERION, self._mapping.criterion)

    def _key_of(self, written: str) -> str:
        """Return which criterion of the rubric a name means: by its alias, else by its key or name."""
        if written not in self._keys:
            alias = self._mapping.aliases.get(written) or self._aliases.get(fold(written), "")
            named = alias or written
            known = self._criteria.values()
            key = named if named in known else self._criteria.get(fold(named), alias)
            if len(self._keys) >= REMEMBERED:
                self._keys.clear()
            self._keys[written] = key
        return self._keys[written]

    def _is_word(self, value: object, criterion: str) -> bool:
        """Say whether a cell holds a word that stands for a number, or is read by its words."""
        if criterion in self._sets or criterion in self._texts:
            return True
        word = value.strip().casefold() if isinstance(value, str) else ""
        return word in self._words or word in self._labels.get(criterion, {})

    def _is_missing(self, value: object) -> bool:
        word = value.strip().casefold() if isinstance(value, str) else ""
        return word not in self._words and self._values.is_missing(value)

    def _reading(self, criterion: str) -> Callable[[Any], Decimal | str]:
        """Return what reads a cell of a criterion: a number, words that stand for one, or a text."""
        labels = self._labels.get(criterion, {})
        if criterion in self._texts:
            return _text
        if criterion in self._sets:
            return lambda value: self._set(labels, value)

        def read(value: object) -> Decimal:
            if isinstance(value, list):
                if len(value) != 1:
                    raise Unfit("several_labels", ", ".join(map(str, value)), name=criterion)
                [value] = value
            word = cells.text(value).strip().casefold()
            if word in self._words:
                return scales.parse(self._words[word])
            return labels[word] if word in labels else self._number(value)

        return read

    def _set(self, labels: Mapping[str, Decimal], value: object) -> Decimal:
        """Return the number of several labels: a list, a text that divides them, or the number itself."""
        value = json_of(value)
        parts = value if isinstance(value, list) else BETWEEN.split(cells.text(value).strip())
        words = [cells.text(one).strip().casefold() for one in parts]
        if words in ([], [""]) or (len(words) == 1 and words[0] in NONE - labels.keys()):
            return Decimal(0)
        if len(words) == 1 and words[0] not in labels and is_number(words[0]):
            return self._number(words[0])
        for word, part in zip(words, parts, strict=True):
            if word not in labels:
                raise Unfit("no_such_label", part, known=", ".join(labels))
        return scales.one_number(int(labels[word]) for word in words)

    def _number(self, value: object) -> Decimal:
        number = self._values.number(value)
        try:
            return scales.parse(scales.text(number or Decimal(0)))
        except ValueError as problem:
            raise Unfit("not_a_number", value, reason=str(problem)) from problem


def _text(value: object) -> str:
    found = cells.joined(value).strip()
    if len(found) > scales.LONGEST_ANSWER:
        raise Unfit("text_too_long", value, most=str(scales.LONGEST_ANSWER))
    return found


def _apart(found: Decimal | str) -> tuple[Decimal | None, str]:
    return (None, found) if isinstance(found, str) else (found, "")
