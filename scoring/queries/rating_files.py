"""All ratings of a round as text that streams: the grades of people, then what machines said.

Lines have the columns of the grades alone. A judgment has a j before its key, its explanation as
comment, and no seat; an end of a range that is open is empty.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import Round, RoundResponse
from annotation.queries import grade_table
from annotation.queries.grade_facts import UNSEATED
from annotation.queries.grade_table import Facts
from scoring.models import Judgment
from scoring.queries import banner, exports
from scoring.queries.exports import safe
from scoring.queries.names import Name

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
_TEXTS = frozenset(
    {*exports.ITEM, *exports.RELEASE, *exports.RATER, "criterion", "rubric", "reason", "comment"}
)


def csv_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the grades of a round and the judgments of its answers as CSV."""
    yield from exports.csv_lines(round_, names)
    for some in exports.chunks(_judgments(round_, names), exports.LINES):
        yield exports.as_csv([_cell(name, row[name]) for name in exports.COLUMNS] for row in some)


def jsonl_lines(round_: Round, names: Mapping[int, Name]) -> Iterator[str]:
    """Yield the same as JSON: one object a line, what is missing as null."""
    yield from exports.jsonl_lines(round_, names)
    for some in exports.chunks(_judgments(round_, names), exports.LINES):
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
        **{column: fact or None for column, fact in zip(exports.ITEM, facts, strict=True)},
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
    }
