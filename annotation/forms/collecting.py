"""The filled-in sheet of answers, and which questions and releases a sheet is made for."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.models import Project
from annotation.queries import rounds as reads


class Sheet(forms.Form):
    file = forms.FileField(
        label=_("Filled-in sheet"),
        allow_empty_file=True,
        help_text=_("CSV or XLSX, with the columns as they were downloaded."),
    )


class Choice(forms.Form):
    """Of which capabilities, and of which releases; in the URL."""

    capability = forms.TypedMultipleChoiceField(
        label=_("Capabilities"), coerce=int, required=False, widget=forms.CheckboxSelectMultiple
    )
    release = forms.TypedMultipleChoiceField(
        label=_("Releases"), coerce=int, required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer(
            "capability",
            [(one.pk, f"{one.name} ({n})") for one, n in reads.capabilities_with_items(project)],
        )
        self._offer("release", [(one.pk, str(one)) for one in reads.releases_of(project)])
        self.lacks_questions = not self.fields["capability"].choices  # type: ignore[attr-defined]
        self.lacks_releases = not self.fields["release"].choices  # type: ignore[attr-defined]

    def _offer(self, name: str, choices: list[tuple[int, str]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    def chosen(self) -> tuple[list[int], list[int]]:
        """Return capabilities and releases; nothing where the address makes no sense."""
        self.is_valid()
        given = self.cleaned_data
        return given.get("capability", []), given.get("release", [])
