"""A record of a table of scores, read by its mapping: one score, or one for each column."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from annotation.rules.tabular import cells, mappings, ratings
from annotation.rules.tabular.cells import Unfit
from annotation.rules.tabular.machines import Seen
from annotation.rules.tabular.mappings import Place
from annotation.rules.tabular.problems import Problem, excerpt
from annotation.rules.tabular.records import Record, is_blank
from annotation.rules.tabular.score_mappings import CRITERION, ScoreMapping
from annotation.rules.tabular.targets import Target

SCORED, UNSCORED, REFUSED, SKIPPED = "SCORED", "UNSCORED", "REFUSED", "SKIPPED"
MAX_REASON = 300

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_OUTCOMES = {
    SCORED: "scored ok valid success done",
    REFUSED: "refused refusal declined blocked content_filter",
    UNSCORED: "unscored error failed failure fail invalid unparsed unparsable parse_error timeout",
    SKIPPED: "skipped skip left_out",
}
_OUTCOME_OF = {word: code for code, words in _OUTCOMES.items() for word in words.split()}


@dataclass(slots=True)
class Score:
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


@dataclass(slots=True)
class Row:
    line: int
    item: str = ""
    system: str = ""
    release: str = ""
    sample_no: int | None = None
    scores: list[Score] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    n_empty: int = 0


class Reader:
    """Reads records one by one; every problem goes with its row.

    A first look has it read before anybody said where all columns go: what has no column is empty.
    """

    def __init__(self, mapping: ScoreMapping) -> None:
        self._mapping = mapping
        self._known = {place.column for place in mapping.places}
        self._column = {place.target: place.column for place in mapping.places}
        self._wide = [place for place in mapping.places if place.target == Target.SCORE]
        self._words = {word.casefold(): (word, n) for word, n in mapping.words.items()}

    def read(self, record: Record, ordinal: int) -> Row:
        """Return the scores of a record.

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
        elif Target.VALUE in self._column:
            self._long_cell(record, row, ordinal + 1)
        return row

    def _wide_cell(self, record: Record, row: Row, place: Place, number: int) -> None:
        n_problems = len(row.problems)
        score = Score(number, place.column, place.rater, place.criterion or CRITERION)
        found = self._fill(row, score, record.cells.get(place.column))
        if found and len(row.problems) == n_problems:
            row.scores.append(score)
        row.n_empty += not found

    def _long_cell(self, record: Record, row: Row, number: int) -> None:
        n_problems = len(row.problems)
        rater = self._cell(record, row, Target.RATER, cells.name) or self._mapping.rater
        if not rater:
            where = self._column.get(Target.RATER, "")
            row.problems.append(Problem("empty_cell", row.line, where))
        criterion = self._cell(record, row, Target.CRITERION, cells.name) or CRITERION
        outcome = self._cell(record, row, Target.OUTCOME, _outcome)
        score = Score(number, self._column[Target.VALUE], rater, criterion)
        score.reason = (self._cell(record, row, Target.REASON, cells.text) or "")[:MAX_REASON]
        score.text = self._cell(record, row, Target.TEXT, cells.text) or ""
        score.at = self._cell(record, row, Target.AT, ratings.moment)
        found = self._fill(row, score, record.cells.get(score.column))
        if outcome not in {None, SCORED}:
            self._fail(record, row, score, outcome or "")
        elif not found and outcome == SCORED:
            row.problems.append(Problem("scored_without_score", row.line, score.column))
        elif not found and score.reason:
            score.outcome = UNSCORED
        elif not found:
            row.n_empty += 1
            return
        if len(row.problems) == n_problems or all(one.warning for one in row.problems[n_problems:]):
            row.scores.append(score)

    def _fail(self, record: Record, row: Row, score: Score, outcome: str) -> None:
        """Make a failure of a score; a number that stands beside it is told and left out."""
        if score.value is not None:
            column = score.column
            row.problems.append(
                Problem("score_of_failure", row.line, column, score.written, warning=True)
            )
        said = cells.name(record.cells.get(self._column[Target.OUTCOME]), MAX_REASON)
        score.outcome, score.value, score.label = outcome, None, ""
        score.reason = score.reason or said

    def _fill(self, row: Row, score: Score, value: object) -> bool:
        """Put what a cell says into a score; return whether it says anything."""
        try:
            found = read_value(value, self._words)
        except Unfit as unfit:
            shown = excerpt(unfit.found)
            row.problems.append(Problem(unfit.code, row.line, score.column, shown))
            return True
        if found is None:
            return False
        score.outcome, score.value, score.written, score.label = found
        score.reason = score.reason or (score.written[:MAX_REASON] if found[1] is None else "")
        return True

    def _named(self, record: Record, row: Row, target: Target) -> str:
        before = len(row.problems)
        named: str | None = self._cell(record, row, target, cells.name)
        if not named and len(row.problems) == before and target in self._column:
            row.problems.append(Problem("empty_cell", row.line, self._column[target]))
        return named or ""

    def _cell(
        self, record: Record, row: Row, target: Target, parse: Callable[[Any], Any]
    ) -> Any | None:
        column = self._column.get(target)
        if column is None or is_blank(value := record.cells.get(column)):
            return None
        try:
            return parse(value)
        except Unfit as unfit:
            found = excerpt(unfit.found)
            row.problems.append(Problem(unfit.code, row.line, column, found, unfit.facts))
            return None


def read_value(
    value: object, words: Mapping[str, tuple[str, str]]
) -> tuple[str, float | None, str, str] | None:
    """Return outcome, number, what is written, and its label; None where there is no score.

    Args:
        value: of the cell.
        words: what stands for numbers, by its small letters: as written, and the number.

    Raises:
        Unfit: it is neither a number nor a word that is known.
    """
    if is_blank(value):
        return None
    written = cells.text(value).strip()
    plain = written.casefold()
    if plain in words:
        label, number = words[plain]
        return SCORED, float(number), written, label[:120]
    if cells.is_missing(plain):
        return None
    if _NUMBER.fullmatch(written):
        number_value = float(written)
        if math.isfinite(number_value):
            return SCORED, number_value, written, ""
    outcome = _OUTCOME_OF.get(plain, SCORED)
    if outcome == SCORED:
        raise Unfit("no_score", written)
    return outcome, None, written, ""


def survey(records: Iterable[Record], mapping: ScoreMapping) -> dict[str, Seen]:
    """Return what records hold of each judge and metric; nothing that is wrong is told here."""
    reader = Reader(mapping)
    found: dict[str, Seen] = {one.rater: Seen(one.rater) for one in reader._wide if one.rater}
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


def _hear(found: dict[str, Seen], mapping: ScoreMapping, record: Record, problem: Problem) -> None:
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


def _release(value: object) -> str:
    return cells.name(value, mappings.MAX_RELEASE)
