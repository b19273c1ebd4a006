"""What is to become of many questions at once."""

from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.questions import capability_options, domain_options
from annotation.models import BulkEdit, Difficulty, Project, QuestionType
from annotation.operations.bank.changes import Change
from annotation.rules import bulk as rules
from annotation.rules.bulk import Action

KEEP, NONE = "", "none"
LEAVE = (KEEP, _("Leave as it is"))
LABELS = {
    "capability_id": _("Capability"),
    "domain_id": _("Area"),
    "difficulty": _("Difficulty"),
    "question_type": _("Type"),
    "valid_until": _("Valid until"),
    rules.ADDED: _("Tags added"),
    rules.DROPPED: _("Tags taken away"),
}


class BulkForm(forms.Form):
    """An action and what it sets. What is left empty stays as it is in every question."""

    action = forms.ChoiceField(
        label=_("What is to be done"), widget=forms.RadioSelect, initial=Action.CHANGE
    )
    capability = forms.ChoiceField(label=_("Capability"), required=False)
    difficulty = forms.ChoiceField(
        label=_("Difficulty"), required=False, choices=[LEAVE, *Difficulty.choices]
    )
    domain = forms.ChoiceField(
        label=_("Area"), required=False, help_text=_("Its priority goes with it.")
    )
    question_type = forms.ChoiceField(
        label=_("Type"), required=False, choices=[LEAVE, *QuestionType.choices]
    )
    valid_until = forms.DateField(
        label=_("Valid until"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    no_end = forms.BooleanField(label=_("Take the day away"), required=False)
    tags_added = forms.CharField(
        label=_("Add tags"), required=False, max_length=500, help_text=_("Between commas.")
    )
    tags_dropped = forms.CharField(
        label=_("Take tags away"), required=False, max_length=500, help_text=_("Between commas.")
    )
    meaning = forms.ChoiceField(
        label=_("Where a round has used the question"),
        required=False,
        choices=[
            ("", _("Ask whether the meaning changed when it is handed in")),
            ("same", _("The meaning stays the same")),
        ],
    )
    note = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=500,
        help_text=_("For retiring: why they are out of date. It stays on record."),
    )

    def __init__(self, *args: Any, project: Project, may_retire: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        actions = [
            (Action.CHANGE.value, _("Change what stands beside the text")),
            (Action.SUBMIT.value, _("Hand in for inspection")),
            (Action.RETIRE.value, _("Retire")),
        ]
        chosen: dict[str, list[tuple[Any, Any]]] = {
            "action": actions if may_retire else actions[:2],
            "capability": [LEAVE, *capability_options(project)],
            "domain": [LEAVE, (NONE, _("No area")), *domain_options(project)],
        }
        for name, options in chosen.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("no_end") and given.get("valid_until"):
            self.add_error("valid_until", _("Either give a day or take it away, not both."))
        return given

    def change(self) -> Change:
        """Return what was asked for; what is left as it is, is not named."""
        given = self.cleaned_data
        values: dict[str, Any] = {
            name: given[name] for name in ("difficulty", "question_type") if given[name]
        }
        if given["capability"]:
            values["capability_id"] = int(given["capability"])
        if given["domain"]:
            values["domain_id"] = None if given["domain"] == NONE else int(given["domain"])
        if given["valid_until"] or given["no_end"]:
            values["valid_until"] = given["valid_until"]
        for name in (rules.ADDED, rules.DROPPED):
            if tags := [one.strip() for one in given[name].split(",") if one.strip()]:
                values[name] = tags
        return Change(
            Action(given["action"]), values, given["note"], given.get("meaning") == "same"
        )

    @property
    def of_change(self) -> list[forms.BoundField]:
        names = ("capability", "difficulty", "domain", "question_type")
        return [self[name] for name in names]

    @property
    def of_tags(self) -> list[forms.BoundField]:
        return [self[name] for name in ("tags_added", "tags_dropped")]


#: Where a refusal of the operation belongs in the form.
FIELDS = {"capability_id": "capability", "domain_id": "domain", "values": "action"}


def said(edit: BulkEdit, names: dict[str, dict[int, str]]) -> list[tuple[str, str]]:
    """Return what a bulk edit sets, in words.

    Args:
        names: of the capabilities and areas that it names, by "capability_id" and "domain_id".
    """
    found = []
    for name, label in LABELS.items():
        if name in edit.values:
            found.append((str(label), _worded(name, edit.values[name], names)))
    if edit.note:
        found.append((str(_("Reason")), edit.note))
    return found


def _worded(name: str, value: Any, names: dict[str, dict[int, str]]) -> str:
    if name in names:
        return str(_("none") if value is None else names[name].get(value, _("gone since")))
    if isinstance(value, list):
        return ", ".join(value)
    if name == "valid_until":
        return date.fromisoformat(value).isoformat() if value else str(_("none"))
    labels = dict(Difficulty.choices) | dict(QuestionType.choices)
    return str(labels.get(value, value))
