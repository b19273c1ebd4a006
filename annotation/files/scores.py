"""What a person declares of a judge or a metric, and what its name and its scores suggest.

* What a person decided of a file of scores: its columns, its judges and metrics, its words.
* A record of a table of scores, read by its mapping: one score, or one for each column.
* What a person decided of a file of figures of other benchmarks: its columns, and what holds for all rows.
* A record of a table of figures of other benchmarks, read by its mapping.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import Field

from annotation.common import scales
from annotation.common.names import NameKind
from annotation.files import cells, mappings
from annotation.files import columns as targets
from annotation.files.cells import FileProblem, FileRecord, Unfit, excerpt, is_blank
from annotation.files.columns import Target
from annotation.files.mappings import (
    MAX_NAME,
    MOST_OF_SCALE,
    WHERE_SEVERAL,
    Answerer,
    Called,
    ColumnTarget,
    FileMapping,
    MarkedRow,
    NumberedReader,
    ReleaseOfAll,
    Words,
    release,
)
from annotation.files.synonyms import TRUTHS
from annotation.files.values import CRITERION as CRITERIA
from annotation.files.values import RATER, Names, Survey, ValueReader
from evalsite.kinds import Choice, Text, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask
from evalsite.records import Record as Said

METRIC, JUDGE = "METRIC", "JUDGE"
KINDS = (METRIC, JUDGE)
DECIMALS = 4
MOST_NAME: Final = 120
#: Scores from which on a judge that uses less than so much of its range is asked about.
MANY, LITTLE, MOST = 20, 0.4, 0.75
#: What the only criterion of a machine is called where nothing else is said.
UNNAMED = "score"
#: Signs that two names have in common at least, where one is short for the other.
SHORTEST = 3

_JUDGE = re.compile(
    r"gpt|llm|judge|claude|gemini|llama|mi[sx]tral|qwen|deepseek|prometheus|palm|pandalm|chatglm|vicuna"
    r"|glm|kimi[- ]?k\d|grok|davinci|auto-?j\b|(?:^|[^a-z\d])o[134](?:-|$)|g-?eval|fusion|评委|裁判",
    re.IGNORECASE,
)
_LOWER_IS_BETTER = re.compile(
    r"(?:^|[^a-z])(?:[twcmt]er|ppl|nll|mae|mse|rmse)(?:$|[^a-z])"
    r"|perplex|error|loss|toxic|distance|hallucinat|latenc|duration|runtime|response_?time|cost|price"
    r"|困惑|错误|毒性",
    re.IGNORECASE,
)
#: Ranges in use, the narrowest first.
_RANGES = ((0, 1), (-1, 1), (1, 3), (1, 5), (0, 5), (1, 10), (0, 10), (0, 100))
#: Those of grades in whole numbers.
_WHOLE = ((0, 2), (0, 3))
#: Words that stand for numbers wherever they are used.
_WORDS = {"true": "1", "false": "0", "yes": "1", "no": "0", "pass": "1", "fail": "0"}


@dataclass(frozen=True, slots=True)
class Machine(Said):
    """What a judge or a metric is; an end of its range that is left out is open.

    With `criterion` it holds for that one alone, else for all of which nothing else is said.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"kind"})

    name: Annotated[str, NameKind(MAX_NAME)]
    kind: Annotated[
        str,
        Choice(KINDS, titles=((METRIC, _("metric")), (JUDGE, _("judge")))),
        Ask(_("Kind")),
    ] = METRIC
    minimum: Annotated[str, Text(MOST_OF_SCALE), Field(alias="min"), Ask(_("Lowest score"))] = ""
    maximum: Annotated[str, Text(MOST_OF_SCALE), Field(alias="max"), Ask(_("Highest score"))] = ""
    higher_is_better: Annotated[bool, YesNo()] = True
    family: Annotated[str, NameKind(80, empty=True), Ask(_("Family of its model"))] = ""
    criterion: Annotated[str, NameKind(MAX_NAME, empty=True)] = ""
    #: Nobody has confirmed the range.
    guessed: Annotated[bool, YesNo()] = False

    def ends(self) -> tuple[Decimal | None, Decimal | None]:
        """Return the lowest and the highest score; None where the range is open.

        Raises:
            ValueError: they are no numbers, have too many decimals, or lie the wrong way round.
        """
        low, high = _end(self.minimum), _end(self.maximum)
        if low is not None and high is not None and low >= high:
            raise ValueError("The lowest score must lie below the highest.")
        return low, high


