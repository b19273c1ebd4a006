"""What a person decided of a file's columns. Two mappings are the same if their content is.

A mapping is a record: what holds for a whole file is asked on the page, taken by the API and given to a
command as its fields say.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import Field

from annotation.common import names, scales
from annotation.common import texts as contents
from annotation.common.parts import PartLevel
from annotation.files import cells
from annotation.files import columns as targets
from annotation.files.asks import KIND
from annotation.files.cells import FileProblem, FileRecord, Unfit
from annotation.files.columns import Guess, Target
from annotation.people.rules import MAX_LANGUAGE
from evalsite.kinds import ByName, Choice, Text, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask
from evalsite.records import Record as Said

MAX_NAME = 200
_NAMES = attrgetter("system", "release", "rater", "criterion")
MAX_RELEASE = 120
MOST_OF_SCALE: Final = 20

#: What holds for a whole file where no column says so.
Called = names.NameKind(MAX_NAME, empty=True)
Answerer = Annotated[str, Called, Ask(_("Who answered, where no column says so"))]
ReleaseOfAll = names.NameKind(MAX_RELEASE, empty=True)
WHERE_SEVERAL: Final = _("Where a system has several and no column says which.")
Words = Annotated[
    Mapping[str, str],
    ByName(),
    Ask(
        _("Words that stand for numbers"),
        _("As in the file = its number. Example: A better = 1"),
        blank=True,
    ),
]
CreateMissing = Annotated[bool, YesNo(), Ask(_("Create missing capabilities and areas"))]


@dataclass(frozen=True, slots=True)
class ColumnTarget:
    """Where one column goes."""

    column: str
    target: str
    system: str = ""
    release: str = ""
    rater: str = ""
    criterion: str = ""


class FileMapping(Said):
    """What the mapping of every kind of file can say."""

    __slots__ = ()

    places: tuple[ColumnTarget, ...]

    def column(self, target: Target) -> str:
        """Return the column that holds this; empty where none does."""
        return column_of(self.places, target)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON values, its columns in the order of their names."""
        return as_plain(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "places": places_of(stored["places"])})

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        raise NotImplementedError


class MappedReader:
    """Reads cells of records where a mapping says; what is wrong is told with the row."""

    def __init__(self, places: Sequence[ColumnTarget]) -> None:
        self._known = {place.column for place in places}
        self._column = {place.target: place.column for place in places}

    def _tell_new(self, record: FileRecord, row: Any) -> None:
        """Tell of columns that the mapping does not know."""
        for name in sorted(record.cells.keys() - self._known):
            row.problems.append(FileProblem("new_column", record.line, name))

    def _named(
        self,
        record: FileRecord,
        row: Any,
        target: Target,
        of_file: str = "",
        parse: Callable[[Any], str] = cells.name,
    ) -> str:
        """Return what a column names, or what holds for the whole file where no column does."""
        if target not in self._column:
            return of_file
        before = len(row.problems)
        parse = cells.item if target == Target.ITEM else parse
        named: str | None = self._cell(record, row, target, parse)
        if not named and len(row.problems) == before:
            row.problems.append(FileProblem("empty_cell", row.line, self._column[target]))
        return named or ""

    def _cell(
        self,
        record: FileRecord,
        row: Any,
        target: str,
        parse: Callable[[Any], Any],
        empty: Any = None,
    ) -> Any:
        column = self._column.get(target)
        if column is None or cells.is_blank(value := record.cells.get(column)):
            return empty
        return self._parse(row, column, value, parse, empty)

    def _parse(
        self, row: Any, column: str, value: object, parse: Callable[[Any], Any], empty: Any = None
    ) -> Any:
        try:
            return parse(value)
        except Unfit as unfit:
            found = cells.excerpt(unfit.found)
            row.problems.append(FileProblem(unfit.code, row.line, column, found, unfit.facts))
            return empty


