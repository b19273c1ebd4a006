"""Forms about who answers as a release, and about collecting its answers."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from scoring.forms.runs import StartForm
from scoring.models import Endpoint, SystemConnection
from scoring.operations.collecting import MOST_SAMPLES
from scoring.queries import connections as reads
from scoring.queries.answers import Offer


class ConnectionForm(forms.Form):
    """Which endpoint answers as a release, and with what parameters; what is empty is left to it."""

    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        empty_label=_("Choose an endpoint"),
    )
    system_prompt = forms.CharField(
        label=_("What it is told first"),
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=_("The system prompt of the release, before any that a question has."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"), required=False, min_value=0, max_value=2, widget=forms.NumberInput
    )
    top_p = forms.FloatField(
        label=_("Top p"), required=False, min_value=0, max_value=1, widget=forms.NumberInput
    )
    max_tokens = forms.IntegerField(
        label=_("Tokens of an answer at most"),
        required=False,
        min_value=1,
        max_value=2**31 - 1,
        help_text=_("An answer that is longer is cut off, and marked so."),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("Left empty, each run sends one of its own."),
    )
    stop = forms.CharField(
        label=_("Stop at"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("Up to four texts, one per line."),
    )

    def __init__(
        self, *args: Any, project: Project, connection: SystemConnection | None, **kwargs: Any
    ) -> None:
        kwargs["initial"] = _initial(connection) | (kwargs.get("initial") or {})
        super().__init__(*args, **kwargs)
        for name in ("temperature", "top_p"):
            self.fields[name].widget.attrs["step"] = "any"
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = reads.endpoints_of(project)

    def clean_stop(self) -> list[str]:
        return [line for line in self.cleaned_data["stop"].splitlines() if line.strip()]

    def settings(self) -> dict[str, Any]:
        given = self.cleaned_data
        return {name: given[name] for name in self.fields if name != "endpoint"}


def _initial(connection: SystemConnection | None) -> dict[str, Any]:
    if connection is None:
        return {}
    kept = connection.settings
    return {**kept, "stop": "\n".join(kept.get("stop", [])), "endpoint": connection.endpoint_id}


class AnswersForm(StartForm):
    """Of which connected releases answers are collected, and how many of each."""

    releases = forms.TypedMultipleChoiceField(
        label=_("Releases"), coerce=int, widget=forms.CheckboxSelectMultiple
    )
    samples = forms.IntegerField(
        label=_("Answers to each question"),
        min_value=1,
        max_value=MOST_SAMPLES,
        initial=1,
        help_text=_("One is what rounds grade; more show how much a system varies."),
    )

    def __init__(self, *args: Any, offers: list[Offer], **kwargs: Any) -> None:
        ready = [one for one in offers if one.is_ready]
        kwargs["initial"] = {"releases": [one.release.pk for one in ready]} | (
            kwargs.get("initial") or {}
        )
        super().__init__(*args, **kwargs)
        self.fields["releases"].choices = [  # type: ignore[attr-defined]
            (one.release.pk, one.label) for one in ready
        ]