@dataclass(slots=True)
class Seen:
    """What was found of a machine, or of one of its criteria, in the rows that were looked at."""

    name: str
    n: int = 0
    n_worded: int = 0
    low: float = math.inf
    high: float = -math.inf
    whole: bool = True
    words: dict[str, None] = field(default_factory=dict)
    criteria: "dict[str, Seen]" = field(default_factory=dict)

    def add(self, value: float, criterion: str = "", *, worded: bool = False) -> None:
        self.n += 1
        self.n_worded += worded
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.whole = self.whole and value == int(value)
        if criterion:
            part = self.criteria.setdefault(criterion, Seen(criterion))
            part.add(value, worded=worded)

    @property
    def is_share(self) -> bool:
        """Whether the scores look like shares or probabilities, which no rubric's levels do."""
        return self.n > 0 and not self.whole and self.low >= 0 and self.high <= 1

    def parts(self) -> "Iterator[tuple[str, Seen]]":
        """Yield what a range is declared of: each of several criteria by its name, else the whole."""
        several = len(self.criteria) > 1
        for name, part in (self.criteria or {"": self}).items():
            yield name if several else "", part

    def as_dict(self) -> dict[str, Any]:
        ends = {"low": self.low, "high": self.high} if self.n else {}
        counts = {"n": self.n, "n_worded": self.n_worded, "whole": self.whole}
        return {"name": self.name, **counts, **ends} | (
            {"criteria": [one.as_dict() for one in self.criteria.values()]} if self.criteria else {}
        )

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> "Seen":
        criteria = [cls.from_dict(one) for one in stored.get("criteria", ())]
        return cls(**{**stored, "criteria": {one.name: one for one in criteria}})


Ends = tuple[Decimal | None, Decimal | None]


@dataclass(frozen=True, slots=True)
class KnownScales:
    """What a project says already: the scales of its rubrics' criteria, and of machines it knows.

    `scales` are by the plain name of the criterion, `known` by machine and criterion; `words` are the
    numbers that words of the file stand for.
    """

    scales: Mapping[str, Sequence[Ends]] = field(default_factory=dict)
    known: Mapping[tuple[str, str], Ends] = field(default_factory=dict)
    words: Sequence[Decimal] = ()

    def scales_of(self, part: "Seen", *, judge: bool) -> Sequence[Ends]:
        """Return the scales that rubrics have for a criterion: of its name, else of its beginning."""
        wanted = plain_name(part.name)
        if found := self.scales.get(wanted):
            return found
        for name, found in self.scales.items():
            short, long = sorted((name, wanted), key=len)
            if len(short) >= SHORTEST and long.startswith(short):
                return found
        every = {ends for found in self.scales.values() for ends in found}
        # A judge's only mark is compared with whatever people graded.
        return tuple(every) if judge and wanted == UNNAMED and len(every) == 1 else ()

    def ends_of_words(self, part: "Seen") -> Ends | None:
        """Return the range of scores that are all written in words."""
        if not part.n or part.n_worded < part.n or len(set(self.words)) < 2:
            return None
        return min(self.words), max(self.words)


NOTHING = KnownScales()


def is_judge(name: str) -> bool:
    """Say whether a name is that of a language model, as judges are called."""
    return _JUDGE.search(name) is not None


def plain_name(criterion: str) -> str:
    """Return what two names have in common that mean the same criterion."""
    return "".join(sign for sign in criterion.casefold() if sign.isalnum())