@dataclass(slots=True, kw_only=True)
class MarkedRow:
    """A record that marks a response: which one, and what is wrong with it."""

    line: int
    item: str = ""
    system: str = ""
    release: str = ""
    sample_no: int | None = None
    problems: list[FileProblem] = field(default_factory=list)
    n_empty: int = 0


class NumberedReader(MappedReader):
    """Reads records of which each has to know how many stand before it."""

    _n_read = 0

    def read(self, record: FileRecord, ordinal: int) -> Any:
        """Return what a record says; so many stand before it in the file."""
        raise NotImplementedError

    def next(self, records: Sequence[FileRecord]) -> list[Any]:
        """Read the records that follow."""
        start = self._n_read
        self.skip(records)
        return [self.read(record, ordinal) for ordinal, record in enumerate(records, start=start)]

    def skip(self, records: Sequence[FileRecord]) -> None:
        self._n_read += len(records)


def release(value: object) -> str:
    return cells.name(value, MAX_RELEASE)


@dataclass(frozen=True, slots=True)
class AnswerMapping(FileMapping):
    """Questions with answers; `system` and `release` hold where no column says so.

    Of an answer in several messages the last one of the assistant is taken, or, if so wished, the
    `whole_conversation`, or each of its `parts`.
    """

    places: tuple[ColumnTarget, ...]
    system: Answerer = ""
    release: Annotated[
        str,
        names.NameKind(MAX_RELEASE),
        Ask(
            _("Release, where none is named"),
            _("Such as a version or a date."),
        ),
    ] = "1"
    create_missing: CreateMissing = False
    whole_conversation: Annotated[
        bool,
        YesNo(),
        Ask(
            _("Show whole conversations as answers"),
            _(
                "Otherwise the assistant’s last message is the answer; the rest is kept but not "
                "shown."
            ),
        ),
    ] = False
    parts: Annotated[
        str,
        Choice(
            (PartLevel.TURN, PartLevel.TOOL_CALL),
            empty=True,
            titles=((PartLevel.TURN, _("each turn")), (PartLevel.TOOL_CALL, _("each tool call"))),
        ),
        Ask(
            _("Grade parts of conversations"),
            _("Each part becomes a question of its own, with what was said before it."),
            none=_("no: the answer"),
        ),
    ] = ""

    @property
    def samples(self) -> bool:
        """Whether columns of answers are numbered samples of the system that a column names."""
        numbers = [one.system for one in self.places if one.target == Target.ANSWER]
        named = bool(self.column(Target.SYSTEM))
        return named and bool(numbers) and all(map(str.isdecimal, numbers))

    def lacks_system(self, answered: Container[str]) -> bool:
        """Say whether nothing tells whose the answers are with which conversations end in these columns."""
        used = {place.target for place in self.places}
        if used & {Target.RESPONSE, Target.ANSWER, Target.SYSTEM} or self.system:
            return False
        return self.column(Target.MESSAGES) in answered

    def as_dict(self) -> dict[str, Any]:
        plain = as_plain(self)
        if not self.whole_conversation:
            del plain["whole_conversation"]  # as before there was the choice
        if not self.parts:
            del plain["parts"]
        return plain

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        found = common_faults(self.places, columns, targets.ANSWERS, self.system, self.release)
        used = {place.target for place in self.places}
        if Target.QUESTION in used and Target.MESSAGES in used:
            found.append(FileProblem("question_and_messages"))
        answered = used & {Target.RESPONSE, Target.ANSWER}
        if not used & {Target.QUESTION, Target.MESSAGES} and not (
            Target.EXTERNAL_ID in used and answered
        ):
            found.append(FileProblem("no_question_column"))
        if len(answered) == 2:
            found.append(FileProblem("long_and_wide"))
        if Target.RESPONSE in used and Target.SYSTEM not in used and not self.system:
            found.append(FileProblem("no_system_column"))
        if Target.SYSTEM in used and not (
            used & {Target.RESPONSE, Target.MESSAGES} or self.samples
        ):
            found.append(FileProblem("no_response_column"))
        found += missing_names(self.places, Target.ANSWER, ("system",))
        names = [(one.system, one.release) for one in self.places if one.target == Target.ANSWER]
        found += [
            FileProblem("system_twice", found=name)
            for (name, _), n in Counter(names).items()
            if n > 1
        ]
        return found


