"""What a project is called, and what its annotators are told: by the API, on the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from annotation.common.names import NameKind
from annotation.people.models import Role
from annotation.people.rules import INVITED_FOR
from evalsite import kinds
from evalsite.kinds import Choice, Text, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record
from evalsite.web import languages


@dataclass(frozen=True, kw_only=True)
class Called(Record):
    """What a project is called."""

    name: Annotated[str, NameKind(200), Ask(_("Name"))]
    subtitle: Annotated[
        str,
        NameKind(200, empty=True),
        Ask(_("Subtitle"), _("One line about the project.")),
    ] = ""


@dataclass(frozen=True, kw_only=True)
class ProjectsAbout(Called):
    """What is left out stays as it is. The note names no system: annotators read it."""

    note: Annotated[
        str,
        Text(2000),
        Ask(
            _("Note to annotators"),
            _("Shown to everybody who grades here. Name no system."),
            rows=3,
        ),
    ] = ""
    picture_hosts: Annotated[
        Sequence[Annotated[str, Text(300, empty=False)]],
        Ask(
            _("Show pictures from"),
            _(
                "Hosts such as images.example.org, one per line. Readers’ addresses stay unknown there."
            ),
            rows=3,
        ),
    ] = ()
    language: Annotated[
        str,
        Choice(tuple(languages.offered()), empty=True, titles=tuple(languages.offered().items())),
        Ask(_("Language"), _("For whoever has chosen none.")),
    ] = ""


Roles = tuple[Annotated[str, kinds.choice(Role)], ...]
SomeRoles = Annotated[Roles, Field(min_length=1)]


@dataclass(frozen=True, kw_only=True)
class RolesIn(Record):
    """All roles that somebody is to hold from now on; none ends them all."""

    roles: Roles


@dataclass(frozen=True, kw_only=True)
class MemberIn(Record):
    """Somebody who has an account, by user name, and what they are to be besides what they are."""

    username: Annotated[str, Text(150, empty=False), Ask(_("User name"))]
    roles: SomeRoles


@dataclass(frozen=True, kw_only=True)
class InviteIn(Record):
    """A link for one person that gives these roles."""

    whom: Annotated[str, NameKind(200), Ask(_("For whom"), _("A name or an e-mail address."))]
    roles: SomeRoles
    days: Annotated[int, Whole(1, INVITED_FOR[-1]), Ask(_("Days the link works"))] = 7
    mail: Annotated[
        bool, YesNo(), Ask(_("E-mail the links"), _("To the addresses that stand in the lines."))
    ] = False