def suggest(seen: Seen, standing: KnownScales = NOTHING) -> list[Machine]:
    """Return what to declare of a machine: a range for each criterion where they are several."""
    kind = JUDGE if is_judge(seen.name) else METRIC
    better = _LOWER_IS_BETTER.search(seen.name) is None
    return [
        Machine(
            seen.name,
            kind,
            *_suggest_ends(seen, part, standing, judge=kind == JUDGE),
            better,
            "",
            criterion,
            guessed=True,
        )
        for criterion, part in seen.parts()
    ]


def _suggest_ends(seen: Seen, part: Seen, standing: KnownScales, *, judge: bool) -> tuple[str, str]:
    """Return the range of a criterion: as it is known, else as the rubric has it, else by its scores."""
    known = standing.known.get((seen.name, part.name))
    worded = standing.ends_of_words(part)
    ruled = () if part.is_share else standing.scales_of(part, judge=judge)
    first = [known, *ruled, worded]
    for low, high in (ends for ends in first if ends is not None):
        if not part.n or (within(part.low, low, high) and within(part.high, low, high)):
            return tuple(scales.text(end) if end is not None else "" for end in (low, high))  # type: ignore[return-value]
    own, all_ = suggest_range(part), suggest_range(seen)
    # One scale for all its criteria, if it is used from end to end in whole numbers.
    return all_ if seen.whole and _reaches(seen, all_) else own


def suggest_range(seen: Seen) -> tuple[str, str]:
    """Return the narrowest usual range that holds the scores; open ends where none does."""
    if not seen.n:
        return "", ""
    for low, high in sorted((*_RANGES, *(_WHOLE if seen.whole else ())), key=_width):
        if low <= seen.low and seen.high <= high:
            return str(low), str(high)
    return ("0" if seen.low >= 0 else ""), ""


def _width(ends: tuple[int, int]) -> int:
    return ends[1] - ends[0]


def _reaches(seen: Seen, ends: tuple[str, str]) -> bool:
    return all(ends) and (seen.low, seen.high) == (float(ends[0]), float(ends[1]))


def doubt(one: Machine, whole: Seen, part: Seen, standing: KnownScales) -> tuple[str, str]:
    """Return why the range of a criterion is to be confirmed, as a code, and what it clashes with.

    Args:
        one: what is declared of the machine on this criterion.
        whole: all scores of the machine in the file.
        part: its scores on this criterion.
        standing: what the project has.
    """
    ends = one.ends()
    if not one.guessed:
        return "", ""
    known = standing.known.get((one.name, part.name))
    if known is not None:
        return ("range_known", _said(known)) if known != ends else ("", "")
    # What is named like a metric is asked about too where it scored a criterion of a rubric.
    is_judge = one.kind == JUDGE
    ruled = standing.scales_of(part, judge=is_judge)
    if not part.n or (not is_judge and (not ruled or part.is_share)):
        return "", ""
    if ruled and ends not in ruled:
        return "range_of_rubric", _said(ruled[0])
    if len(set(ruled)) > 1:
        return "range_of_rubrics", ", ".join(map(_said, ruled))
    if ends == standing.ends_of_words(part):
        return "", ""
    return _doubt_of_use(one, whole, part, ruled=bool(ruled)) if is_judge else "", ""


def _doubt_of_use(one: Machine, whole: Seen, part: Seen, *, ruled: bool) -> str:
    """Return why the scores do not show that this is their range."""
    low, high = one.ends()
    if low is None or high is None:
        return "range_guessed"
    used = (part.high - part.low) / float(high - low)
    if ruled:
        return "range_little_used" if part.n >= MANY and used < LITTLE else ""
    ends = (one.minimum, one.maximum)
    if part.whole:
        return (
            ""
            if _reaches(part, ends) or (whole.whole and _reaches(whole, ends))
            else "range_guessed"
        )
    return "" if used >= MOST else "range_guessed"