@dataclass(frozen=True, slots=True)
class QuestionMapping(FileMapping):
    """Questions for the bank; what stands beside the file holds where a row says nothing.

    `capability` and `domain` are names or paths; `author` is the user name of whose drafts they become,
    empty for whoever imports.
    """

    places: tuple[ColumnTarget, ...]
    capability: Annotated[str, Text(), Ask(_("Capability, where a row names none"))] = ""
    difficulty: Annotated[
        str,
        Choice(cells.DIFFICULTIES, empty=True),
        Ask(_("Difficulty, where a row names none")),
    ] = ""
    domain: Annotated[str, Text(), Ask(_("Subject area, where a row names none"))] = ""
    language: Annotated[
        str,
        Text(MAX_LANGUAGE),
        Ask(_("Language, where a row names none"), _("As en, de or zh.")),
    ] = ""
    author: Annotated[
        str,
        Text(),
        Ask(
            _("Author of the drafts"),
            _("Only the author edits and submits a draft."),
        ),
    ] = ""
    new_versions: Annotated[
        bool,
        YesNo(),
        Ask(
            _("Changed questions become new versions"),
            _(
                "Otherwise a row that differs from the bank’s question is reported, and nothing "
                "is imported."
            ),
        ),
    ] = False
    create_missing: CreateMissing = False
    make_sources: Annotated[
        bool,
        YesNo(),
        Ask(
            _("Add sources that are missing"),
            _("Title and address only."),
        ),
    ] = False

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        found = common_faults(self.places, columns, targets.QUESTIONS)
        used = {place.target for place in self.places}
        asked = used & {Target.QUESTION, Target.MESSAGES}
        single = used & {Target.SOURCE_TITLE, Target.SOURCE_ADDRESS}
        return found + [
            FileProblem(code)
            for code, wrong in (
                ("question_and_messages", len(asked) == 2),
                ("no_question_to_bring", not asked),
                ("sources_twice", bool(single) and Target.SOURCES in used),
                ("place_without_source", Target.SOURCE_PLACE in used and not single),
            )
            if wrong
        ]


@dataclass(frozen=True, slots=True)
class FileRubric(Said):
    """A rubric to be made of the criteria of the file; an empty `step` allows any number between.

    Where all grades are labels it needs no scale: `min` and `max` are empty.
    """

    component: ClassVar[str] = "FileBodiesNewRubric"

    name: Annotated[str, names.NameKind(MAX_NAME)]
    minimum: Annotated[str, Text(MOST_OF_SCALE), Field(alias="min")] = ""
    maximum: Annotated[str, Text(MOST_OF_SCALE), Field(alias="max")] = ""
    step: Annotated[str, Text(MOST_OF_SCALE)] = "1"

    @property
    def has_scale(self) -> bool:
        return bool(self.maximum)

    def scale(self) -> scales.Scale:
        """Return the scale of each criterion.

        Raises:
            ValueError: the numbers make no scale; the message says why.
        """
        step = scales.parse(self.step) if self.step else None
        return scales.Scale(scales.parse(self.minimum), scales.parse(self.maximum), step)


