"""The grades of a round as text that streams: long as CSV or JSON lines, wide as CSV.

CSV is for spreadsheets: a text that one of them would take for a formula gets an apostrophe in
front. JSON lines hold every text and number exactly as stored.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from annotation.models import Round
from annotation.queries import grade_table
from annotation.queries.grade_facts import CriterionFacts, ItemFacts
from annotation.queries.grade_table import Facts, GradeRow
from annotation.rules import tokens
from scoring.queries.names import Name
from scoring.queries.results import Result

SCORES = (
    "figure",
    "part",
    "of",
    "system",
    "percent",
    "low",
    "high",
    "exact",
    "grades",
    "questions",
    "raters",
    "partial",
    "reason",
    "weights",
    "filters",
)
LINES = 500  # sent at once
ITEMS = 100  # read at once for the wide table

ITEM = ("item", "question", "capability", "difficulty", "domain", "priority")
RELEASE = ("system", "release")
CRITERION = ("criterion", "rubric", "scale_min", "scale_max", "pass_at")
RATER = ("rater", "rater_kind")
SEAT = ("purpose", "occasion")
GRADE = (
    "position",
    "kind",
    "outcome",
    "value",
    "reason",
    "comment",
    "at",
    "active_ms",
    "late",
    "valid",
)
COLUMNS = ("grade", "round", *ITEM, *RELEASE, *CRITERION, *RATER, *SEAT, *GRADE)
WIDE_KEY = (
    "question",
    "item",
    "capability",
    "criterion",
    "scale_min",
    "scale_max",
    "rater",
    "occasion",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def number(value: Decimal | None) -> str:
    """Return a stored number in its shortest exact form: 2, 2.5; nothing for none."""
    if value is None:
        return ""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class Memo(dict[Any, Any]):
    """Remembers what a function makes of few things that come often."""

    def __init__(self, make: Any) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: Any) -> Any:
        made = self[key] = self._make(key)
        return made


def csv_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the long table: one line a grade, late and invalid ones too, oldest first."""
    known = grade_table.facts([round_])
    yield as_csv([COLUMNS])
    item = {pk: _csv_part(_item(one)) for pk, one in known.items.items()}
    release = {pk: _csv_part((one.system, one.label)) for pk, one in names.items()}
    criterion = {id(one): _criterion_csv(one) for one in known.criteria.values()}
    rater = {pk: _csv_part((one.label, one.kind)) for pk, one in known.raters.items()}
    text: Mapping[Any, str] = Memo(number)
    quoted: Mapping[Any, str] = Memo(lambda reason: _csv_part((reason,)))
    for rows in chunks(grade_table.rows(known), LINES):
        yield "".join(
            f"{row.pk},{row.round.number},{item[row.item.pk]},{release[row.release.pk]},"
            f"{criterion[id(row.criterion)]},{rater[row.rater.pk]},"
            f"{row.seat.purpose},{row.seat.occasion},"
            f"{'' if row.position is None else tokens.letter(row.position)},"
            f"{row.grade_kind},{row.outcome},{text[row.value]},"
            f"{quoted[row.reason] if row.reason else ''},"
            f"{_csv_part((row.comment,)) if row.comment else ''},"
            f"{row.at.isoformat() if row.at else ''},"
            f"{'' if row.active_ms is None else row.active_ms},"
            f"{'true' if row.late else 'false'},{'true' if row.valid else 'false'}\r\n"
            for row in rows
        )


def jsonl_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the same as JSON: one object a line, numbers as numbers, what is missing as null."""
    known = grade_table.facts([round_])
    item = {pk: _part(ITEM, _item(one)) for pk, one in known.items.items()}
    release = {pk: _part(RELEASE, (one.system, one.label)) for pk, one in names.items()}
    criterion = {id(one): _criterion_part(one) for one in known.criteria.values()}
    rater = {pk: _part(RATER, (one.label, one.kind)) for pk, one in known.raters.items()}
    text: Mapping[Any, str] = Memo(lambda value: number(value) or "null")
    quoted: Mapping[Any, str] = Memo(_quoted)
    for rows in chunks(grade_table.rows(known), LINES):
        yield "".join(
            f'{{"grade": {row.pk}, "round": {row.round.number}, {item[row.item.pk]}, '
            f"{release[row.release.pk]}, {criterion[id(row.criterion)]}, {rater[row.rater.pk]}, "
            f'"purpose": "{row.seat.purpose}", "occasion": {row.seat.occasion}, '
            f'"position": {_letter(row.position)}, "kind": "{row.grade_kind}", '
            f'"outcome": "{row.outcome}", "value": {text[row.value]}, '
            f'"reason": {quoted[row.reason]}, '
            f'"comment": {_quoted(row.comment) if row.comment else "null"}, '
            f'"at": {_time(row)}, '
            f'"active_ms": {"null" if row.active_ms is None else row.active_ms}, '
            f'"late": {"true" if row.late else "false"}, '
            f'"valid": {"true" if row.valid else "false"}}}\n'
            for row in rows
        )


def score_lines(result: Result, filters: str = "") -> Iterator[str]:
    """Yield scores and accuracies: a line for each part and release.

    Args:
        result: what is written.
        filters: what was looked at, in words; nothing for the usual.
    """
    yield as_csv([SCORES])
    weights = safe("; ".join(f"{title} {weight}" for title, weight in result.weights))
    for figure in ("score", "accuracy"):
        for part in result.parts(figure, criteria=True):
            yield as_csv(
                (
                    figure,
                    safe(part.title),
                    safe(part.below),
                    safe(name.text),
                    cell.value,
                    cell.low,
                    cell.high,
                    cell.exact,
                    cell.n_grades,
                    cell.n_questions,
                    cell.n_raters,
                    safe("; ".join(cell.missing)),
                    safe(cell.why or cell.why_no_interval),
                    weights,
                    safe(filters),
                )
                for name, cell in zip(result.names, part.cells, strict=True)
            )


@dataclass(frozen=True, slots=True)
class WideRow:
    """One question × criterion × rater; a cell holds its mark, or why there is none, as text."""

    item: ItemFacts
    criterion: CriterionFacts
    rater: str
    occasion: int
    cells: Mapping[int, str]


def wide_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the four-dimensional table: a line a question × criterion × rater, a column a release.

    Grades that are late or invalid are left out, as in the figures.
    """
    known = grade_table.facts([round_])
    yield as_csv([(*WIDE_KEY, *(safe(name.text) for name in names.values()))])
    places = round_.items.order_by("ordinal").values_list("item_id", flat=True)
    for items in chunks(dict.fromkeys(places), ITEMS):
        yield as_csv(_wide_line(row, names) for row in wide_rows(known, items))


