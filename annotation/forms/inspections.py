"""The sheet of an inspection: a row for every line of the checklist, suggestions, a tried rubric."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.forms.lists import Filter
from annotation.models import Project
from annotation.queries import inspections as reads
from annotation.queries import taxonomy
from annotation.rules import checklists
from annotation.rules.checklists import Checked, Line
from evalsite.errors import Refusal

#: What the fields of a question are called on pages.
FIELD_NAMES = {
    "turns": gettext_lazy("Question"),
    "answer": gettext_lazy("Standard answer"),
    "key_points": gettext_lazy("Key points"),
    "capability": gettext_lazy("Capability"),
    "domain": gettext_lazy("Domain"),
    "difficulty": gettext_lazy("Difficulty"),
    "question_type": gettext_lazy("Type"),
    "principle": gettext_lazy("Principle"),
    "sources": gettext_lazy("Sources"),
    "as_of": gettext_lazy("As of"),
    "valid_until": gettext_lazy("Valid until"),
    "tags": gettext_lazy("Tags"),
    "language": gettext_lazy("Language"),
}
SUGGESTED_NAMES = {**FIELD_NAMES, "question": gettext_lazy("Question")}
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
        tree = taxonomy.capability_names(project)
        self.fields["capability"].choices = [  # type: ignore[attr-defined]
            ("", _("Any capability")),
            *((one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree),
        ]
        self.fields["designer"].choices = [  # type: ignore[attr-defined]
            ("", _("Any designer")),
            *((one.pk, str(one.display_name)) for one in reads.designers_of(project)),
        ]

    def filters(self) -> reads.Filters:
        return reads.Filters(capability=self.given("capability"), designer=self.given("designer"))


@dataclass
class Row:
    """A line of the checklist as it is being answered."""

    number: int
    line: Line
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
class Sample:
    """A made-up answer, and what the inspector would give it by each scale."""

    number: int
    text: str
    marks: list[dict[str, Any]]


class Sheet:
    """An inspection as it is being written: what was sent, or the empty checklist."""

    def __init__(
        self,
        lines: Sequence[Line],
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

    def _row(self, number: int, line: Line) -> Row:
        return Row(
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
    def samples(self) -> list[Sample]:
        return [
            Sample(
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
    def wrong(self) -> list[Row]:
        return [row for row in self.rows if row.problems]

    @property
    def has_errors(self) -> bool:
        return bool(self.problems or self.wrong or self.suggest_problems)


def _typed(text: Any) -> str:
    return "\n".join(text) if isinstance(text, list) else str(text)


def _tried(sample: Sample) -> str:
    marks = ", ".join(
        f"{one['criterion'].name} {one['value']}" for one in sample.marks if one["value"]
    )
    words = " ".join(sample.text.split())
    words = words if len(words) <= 300 else f"{words[:299]}…"
    return _("Rubric tried on “%(text)s”: %(marks)s") % {
        "text": words,
        "marks": marks or _("no grade"),
    }