def _said(ends: Ends) -> str:
    return " – ".join("…" if end is None else scales.text(end) for end in ends)


def declared_for(machines: Iterable[Machine], name: str, criterion: str) -> Machine | None:
    """Return what is declared of a machine on a criterion; none if nothing is."""
    found = {one.criterion: one for one in machines if one.name == name}
    said = found.get(criterion) or found.get("")
    return replace(said, criterion=criterion) if said else None


def completed(
    declared: Iterable[Machine], seen: Iterable[Seen], standing: KnownScales
) -> Iterator[Machine]:
    """Yield what was declared, and a suggestion for every criterion of which nothing was."""
    said = list(declared)
    yield from said
    kinds = {one.name: one for one in reversed(said)}
    for one in seen:
        for guess in suggest(one, standing):
            if declared_for(said, one.name, guess.criterion) is None:
                of = kinds.get(one.name)
                yield replace(guess, kind=of.kind, family=of.family) if of else guess


def suggest_words(words: Iterable[str]) -> dict[str, str]:
    """Return the words of a file with the numbers they usually stand for, "" where none is usual."""
    return {word: _WORDS.get(word.casefold(), "") for word in words}


def within(value: float, low: Decimal | None, high: Decimal | None) -> bool:
    """Return whether a score lies in a range, as it is written rather than as it is stored."""
    exact = Decimal(repr(value))
    return (low is None or low <= exact) and (high is None or exact <= high)


def _end(written: str) -> Decimal | None:
    if not written.strip():
        return None
    number = scales.parse(written)
    if number != round(number, DECIMALS):
        raise ValueError(f"The end of a range has at most {DECIMALS} decimals.")
    return number


CRITERION = UNNAMED

#: What is left out where nothing is said: a mapping without it is the same as before it was there.
_LATER = ("criterion", "guessed")
_NOT_BEFORE = ("system", "criterion")
_OF_LONG = (Target.OUTCOME, Target.REASON, Target.TEXT)


