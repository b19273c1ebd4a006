"""The form that says when a suite runs by itself, and over what."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from scoring.forms.runs import budget
from scoring.models import ConversationSet, SuiteSchedule
from scoring.queries import suites


class ScheduleForm(forms.Form):
    """How often, over which sets, and within what budget."""

    every = forms.ChoiceField(label=_("How often"), choices=SuiteSchedule.Every.choices)
    sets = forms.MultipleChoiceField(
        label=_("Conversations"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each run is over those that came into these sets since the last one."),
    )
    from_beginning = forms.BooleanField(
        label=_("Begin with those that are there already"), required=False
    )
    budget = budget()

    def __init__(
        self, *args: Any, project: Project, schedule: SuiteSchedule | None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = _initial(schedule) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        self._sets = {str(one.set.number): one for one in suites.sets_of(project)}
        self.fields["budget"].label = _("Budget of each run")
        self.fields["sets"].choices = [  # type: ignore[attr-defined]
            (number, _("%(name)s (%(n)d)") % {"name": one.set.name, "n": one.n})
            for number, one in self._sets.items()
        ]

    @property
    def is_empty(self) -> bool:
        return not self._sets

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operation takes it."""
        said = self.cleaned_data
        sets: list[ConversationSet] = [self._sets[number].set for number in said["sets"]]
        return {
            "every": said["every"],
            "sets": sets,
            "budget": said["budget"],
            "from_beginning": said["from_beginning"],
        }


def _initial(schedule: SuiteSchedule | None) -> dict[str, Any]:
    if schedule is None:
        return {"every": SuiteSchedule.Every.DAILY}
    numbers = schedule.sets.order_by("number").values_list("number", flat=True)
    return {
        "every": schedule.every,
        "budget": schedule.budget,
        "sets": [str(one) for one in numbers],
    }
