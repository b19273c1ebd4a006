"""What stands around every page: the project, its menu, and who is signed in."""

from dataclasses import dataclass
from fnmatch import fnmatch
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
    #: What stands under the entry while one is inside it.
    within: tuple["Entry", ...] = ()
    count: int | None = None


@dataclass(frozen=True)
class Shell:
    project: Project | None
    projects: list[Project]
    nav: list[Entry]
    person_name: str
    roles_text: str
    #: Whether they may do more than grade anywhere: programs of theirs have something to ask.
    reads_api: bool


@dataclass(frozen=True)
class Place:
    """A page that the shell can lead to, for those who may see it."""

    label: str
    url: str
    within: str


Row = tuple[Any, ...]

#: key, label, name of the URL, icon, who sees it; the address of an entry with others under it
#: (UNDER) is that of the first of them that somebody may see.
MENU: tuple[Row, ...] = (
    ("home", gettext_lazy("Home"), "project_home", "home", permissions.EVERYBODY),
    ("grade", gettext_lazy("Grade"), "grading", "grade", permissions.ANNOTATORS),
    ("bank", gettext_lazy("Bank"), "items", "bank", permissions.READERS),
    ("rounds", gettext_lazy("Rounds"), "rounds", "rounds", permissions.UNBLINDED),
)
LAST: tuple[Row, ...] = (
    ("settings", gettext_lazy("Settings"), "project_settings", "settings", permissions.CURATORS),
)
#: Under an entry: label, name of the URL, who sees it.
UNDER: dict[str, tuple[tuple[Any, str, frozenset[Role]], ...]] = {
    "grade": (
        (gettext_lazy("To grade"), "grading", permissions.ANNOTATORS),
        (gettext_lazy("Training"), "training", permissions.ANNOTATORS),
    ),
    "bank": (
        (gettext_lazy("Questions"), "questions", permissions.READERS),
        (gettext_lazy("Items"), "items", permissions.READERS),
        (gettext_lazy("Inspection"), "inspections", permissions.INSPECTORS),
        (gettext_lazy("What came back"), "inspection_figures", frozenset({Role.DESIGNER})),
        (gettext_lazy("Sources"), "sources", permissions.READERS),
        (gettext_lazy("Plan"), "plan", permissions.READERS),
        (gettext_lazy("Domains"), "domains", permissions.READERS),
        (gettext_lazy("Capabilities"), "capabilities", permissions.READERS),
        (gettext_lazy("Rubrics"), "rubrics", permissions.READERS),
        (gettext_lazy("Imports"), "imports", permissions.DESIGNERS),
        (gettext_lazy("Whole bank"), "bank_files", permissions.CURATORS),
    ),
    "rounds": (
        (gettext_lazy("All rounds"), "rounds", permissions.UNBLINDED),
        (gettext_lazy("Systems"), "systems", permissions.UNBLINDED),
        (gettext_lazy("Annotators"), "pool", permissions.CURATORS),
    ),
    "settings": (
        (gettext_lazy("Project"), "project_settings", permissions.OWNERS),
        (gettext_lazy("People"), "people", permissions.OWNERS),
        (gettext_lazy("Rules"), "settings_rules", permissions.CURATORS),
        (gettext_lazy("Masks"), "settings_masks", permissions.CURATORS),
        (gettext_lazy("Retention"), "settings_retention", permissions.OWNERS),
        (gettext_lazy("Workload"), "workload", permissions.OWNERS),
        (gettext_lazy("Audit"), "audit", permissions.OWNERS),
    ),
}
#: Pages that belong to another place of the menu than their address says: pattern, entry, place.
ELSEWHERE = (
    ("/p/*/rounds/*/trial/*", "rounds", "pool"),
    ("/p/*/rounds/*/references/", "rounds", "pool"),
    ("/p/*/drafting/*", "bank", "sources"),
    ("/p/*/settings/bank/", "settings", "settings_rules"),
    ("/p/*/settings/disputes/", "settings", "settings_rules"),
    ("/p/*/settings/reviews/", "settings", "settings_rules"),
)
#: What one can begin from anywhere: label, name of the URL, who may.
DEEDS = (
    (gettext_lazy("New question"), "question_new", permissions.DESIGNERS),
    (gettext_lazy("New round"), "round_new", permissions.CURATORS),
    (gettext_lazy("Import a file"), "import_new", permissions.DESIGNERS),
    (gettext_lazy("New rubric"), "rubric_new", permissions.CURATORS),
    (gettext_lazy("New system"), "system_new", permissions.CURATORS),
    (gettext_lazy("Add somebody to the project"), "person_add", permissions.OWNERS),
)
#: Outside projects, for everybody: label, name of the URL.
OUTSIDE = (
    (gettext_lazy("Your account"), "account"),
    (gettext_lazy("Keys and looks"), "preferences"),
    (gettext_lazy("All projects"), "projects"),
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
    if project is None and slug is None and len(projects) == 1:
        project = projects[0]  # pages outside projects keep the menu of the only one
    roles = frozenset(Role(row.role) for row in rows if project and row.project_id == project.pk)
    return Shell(
        project=project,
        projects=projects,
        nav=menu(request, project, roles) if project else [],
        person_name=user.display_name,
        roles_text=", ".join(str(role.label) for role in Role if role in roles)
        or ("" if projects else _("no project")),
        reads_api=any(row.role in permissions.READERS for row in rows),
    )


def menu(request: HttpRequest, project: Project, roles: frozenset[Role]) -> list[Entry]:
    """Return the entries this person has, the one they are at marked, with what is under it."""
    rows = rows_of_menu(roles)
    under = {row[0]: _under(row, project, roles) for row in rows}
    now = _current(request.path, project, rows, under)
    return [
        Entry(
            key=row[0],
            label=str(row[1]),
            url=under[row[0]][0].url if under[row[0]] else reverse(row[2], args=[project.slug]),
            icon=row[3],
            current=row[0] == now.key,
            within=tuple(
                Entry(row[0], place.label, place.url, "", place.url == now.url)
                for place in under[row[0]]
            )
            if row[0] == now.key
            else (),
        )
        for row in rows
    ]


def rows_of_menu(roles: frozenset[Role]) -> list[Row]:
    """Return the rows of the menu for these roles, with those of other apps before the last.

    Somebody who only grades has no home beside the list of what to grade.
    """
    more = [row for rows in panels.fill("menu") for row in rows]
    seen = [row for row in (*MENU, *more, *LAST) if not roles.isdisjoint(row[4])]
    return [row for row in seen if row[0] != "home" or roles != permissions.ANNOTATORS]


def places(project: Project, roles: frozenset[Role]) -> list[Place]:
    """Return every page of the menu and every deed that this person has, and their own pages."""
    found: dict[str, Place] = {}
    for row in rows_of_menu(roles):
        own = Place(str(row[1]), reverse(row[2], args=[project.slug]), "")
        for place in _under(row, project, roles) or [own]:
            found.setdefault(place.url, place)
    deeds = [
        Place(str(label), reverse(name, args=[project.slug]), "")
        for label, name, who in DEEDS
        if not roles.isdisjoint(who)
    ]
    outside = [Place(str(label), reverse(name), "") for label, name in OUTSIDE]
    return [*found.values(), *deeds, *outside]


def _under(row: Row, project: Project, roles: frozenset[Role]) -> list[Place]:
    more = [
        place[1:] for places in panels.fill("menu_under") for place in places if place[0] == row[0]
    ]
    return [
        Place(str(label), reverse(name, args=[project.slug]), str(row[1]))
        for label, name, who in (*UNDER.get(row[0], ()), *more)
        if not roles.isdisjoint(who)
    ]


@dataclass(frozen=True)
class _Current:
    key: str = ""
    url: str = ""


def _current(
    path: str, project: Project, rows: list[Row], under: dict[str, list[Place]]
) -> _Current:
    """Return the entry a page belongs to: the one whose pattern it fits, else the longest address."""
    best, longest = _Current(), 0
    more = [row for rows in panels.fill("menu_elsewhere") for row in rows]
    for pattern, key, name in (*ELSEWHERE, *more):
        if _fits(path, pattern):
            return _Current(key, reverse(name, args=[project.slug]))
    for row in rows:
        if len(row) > 5 and _fits(path, row[5]):
            return _Current(row[0], reverse(row[2], args=[project.slug]))
        for url in [place.url for place in under[row[0]]] or [reverse(row[2], args=[project.slug])]:
            fits = path == url if row[0] == "home" else path.startswith(url)
            if fits and len(url) > longest:
                best, longest = _Current(row[0], url), len(url)
    return best


def _fits(path: str, pattern: str) -> bool:
    """Return whether a path is of a pattern, in which * is one part of it, or at the end all the rest."""
    rest = "/*" if pattern.endswith("/*") else ""
    parts = pattern.removesuffix(rest).split("/")
    mine = path.split("/")
    same = all(fnmatch(one, part) for one, part in zip(mine, parts, strict=False))
    return same and (len(mine) > len(parts) if rest else len(mine) == len(parts))
