"""The form of the usual rules of disputes."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms import settings
from scoring.queries import asked, disputes


class DisputesForm(settings.Section):
    rater = forms.ChoiceField(
        label=_("An annotator is in dispute when they are"),
        choices=list(disputes.RATER_RULES.items()),
    )
    far = forms.CharField(
        label=_("Far from the median: so many points or more"),
        max_length=20,
        help_text=_("Used by the second of these rules only."),
    )
    question = forms.ChoiceField(
        label=_("A question is in dispute when"), choices=list(disputes.QUESTION_RULES.items())
    )
    share = forms.CharField(
        label=_("Least share of the smaller side"),
        max_length=20,
        help_text=_("From 0 to 1; used by the third of these rules only."),
    )
    span = forms.CharField(
        label=_("Far apart: a range of so many points or more"),
        max_length=20,
        help_text=_("Used by the fourth of these rules only."),
    )
    w1 = forms.CharField(
        label=_("Weight of responses that divide"),
        max_length=20,
        help_text=_("A number or a fraction: 1/2."),
    )
    w2 = forms.CharField(label=_("Weight of grades that stand alone"), max_length=20)
    field_order = ["base", "rater", "far", "question", "share", "span", "w1", "w2"]

    def initial_of(self, body: dict[str, Any]) -> dict[str, Any]:
        return {**asked.DISPUTES, **body}

    def query(self) -> dict[str, str]:
        """Return what was typed as the address of the page of disputes says it."""
        given = {name: str(self.cleaned_data[name]) for name in asked.DISPUTES}
        return {**given, "rater_rule": given["rater"], "question_rule": given["question"]}
