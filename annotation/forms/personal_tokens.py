"""The form with which somebody makes a token."""

from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from annotation.forms.names import NameField
from annotation.forms.people import own_password
from annotation.models import Project, User
from annotation.queries import projects
from evalsite import scopes

PERIODS = (
    (30, _("30 days")),
    (90, _("90 days")),
    (365, _("a year")),
)


class MakeToken(forms.Form):
    """Name, scopes, how long it works, and for which project."""

    name = NameField(
        label=_("What it is for"),
        max_length=100,
        help_text=_("So that you know it again: nightly import, notebook, gate of our builds."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        choices=[(one.scope, format_lazy("{} ({})", one.text, one.scope)) for one in scopes.SCOPES],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Never more than you may yourself."),
        error_messages={"required": _("Tick at least one thing that the token is for.")},
    )
    project = forms.ChoiceField(label=_("Projects"), required=False)
    days = forms.TypedChoiceField(
        label=_("It works for"), coerce=int, choices=PERIODS, initial=PERIODS[1][0]
    )
    password = own_password(help_text=_("A token lets in for longer than this device stays."))

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        kwargs.setdefault("initial", {}).setdefault("scopes", [scopes.READ])
        super().__init__(*args, **kwargs)
        self._projects = {one.project.slug: one.project for one in projects.list_of(user)}
        self.fields["project"].choices = [  # type: ignore[attr-defined]
            ("", _("all my projects, also later ones")),
            *((slug, one.name) for slug, one in self._projects.items()),
        ]

    def given(self) -> dict[str, Any]:
        """Return what the form says, as the operation takes it."""
        said = self.cleaned_data
        project: Project | None = self._projects.get(said["project"])
        return {
            "name": said["name"],
            "given": said["scopes"],
            "days": said["days"],
            "project": project,
            "password": said["password"],
        }
