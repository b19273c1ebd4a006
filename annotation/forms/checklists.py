"""The editor of a checklist: lines as plain fields, moved, added and taken out by buttons."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms.inspections import FIELD_NAMES
from annotation.forms.lists import Filter
from annotation.models import Checklist
from annotation.rules import checklists as rules
from annotation.rules import diffs
from annotation.rules.checklists import Line
from evalsite.errors import Refusal


class LimitForm(forms.Form):
    percent = forms.IntegerField(
        label=gettext_lazy("On this list if more come back than, in percent"),
        min_value=1,
        max_value=100,
    )


class PeriodFilter(Filter):
    """How far back the figures go: ninety days, unless somebody asks for more."""

    days = forms.ChoiceField(
        label=gettext_lazy("Handed in"),
        required=False,
        choices=[
            ("", gettext_lazy("in the last 90 days")),
            ("365", gettext_lazy("in the last year")),
            ("all", gettext_lazy("at any time")),
        ],
    )

    def since(self, now: datetime) -> datetime | None:
        days = self.given("days") or "90"
        return None if days == "all" else now - timedelta(days=int(days))


class SettleForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("What was done"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("It stays on record. What was before counts no more."),
    )


@dataclass
class Row:
    """A line as it is being edited."""

    place: int
    key: str
    text: str
    field: str
    reason: str
    problems: list[str]

    @property
    def fields(self) -> list[dict[str, Any]]:
        return [
            {"value": value, "label": label, "chosen": value == self.field}
            for value, label in FIELD_NAMES.items()
        ]


class Editor:
    """A checklist as it is being edited; `is_sent` says that it is to be saved."""

    def __init__(self, current: Checklist, post: Mapping[str, str] | None = None) -> None:
        act = post.get("act", "save") if post is not None else ""
        self.base = _number(post.get("base", "")) if post is not None else current.number
        self.is_sent = act == "save"
        self.problems: list[str] = []
        lines = _posted(post) if post is not None else rules.from_rows(current.lines)
        lines = _acted(list(lines), act)
        self.rows = [
            Row(place, one.key, one.text, one.field, one.reason, [])
            for place, one in enumerate(lines)
        ]

    def lines(self) -> list[Line]:
        taken = {row.key for row in self.rows if row.key}
        found = []
        for row in self.rows:
            key = row.key or _free_key(slugify(row.text)[:36] or "line", taken)
            taken.add(key)
            found.append(Line(key, row.text, row.field, row.reason))
        return found

    def show(self, refusal: Refusal) -> None:
        """Put what was refused beside the lines it is about."""
        self.problems = [refusal.message]
        for path, found in refusal.fields.items():
            parts = path.split(".")
            if len(parts) == 3 and parts[1].isdigit():
                self.rows[int(parts[1])].problems += found


def _number(text: str) -> int:
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _posted(post: Mapping[str, str]) -> list[Line]:
    def given(place: int, name: str) -> str:
        return post.get(f"{name}-{place}", "").replace("\0", "").strip()

    count = min(_number(post.get("count", "")), rules.MAX_LINES + 1)
    return [
        Line(given(n, "key"), given(n, "text"), given(n, "field"), given(n, "reason") or "other")
        for n in range(count)
    ]


def _acted(lines: list[Line], act: str) -> list[Line]:
    """Return the lines after a button was pressed; one that does not exist changes nothing."""
    name, _colon, rest = act.partition(":")
    place = _number(rest) if rest.isdigit() else -1
    if name == "add" and len(lines) < rules.MAX_LINES:
        return [*lines, Line("", "", "answer", "other")]
    if not 0 <= place < len(lines):
        return lines
    if name == "drop":
        return lines[:place] + lines[place + 1 :]
    to = place + {"up": -1, "down": 1}.get(name, 0)
    if 0 <= to < len(lines):
        lines[place], lines[to] = lines[to], lines[place]
    return lines


def _free_key(wanted: str, taken: set[str]) -> str:
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}-{number}" in taken:
        number += 1
    return f"{wanted}-{number}"


def changes(old: Checklist, new: Checklist) -> list[dict[str, Any]]:
    """Return what changed between two versions, line by line."""
    before, after = _texts(old), _texts(new)
    found = [
        {"name": _("Line"), "change": one} for one in diffs.fields(before, after) if one.changed
    ]
    kept = [key for key in before if key in after]
    if kept != [key for key in after if key in before]:
        found.append({"name": _("Order"), "change": None})
    return found


def _texts(checklist: Checklist) -> dict[str, str]:
    return {
        row["key"]: " · ".join(
            (
                row["text"],
                str(FIELD_NAMES.get(row.get("field", ""), "")),
                _(rules.REASONS.get(row.get("reason", "other"), "")),
            )
        )
        for row in checklist.lines
    }
