"""The grades of a round as text that streams: long as CSV or JSON lines, wide as CSV.

* The four-dimensional table as its page shows it, some questions at a time.
* All ratings of a round as text that streams: the grades of people, then what machines said.
* Take the results of a round out of the product; who did, and in which form, is written down.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.common import texts as tokens
from annotation.grading import facts as grade_table
from annotation.grading.facts import UNSEATED, CriterionFacts, Facts, GradeRow, ItemFacts
from annotation.people import audit
from annotation.rounds.models import Round, RoundItem, RoundResponse
from annotation.rubrics.models import Criterion
from evalsite.web import keyset
from scoring.engine.models import Judgment
from scoring.figures.labels import ReadRound
from scoring.results.queries import RoundResult
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.names import Name
from scoring.shown.sheet import CSV, JSONL, LINES, Export, as_csv, chunks, number, safe, stream

SCORES = (
    "figure",
    "part",
    "of",
    "system",
    "percent",
    "low",
    "high",
    "low_others",
    "high_others",
    "exact",
    "grades",
    "questions",
    "raters",
    "partial",
    "reason",
    "weights",
    "filters",
)
ITEMS = 100  # read at once for the wide table

ITEM = ("item", "question", "capability", "difficulty", "domain", "priority")
#: Which part of a conversation is graded: CONVERSATION, TURN or TOOL_CALL, and its numbers from 1.
PART = ("level", "turn", "tool_call")
RELEASE = ("system", "release")
#: The system at B, where it was asked which of two is better; `system` stood at A.
AGAINST = ("against", "against_release")
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
    "label",
    "text",
)
COLUMNS = ("grade", "round", *ITEM, *PART, *RELEASE, *CRITERION, *RATER, *SEAT, *GRADE, *AGAINST)
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


#: What the table says where no label was chosen.
NONE = "none"
_WORDED = frozenset(
    {Criterion.Mark.LABEL, Criterion.Mark.LABELS, Criterion.Mark.TEXT, Criterion.Mark.CHOICE}
)


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
    item = {pk: _csv_part((*_item(one), *place(one))) for pk, one in known.items.items()}
    release = {pk: _csv_part((one.system, one.label)) for pk, one in names.items()}
    criterion = {id(one): _criterion_csv(one) for one in known.criteria.values()}
    rater = {pk: _csv_part((one.label, one.kind)) for pk, one in known.raters.items()}
    text: Mapping[Any, str] = Memo(number)
    quoted: Mapping[Any, str] = Memo(lambda said: _csv_part((said,)) if said else "")
    label = _labels(known)
    for rows in chunks(grade_table.rows(known), LINES):
        yield "".join(
            f"{row.pk},{row.round.number},{item[row.item.pk]},{release[row.release.pk]},"
            f"{criterion[id(row.criterion)]},{rater[row.rater.pk]},"
            f"{row.seat.purpose},{row.seat.occasion},"
            f"{'' if row.position is None else tokens.letter(row.position)},"
            f"{row.grade_kind},{row.outcome},{text[row.value]},"
            f"{quoted[row.reason]},"
            f"{_csv_part((row.comment,)) if row.comment else ''},"
            f"{row.at.isoformat() if row.at else ''},"
            f"{'' if row.active_ms is None else row.active_ms},"
            f"{'true' if row.late else 'false'},{'true' if row.valid else 'false'},"
            f"{quoted[label[id(row.criterion), row.value]]},"
            f"{_csv_part((row.text,)) if row.text else ''},"
            f"{release[row.against.pk] if row.against else ','}\r\n"
            for row in rows
        )


def _labels(known: Facts) -> Mapping[tuple[int, Any], str]:
    """Return the words of marks, by the id of their criterion and their value."""
    criteria = {id(one): one for one in known.criteria.values()}
    return Memo(lambda place: criteria[place[0]].words(place[1]))


def jsonl_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the same as JSON: one object a line, numbers as numbers, what is missing as null."""
    known = grade_table.facts([round_])
    item = {pk: f"{_part(ITEM, _item(one))}, {_place_part(one)}" for pk, one in known.items.items()}
    release = {pk: _part(RELEASE, (one.system, one.label)) for pk, one in names.items()}
    against = {pk: _part(AGAINST, (one.system, one.label)) for pk, one in names.items()}
    against[0] = _part(AGAINST, ("", ""))
    criterion = {id(one): _criterion_part(one) for one in known.criteria.values()}
    rater = {pk: _part(RATER, (one.label, one.kind)) for pk, one in known.raters.items()}
    text: Mapping[Any, str] = Memo(lambda value: number(value) or "null")
    quoted: Mapping[Any, str] = Memo(_quoted)
    label = _labels(known)
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
            f'"valid": {"true" if row.valid else "false"}, '
            f'"label": {quoted[label[id(row.criterion), row.value]]}, '
            f'"text": {_quoted(row.text)}, '
            f"{against[row.against.pk if row.against else 0]}}}\n"
            for row in rows
        )