def wide_rows(known: Facts, items: Sequence[int]) -> list[WideRow]:
    """Return the wide rows of some items: by item as asked, then criterion, rater, occasion.

    Raters come by their keys, never by their names, so that a new name moves no line.
    """
    place = {pk: n for n, pk in enumerate(items)}
    order = {id(one): n for n, one in enumerate(known.criteria.values())}
    found: dict[tuple[int, int, int, int], WideRow] = {}
    for row in grade_table.rows_on(known, items):
        if row.late or not row.valid or row.grade_kind != "GIVEN":
            continue
        key = (
            place[row.item.pk],
            order[id(row.criterion)],
            row.rater.pk,
            row.seat.occasion,
        )
        made = found.get(key) or WideRow(
            row.item, row.criterion, row.rater.label, row.seat.occasion, {}
        )
        found[key] = made
        cells: dict[int, str] = made.cells  # type: ignore[assignment]
        mark = row.outcome if row.value is None else number(row.value)
        before = cells.get(row.release.pk)
        cells[row.release.pk] = mark if before is None else f"{before} | {mark}"
    return [found[key] for key in sorted(found)]


def _wide_line(row: WideRow, names: Mapping[int, Name]) -> tuple[object, ...]:
    return (
        safe(row.item.group),
        safe(row.item.external_id),
        safe(row.item.capability),
        row.criterion.key,
        number(row.criterion.scale_min),
        number(row.criterion.scale_max),
        safe(row.rater),
        row.occasion,
        *(row.cells.get(release, "") for release in names),
    )


def _item(one: ItemFacts) -> tuple[str, ...]:
    return (
        one.external_id,
        one.group,
        one.capability,
        one.difficulty,
        one.domain,
        one.priority,
    )


def _criterion(one: CriterionFacts) -> tuple[str, ...]:
    """Return key, rubric and the scale; numbers may be negative and begin with a minus."""
    scale = (number(one.scale_min), number(one.scale_max), number(one.pass_at))
    return (one.key, one.rubric_version, *scale)


def _criterion_csv(one: CriterionFacts) -> str:
    key, rubric, *scale = _criterion(one)
    return ",".join([_csv_part((key, rubric)), *scale])


def _criterion_part(one: CriterionFacts) -> str:
    key, rubric, *scale = _criterion(one)
    parts = [_part(CRITERION[:2], (key, rubric))]
    parts += [
        f'"{name}": {text or "null"}' for name, text in zip(CRITERION[2:], scale, strict=True)
    ]
    return ", ".join(parts)


def _part(keys: Sequence[str], values: Sequence[str]) -> str:
    """Return a piece of a JSON object, without its braces; an empty text is null."""
    pairs = zip(keys, values, strict=True)
    return ", ".join(f'"{key}": {_quoted(value) if value else "null"}' for key, value in pairs)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False) if text else "null"


def _letter(position: int | None) -> str:
    return "null" if position is None else f'"{tokens.letter(position)}"'


def _time(row: GradeRow) -> str:
    return f'"{row.at.isoformat()}"' if row.at else "null"


def _csv_part(values: Sequence[str]) -> str:
    """Return a piece of a line of CSV; texts are made safe, quoted where they must be."""
    made = as_csv([[safe(value) for value in values]])
    return "" if made == '""\r\n' else made.removesuffix("\r\n")


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as lines of CSV; texts must have been made safe."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()


def chunks(things: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Yield things in lists of so many, the last one as long as what is left."""
    held: list[Any] = []
    for thing in things:
        held.append(thing)
        if len(held) == size:
            yield held
            held = []
    if held:
        yield held