@dataclass(frozen=True, slots=True)
class ScoreMapping(FileMapping):
    """Scores of judges and metrics; what `machines` (as JSON) does not tell is taken as the scores suggest.

    A range that is a mere guess, or clashes with a rubric or with what is known, is refused: tell it.
    """

    places: tuple[ColumnTarget, ...]
    machines: tuple[Machine, ...] = ()
    release: Annotated[str, ReleaseOfAll, Ask(_("Release that was scored"), WHERE_SEVERAL)] = ""
    rater: Annotated[str, Called, Ask(_("Judge or metric, if no column says"))] = ""
    words: Words = field(default_factory=dict)
    system: Answerer = ""
    criterion: Annotated[str, Called, Ask(_("What was scored, if no column says"))] = ""

    def machine(self, name: str, criterion: str) -> Machine | None:
        """Return what is declared of a judge or a metric on a criterion."""
        return declared_for(self.machines, name, criterion)

    def as_dict(self) -> dict[str, Any]:
        plain = mappings.as_plain(self)
        plain["machines"] = sorted(
            (
                {name: value for name, value in one.items() if value or name not in _LATER}
                for one in plain["machines"]
            ),
            key=lambda one: (one["name"], one.get("criterion", "")),
        )
        return {name: value for name, value in plain.items() if value or name not in _NOT_BEFORE}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Self:
        machines = tuple(Machine(**one) for one in stored["machines"])
        return replace(super(ScoreMapping, cls).from_dict(stored), machines=machines)

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        found = mappings.common_faults(
            self.places,
            columns,
            targets.SCORES,
            self.release,
            self.rater,
            self.system,
            self.criterion,
        )
        used = {place.target for place in self.places}
        found += [
            FileProblem(code)
            for code, wrong in (
                ("no_item_column", Target.ITEM not in used),
                ("no_system_column", Target.SYSTEM not in used and not self.system),
                ("no_score_column", not used & {Target.VALUE, Target.SCORE}),
                ("long_and_wide", used >= {Target.VALUE, Target.SCORE}),
                ("detail_in_wide_table", Target.SCORE in used and bool(used & {*_OF_LONG})),
                (
                    "no_machine_column",
                    Target.VALUE in used and Target.RATER not in used and not self.rater.strip(),
                ),
            )
            if wrong
        ]
        return [*found, *self._column_faults(), *self._machine_faults(), *self._word_faults()]

    def _column_faults(self) -> list[FileProblem]:
        used = {place.target for place in self.places}
        wide = [one for one in self.places if one.target == Target.SCORE]
        if Target.RATER in used:  # then the columns are criteria
            return []
        found = mappings.missing_names(wide, Target.SCORE, () if self.rater else ("rater",))
        pairs = [self.pair_of(one) for one in wide]
        found += [
            FileProblem("score_twice", found=f"{rater}, {criterion}")
            for (rater, criterion), n in Counter(pairs).items()
            if n > 1
        ]
        by_row = Target.CRITERION in used
        named = {one.name for one in self.machines}
        bare = [
            rater
            for rater, criterion in pairs
            if rater
            and (
                rater not in named
                if by_row
                else declared_for(self.machines, rater, criterion) is None
            )
        ]
        return found + [
            FileProblem("undeclared_machine", found=name) for name in dict.fromkeys(bare)
        ]

    def pair_of(self, place: ColumnTarget) -> tuple[str, str]:
        """Return whose scores stand in a column, and of what, as far as no other column says so."""
        if self.column(Target.RATER):
            return "", place.criterion or place.column
        criterion = "" if self.column(Target.CRITERION) else self.criterion or CRITERION
        return place.rater or self.rater, place.criterion or criterion

    def _machine_faults(self) -> list[FileProblem]:
        found = []
        counts = Counter((one.name, one.criterion) for one in self.machines)
        found += [
            FileProblem("machine_twice", found=", ".join(filter(None, pair)))
            for pair, n in counts.items()
            if n > 1
        ]
        kinds = Counter(name for name, _kind in {(one.name, one.kind) for one in self.machines})
        found += [FileProblem("two_kinds", found=name) for name, n in kinds.items() if n > 1]
        for one in self.machines:
            if one.kind not in KINDS:
                found.append(FileProblem("unknown_kind", found=one.name))
            try:
                one.ends()
            except ValueError as problem:
                found.append(
                    FileProblem("bad_range", found=one.name, facts={"reason": str(problem)})
                )
        return found

    def _word_faults(self) -> list[FileProblem]:
        found = []
        for word, written in self.words.items():
            try:
                scales.parse(written)
            except ValueError:
                found.append(FileProblem("word_without_number", found=word))
        return found


SCORED, UNSCORED, REFUSED, SKIPPED = "SCORED", "UNSCORED", "REFUSED", "SKIPPED"
MAX_REASON = 300

_OUTCOMES = {
    SCORED: "scored ok valid success done",
    REFUSED: "refused refusal declined blocked content_filter",
    UNSCORED: "unscored error failed failure fail invalid unparsed unparsable parse_error timeout",
    SKIPPED: "skipped skip left_out",
}
_OUTCOME_OF = {word: code for code, words in _OUTCOMES.items() for word in words.split()}


@dataclass(slots=True)
class FileScore:
    """One score, or why there is none. `number` counts the cells of the file that may hold one."""

    number: int
    column: str
    rater: str
    criterion: str
    outcome: str = SCORED
    value: float | None = None
    written: str = ""
    label: str = ""
    reason: str = ""
    text: str = ""
    at: datetime | None = None


@dataclass(slots=True, kw_only=True)
class ScoresRow(MarkedRow):
    scores: list[FileScore] = field(default_factory=list)


