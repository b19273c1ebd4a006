"""A record that says which of two answers is better: the question, both answers, who chose, and what.

* What a person says of such a file: its columns, and what holds for all of its rows.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Final

from annotation.common import names
from annotation.files import cells, mappings
from annotation.files import columns as targets
from annotation.files.answers import AnswersReader, AnswersRow, FileAnswer
from annotation.files.asks import FileAsk, Told
from annotation.files.cells import FileProblem, FileRecord, Unfit
from annotation.files.columns import Target
from annotation.files.mappings import (
    MAX_NAME,
    WHERE_SEVERAL,
    AnswerMapping,
    Called,
    ColumnTarget,
    FileMapping,
    ReleaseOfAll,
)
from annotation.files.values import CRITERION, RATER, Names, Survey, ValueReader, fold
from evalsite.kinds import ByName, Text
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask

#: The values of a choice, as rubrics have them (`annotation.rubrics.rules.CHOICES`).
A, TIE, B, BOTH_BAD = 2, 3, 4, 6
MUCH_A, MUCH_B = 1, 5
#: What is asked of raters that look like machines, and of choices that are numbers.
MACHINES, NUMBERS = "machine_choices", "choice_numbers"
#: What is asked of a word that names a side, and the system at the other side as well.
NAMED, SYSTEMS, SIDES = "choice_names", "systems", "sides"
LEAVE_OUT, PEOPLE = "leave_out", "people"
#: So many names or numbers are told of where they are asked about.
TOLD: Final = 5

_SIGNS: Final = re.compile(r"[^\w<>=+]+")
_STEMS: Final = ("model", "system", "answer", "response", "output", "assistant", "option")
_ZH_STEMS: Final = ("", "模型", "系统", "回答", "答案")


def _side_words(side: str, number: str, sign: str, value: int, much: int) -> dict[str, int]:
    """Return the words that say that one side is better, or much better."""
    named = [side, *(f"{stem} {end}" for stem in _STEMS for end in (side, number))]
    zh = [f"{stem}{side}" for stem in _ZH_STEMS]
    return {
        **{f"{one}{end}": value for one in named for end in ("", " is better", " better", " wins")},
        **{f"{one}{end}": much for one in named for end in (" is much better", " much better")},
        **{f"{one}{end}": value for one in zh for end in ("", "更好", " 更好", "胜")},
        **{f"{one}{end}": much for one in zh for end in ("好得多", " 好得多")},
        f"a{sign}b": value,
        f"a{sign}{sign}b": much,
    }


_WORDS: Final = {
    **_side_words("a", "1", ">", A, MUCH_A),
    **_side_words("b", "2", "<", B, MUCH_B),
    **dict.fromkeys(("left", "first", "left is better"), A),
    **dict.fromkeys(("right", "second", "right is better"), B),
    **dict.fromkeys(
        (
            *("tie", "tied", "draw", "equal", "same", "about the same", "no preference", "a=b"),
            *("equally good", "both good", "both are good", "both", "both equal", "neutral"),
            *("no difference", "tie both good", "tie bothgood", "tie inconsistent"),
            *("平局", "平手", "差不多", "一样", "一样好", "相同", "都好"),
        ),
        TIE,
    ),
    **dict.fromkeys(
        (
            *("tie bothbad", "tie both bad", "bothbad", "both bad", "both are bad", "neither"),
            *("equally bad", "both are equally bad", "neither is good"),
            *("都不好", "都差", "都很差", "一样差"),
        ),
        BOTH_BAD,
    ),
}
#: What numbers may mean, by the answer of a person: the choice of each.
_HALF: Final = Decimal("1.5")
_NUMBERS: Final[Mapping[str, Mapping[Decimal, int]]] = {
    "one_two": {Decimal(0): TIE, Decimal(1): A, _HALF: TIE, Decimal(2): B, Decimal(3): TIE},
    "zero_one": {Decimal(0): A, Decimal("0.5"): TIE, Decimal(1): B},
    "one_zero": {Decimal(1): A, Decimal("0.5"): TIE, Decimal(0): B},
    "steps": {Decimal(value): value for value in (MUCH_A, A, TIE, B, MUCH_B, BOTH_BAD)},
    "minus_a": {
        Decimal(-2): MUCH_A,
        Decimal(-1): A,
        Decimal(0): TIE,
        Decimal(1): B,
        Decimal(2): MUCH_B,
    },
    "minus_b": {
        Decimal(2): MUCH_A,
        Decimal(1): A,
        Decimal(0): TIE,
        Decimal(-1): B,
        Decimal(-2): MUCH_B,
    },
}


#: What is compared where nobody says it.
DEFAULT: Final = "Better"


@dataclass(frozen=True, slots=True)
class PairMapping(FileMapping):
    """Which of two answers people preferred, as a round of its own; questions and answers come with it.

    By `rubric` (key@version), which asks for choices; else one is made and called `new_rubric`. The
    systems, `criterion` and `rater` hold where no column says so. `words` has by word of the file the
    choice that it means, as JSON: A, B, tie, both bad.
    """

    places: tuple[ColumnTarget, ...]
    round_name: Annotated[str, names.NameKind(MAX_NAME), Ask(_("Shown under the name"))]
    rubric: Annotated[str, Text(MAX_NAME), Ask(_("Chosen by the rubric"))] = ""
    new_rubric: Annotated[str, Called, Ask(_("Name of the new rubric"))] = ""
    criterion: Annotated[str, Called, Ask(_("What was compared, if no column says"))] = DEFAULT
    rater: Annotated[str, Called, Ask(_("Who chose, where no column says so"))] = ""
    system_a: Annotated[str, Called, Ask(_("Who answered A, where no column says so"))] = ""
    system_b: Annotated[str, Called, Ask(_("Who answered B, where no column says so"))] = ""
    release: Annotated[str, ReleaseOfAll, Ask(_("Release that answered"), WHERE_SEVERAL)] = ""
    words: Annotated[
        Mapping[str, str],
        ByName(),
        Ask(
            _("Words for choices"),
            _("As in the file = A, B, tie or both bad. Example: Old = A"),
            blank=True,
        ),
    ] = field(default_factory=dict)

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        given = (self.round_name, self.criterion, self.rater, self.system_a, self.system_b)
        found = mappings.common_faults(self.places, columns, targets.PAIRS, *given)
        used = {place.target for place in self.places}
        told = used & {Target.QUESTION, Target.MESSAGES}
        found += [
            FileProblem(code)
            for code, wrong in (
                ("question_and_messages", len(told) == 2),
                ("no_item_column", not told and Target.EXTERNAL_ID not in used),
                ("no_system_a", Target.SYSTEM_A not in used and not self.system_a),
                ("no_system_b", Target.SYSTEM_B not in used and not self.system_b),
                ("no_choice_column", Target.CHOICE not in used),
                ("no_chooser", Target.RATER not in used and not self.rater),
                ("no_criterion_column", Target.CRITERION not in used and not self.criterion),
                ("no_round_name", not self.round_name.strip()),
                ("no_choice_rubric", bool(self.rubric) == bool(self.new_rubric.strip())),
            )
            if wrong
        ]
        return [*found, *self._word_faults()]

    def _word_faults(self) -> Iterator[FileProblem]:
        for word, meant in self.words.items():
            if choice_of(meant) is None:
                yield FileProblem("word_no_choice", found=word, facts={"meant": meant})

    def for_answers(self) -> AnswerMapping:
        """Return what reads the questions and the answers of the same rows."""
        return AnswerMapping(self.places, release=self.release, whole_conversation=True)


def choice_of(word: str) -> int | None:
    """Return the value of a choice in words; None where they are known for none."""
    return _WORDS.get(" ".join(_SIGNS.sub(" ", word.replace("_", " ").casefold()).split()))


@dataclass(slots=True)
class PairSide:
    """One of the two: whose answer it is, and the answer where the row has it."""

    system: str
    release: str
    sample_no: int | None = None
    answer: FileAnswer | None = None


@dataclass(slots=True)
class PairRow(AnswersRow):
    """A record that was read; `number` counts the records of the file."""

    number: int = 0
    sides: list[PairSide] = field(default_factory=list)
    rater: str = ""
    criterion: str = ""
    #: None where nobody chose.
    value: int | None = None
    at: datetime | None = None
    comment: str = ""
    #: Whether a machine chose that a person said to leave out.
    is_left_out: bool = False


class PairReader(AnswersReader):
    """Reads records one by one; every problem goes with its row.

    Args:
        mapping: where the columns go.
        values: reads times, and what was answered of the file.
        labels: the values of a rubric's choices by their words in small letters.
        criteria: the keys of its criteria by what a file may call them, as `fold` has it.
        is_machine: says whether a rater is called as machines are.
    """

    def __init__(
        self,
        mapping: PairMapping,
        values: ValueReader | None = None,
        labels: Mapping[str, int] | None = None,
        criteria: Mapping[str, str] | None = None,
        is_machine: Any = lambda name: False,
    ) -> None:
        self._values = values or ValueReader()
        super().__init__(mapping.for_answers(), self._values.told)
        self._pairs = mapping
        self._told_names = Names(self._values.told)
        self._labels = labels or {}
        self._criteria = criteria or {}
        self._is_machine = is_machine
        self._words = {word.casefold(): choice_of(meant) for word, meant in mapping.words.items()}
        self._numbers = _NUMBERS.get(self._values.told.get(NUMBERS, ""), {})
        self._n_read = 0

    def skip(self, records: Sequence[FileRecord]) -> None:
        """Count records that were read before."""
        self._n_read += len(records)

    def next(self, records: Sequence[FileRecord]) -> list[PairRow]:
        """Read the records that follow."""
        start = self._n_read
        self.skip(records)
        return [self.pair(record, number) for number, record in enumerate(records, start + 1)]

    def pair(self, record: FileRecord, number: int) -> PairRow:
        """Return what a record says; it is the `number`th of its file."""
        read = self.read(record)
        row = PairRow(**{one.name: getattr(read, one.name) for one in fields(read)}, number=number)
        if record.problems:
            return row
        answers = {one.column: one for one in row.answers}
        row.sides = [
            self._side(record, row, answers, *one)
            for one in (
                (Target.SYSTEM_A, Target.RELEASE_A, Target.SAMPLE_A, Target.ANSWER_A),
                (Target.SYSTEM_B, Target.RELEASE_B, Target.SAMPLE_B, Target.ANSWER_B),
            )
        ]
        row.rater = self._told_names.of(RATER, self._rater(record, row))
        written = self._named(record, row, Target.CRITERION, self._pairs.criterion)
        row.criterion = self._criteria.get(fold(written)) or self._told_names.of(CRITERION, written)
        row.value = self._value(record, row)
        row.at = self._cell(record, row, Target.AT, self._values.moment)
        row.comment = self._cell(record, row, Target.COMMENT, cells.text) or ""
        told = self._values.told.get(MACHINES)
        row.is_left_out = told != PEOPLE and self._is_machine(row.rater)
        return row

    def look(self, record: FileRecord, survey: Survey, seen: "ChoicesSeen") -> None:
        """Have the names, times and choices of a record looked at."""
        if record.problems:
            return
        row = PairRow(record.line)  # what is wrong in it is told when it is read
        rater = self._rater(record, row)
        survey.name(RATER, rater)
        if self._is_machine(rater):
            seen.machines[rater] += 1
        written = self._named(record, row, Target.CRITERION, self._pairs.criterion)
        if fold(written) not in self._criteria:
            survey.name(CRITERION, written)
        if Target.AT in self._column:
            survey.moment(record.cells.get(self._column[Target.AT]))
        value = record.cells.get(self._column.get(Target.CHOICE, ""))
        readings = self._readings(record, row, value)
        if len(readings) > 1:
            seen.named[str(value).strip()] += 1
        if not self._values.is_missing(value) and not readings:
            number = _number(value)
            if number is not None:
                seen.numbers[number] += 1

    def _answers(self, record: FileRecord, row: AnswersRow, trailing: list[Any]) -> None:
        """Read what both sides said, where the row has it."""
        for system, release, sample, answer in (
            (Target.SYSTEM_A, Target.RELEASE_A, Target.SAMPLE_A, Target.ANSWER_A),
            (Target.SYSTEM_B, Target.RELEASE_B, Target.SAMPLE_B, Target.ANSWER_B),
        ):
            if answer in self._column and not cells.is_blank(
                value := record.cells.get(column := self._column[answer])
            ):
                named = (self._system_of(record, row, system), self._release(record, row, release))
                number = self._cell(record, row, sample, cells.whole_number, 1)
                self._answer(record, row, column, value, named, number)

    def _side(
        self,
        record: FileRecord,
        row: PairRow,
        answers: Mapping[str, FileAnswer],
        *of: Target,
    ) -> PairSide:
        system, release, sample, answer = of
        name = self._system_of(record, row, system)
        column = self._column.get(system)
        if not name and column and all(one.column != column for one in row.problems):
            row.problems.append(FileProblem("empty_cell", row.line, column))
        return PairSide(
            name,
            self._release(record, row, release),
            self._cell(record, row, sample, cells.whole_number),
            answers.get(self._column.get(answer, "")),
        )

    def _system_of(self, record: FileRecord, row: AnswersRow, target: Target) -> str:
        of_all = {Target.SYSTEM_A: self._pairs.system_a, Target.SYSTEM_B: self._pairs.system_b}
        return self._cell(record, row, target, cells.name, "") or of_all[target]

    def _release(self, record: FileRecord, row: AnswersRow, target: Target) -> str:
        return self._cell(record, row, target, mappings.release, "") or self._pairs.release

    def _rater(self, record: FileRecord, row: PairRow) -> str:
        return self._named(record, row, Target.RATER, self._pairs.rater)

    def _value(self, record: FileRecord, row: PairRow) -> int | None:
        """Return what was chosen; None where nothing was, or what is written is no choice."""
        column = self._column[Target.CHOICE]
        value = record.cells.get(column)
        if self._word(record, row, value) is None and self._values.is_missing(value):
            row.n_empty += 1
            row.problems.append(FileProblem("no_choice_here", row.line, column, warning=True))
            return None
        try:
            found = self._word(record, row, value)
            number = _number(value) if found is None else None
            found = self._numbers.get(number) if number is not None else found
            if found is None:
                raise Unfit("no_choice", value)
        except Unfit as unfit:
            row.problems.append(
                FileProblem(unfit.code, row.line, column, cells.excerpt(unfit.found), unfit.facts)
            )
            return None
        return found

    def _word(self, record: FileRecord, row: PairRow, value: object) -> int | None:
        """Return the choice that a cell says in words; of two readings the one that somebody chose."""
        readings = self._readings(record, row, value)
        by_system = self._values.told.get(NAMED) == SYSTEMS
        return readings[-1 if by_system else 0] if readings else None

    def _readings(self, record: FileRecord, row: PairRow, value: object) -> list[int]:
        """Return what a cell may say in words: a side or a tie, or last the name of one of the two."""
        if not isinstance(value, str) or not value.strip():
            return []
        word = " ".join(value.split()).casefold()
        if word in self._words:
            return [] if (meant := self._words[word]) is None else [meant]
        if word in self._labels:
            return [self._labels[word]]
        known = choice_of(value)
        found = [] if known is None else [known]
        names = [
            fold(self._system_of(record, PairRow(row.line), one))
            for one in (Target.SYSTEM_A, Target.SYSTEM_B)
        ]
        if names[0] != names[1] and word in names:
            named = (A, B)[names.index(word)]
            found += [named] if named != known else []
        return found


@dataclass(slots=True)
class ChoicesSeen:
    """What a whole file shows that only a person can tell: machines, numbers, names like sides."""

    machines: Counter[str] = field(default_factory=Counter)
    numbers: Counter[Decimal] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)

    def asks(self, told: Told) -> list[FileAsk]:
        """Return what is to be asked; nothing is suggested."""
        found = []
        if self.numbers or NUMBERS in told:
            fitting = tuple(
                key for key, known in _NUMBERS.items() if self.numbers.keys() <= known.keys()
            )
            shown = ", ".join(f"{one.normalize():f}" for one in sorted(self.numbers)[:TOLD])
            facts = {"n": str(self.numbers.total())}
            if fitting:
                found.append(FileAsk(NUMBERS, NUMBERS, fitting, found=shown, facts=facts))
        if self.named:
            names = ", ".join(name for name, _n in self.named.most_common(TOLD))
            facts = {"n": str(self.named.total())}
            found.append(FileAsk(NAMED, NAMED, (SYSTEMS, SIDES), found=names, facts=facts))
        if self.machines:
            names = ", ".join(name for name, _n in self.machines.most_common(TOLD))
            facts = {"n": str(self.machines.total())}
            options = (LEAVE_OUT, PEOPLE)
            found.append(FileAsk(MACHINES, MACHINES, options, found=names, facts=facts))
        return found


def _number(value: object) -> Decimal | None:
    """Return the number that a cell is; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    written = str(value).strip().replace("−", "-")
    if not cells.is_number(written):
        return None
    try:
        return Decimal(written.replace(",", ".")).normalize() + 0
    except ArithmeticError:
        return None
