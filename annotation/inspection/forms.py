"""The sheet of an inspection: a row for every line of the checklist, suggestions, a tried rubric.

* The editor of a checklist: lines as plain fields, moved, added and taken out by buttons.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy

from annotation.bank import checklists
from annotation.bank import reading as reads
from annotation.bank.checklists import Checked, ChecklistLine
from annotation.bank.forms import FIELD_NAMES, SUGGESTED_NAMES
from annotation.bank.models import Checklist
from annotation.common import diffs
from annotation.common.forms import Filter
from annotation.common.sentences import gettext as _
from annotation.domains.queries import capability_options
from annotation.people.models import Project
from evalsite.errors import Refusal

OUTCOMES = (
    ("PASS", gettext_lazy("pass")),
    ("FAIL", gettext_lazy("fail")),
    ("NOT_APPLICABLE", gettext_lazy("n.a.")),
)
#: So many sample answers can be graded with the rubric.
SAMPLES = (1, 2)


class QueueFilter(Filter):
    capability = forms.TypedChoiceField(
        label=gettext_lazy("Capability"), coerce=int, required=False
    )
    designer = forms.TypedChoiceField(label=gettext_lazy("Designer"), coerce=int, required=False)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["capability"].choices = [  # type: ignore[attr-defined]
            ("", _("Any capability")),
            *capability_options(project),
        ]
        self.fields["designer"].choices = [  # type: ignore[attr-defined]
            ("", _("Any designer")),
            *((one.pk, str(one.display_name)) for one in reads.designers_of(project)),
        ]

    def filters(self) -> reads.QueueFilters:
        return reads.QueueFilters(
            capability=self.given("capability"), designer=self.given("designer")
        )


@dataclass
class InspectionRow:
    """A line of the checklist as it is being answered."""

    number: int
    line: ChecklistLine
    outcome: str = ""
    reason: str = ""
    field: str = ""
    note: str = ""
    problems: list[str] = dataclasses.field(default_factory=list)

    @property
    def outcomes(self) -> list[dict[str, Any]]:
        return [
            {"value": value, "label": label, "checked": value == self.outcome}
            for value, label in OUTCOMES
        ]

    @property
    def field_name(self) -> str:
        return str(FIELD_NAMES.get(self.field, ""))


@dataclass
class ScaleSample:
    """A made-up answer, and what the inspector would give it by each scale."""

    number: int
    text: str
    marks: list[dict[str, Any]]


class InspectionSheet:
    """An inspection as it is being written: what was sent, or the empty checklist."""

    def __init__(
        self,
        lines: Sequence[ChecklistLine],
        stands: Mapping[str, Any],
        criteria: Iterable[Any] = (),
        post: Mapping[str, str] | None = None,
    ) -> None:
        self.stands, self.criteria, self.post = stands, list(criteria), post or {}
        self.rows = [self._row(number, line) for number, line in enumerate(lines, 1)]
        self.note = self._given("note")
        self.problems: list[str] = []
        self.suggest_problems: dict[str, list[str]] = {}

    def _given(self, name: str, otherwise: str = "") -> str:
        return self.post.get(name, otherwise).replace("\r\n", "\n").replace("\0", "")

    def _row(self, number: int, line: ChecklistLine) -> InspectionRow:
        return InspectionRow(
            number=number,
            line=line,
            outcome=self._given(f"outcome-{line.key}"),
            reason=self._given(f"reason-{line.key}", line.reason),
            field=self._given(f"field-{line.key}", line.field),
            note=self._given(f"note-{line.key}").strip(),
        )

    @property
    def verdict(self) -> str:
        return self._given("verdict")

    def checked(self) -> list[Checked]:
        return [
            Checked(row.line.key, row.outcome, row.reason, row.field, row.note) for row in self.rows
        ]

    @property
    def suggestions(self) -> list[dict[str, Any]]:
        """The texts an inspector may write anew, as they are typed; key points one per line."""
        return [
            {
                "name": f"suggest-{name}",
                "label": SUGGESTED_NAMES[name],
                "text": self._given(f"suggest-{name}", _typed(self.stands[name])),
                "stands": _typed(self.stands[name]),
                "problems": self.suggest_problems.get(name, []),
            }
            for name in checklists.SUGGESTED
        ]

    def suggestion(self) -> dict[str, Any]:
        texts = {
            name: self._given(f"suggest-{name}", _typed(self.stands[name]))
            for name in checklists.SUGGESTED
        }
        return {**texts, "key_points": texts["key_points"].splitlines()}

    @property
    def samples(self) -> list[ScaleSample]:
        return [
            ScaleSample(
                number,
                self._given(f"sample-{number}"),
                [self._mark(number, criterion) for criterion in self.criteria],
            )
            for number in SAMPLES
        ]

    def _mark(self, number: int, criterion: Any) -> dict[str, Any]:
        name = f"mark-{number}-{criterion.key}"
        return {
            "name": name,
            "criterion": criterion,
            "levels": list(criterion.levels.all()),
            "value": self._given(name).strip()[:20],
        }

    def whole_note(self) -> str:
        """Return the note, with what came out when the rubric was tried."""
        tried = [_tried(one) for one in self.samples if one.text.strip()]
        return "\n\n".join(one for one in (self.note.strip(), *tried) if one)

    def show(self, refusal: Refusal) -> None:
        """Put what an operation refused at the lines it is about."""
        by_key = {row.line.key: row for row in self.rows}
        for name, found in refusal.fields.items():
            if name in by_key:
                by_key[name].problems = list(found)
            elif name.startswith("suggest_"):
                self.suggest_problems[name.removeprefix("suggest_")] = list(found)
            else:
                self.problems.extend(found)
        if not refusal.fields:
            self.problems.append(refusal.message)

    @property
    def wrong(self) -> list[InspectionRow]:
        return [row for row in self.rows if row.problems]

    @property
    def has_errors(self) -> bool:
        return bool(self.problems or self.wrong or self.suggest_problems)


def _typed(text: Any) -> str:
    return "\n".join(text) if isinstance(text, list) else str(text)


def _tried(sample: ScaleSample) -> str:
    marks = ", ".join(
        f"{one['criterion'].name} {one['value']}" for one in sample.marks if one["value"]
    )
    words = " ".join(sample.text.split())
    words = words if len(words) <= 300 else f"{words[:299]}…"
    return _("Rubric tried on “%(text)s”: %(marks)s") % {
        "text": words,
        "marks": marks or _("no grade"),
    }


class LimitForm(forms.Form):
    percent = forms.IntegerField(
        label=gettext_lazy("On this list if more come back than, in percent"),
        min_value=1,
        max_value=100,
    )


class PeriodFilter(Filter):
    """How far back the figures go: ninety days, unless somebody asks for more."""

    days = forms.ChoiceField(
        label=gettext_lazy("Submitted"),
        required=False,
        choices=[
            ("", gettext_lazy("last 90 days")),
            ("365", gettext_lazy("last year")),
            ("all", gettext_lazy("at any time")),
        ],
    )

    def since(self, now: datetime) -> datetime | None:
        days = self.given("days") or "90"
        return None if days == "all" else now - timedelta(days=int(days))


class SettleForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("Done"),
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("It stays on record. What was before counts no more."),
    )


@dataclass
class ChecklistRow:
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


class ChecklistEditor:
    """A checklist as it is being edited; `is_sent` says that it is to be saved."""

    def __init__(self, current: Checklist, post: Mapping[str, str] | None = None) -> None:
        act = post.get("act", "save") if post is not None else ""
        self.base = _number(post.get("base", "")) if post is not None else current.number
        self.is_sent = act == "save"
        self.problems: list[str] = []
        lines = _posted(post) if post is not None else checklists.from_rows(current.lines)
        lines = _acted(list(lines), act)
        self.rows = [
            ChecklistRow(place, one.key, one.text, one.field, one.reason, [])
            for place, one in enumerate(lines)
        ]

    def lines(self) -> list[ChecklistLine]:
        taken = {row.key for row in self.rows if row.key}
        found = []
        for row in self.rows:
            key = row.key or _free_key(slugify(row.text)[:36] or "line", taken)
            taken.add(key)
            found.append(ChecklistLine(key, row.text, row.field, row.reason))
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


def _posted(post: Mapping[str, str]) -> list[ChecklistLine]:
    def given(place: int, name: str) -> str:
        return post.get(f"{name}-{place}", "").replace("\0", "").strip()

    count = min(_number(post.get("count", "")), checklists.MAX_LINES + 1)
    return [
        ChecklistLine(
            given(n, "key"), given(n, "text"), given(n, "field"), given(n, "reason") or "other"
        )
        for n in range(count)
    ]


def _acted(lines: list[ChecklistLine], act: str) -> list[ChecklistLine]:
    """Return the lines after a button was pressed; one that does not exist changes nothing."""
    name, _colon, rest = act.partition(":")
    place = _number(rest) if rest.isdigit() else -1
    if name == "add" and len(lines) < checklists.MAX_LINES:
        return [*lines, ChecklistLine("", "", "answer", "other")]
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
                _(checklists.REASONS.get(row.get("reason", "other"), "")),
            )
        )
        for row in checklist.lines
    }
