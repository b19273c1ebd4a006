"""Forms of runs: what every start of a run asks for, filters of the lists, a budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import UUID

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.common.forms import Filter, NameField
from scoring.engine import calls_read as run_calls
from scoring.engine import progress as run_flags
from scoring.engine import queries as run_list
from scoring.engine.models import Run, Step
from scoring.engine.requests import BUDGET_DIGITS, BUDGET_PLACES, LEAST_BUDGET

#: What JavaScript and every language model's server can hold as an integer.
LARGEST_SEED = 2**31 - 1


def budget(**kwargs: Any) -> forms.DecimalField:
    """Return a field for a limit of money, in the currency of the endpoints."""
    return forms.DecimalField(
        label=_("Budget"),
        required=False,
        min_value=LEAST_BUDGET,
        max_digits=BUDGET_DIGITS,
        decimal_places=BUDGET_PLACES,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
        help_text=_(
            "In the currency of the endpoints. At this limit the run pauses and nothing is lost. "
            "Left empty, there is no limit."
        ),
        **kwargs,
    )


@dataclass(frozen=True)
class Start:
    """What every run is started with."""

    key: UUID
    name: str
    seed: int
    budget: Decimal | None


class StartForm(forms.Form):
    """What every start of a run asks for; a kind of run adds its own fields in a subclass.

    Args:
        key: made by the door anew for every page, so that a form sent twice starts one run.
        seed: drawn by the door, for whoever leaves the field empty.
    """

    key = forms.UUIDField(widget=forms.HiddenInput)
    name = NameField(
        label=_("Name"), max_length=120, help_text=_("As it stands in the list of runs.")
    )
    budget = budget()
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=LARGEST_SEED,
        help_text=_(
            "Everything drawn by lot comes from it, and endpoints that take a seed are given one "
            "made of it."
        ),
    )

    #: Shown before and after the fields that a kind of run adds.
    FIRST = ("key", "name")
    LAST = ("budget", "seed")

    def __init__(self, *args: Any, key: UUID, seed: int, **kwargs: Any) -> None:
        kwargs["initial"] = {"key": key, "seed": seed} | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        own = [name for name in self.fields if name not in {*self.FIRST, *self.LAST}]
        self.order_fields([*self.FIRST, *own, *self.LAST])

    def start(self) -> Start:
        given = self.cleaned_data
        return Start(**{name: given[name] for name in ("key", "name", "seed", "budget")})


def initial_of(run: Run) -> dict[str, Any]:
    """Return what a start form shows for a clone of a run; a kind adds what it reads from `config`."""
    return {
        "name": str(_("%(name)s, again") % {"name": run.name})[:120],
        "budget": run.budget,
        "seed": run.seed,
    }


class RunFilter(Filter):
    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("Every kind")), *Run.Kind.choices]
    )
    state = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("Any state")), *Run.State.choices]
    )

    def filters(self) -> run_list.Filters:
        return run_list.Filters(self.given("kind") or "", self.given("state") or "")


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

    def filters(self) -> run_calls.Filters:
        return run_calls.Filters(*(self.given(name) or "" for name in ("state", "outcome", "flag")))


class BudgetForm(forms.Form):
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