class ScoresReader(NumberedReader):
    """Reads records one by one; every problem goes with its row.

    A first look has it read before anybody said where all columns go: what has no column is empty.
    """

    def __init__(self, mapping: ScoreMapping, values: ValueReader | None = None) -> None:
        """Make a reader; `values` reads numbers and moments, by what was said of the file."""
        super().__init__(mapping.places)
        self._mapping = mapping
        self._values = values or ValueReader()
        self._names = Names(self._values.told)
        self._wide = [place for place in mapping.places if place.target == Target.SCORE]
        self._words = {word.casefold(): (word, n) for word, n in mapping.words.items()}

    def read(self, record: FileRecord, ordinal: int) -> ScoresRow:
        """Return the scores of a record.

        Args:
            ordinal: how many records stand before it in the file.
        """
        row = ScoresRow(line=record.line, problems=list(record.problems))
        if record.problems:
            return row
        self._tell_new(record, row)
        row.item = self._named(record, row, Target.ITEM)
        row.system = self._named(record, row, Target.SYSTEM) or self._mapping.system
        row.release = self._cell(record, row, Target.RELEASE, release) or self._mapping.release
        row.sample_no = self._cell(record, row, Target.SAMPLE_NO, cells.whole_number)
        if self._wide:
            for place, column in enumerate(self._wide, start=1):
                self._wide_cell(record, row, column, ordinal * len(self._wide) + place)
        elif Target.VALUE in self._column:
            self._long_cell(record, row, ordinal + 1)
        return row

    def look(self, record: FileRecord, survey: Survey) -> None:
        """Have the scores, times and names of a record looked at."""
        if record.problems:
            return
        row = ScoresRow(line=record.line)  # what is wrong in it is told when it is read
        for place in self._wide:
            rater, criterion = self._written_pair(record, row, place)
            self._look(survey, rater, criterion, record.cells.get(place.column))
        if not self._wide and Target.VALUE in self._column:
            rater, criterion = self._written_pair(record, row)
            self._look(survey, rater, criterion, record.cells.get(self._column[Target.VALUE]))
        if Target.AT in self._column:
            survey.moment(record.cells.get(self._column[Target.AT]))
        if number := self._cell(record, row, Target.SAMPLE_NO, cells.whole_number):
            survey.sample(number)

    def _look(self, survey: Survey, rater: str, criterion: str, value: object) -> None:
        survey.name(RATER, rater)
        survey.name(CRITERIA, criterion)
        word = value.strip().casefold() if isinstance(value, str) else ""
        if word not in self._words and (word in TRUTHS or word not in _OUTCOME_OF):
            survey.number((rater, criterion), value)

    def _pair(
        self, record: FileRecord, row: ScoresRow, place: ColumnTarget | None = None
    ) -> tuple[str, str]:
        """Return who gave a score and on what, as they are called here."""
        rater, criterion = self._written_pair(record, row, place)
        return self._names.of(RATER, rater), self._names.of(CRITERIA, criterion)

    def _written_pair(
        self, record: FileRecord, row: ScoresRow, place: ColumnTarget | None = None
    ) -> tuple[str, str]:
        rater, criterion = self._mapping.pair_of(place) if place else ("", "")
        rater = rater or self._cell(record, row, Target.RATER, cells.name) or self._mapping.rater
        criterion = criterion or self._cell(record, row, Target.CRITERION, cells.name) or ""
        return rater, criterion or self._mapping.criterion or CRITERION

    def _wide_cell(
        self, record: FileRecord, row: ScoresRow, place: ColumnTarget, number: int
    ) -> None:
        n_problems = len(row.problems)
        rater, criterion = self._pair(record, row, place)
        if not rater:
            where = self._column.get(Target.RATER, place.column)
            row.problems.append(FileProblem("empty_cell", row.line, where))
        score = FileScore(number, place.column, rater, criterion)
        score.at = self._cell(record, row, Target.AT, self._values.moment)
        found = self._fill(row, score, record.cells.get(place.column))
        if found and len(row.problems) == n_problems:
            row.scores.append(score)
        row.n_empty += not found

    def _long_cell(self, record: FileRecord, row: ScoresRow, number: int) -> None:
        n_problems = len(row.problems)
        rater, criterion = self._pair(record, row)
        if not rater:
            where = self._column.get(Target.RATER, "")
            row.problems.append(FileProblem("empty_cell", row.line, where))
        outcome = self._cell(record, row, Target.OUTCOME, _outcome)
        score = FileScore(number, self._column[Target.VALUE], rater, criterion)
        score.reason = (self._cell(record, row, Target.REASON, cells.text) or "")[:MAX_REASON]
        score.text = self._cell(record, row, Target.TEXT, cells.text) or ""
        score.at = self._cell(record, row, Target.AT, self._values.moment)
        found = self._fill(row, score, record.cells.get(score.column))
        if outcome not in {None, SCORED}:
            self._fail(record, row, score, outcome or "")
        elif not found and outcome == SCORED:
            row.problems.append(FileProblem("scored_without_score", row.line, score.column))
        elif not found and score.reason:
            score.outcome = UNSCORED
        elif not found:
            row.n_empty += 1
            return
        if len(row.problems) == n_problems or all(one.warning for one in row.problems[n_problems:]):
            row.scores.append(score)

    def _fail(self, record: FileRecord, row: ScoresRow, score: FileScore, outcome: str) -> None:
        """Make a failure of a score; a number that stands beside it is told and left out."""
        if score.value is not None:
            column = score.column
            row.problems.append(
                FileProblem("score_of_failure", row.line, column, score.written, warning=True)
            )
        said = cells.name(record.cells.get(self._column[Target.OUTCOME]), MAX_REASON)
        score.outcome, score.value, score.label = outcome, None, ""
        score.reason = score.reason or said

    def _fill(self, row: ScoresRow, score: FileScore, value: object) -> bool:
        """Put what a cell says into a score; return whether it says anything."""
        try:
            found = read_value(value, self._words, self._values)
        except Unfit as unfit:
            shown = excerpt(unfit.found)
            row.problems.append(FileProblem(unfit.code, row.line, score.column, shown))
            return True
        if found is None:
            return False
        score.outcome, score.value, score.written, score.label = found
        score.reason = score.reason or (score.written[:MAX_REASON] if found[1] is None else "")
        return True


