"""Forms of the corpus: its filters, a new source, what a source says now."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.forms.lists import Filter
from annotation.models import Source
from annotation.operations.bank.sources import About, Said
from annotation.queries import sources


class SourceFilter(Filter):
    text = forms.CharField(
        label=_("Search"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search", "placeholder": _("Search titles")}),
    )
    kind = forms.ChoiceField(
        label=_("Kind"), required=False, choices=[("", _("Any kind")), *Source.Kind.choices]
    )
    stale = forms.ChoiceField(
        label=_("Dates"),
        required=False,
        choices=[("", _("Whatever its date")), ("yes", _("Past its date"))],
    )

    def filters(self) -> sources.Filters:
        return sources.Filters(
            text=self.given("text") or "",
            kind=self.given("kind") or "",
            stale=self.given("stale") == "yes",
        )


def day(label: Any) -> forms.DateField:
    return forms.DateField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class SaidForm(forms.Form):
    """What a source says, and when that holds."""

    text = forms.CharField(
        label=_("What it says"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text=_("The passage itself, so that inspectors can read it beside the question."),
    )
    retrieved_on = day(_("Retrieved on"))
    valid_from = day(_("Valid from"))
    valid_until = day(_("Valid until"))
    note = forms.CharField(label=_("Note"), required=False, max_length=500)

    def said(self) -> Said:
        given = self.cleaned_data
        names = ("text", "retrieved_on", "valid_from", "valid_until", "note")
        return Said(**{name: given[name] for name in names})


class SourceForm(SaidForm):
    """A source that is new, with what it says."""

    title = forms.CharField(label=_("Title"), max_length=300)
    kind = forms.ChoiceField(label=_("Kind"), choices=Source.Kind.choices, initial="DOCUMENT")
    address = forms.CharField(label=_("Address"), max_length=1000, required=False)
    publisher = forms.CharField(label=_("Publisher"), max_length=200, required=False)
    licence = forms.CharField(label=_("Licence"), max_length=200, required=False)

    field_order = ("title", "kind", "address", "publisher", "licence", "text")

    def about(self) -> About:
        given = self.cleaned_data
        names = ("title", "kind", "address", "publisher", "licence")
        return About(**{name: given[name] for name in names})
