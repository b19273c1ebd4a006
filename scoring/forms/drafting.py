"""Forms of help with drafting: whom an owner allows, and which passage is drafted from."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project, SourceVersion
from annotation.rules import passages
from scoring.models import Drafting, Endpoint
from scoring.queries import judge_list


class AllowForm(forms.Form):
    endpoint = forms.ModelChoiceField(
        label=_("Endpoint"),
        queryset=Endpoint.objects.none(),
        required=False,
        empty_label=_("None: nobody drafts here but people"),
        help_text=_(
            "It is sent passages of sources, and drafts of questions with their answers, "
            "whenever a designer asks for help."
        ),
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["endpoint"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = judge_list.endpoints_of(project)
        self.has_endpoints = field.queryset.exists()


class PassageForm(forms.Form):
    """A passage by its places, or by paragraphs where nothing was marked."""

    version = forms.IntegerField(min_value=1)
    start = forms.IntegerField(required=False, min_value=0)
    end = forms.IntegerField(required=False, min_value=1)
    first = forms.IntegerField(label=_("From paragraph"), required=False, min_value=1)
    last = forms.IntegerField(label=_("to paragraph"), required=False, min_value=1)
    key = forms.UUIDField()

    def span(self, version: SourceVersion) -> tuple[int, int]:
        """Return where the passage stands.

        Raises:
            passages.NoPassage: it is none of this text.
        """
        given = self.cleaned_data
        start, end = given["start"], given["end"]
        if start is None or end is None:
            found = passages.paragraphs(version.text)
            first, last = given["first"] or 1, given["last"] or given["first"] or 1
            if not found or not 1 <= first <= last <= len(found):
                raise passages.NoPassage("outside")
            start, end = found[first - 1].start, found[last - 1].end
        return passages.trimmed(version.text, start, end)


class HelpForm(forms.Form):
    task = forms.ChoiceField(
        choices=[(one.value, one.label) for one in (Drafting.Task.POINTS, Drafting.Task.AMBIGUITY)]
    )
    key = forms.UUIDField()