def score_lines(result: RoundResult, filters: str = "") -> Iterator[str]:
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
                    *cell.these,
                    *cell.others,
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
        mark = row.text or (row.outcome if row.value is None else _mark(row))
        before = cells.get(row.release.pk)
        cells[row.release.pk] = mark if before is None else f"{before} | {mark}"
    return [found[key] for key in sorted(found)]


def _mark(row: GradeRow) -> str:
    """Return a grade as its table has it: labels by their words, everything else by its number."""
    named = row.criterion.mark in _WORDED
    return row.criterion.words(row.value) or NONE if named else number(row.value)


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
        *(
            safe(cell) if row.criterion.mark in _WORDED else cell
            for cell in (row.cells.get(release, "") for release in names)
        ),
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


def place(one: ItemFacts) -> tuple[str, str, str]:
    """Return which part of a conversation is graded: its level, turn and tool call; empty of other items."""
    part = one.part
    if part is None:
        return "", "", ""
    return str(part.level), str(part.turn or ""), str(part.tool_call or "")


def _place_part(one: ItemFacts) -> str:
    level, turn, call = place(one)
    return f'"level": {_quoted(level)}, "turn": {turn or "null"}, "tool_call": {call or "null"}'


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


TABLE_ITEMS = 20


@dataclass(frozen=True, slots=True)
class WideLine:
    """A wide row; `question` is empty where it is the question of the line above."""

    question: str
    row: WideRow
    cells: tuple[str, ...]


def page(round_: Round, *, after: str = "") -> keyset.Page[RoundItem]:
    """Return a page of the round's questions."""
    places = round_.items.only("pk", "ordinal", "item_id", "round_id")
    return keyset.page(places, by=("ordinal",), after=after, size=TABLE_ITEMS)


def lines(rows: Iterable[WideRow], names: Mapping[int, Name]) -> Iterator[WideLine]:
    """Yield the rows with a cell for each release; a mark that could not be given says so."""
    before = None
    for row in rows:
        cells = (row.cells.get(release, "") for release in names)
        yield WideLine(
            row.item.external_id if row.item.pk != before else "",
            row,
            tuple(_("cannot grade") if cell == "CANNOT_GRADE" else cell for cell in cells),
        )
        before = row.item.pk


FIELDS = (
    "pk",
    "response__item_id",
    "response__release_id",
    "criterion__key",
    "criterion__rubric_version__rubric__key",
    "criterion__rubric_version__number",
    "criterion__minimum",
    "criterion__maximum",
    "rater__ref",
    "rater__kind",
    "outcome",
    "value",
    "reason",
    "text",
    "at",
    "run__asks_script",
)
#: Columns whose values are texts by people or machines, which a spreadsheet may take for formulas.
_TEXTS = frozenset({*ITEM, *RELEASE, *AGAINST, *RATER, "criterion", "rubric", "reason", "comment"})


def rating_csv_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the grades of a round and the judgments of its answers as CSV."""
    yield from csv_lines(round_, names)
    for some in shown_sheet.chunks(_judgments(round_, names), shown_sheet.LINES):
        yield shown_sheet.as_csv([_cell(name, row[name]) for name in COLUMNS] for row in some)


def rating_jsonl_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the same as JSON: one object a line, what is missing as null."""
    yield from jsonl_lines(round_, names)
    for some in shown_sheet.chunks(_judgments(round_, names), shown_sheet.LINES):
        yield "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in some)


