"""How the list of the bank is asked for: by the address, by a saved filter, by what is remembered.

* What is to become of many questions at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy

from annotation.bank import questions, rules
from annotation.bank.bulk import BulkChange
from annotation.bank.forms import QuestionFilter
from annotation.bank.keeping import MAX_NAME, FilterLook
from annotation.bank.models import BulkEdit, SavedFilter
from annotation.bank.rules import BulkAction, ListedColumn, Order
from annotation.common.forms import NameInput
from annotation.common.sentences import gettext as _
from annotation.domains.models import Difficulty, QuestionType
from annotation.domains.queries import capability_options, domain_options
from annotation.people.models import Project

COLUMN_NAMES = {
    ListedColumn.ID: gettext_lazy("Id"),
    ListedColumn.AREA: gettext_lazy("Area"),
    ListedColumn.PRIORITY: gettext_lazy("Priority"),
    ListedColumn.CAPABILITY: gettext_lazy("Capability"),
    ListedColumn.DIFFICULTY: gettext_lazy("Difficulty"),
    ListedColumn.TYPE: gettext_lazy("Type"),
    ListedColumn.STATE: gettext_lazy("State"),
    ListedColumn.VERSION: gettext_lazy("Version"),
    ListedColumn.AGE: gettext_lazy("Age"),
    ListedColumn.SOURCES: gettext_lazy("Sources"),
    ListedColumn.ROUNDS: gettext_lazy("Rounds"),
    ListedColumn.AUTHOR: gettext_lazy("Author"),
    ListedColumn.TAGS: gettext_lazy("Tags"),
    ListedColumn.LANGUAGE: gettext_lazy("Language"),
    ListedColumn.AS_OF: gettext_lazy("As of"),
    ListedColumn.VALID_UNTIL: gettext_lazy("Valid until"),
}


@dataclass(frozen=True)
class ListColumn:
    """A column that is shown, or could be."""

    code: str
    label: str
    is_figure: bool
    is_shown: bool = True


@dataclass(frozen=True)
class ListChoice:
    """What the list is asked to show. `query` says all of it, as an address does."""

    form: QuestionFilter
    query: QueryDict
    columns: tuple[ListedColumn, ...]
    saved: SavedFilter | None = None
    #: The list differs from what the saved filter keeps.
    is_changed: bool = False
    notes: tuple[str, ...] = ()

    @property
    def order(self) -> Order:
        return self.form.order_given

    @property
    def own_columns(self) -> list[str]:
        """The columns that the address itself names."""
        return self.query.getlist("columns")

    @property
    def has_id(self) -> bool:
        """Whether the id stands before the question."""
        return ListedColumn.ID in self.columns

    @property
    def rest(self) -> list[ListColumn]:
        """The columns after the question."""
        return heads([one for one in self.columns if one is not ListedColumn.ID], self.columns)

    @property
    def choices(self) -> list[ListColumn]:
        return heads(tuple(ListedColumn), self.columns)

    def look(self) -> FilterLook:
        """Return what a saved filter would keep of this; what cannot be read is left out."""
        return FilterLook(kept(self.form, self.query), self.order, self.columns)


class SaveForm(forms.Form):
    name = NameInput(label=gettext_lazy("Name"), max_length=MAX_NAME)
    shared = forms.BooleanField(label=gettext_lazy("Shared"), required=False)


def heads(columns: Iterable[ListedColumn], shown: Sequence[ListedColumn]) -> list[ListColumn]:
    return [
        ListColumn(one.value, str(COLUMN_NAMES[one]), one in rules.FIGURES, one in shown)
        for one in columns
    ]


def asked(
    given: QueryDict,
    *,
    project: Project,
    filters: Sequence[SavedFilter],
    remembered: tuple[ListedColumn, ...],
) -> ListChoice:
    """Read an address of the list.

    A saved filter that is named (`saved`) stands for what the address does not say; once the
    address says anything itself, all of it does. Columns come from the address, else from the
    saved filter, else from what is remembered.
    """
    saved, notes = _named(given, filters)
    query = given.copy()
    query.pop("after", None)
    if saved is None:
        query.pop("saved", None)
    elif not any(name in given for name in (*questions.NAMES, "order")):
        for name, value in {**_texts(saved.query), "order": saved.order}.items():
            if value:
                query[name] = value
    form = QuestionFilter(query, project=project)
    own = rules.chosen(query.getlist("columns")).columns
    stored = saved.columns if saved and isinstance(saved.columns, list) else []
    theirs = rules.chosen(map(str, stored)).columns
    columns = own or theirs or remembered
    notes += _problems(form, saved) if saved else []
    changed = saved is not None and (
        kept(form, query) != _readable(form, saved)
        or form.order_given != (rules.order(saved.order) or Order.NEWEST)
        or bool(theirs and columns != theirs)
    )
    return ListChoice(form, query, columns, saved, changed, tuple(notes))


def kept(form: QuestionFilter, query: QueryDict) -> dict[str, str]:
    """Return the filters that are set and can be read, by name, as they stand in an address."""
    return {name: query.get(name, "")[:200] for name in questions.NAMES if form.given(name)}


def _named(
    given: QueryDict, filters: Sequence[SavedFilter]
) -> tuple[SavedFilter | None, list[str]]:
    number = given.get("saved", "")
    if not number:
        return None, []
    found = next((one for one in filters if str(one.pk) == number), None)
    gone = _("This saved filter is gone. All questions are shown.")
    return found, [] if found else [gone]


def _texts(query: Any) -> dict[str, str]:
    """Return what a stored filter says, whatever was stored."""
    pairs = query.items() if isinstance(query, dict) else ()
    return {str(name): str(value) for name, value in pairs if name in questions.NAMES}


def _reads(field: forms.Field, value: str) -> bool:
    try:
        field.clean(value)
    except forms.ValidationError:
        return False
    return True


def _readable(form: QuestionFilter, saved: SavedFilter) -> dict[str, str]:
    """Return what can still be read of a saved filter."""
    stored = _texts(saved.query).items()
    return {name: value for name, value in stored if value and _reads(form.fields[name], value)}


def _problems(form: QuestionFilter, saved: SavedFilter) -> list[str]:
    """Return a note on what a saved filter asks for that is no longer there."""
    fine = _readable(form, saved)
    stored = _texts(saved.query).items()
    bad = [str(form.fields[name].label) for name, value in stored if value and name not in fine]
    if not isinstance(saved.query, dict) or set(saved.query) - set(questions.NAMES):
        bad.append(_("a filter that is unknown"))
    if rules.order(saved.order) is None:
        bad.append(_("Order"))
    if not isinstance(saved.columns, list) or rules.chosen(map(str, saved.columns)).unknown:
        bad.append(_("Columns"))
    if not bad:
        return []
    words = _("“%(name)s” asks for what is gone: %(what)s. That part is left out.")
    return [words % {"name": saved.name, "what": ", ".join(bad)}]


KEEP, NONE = "", "none"
LEAVE = (KEEP, gettext_lazy("Unchanged"))
LABELS = {
    "capability_id": gettext_lazy("Capability"),
    "domain_id": gettext_lazy("Area"),
    "difficulty": gettext_lazy("Difficulty"),
    "question_type": gettext_lazy("Type"),
    "valid_until": gettext_lazy("Valid until"),
    rules.ADDED: gettext_lazy("Tags added"),
    rules.DROPPED: gettext_lazy("Tags removed"),
}


class BulkForm(forms.Form):
    """An action and what it sets. What is left empty stays as it is in every question."""

    action = forms.ChoiceField(
        label=gettext_lazy("Action"), widget=forms.RadioSelect, initial=BulkAction.CHANGE
    )
    capability = forms.ChoiceField(label=gettext_lazy("Capability"), required=False)
    difficulty = forms.ChoiceField(
        label=gettext_lazy("Difficulty"), required=False, choices=[LEAVE, *Difficulty.choices]
    )
    domain = forms.ChoiceField(
        label=gettext_lazy("Area"),
        required=False,
        help_text=gettext_lazy("With its priority."),
    )
    question_type = forms.ChoiceField(
        label=gettext_lazy("Type"), required=False, choices=[LEAVE, *QuestionType.choices]
    )
    valid_until = forms.DateField(
        label=gettext_lazy("Valid until"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    no_end = forms.BooleanField(label=gettext_lazy("Remove the day"), required=False)
    tags_added = forms.CharField(
        label=gettext_lazy("Add tags"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Between commas."),
    )
    tags_dropped = forms.CharField(
        label=gettext_lazy("Remove tags"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Between commas."),
    )
    meaning = forms.ChoiceField(
        label=gettext_lazy("Used in a round"),
        required=False,
        choices=[
            ("", gettext_lazy("Ask for the meaning on submitting")),
            ("same", gettext_lazy("The meaning stays the same")),
        ],
    )
    note = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=500,
        help_text=gettext_lazy("Why they are out of date."),
    )

    def __init__(self, *args: Any, project: Project, may_retire: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        actions = [
            (BulkAction.CHANGE.value, gettext_lazy("Edit fields")),
            (BulkAction.SUBMIT.value, gettext_lazy("Submit for review")),
            (BulkAction.RETIRE.value, gettext_lazy("Retire")),
        ]
        chosen: dict[str, list[tuple[Any, Any]]] = {
            "action": actions if may_retire else actions[:2],
            "capability": [LEAVE, *capability_options(project)],
            "domain": [LEAVE, (NONE, gettext_lazy("No area")), *domain_options(project)],
        }
        for name, options in chosen.items():
            self.fields[name].choices = options  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("no_end") and given.get("valid_until"):
            self.add_error(
                "valid_until", gettext_lazy("Either give a day or take it away, not both.")
            )
        return given

    def change(self) -> BulkChange:
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
        return BulkChange(
            BulkAction(given["action"]), values, given["note"], given.get("meaning") == "same"
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
        found.append((str(gettext_lazy("Reason")), edit.note))
    return found


def _worded(name: str, value: Any, names: dict[str, dict[int, str]]) -> str:
    if name in names:
        return str(
            gettext_lazy("none")
            if value is None
            else names[name].get(value, gettext_lazy("gone since"))
        )
    if isinstance(value, list):
        return ", ".join(value)
    if name == "valid_until":
        return date.fromisoformat(value).isoformat() if value else str(gettext_lazy("none"))
    labels = dict(Difficulty.choices) | dict(QuestionType.choices)
    return str(labels.get(value, value))
