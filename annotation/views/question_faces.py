"""What pages of the bank show of a question: its face as annotators see it, what was said of it."""

from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from annotation.forms.inspections import FIELD_NAMES, SUGGESTED_NAMES
from annotation.models import Capability, Inspection, Item, QuestionVersion, RoundItem
from annotation.operations.bank import writing
from annotation.operations.rounds import opening
from annotation.queries import question_pages as reads
from annotation.rules import checklists, diffs


def of_version(version: QuestionVersion) -> dict[str, Any]:
    """Return a version as an annotator sees it, by the code that writes it into rounds."""
    return _face(
        Item(
            messages=version.turns,
            reference=version.answer,
            key_points=version.key_points,
            capability=version.capability,
            difficulty=version.difficulty,
            as_of=version.as_of,
            extra={"principle": version.principle} if version.principle else {},
        )
    )


def of_text(text: writing.Text, capability: Capability | None) -> dict[str, Any]:
    """Return what is being written as an annotator would see it."""
    return _face(
        Item(
            messages=[dict(one) for one in text.turns],
            reference=text.answer,
            key_points=[one for one in text.key_points if one.strip()],
            capability=capability,
            difficulty=text.difficulty,
            as_of=text.as_of,
            extra={"principle": text.principle} if text.principle else {},
        )
    )


def _face(item: Item) -> dict[str, Any]:
    found = opening.face(RoundItem(item=item))
    for name in ("question", "reference", "principle"):
        found[name] = _safe(found.get(name, ""))
    found["turns"] = [{**one, "html": _safe(one["html"])} for one in found["turns"]]
    return found


def _safe(html: str) -> SafeString:
    return mark_safe(html)  # noqa: S308 - rendered by an allow-list in annotators' faces


def decided(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return how a version was decided, and what failed."""
    return [{"inspection": one, "failed": failed(one)} for one in reads.inspections_of(version)]


def failed(inspection: Inspection) -> list[dict[str, Any]]:
    words = {row["key"]: row["text"] for row in inspection.checklist.lines}
    return [
        {
            "key": one.line,
            "line": words.get(one.line, one.line),
            "reason": _(checklists.REASONS.get(one.reason, one.reason)),
            "field": FIELD_NAMES.get(one.field, one.field),
            "place": one.field,
            "note": one.note,
        }
        for one in inspection.findings.all()
        if one.outcome == "FAIL"
    ]


def suggestions(version: QuestionVersion) -> list[dict[str, Any]]:
    """Return what inspectors proposed instead, each with the difference to what stands there."""
    if version.state != QuestionVersion.State.RETURNED:
        return []
    now = {
        "question": str(version.turns[-1]["content"]) if version.turns else "",
        "answer": version.answer,
        "key_points": "\n".join(version.key_points),
        "principle": version.principle,
    }
    taken = reads.suggestion(version, checklists.SUGGESTED)
    return [
        {
            "field": name,
            "name": SUGGESTED_NAMES.get(name, name),
            "change": diffs.Change(name, diffs.between(now[name], _plain(text))),
        }
        for name, text in taken.items()
        if _plain(text) != now[name]
    ]


def _plain(text: Any) -> str:
    return "\n".join(text) if isinstance(text, list) else str(text)


def comments(version: QuestionVersion) -> list[dict[str, Any]]:
    return [
        {"comment": one, "field": FIELD_NAMES.get(one.field, "")}
        for one in reads.comments_of(version)
    ]
