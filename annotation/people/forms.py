"""Forms about accounts, projects and roles.

* The form with which somebody makes a token.
* The form of who signs in: by user name and password, and not as often as one likes.
"""

from typing import Any, Final

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.common.forms import LinesField, NameInput, RecordForm, UserNameField, check
from annotation.people import access as failed_tries
from annotation.people import inviting
from annotation.people import queries as projects
from annotation.people.models import Project, Role, User
from annotation.people.records import Called, InviteIn, ProjectsAbout
from evalsite.web import addresses, devices, scopes

ROLE_HINTS = {
    Role.OWNER: _("owner: people, settings, audit, and all curators do"),
    Role.CURATOR: _("curator: imports, systems, rubrics, rounds"),
    Role.DESIGNER: _("designer: writes questions"),
    Role.INSPECTOR: _("inspector: checks questions"),
    Role.ANNOTATOR: _("annotator: grades blind"),
    Role.ANALYST: _("analyst: reads rounds and results"),
}


class RolesForm(forms.Form):
    """The six roles as boxes; `holder_may_lose_all` allows none to be ticked."""

    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        choices=[(role.value, hint) for role, hint in ROLE_HINTS.items()],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Tick at least one role.")},
    )

    def __init__(self, *args: Any, may_be_none: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["roles"].required = not may_be_none

    def chosen(self) -> set[Role]:
        return {Role(one) for one in self.cleaned_data["roles"]}


class AddMember(RolesForm):
    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    field_order = ["username", "roles"]


TOLD_PASSWORD = _("At least eight characters. The person sets their own at sign-in.")


def user_name(autocomplete: str) -> UserNameField:
    """Return the field of a user name, which may be left to be made from the name."""
    return UserNameField(
        label=_("User name"),
        max_length=150,
        required=False,
        help_text=_("For signing in. Empty: made from the name."),
        error_messages={"invalid": _("Use letters, digits and . @ + - _ only.")},
        widget=forms.TextInput(attrs={"autocomplete": autocomplete, "autocapitalize": "none"}),
    )


class NewAccount(RolesForm):
    username = user_name("off")
    name = NameInput(
        label=pgettext_lazy("of a person", "Name"),
        max_length=200,
        help_text=_("As others will see it."),
    )
    password = forms.CharField(
        label=_("First password"),
        strip=False,
        help_text=TOLD_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    field_order = ["name", "username", "password", "roles"]


def own_password(**more: Any) -> forms.CharField:
    """Return the field in which whoever is signed in says once more that it is them."""
    field = {"label": _("Your password"), "strip": False, **more}
    widget = forms.PasswordInput(attrs={"autocomplete": "current-password"})
    return forms.CharField(widget=widget, **field)


class NewPassword(forms.Form):
    password = forms.CharField(
        label=_("New password"),
        strip=False,
        help_text=TOLD_PASSWORD,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    own = own_password(help_text=_("Yours, not the person’s."))


class EditProject(RecordForm, record=Called):
    """What a project is called."""


class ProjectSettings(RecordForm, record=ProjectsAbout):
    """What a project is called, and what its annotators are told."""


class OwnDetailsForm(forms.Form):
    """What one may say of oneself."""

    name = NameInput(
        label=pgettext_lazy("of a person", "Name"),
        max_length=200,
        help_text=_("As others will see it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        required=False,
        help_text=_("For a forgotten password."),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    daily_mail = forms.BooleanField(
        label=_("Daily mail when there is something new"),
        required=False,
    )
    password = own_password(required=False, help_text=_("Only to change the e-mail."))

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("daily_mail") and not given.get("email") and not self.has_error("email"):
            self.add_error("email", _("Give an address, or untick the daily mail."))
        return given


class TwiceTyped(forms.Form):
    """A new password, typed once more."""

    new = forms.CharField(
        label=_("New password"),
        strip=False,
        help_text=_("At least eight characters, not a common one."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("New password, once more"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("new") and given.get("again") and given["new"] != given["again"]:
            self.add_error("again", _("This differs from the line above. Type it again."))
        return given


class ChangePassword(TwiceTyped):
    old = forms.CharField(
        label=_("Password now"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    field_order = ["old", "new", "again"]


class Forgotten(forms.Form):
    whom = NameInput(
        label=_("User name or e-mail"),
        max_length=254,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )


def roles_of(user: User, project: Project) -> list[str]:
    """Return the roles that stand ticked when the form is shown."""
    rows = user.memberships.filter(project=project, ended_at__isnull=True)
    return list(rows.values_list("role", flat=True))


class Erase(forms.Form):
    name = NameInput(
        label=_("User name, typed once more"),
        max_length=150,
        help_text=_("This cannot be undone."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    password = own_password()


class PeopleField(LinesField):
    """People, one in each line, or addresses as they stand in a mail, divided by commas."""

    def to_python(self, value: Any) -> Any:
        """Return what is said of each of them."""
        lines = super().to_python(str(value or "").replace(";", "\n"))
        apart = (
            [one] if any("@" not in part for part in one.split(",")) else one.split(",")
            for one in lines
        )
        return list(dict.fromkeys(one.strip() for some in apart for one in some if one.strip()))


class Invite(RecordForm, RolesForm, record=InviteIn):
    whom = PeopleField(
        label=_("For whom"),
        max_length=200,
        help_text=_("Names or e-mail addresses, one per line. Each gets a link of their own."),
        validators=[check],
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    field_order = ["whom", "roles", "days", "mail"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("roles", [Role.ANNOTATOR.value])
        if not inviting.sends_mail():
            del self.fields["mail"]


class Join(forms.Form):
    """Make an account on the way in."""

    name = NameInput(
        label=pgettext_lazy("of a person", "Name"),
        max_length=200,
        help_text=_("As others will see it."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    username = user_name("username")
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=_("At least eight characters, not a common one."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


PERIODS = (
    (30, _("30 days")),
    (90, _("90 days")),
    (365, _("a year")),
)


class MakeToken(forms.Form):
    """Name, scopes, how long it works, and for which project."""

    name = NameInput(
        label=_("Purpose"),
        max_length=100,
        help_text=_("Such as nightly import or notebook."),
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
    password = own_password(help_text=_("A token outlasts this device’s session."))

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


#: The code of the error that is met by everybody who guesses.
TOO_MANY: Final = "too_many"


class SignInForm(AuthenticationForm):
    """A try is written down first; after some wrong ones, none is looked at for a while, right or wrong."""

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username", "")
        if not name or not self.cleaned_data.get("password"):
            return self.cleaned_data
        now = timezone.now()
        try:
            tried = failed_tries.begin(doors=self._doors(name, now), now=now)
        except failed_tries.TooManyTries as refusal:
            raise ValidationError(refusal.message, code=TOO_MANY) from refusal
        found: dict[str, Any] = super().clean()
        failed_tries.succeed(tried)
        return found

    def _doors(self, name: str, now: Any) -> list[failed_tries.Door]:
        asked = self.request
        return failed_tries.sign_in_doors(
            name=name,
            address=addresses.address_of(asked) if asked else "",
            device=devices.known(asked, name) if asked else "",
            now=now,
        )

    @property
    def is_barred(self) -> bool:
        return self.has_error("__all__", TOO_MANY)