def _cell(name: str, value: Any) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return safe(value) if name in _TEXTS else value


def _judgments(round_: Round, names: Mapping[int, Name]) -> Iterator[dict[str, Any]]:
    known = grade_table.facts([round_])
    served = RoundResponse.objects.filter(round_item__round=round_).values("response")
    table = Judgment.objects.counted().filter(response__in=served, repeat=0).order_by("pk")
    last = 0
    while found := list(table.filter(pk__gt=last).values_list(*FIELDS)[: grade_table.PAGE]):
        last = found[-1][0]
        yield from (_line(round_, known, names, row) for row in found)
        if len(found) < grade_table.PAGE:
            return


def _comment(text: str, *, is_scripted: bool) -> str | None:
    """Return what a machine said; of a script, first that it is one."""
    return f"[{banner.BANNER}] {text}".strip() if is_scripted else text or None


def _line(
    round_: Round, known: Facts, names: Mapping[int, Name], row: tuple[Any, ...]
) -> dict[str, Any]:
    pk, item, release, criterion, rubric, version, low, high, rater, kind, *rest = row
    outcome, value, reason, text, at, is_scripted = rest
    of, name = known.items[item], names[release]
    facts = (of.external_id, of.group, of.capability, of.difficulty, of.domain, of.priority)
    return {
        "grade": f"j{pk}",
        "round": round_.number,
        **{column: fact or None for column, fact in zip(ITEM, facts, strict=True)},
        "level": of.part.level if of.part else None,
        "turn": of.part.turn if of.part else None,
        "tool_call": of.part.tool_call if of.part else None,
        "system": name.system,
        "release": name.label or None,
        "criterion": criterion,
        "rubric": f"{rubric} v{version}",
        "scale_min": None if low is None else float(low),
        "scale_max": None if high is None else float(high),
        "pass_at": None,
        "rater": rater,
        "rater_kind": kind,
        "purpose": UNSEATED.purpose,
        "occasion": UNSEATED.occasion,
        "position": None,
        "kind": "GIVEN",
        "outcome": outcome,
        "value": value,
        "reason": reason or None,
        "comment": _comment(text, is_scripted=bool(is_scripted)),
        "at": at.isoformat() if at else None,
        "active_ms": None,
        "late": False,
        "valid": True,
        "label": None,
        "text": None,
        "against": None,
        "against_release": None,
    }


Lines = Callable[[Round, Mapping[int, Name]], Iterator[str]]
#: What writes each form of the grades, or of all ratings, and its type.
FORMS: Mapping[str, tuple[Lines, str]] = {
    "grades.csv": (csv_lines, CSV),
    "grades.jsonl": (jsonl_lines, JSONL),
    "table.csv": (wide_lines, CSV),
    "ratings.csv": (rating_csv_lines, CSV),
    "ratings.jsonl": (rating_jsonl_lines, JSONL),
}


def export_grades(*, reading: ReadRound, form: str, now: datetime) -> Export:
    """Begin to export the grades in one of FORMS."""
    lines, content_type = FORMS[form]
    name = _recorded(reading, form, now)
    return Export(lines(reading.round, reading.names), content_type, name)


def sent(
    reading: ReadRound,
    form: str,
    lines: Iterator[str] | Iterator[bytes],
    content_type: str = CSV,
) -> StreamingHttpResponse:
    """Send something of a round that is already written as lines of text, or as bytes."""
    return stream(Export(lines, content_type, _recorded(reading, form, timezone.now())))


def _recorded(reading: ReadRound, form: str, now: datetime) -> str:
    """Record the export, with or without the names of systems; return the name of its file."""
    round_, project = reading.round, reading.scope.project
    audit.done(round_, "round.exported", reading.scope.user, now, form=form, named=reading.shown)
    name = banner.named(form, banner.of_rounds([round_])).replace("/", "-")
    return f"{project.slug}-round-{round_.number}-{now:%Y%m%d-%H%M}-{name}"
