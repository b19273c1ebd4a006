"""Forms of runs: what every start of a run asks for, filters of the lists, a budget."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter, RecordForm, field_of
from annotation.people.models import Project
from evalsite.records import part, parts
from scoring.endpoints import queries as connections
from scoring.engine import calls_read as run_calls
from scoring.engine import progress as run_flags
from scoring.engine import queries as run_list
from scoring.engine.kinds import BeginRun, Spending
from scoring.engine.models import Run, Step


def budget(**more: Any) -> forms.Field:
    """Return a field for a limit of money, in the currency of the endpoints."""
    widget = forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"})
    return field_of(part(BeginRun, "budget"), **more, widget=widget)


class StartForm(RecordForm, record=BeginRun, leave_out=("estimate", "pilot")):
    """What every start of a run asks for; a kind of run adds what its own record has.

    Args:
        key: made by the door anew for every page, so that a form sent twice starts one run.
        seed: drawn by the door, for whoever leaves the field empty.
        project: whose people, systems and endpoints there are to choose from.
    """

    key = forms.UUIDField(widget=forms.HiddenInput)
    budget = budget()
    #: Whether there is anything to start with.
    can_start = True

    #: Shown before and after the fields that a kind of run adds.
    FIRST = ("key", "name")
    LAST = ("budget", "seed")

    def __init__(
        self, *args: Any, key: UUID, seed: int, project: Project | None = None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = {"key": key, "seed": seed} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        own = [name for name in self.fields if name not in {*self.FIRST, *self.LAST}]
        self.order_fields([*self.FIRST, *own, *self.LAST])

    def offer(self, **choices: Any) -> None:
        """Say what there is to choose from in each of these fields."""
        for name, offered in choices.items():
            self.fields[name].choices = offered  # type: ignore[attr-defined]

    def wish(self) -> Any:
        """Return what was chosen, of the kind's record."""
        record = self.record or BeginRun
        given = {one.name: one for one in parts(record) if one.name in self.cleaned_data}
        values = {name: self.cleaned_data[name] for name in given}
        return record(**{n: tuple(one) if given[n].many else one for n, one in values.items()})


def endpoints_of(project: Project) -> list[tuple[str, Any]]:
    """Return the endpoints that can be asked, by name, as choices."""
    known = [(one.name, str(one)) for one in connections.endpoints_of(project)]
    return [("", _("Choose an endpoint")), *known]


class ReleasesForm(StartForm):
    """A start that asks connected releases: all that can be asked, unless somebody chooses."""

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        ready = [one.release for one in connections.of_project(project) if one.is_ready]
        keys = [one.pk for one in ready]
        kwargs["initial"] = {"releases": keys} | (kwargs.get("initial") or {})
        super().__init__(*args, project=project, **kwargs)
        self.offer(releases=[(one.pk, str(one)) for one in ready])
        self.can_start = bool(ready)


class RunFilter(Filter):
    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("Every kind")), *Run.Kind.choices]
    )
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("Any state")), *Run.State.choices]
    )

    def filters(self) -> run_list.RunFilters:
        return run_list.RunFilters(self.given("kind") or "", self.given("state") or "")


class StepFilter(Filter):
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("Any state")), *Step.State.choices]
    )
    outcome = forms.ChoiceField(
        label=_("Outcome"), required=False, choices=[("", _("Any outcome")), *Step.Outcome.choices]
    )
    flag = forms.ChoiceField(
        label=_("Flag"),
        required=False,
        choices=[
            ("", _("Flagged or not")),
            (run_calls.ANY_FLAG, _("Flagged")),
            *run_flags.LABELS.items(),
        ],
    )

    def filters(self) -> run_calls.CallFilters:
        return run_calls.CallFilters(
            *(self.given(name) or "" for name in ("state", "outcome", "flag"))
        )


class BudgetForm(RecordForm, record=Spending):
    """Another budget for a run that has begun."""

    budget = budget()


class CompareFilter(Filter):
    """Which two runs stand beside each other, by number."""

    a = forms.TypedChoiceField(label=_("One run"), coerce=int, required=False)
    b = forms.TypedChoiceField(label=_("The other run"), coerce=int, required=False)

    def __init__(self, *args: Any, runs: Sequence[tuple[int, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("a", "b"):
            self.fields[name].choices = [  # type: ignore[attr-defined]
                ("", _("Choose a run")),
                *((number, f"{number} · {said}") for number, said in runs),
            ]