def read_value(
    value: object, words: Mapping[str, tuple[str, str]], values: ValueReader
) -> tuple[str, float | None, str, str] | None:
    """Return outcome, number, what is written, and its label; None where there is no score.

    Args:
        value: of the cell.
        words: what stands for numbers, by its small letters: as written, and the number.
        values: reads numbers, by what was said of the file.

    Raises:
        Unfit: it is neither a number nor a word that is known.
    """
    written = "" if is_blank(value) else cells.text(value).strip()
    plain = written.casefold()
    if plain in words:
        label, number = words[plain]
        return SCORED, float(number), written, label[:120]
    try:
        found = values.number(value)
        if found is not None and not math.isfinite(float(found)):
            raise Unfit("no_score", written)
    except Unfit:
        outcome = _OUTCOME_OF.get(plain, SCORED)
        if outcome == SCORED:
            raise Unfit("no_score", written) from None
        return outcome, None, written, ""
    return None if found is None else (SCORED, float(found), written, "")


def survey(
    records: Iterable[FileRecord], mapping: ScoreMapping, values: ValueReader | None = None
) -> dict[str, Seen]:
    """Return what records hold of each judge and metric; nothing that is wrong is told here."""
    reader = ScoresReader(mapping, values)
    wide = [mapping.pair_of(one)[0] for one in mapping.places if one.target == Target.SCORE]
    found = {name: Seen(name) for name in wide if name}
    for ordinal, record in enumerate(records):
        row = reader.read(record, ordinal)
        for score in row.scores:
            seen = found.setdefault(score.rater, Seen(score.rater))
            seen.criteria.setdefault(score.criterion, Seen(score.criterion))
            if score.value is not None:
                seen.add(score.value, score.criterion, worded=bool(score.label))
        for problem in row.problems:
            if problem.code == "no_score" and not problem.warning:
                _hear(found, mapping, record, problem)
    return found