@dataclass(frozen=True, slots=True)
class GradeMapping(FileMapping):
    """Grades that people gave elsewhere, as a round of its own.

    By `rubric` (key@version), or by a new one. `system`, `criterion` and `rater` hold where no column
    says so; a system or criterion that is the only one of the project need not be named. `aliases` has
    by name in the file the criterion of the rubric, `words` by word its number, both as JSON.
    """

    places: tuple[ColumnTarget, ...]
    round_name: Annotated[str, names.NameKind(MAX_NAME), Ask(_("Shown under the name"))]
    rubric: Annotated[str, Text(MAX_NAME), Ask(_("Graded by the rubric"))] = ""
    new_rubric: FileRubric | None = None
    release: Annotated[str, ReleaseOfAll, Ask(_("Release that was graded"), WHERE_SEVERAL)] = ""
    rater: Annotated[str, Called, Ask(_("Who graded, where no column says so"))] = ""
    aliases: Annotated[
        Mapping[str, str],
        ByName(),
        Ask(
            _("Other names of criteria"),
            _("As in the file = as in the rubric. Example: coh = coherence"),
            blank=True,
        ),
    ] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    system: Answerer = ""
    criterion: Annotated[str, Called, Ask(_("What was graded, if no column says"))] = ""

    def as_dict(self) -> dict[str, Any]:
        # A mapping without any of these is the same as before there was such a thing.
        later = ("words", "system", "criterion")
        return {name: one for name, one in as_plain(self).items() if one or name not in later}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        made = super(GradeMapping, cls).from_dict(stored)
        rubric = stored["new_rubric"]
        return replace(made, new_rubric=FileRubric(**rubric) if rubric else None)

    @property
    def across(self) -> bool:
        """Whether columns of grades say whose answers they mark."""
        return any(one.system for one in self.places if one.target == Target.GRADE)

    def called(self, written: str) -> str:
        """Return what a criterion of the file is called in the rubric."""
        return self.aliases.get(written, written)

    def criteria(self) -> list[str]:
        """Return the criteria that the columns of a wide table name, in order."""
        wide = [one.criterion for one in self.places if one.target == Target.GRADE]
        return list(dict.fromkeys(self.called(name) for name in wide))

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        given = (self.rater, self.round_name, self.system, self.criterion)
        found = common_faults(self.places, columns, targets.GRADES, *given)
        used = {place.target for place in self.places}
        n_wide = sum(place.target == Target.GRADE for place in self.places)
        found += [
            FileProblem(code)
            for code, wrong in (
                ("no_item_column", Target.ITEM not in used),
                ("no_system_column", not (self.system or self.across or Target.SYSTEM in used)),
                ("no_value_column", not used & {Target.VALUE, Target.GRADE}),
                ("long_and_wide", used >= {Target.VALUE, Target.GRADE}),
                (
                    "no_criterion_column",
                    Target.VALUE in used and Target.CRITERION not in used and not self.criterion,
                ),
                (
                    "no_rater_column",
                    Target.VALUE in used and Target.RATER not in used and not self.rater,
                ),
                ("comment_in_wide_table", n_wide > 1 and Target.COMMENT in used),
                ("no_round_name", not self.round_name.strip()),
                ("no_rubric", bool(self.rubric) == bool(self.new_rubric)),
            )
            if wrong
        ]
        return [*found, *self._grade_faults(), *self._scale_faults()]

    def _grade_faults(self) -> list[FileProblem]:
        used = {place.target for place in self.places}
        # What a column says of every row need not be said of each column of grades.
        by_row = {
            "rater": bool(self.rater) or Target.RATER in used,
            "criterion": bool(self.criterion) or Target.CRITERION in used,
        }
        if self.across:
            by_row["system"] = bool(self.system) or Target.SYSTEM in used
        needed = [name for name, said in by_row.items() if not said]
        found = missing_names(self.places, Target.GRADE, needed)
        cells = [
            (one.rater, self.called(one.criterion), one.system)
            for one in self.places
            if one.target == Target.GRADE
        ]
        return found + [
            FileProblem("cell_twice", found=", ".join(filter(None, names)))
            for names, n in Counter(cells).items()
            if n > 1
        ]

    def _scale_faults(self) -> list[FileProblem]:
        if self.new_rubric is None:
            return []
        if not self.new_rubric.name.strip():
            return [FileProblem("no_rubric_name")]
        try:
            scale = self.new_rubric.scale()
        except ValueError as problem:
            return [FileProblem("bad_scale", facts={"reason": str(problem)})]
        return list(self._word_faults(scale))

    def _word_faults(self, scale: scales.Scale) -> Iterator[FileProblem]:
        for word, written in self.words.items():
            try:
                scale.check(scales.parse(written))
            except ValueError as problem:
                yield FileProblem("word_off_scale", found=word, facts={"reason": str(problem)})


