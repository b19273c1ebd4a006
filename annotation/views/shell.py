"""What stands around every page: the project, its menu, and who is signed in."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation import permissions
from annotation.models import Membership, Project, Role, User
from evalsite import panels


@dataclass(frozen=True)
class Entry:
    key: str
    label: str
    url: str
    icon: str
    current: bool
    count: int | None = None


@dataclass(frozen=True)
class Shell:
    project: Project | None
    projects: list[Project]
    nav: list[Entry]
    person_name: str
    roles_text: str


#: key, label, name of the URL, icon, who sees it
MENU = (
    ("home", gettext_lazy("Home"), "project_home", "home", permissions.EVERYBODY),
    ("grade", gettext_lazy("Grade"), "grading", "grade", permissions.ANNOTATORS),
    (
        "capabilities",
        gettext_lazy("Capabilities"),
        "capabilities",
        "capabilities",
        permissions.READERS,
    ),
    ("items", gettext_lazy("Items"), "items", "bank", permissions.READERS),
    ("imports", gettext_lazy("Imports"), "imports", "import", permissions.CURATORS),
    ("systems", gettext_lazy("Systems"), "systems", "systems", permissions.UNBLINDED),
    ("rubrics", gettext_lazy("Rubrics"), "rubrics", "rubrics", permissions.READERS),
    ("rounds", gettext_lazy("Rounds"), "rounds", "rounds", permissions.UNBLINDED),
    ("people", gettext_lazy("People"), "people", "people", permissions.OWNERS),
    ("audit", gettext_lazy("Audit"), "audit", "audit", permissions.OWNERS),
    (
        "settings",
        gettext_lazy("Settings"),
        "project_settings",
        "settings",
        permissions.OWNERS,
    ),
)


def context(request: HttpRequest) -> dict[str, Any]:
    """Offer `shell` to every template; nothing is looked up unless the page shows it."""
    return {"shell": SimpleLazyObject(lambda: build(request))}


def build(request: HttpRequest) -> Shell | None:
    user = getattr(request, "user", None)
    if not isinstance(user, User):
        return None
    rows = list(
        Membership.objects.active()
        .filter(user_id=user.pk)
        .select_related("project")
        .order_by("project__name")
    )
    projects = list({row.project_id: row.project for row in rows}.values())
    match = request.resolver_match
    slug = match.kwargs.get("project") if match else None
    project = next((one for one in projects if one.slug == slug), None)
    roles = frozenset(Role(row.role) for row in rows if project and row.project_id == project.pk)
    return Shell(
        project=project,
        projects=projects,
        nav=menu(request, project, roles) if project else [],
        person_name=str(user.display_name),
        roles_text=", ".join(str(role.label) for role in Role if role in roles)
        or ("" if projects else _("no project")),
    )


def menu(request: HttpRequest, project: Project, roles: frozenset[Role]) -> list[Entry]:
    more = [entry for entries in panels.fill("menu") for entry in entries]
    return [
        Entry(
            key=key,
            label=str(label),
            url=(url := reverse(name, args=[project.slug])),
            icon=icon,
            current=request.path == url or (key != "home" and request.path.startswith(url)),
        )
        for key, label, name, icon, who in (*MENU, *more)
        if not roles.isdisjoint(who)
    ]
