"""Forms of several evaluators: who judges dialogues again, and how a panel votes."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from scoring.forms.interviews import JUDGE, NEW, ProfileFilter
from scoring.forms.runs import StartForm
from scoring.models import Endpoint, Judge
from scoring.operations.rejudging import Wish
from scoring.queries import connections, interview_choice
from scoring.queries.interview_voices import VOTES


class RejudgeForm(StartForm):
    """Who judges the dialogues of a run again."""

    evaluators = forms.MultipleChoiceField(
        label=_("Evaluators"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "Each reads every dialogue from its beginning and sees no verdict but its own. An "
            "endpoint makes a new one."
        ),
    )
    reference_visible = forms.BooleanField(
        label=_("Show a new evaluator the standard answer"), required=False
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._judges = {one.pk: one for one in interview_choice.evaluators_of(project)}
        self._endpoints = {one.pk: one for one in connections.endpoints_of(project)}
        known = [(f"{JUDGE}{pk}", one.name) for pk, one in self._judges.items()]
        made = [
            (f"{NEW}{pk}", _("new: %(name)s") % {"name": one})
            for pk, one in self._endpoints.items()
        ]
        field = self.fields["evaluators"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [*known, *made]
        self.can_start = bool(known or made)

    def wish(self) -> Wish:
        given = self.cleaned_data
        return Wish(
            chosen=[self._chosen(one) for one in given["evaluators"]],
            seed=given["seed"],
            reference_visible=given["reference_visible"],
        )

    def _chosen(self, text: str) -> Judge | Endpoint:
        if text.startswith(JUDGE):
            return self._judges[int(text.removeprefix(JUDGE))]
        return self._endpoints[int(text.removeprefix(NEW))]


class PanelFilter(ProfileFilter):
    """A profile, an aspect, and how the panel votes."""

    vote = forms.ChoiceField(
        label=_("Vote of the panel"), required=False, choices=list(VOTES.items())
    )