def _hear(
    found: dict[str, Seen], mapping: ScoreMapping, record: FileRecord, problem: FileProblem
) -> None:
    """Take note of a word that stands where a number was expected."""
    by_column = {one.column: one.rater for one in mapping.places if one.target == Target.SCORE}
    rater = by_column.get(problem.column) or mapping.rater
    column = mapping.column(Target.RATER)
    if column:
        rater = str(record.cells.get(column) or rater).strip()
    if rater:
        found.setdefault(rater, Seen(rater)).words.setdefault(problem.found)


def _outcome(value: object) -> str:
    word = cells.text(value).strip().casefold().replace(" ", "_")
    if word not in _OUTCOME_OF:
        raise Unfit("unknown_outcome", value)
    return _OUTCOME_OF[word]


@dataclass(frozen=True, slots=True)
class FigureMapping(FileMapping):
    """Figures of other benchmarks; `figure` and `release` hold where no column says so."""

    places: tuple[ColumnTarget, ...]
    figure: Annotated[
        str,
        Text(MOST_NAME),
        Ask(
            _("Figure, where no column names one"),
            _("Such as a benchmark’s name; train loss is compared with test loss."),
        ),
    ] = ""
    release: Annotated[str, ReleaseOfAll, Ask(_("Release that was measured"), WHERE_SEVERAL)] = ""

    def faults(self, columns: Iterable[str]) -> list[FileProblem]:
        """Return why this mapping cannot be used on these columns."""
        used = {place.target for place in self.places}
        return mappings.common_faults(self.places, columns, targets.FIGURES) + [
            FileProblem(code)
            for code, wrong in (
                ("no_figure_system", Target.SYSTEM not in used),
                ("no_figure_column", Target.FIGURE not in used and not self.figure.strip()),
                ("no_figure_value_column", Target.VALUE not in used),
            )
            if wrong
        ]


FIGURE_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?%?")


@dataclass(slots=True)
class FigureRow:
    """A figure of a system; no value where the cell is empty."""

    line: int
    number: int = 0
    system: str = ""
    release: str = ""
    dataset: str = ""
    figure: str = ""
    value: float | None = None
    problems: list[FileProblem] = field(default_factory=list)
    is_empty: bool = False


def _short(value: object) -> str:
    return cells.name(value, MOST_NAME)


class FigureReader(NumberedReader):
    """Reads records one by one; every problem goes with its row."""

    def __init__(self, mapping: FigureMapping) -> None:
        super().__init__(mapping.places)
        self._mapping = mapping

    def read(self, record: FileRecord, number: int) -> FigureRow:
        row = FigureRow(record.line, number, problems=list(record.problems))
        if record.problems:
            return row
        self._tell_new(record, row)
        row.system = self._named(record, row, Target.SYSTEM)
        row.release = self._cell(record, row, Target.RELEASE, cells.name, "")
        row.release = row.release or self._mapping.release.strip()
        row.dataset = self._cell(record, row, Target.DATASET, _short, "")
        row.figure = self._mapping.figure.strip()
        if row.figure:
            row.figure = self._cell(record, row, Target.FIGURE, _short, row.figure)
        else:
            row.figure = self._named(record, row, Target.FIGURE, parse=_short)
        row.value = self._value(record, row)
        return row

    def _value(self, record: FileRecord, row: FigureRow) -> float | None:
        column = self._mapping.column(Target.VALUE)
        written = record.cells.get(column)
        if is_blank(written):
            row.is_empty = True
            return None
        plain = cells.text(written).strip().replace("−", "-")
        value = float(plain.rstrip("%")) if FIGURE_NUMBER.fullmatch(plain) else math.nan
        if not math.isfinite(value):
            row.problems.append(FileProblem("no_figure_value", record.line, column, excerpt(plain)))
            return None
        return value