def sha_of(stored: Mapping[str, Any], told: Mapping[str, str]) -> str:
    """Return what tells a mapping, with what a person said of the file, from every other one."""
    answers = {key: said for key, said in told.items() if key != KIND}
    said = {"mapping": stored, "told": answers} if answers else stored
    return hashlib.sha256(contents.canonical(said)).hexdigest()


def decimal(written: str) -> Decimal | None:
    return scales.parse(written) if written else None


def as_plain(mapping: Any) -> dict[str, Any]:
    """Return a mapping as JSON values, its columns in the order of their names."""
    plain = asdict(mapping)
    plain["places"] = sorted(plain["places"], key=lambda one: one["column"])
    return plain


def places_of(stored: Iterable[Mapping[str, str]]) -> tuple[ColumnTarget, ...]:
    return tuple(ColumnTarget(**one) for one in stored)


def written_place(column: str, written: str, guess: Guess) -> ColumnTarget:
    """Return where a column goes, as a program writes it.

    Args:
        written: a target; `answer:SYSTEM:RELEASE` names whose answers stand in the column,
            `grade:RATER:CRITERION:SYSTEM` and `score:JUDGE:CRITERION` whose marks of what.
        guess: what the column's name suggests, for what is not written.
    """
    target, *names = written.split(":")
    if target == Target.ANSWER:
        name = names[0] if names else guess.system or column.rpartition(".")[2]
        return ColumnTarget(column, target, system=name, release=names[1] if len(names) > 1 else "")
    if target in {Target.GRADE, Target.SCORE}:
        guessed = [guess.rater, guess.criterion, guess.system]
        rater, criterion, system = [*names, "", "", ""][:3] if names else guessed
        rater = rater or (column if target == Target.SCORE else "")
        return ColumnTarget(column, target, system, rater=rater, criterion=criterion)
    return ColumnTarget(column, target)


def column_of(places: Iterable[ColumnTarget], target: Target) -> str:
    """Return the column that holds this; empty where none does."""
    return next((place.column for place in places if place.target == target), "")


def common_faults(
    places: Sequence[ColumnTarget], columns: Iterable[str], known: Sequence[Target], *named: str
) -> list[FileProblem]:
    """Return what is wrong with the places of any kind of file, and with names for the whole of it."""
    chosen = {place.column for place in places if place.target}
    found = [
        FileProblem("column_without_target", column=name) for name in columns if name not in chosen
    ]
    found += [
        FileProblem("unknown_target", column=one.column, found=one.target)
        for one in places
        if one.target and one.target not in known
    ]
    counts = Counter(one.target for one in places if one.target not in targets.REPEATABLE)
    found += [
        FileProblem("target_twice", found=name) for name, n in counts.items() if name and n > 1
    ]
    given = [(one.column, name) for one in places for name in _NAMES(one)]
    return found + [
        FileProblem("unseen_sign", None, column, cells.excerpt(name), {"sign": names.called(sign)})
        for column, name in [*given, *(("", name) for name in named)]
        if (sign := names.unseen_in(name))
    ]


def missing_names(
    places: Sequence[ColumnTarget], target: Target, fields: Sequence[str]
) -> list[FileProblem]:
    """Return the columns that need a name and have none that can be used."""
    found = []
    for place in places:
        for name in fields if place.target == target else ():
            value = getattr(place, name).strip()
            if not value or len(value) > MAX_NAME:
                found.append(FileProblem(f"no_{name}_name", column=place.column))
    return found
