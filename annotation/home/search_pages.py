"""What stands around every page: the project, its menu, and who is signed in.

* Find a page or a thing by a few words: as JSON for the palette, and as a page with all that has them.
* Finding things by their words, as JSON: the best first, of what the person who asks may see.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatch
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import SimpleLazyObject
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy, ngettext
from rest_framework.response import Response

from annotation.common.sentences import gettext as _
from annotation.grading import worklist
from annotation.home import search as reads
from annotation.home.search import SearchFilter, SearchLine
from annotation.people import permissions
from annotation.people.models import Membership, Project, Role, User
from annotation.people.permissions import Scope, door, shows
from annotation.search import queries as text_search
from annotation.search import rules as searching
from annotation.search.models import SearchText
from annotation.search.rules import Sought
from annotation.sources import queries as sources
from annotation.sources.models import SourceCollection
from evalsite import panels
from evalsite.contract.calls import (
    AFTER,
    InvalidParameter,
    Query,
    choice,
    contract,
    get,
    of_form,
    readable,
)
from evalsite.contract.shapes import maybe, one_of, page, said, shape
from evalsite.web import keyset, languages


@dataclass(frozen=True)
class MenuEntry:
    key: str
    label: str
    url: str
    icon: str
    current: bool
    #: What stands under the entry while one is inside it.
    within: tuple["MenuEntry", ...] = ()
    count: int | None = None


@dataclass(frozen=True)
class Shell:
    project: Project | None
    projects: list[Project]
    nav: list[MenuEntry]
    person_name: str
    roles_text: str
    #: Whether they may do more than grade anywhere: programs of theirs have something to ask.
    reads_api: bool


@dataclass(frozen=True)
class ShellPlace:
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
    ("bank", gettext_lazy("Bank"), "questions", "bank", permissions.READERS),
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
        (gettext_lazy("Inspection"), "inspections", permissions.INSPECTORS),
        (gettext_lazy("Returned to me"), "inspection_figures", frozenset({Role.DESIGNER})),
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
    ("/p/*/items/*", "bank", "questions"),
    ("/p/*/drafting/*", "bank", "sources"),
    ("/p/*/settings/bank/", "settings", "settings_rules"),
    ("/p/*/settings/disputes/", "settings", "settings_rules"),
    ("/p/*/settings/reviews/", "settings", "settings_rules"),
    ("/p/*/settings/verdicts/", "settings", "settings_rules"),
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
        .select_related("project", "user__person")
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
        person_name=(rows[0].user if rows else user).display_name,
        roles_text=languages.listed(role.label for role in Role if role in roles)
        or ("" if projects else _("no project")),
        reads_api=any(row.role in permissions.READERS for row in rows),
    )


def menu(request: HttpRequest, project: Project, roles: frozenset[Role]) -> list[MenuEntry]:
    """Return the entries this person has, the one they are at marked, with what is under it."""
    rows = rows_of_menu(roles)
    under = {row[0]: _under(row, project, roles) for row in rows}
    now = _current(request.path, project, rows, under)
    return [
        MenuEntry(
            key=row[0],
            label=str(row[1]),
            url=under[row[0]][0].url if under[row[0]] else reverse(row[2], args=[project.slug]),
            icon=row[3],
            current=row[0] == now.key,
            within=tuple(
                MenuEntry(row[0], place.label, place.url, "", place.url == now.url)
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


def places(project: Project, roles: frozenset[Role]) -> list[ShellPlace]:
    """Return every page of the menu and every deed that this person has, and their own pages."""
    found: dict[str, ShellPlace] = {}
    for row in rows_of_menu(roles):
        own = ShellPlace(str(row[1]), reverse(row[2], args=[project.slug]), "")
        for place in _under(row, project, roles) or [own]:
            found.setdefault(place.url, place)
    deeds = [
        ShellPlace(str(label), reverse(name, args=[project.slug]), "")
        for label, name, who in DEEDS
        if not roles.isdisjoint(who)
    ]
    outside = [ShellPlace(str(label), reverse(name), "") for label, name in OUTSIDE]
    return [*found.values(), *deeds, *outside]


def _under(row: Row, project: Project, roles: frozenset[Role]) -> list[ShellPlace]:
    more = [
        place[1:] for places in panels.fill("menu_under") for place in places if place[0] == row[0]
    ]
    return [
        ShellPlace(str(label), reverse(name, args=[project.slug]), str(row[1]))
        for label, name, who in (*UNDER.get(row[0], ()), *more)
        if not roles.isdisjoint(who)
    ]


@dataclass(frozen=True)
class _Current:
    key: str = ""
    url: str = ""


def _current(
    path: str, project: Project, rows: list[Row], under: dict[str, list[ShellPlace]]
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


MOST = 20
PAGES = 6
LONGEST = 100
#: The page takes more words: a sentence that somebody remembers.
LONGEST_ON_PAGE = 300

Kind = SearchText.Kind
NAMES = {
    Kind.QUESTION: gettext_lazy("Questions"),
    Kind.ITEM: gettext_lazy("Items"),
    Kind.SOURCE: gettext_lazy("Sources"),
    Kind.RESPONSE: gettext_lazy("Responses"),
}


@dataclass(frozen=True)
class ShellHit:
    """One thing found: what it is called, what kind of thing it is, and where."""

    label: str
    kind: str
    url: str
    hint: str = ""


@shows(permissions.EVERYBODY)
def search(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show all that has the words, the best first; without words, the pages there are."""
    words = wanted(request, LONGEST_ON_PAGE)
    kinds = [kind for kind, who in permissions.FINDERS.items() if scope.may(who)]
    chosen = request.GET.get("kind", "")
    chosen = chosen if chosen in kinds else ""
    form = SearchFilter(
        request.GET,
        project=scope.project,
        kinds=kinds,
        collections=_collections(scope) if Kind.SOURCE in kinds else (),
    )
    context: dict[str, Any] = {
        "words": words,
        "form": form,
        "kind": chosen,
        "longest": LONGEST_ON_PAGE,
        "may_find_texts": bool(kinds),
    }
    if not chosen and not form.is_set and not request.GET.get("after"):
        some = list(_pages(scope, words)) + list(_others(scope, words))
        context["hits"] = some[:MOST] if words else list(_pages(scope, words))[:MOST]
    if words and kinds:
        context |= _found(request, scope, searching.sought(words), form, kinds, chosen)
    return render(request, "annotation/home/search.html", context)


def _collections(scope: Scope) -> list[SourceCollection]:
    return list(sources.collections_for(scope.project, scope.user, scope.roles))


def _found(
    request: HttpRequest,
    scope: Scope,
    sought: Sought,
    form: SearchFilter,
    kinds: list[Kind],
    chosen: str,
) -> dict[str, Any]:
    """Return the page of what was found, and how much of each kind there is."""
    limits = form.limits(kinds, sources.only_seen(scope.project, scope.user, scope.roles))
    here = replace(limits, kinds=[chosen]) if chosen else limits
    found = text_search.found_texts(scope.project, sought, here)
    counts = None if found.more else found.counts
    if chosen and not found.more:
        counts = text_search.counts(scope.project, sought, limits)
    page = text_search.page(found.hits, after=request.GET.get("after", ""))
    n = found.counts.total()
    said = _("more than %(n)d found") if found.more else ngettext("%(n)d found", "%(n)d found", n)
    return {
        "lines": [_shown(scope, one) for one in reads.lines(page.rows, sought)],
        "tabs": _tabs(request, kinds, counts, chosen),
        "count_text": said % {"n": n},
        **keyset.links(request.GET, page),
    }


def _tabs(
    request: HttpRequest, kinds: list[Kind], counts: Counter[str] | None, chosen: str
) -> list[dict[str, Any]]:
    def tab(kind: str, label: str, n: int | None) -> dict[str, Any]:
        query = request.GET.copy()
        for name in ("after", "kind"):
            query.pop(name, None)
        if kind:
            query["kind"] = kind
        return {
            "label": label,
            "url": f"?{query.urlencode()}",
            "current": kind == chosen,
            "count": n,
        }

    own = [tab(kind, str(NAMES[kind]), None if counts is None else counts[kind]) for kind in kinds]
    return [tab("", _("All"), None if counts is None else counts.total()), *own]


def _shown(scope: Scope, line: reads.SearchLine) -> dict[str, Any]:
    """Return a line with the address of what was found: a response stands on the page of its item."""
    names = {Kind.QUESTION: "question", Kind.SOURCE: "source"}
    return {
        "line": line,
        "url": _url(scope, names.get(Kind(line.kind), "item"), line.key),
        "kind": Kind(line.kind).label,
    }


@shows(permissions.EVERYBODY)
def search_json(request: HttpRequest, scope: Scope) -> JsonResponse:
    """Return what fits the words, for the palette."""
    return JsonResponse({"hits": [asdict(hit) for hit in hits(scope, wanted(request))]})


def wanted(request: HttpRequest, longest: int = LONGEST) -> str:
    words = request.GET.get("q", "").replace("\0", "")
    # Half a pair of surrogates is no sign, and no page could show it again.
    words = words[: 20 * longest].encode(errors="ignore").decode()
    return " ".join(words.split())[:longest]


def hits(scope: Scope, words: str) -> list[ShellHit]:
    """Return at most twenty things that this person may see, pages first."""
    pages = list(_pages(scope, words))
    if not words:
        return pages[:MOST]
    return [*pages[:PAGES], *_things(scope, words)][:MOST]


def _pages(scope: Scope, words: str) -> Iterator[ShellHit]:
    for place in places(scope.project, scope.roles):
        said = f"{place.within} {place.label}".casefold().split()
        if all(any(one.startswith(word) for one in said) for word in words.casefold().split()):
            yield ShellHit(place.label, _("Page"), place.url, place.within)


def _own_rounds(scope: Scope, words: str) -> Iterator[ShellHit]:
    rater = worklist.rater_of(scope.project, scope.user)
    for number, name in worklist.list_names(rater, words) if rater else ():
        yield ShellHit(name, _("Your grades"), _url(scope, "grade_sheet", number))


def _rounds(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.rounds(scope.project, words):
        hint = _("round %(n)d, %(state)s") % {"n": one.number, "state": one.get_state_display()}
        yield ShellHit(one.name, _("Round"), _url(scope, "round", one.number), hint)


def _questions(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.questions(scope.project, words):
        asked = Truncator(one.asked).chars(120)
        yield ShellHit(
            one.question.external_id, _("Question"), _url(scope, "question", one.question_id), asked
        )


def _items(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.items(scope.project, words):
        question = Truncator(one.question).chars(120)
        yield ShellHit(one.external_id, _("Item"), _url(scope, "item", one.pk), question)


def _sources(scope: Scope, words: str) -> Iterator[ShellHit]:
    seen = sources.only_seen(scope.project, scope.user, scope.roles)
    for one in reads.sources(scope.project, words, seen):
        yield ShellHit(one.title, _("Source"), _url(scope, "source", one.pk), one.publisher)


def _responses(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.responses(scope.project, words):
        said = Truncator(" ".join(searching.said(one.messages))).chars(120)
        label = f"{one.release.system.name} · {one.item.external_id}"
        yield ShellHit(label, _("Response"), _url(scope, "item", one.item_id), said)


def _rubrics(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.rubrics(scope.project, words):
        yield ShellHit(one.name, _("Rubric"), _url(scope, "rubric", one.key))


def _systems(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.systems(scope.project, words):
        yield ShellHit(one.name, _("System"), _url(scope, "system", one.pk))


def _people(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.people(scope.project, words):
        url = _url(scope, "person", one.public_id)
        yield ShellHit(one.display_name, _("Person"), url, one.username)


def _imports(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.imports(scope.project, words):
        url = _url(scope, "batch", one.number)
        yield ShellHit(one.file_name, _("Import"), url, str(one.get_state_display()))


def _projects(scope: Scope, words: str) -> Iterator[ShellHit]:
    for one in reads.projects(scope.user, words):
        if one.pk != scope.project.pk:
            url = reverse("project_home", args=[one.slug])
            yield ShellHit(one.name, _("Project"), url, one.subtitle)


#: Each kind of thing, and who may see it: the same as at its own page.
KINDS: tuple[tuple[frozenset[Role], Callable[[Scope, str], Iterator[ShellHit]]], ...] = (
    (permissions.ANNOTATORS, _own_rounds),
    (permissions.UNBLINDED, _rounds),
    (permissions.READERS, _questions),
    (permissions.READERS, _items),
    (permissions.READERS, _sources),
    (permissions.READERS, _rubrics),
    (permissions.UNBLINDED, _systems),
    (permissions.OWNERS, _people),
    (permissions.CURATORS, _imports),
    (permissions.EVERYBODY, _projects),
    (permissions.UNBLINDED, _responses),
)
#: What the page finds by its texts, with all that has the words.
TEXTS = {_questions, _items, _sources, _responses}


def _things(scope: Scope, words: str) -> Iterator[ShellHit]:
    """Yield what fits of every kind; who may not see a kind does not ask for it."""
    for who, kind in KINDS:
        if scope.may(who):
            yield from kind(scope, words)


def _others(scope: Scope, words: str) -> Iterator[ShellHit]:
    """Yield what fits of the kinds that have no texts."""
    for who, kind in KINDS:
        if words and kind not in TEXTS and scope.may(who):
            yield from kind(scope, words)


def _url(scope: Scope, name: str, key: object) -> str:
    return reverse(name, args=[scope.project.slug, key])


SEARCH_KINDS = {one.lower(): one for one in SearchText.Kind.values}
#: Of the words that are sought so many signs are read.
SEARCH_LONGEST = 300

FOUND = page(
    shape(
        "Hit",
        kind=one_of(*SEARCH_KINDS),
        id=said(int, "Of the question, item or source; of the item for a response."),
        title=str,
        text=said(
            [shape("HitPiece", text=str, hit=said(bool, "Whether it is what was sought."))],
            "The surroundings of what was sought, piece by piece.",
        ),
        facts=[str],
        part=said(int, "Of a long text, from 2 on; 0 for its first part."),
    ),
    counts=said(
        maybe({str: int}), "How many there are of each kind; null where there are more than that."
    ),
    more=said(bool, "Whether more was found than is told of; seek with more words."),
)


@contract(
    get(
        FOUND,
        query=[
            Query("q", "The words; those between double quotes stand together."),
            choice("kind", list(SEARCH_KINDS), "Of what kind."),
            *of_form(SearchFilter),
            AFTER,
        ],
    )
)
@door(permissions.READERS)
def search_api(request: HttpRequest, scope: Scope) -> Response:
    """Search questions, items, sources and responses for all of the words, the best match first."""
    kinds = [kind for kind, who in permissions.FINDERS.items() if scope.may(who)]
    shelves = list(sources.collections_for(scope.project, scope.user, scope.roles))
    form = readable(
        SearchFilter(request.GET, project=scope.project, kinds=kinds, collections=shelves)
    )
    if wanted := request.GET.get("kind"):
        kinds = [one for one in kinds if one == SEARCH_KINDS[wanted]]
    words = " ".join(request.GET.get("q", "").replace("\0", "").split())
    if len(words) > SEARCH_LONGEST:
        message = _("At most %(n)d characters.") % {"n": SEARCH_LONGEST}
        raise InvalidParameter(message, fields={"q": [message]})
    sought = searching.sought(words)
    limits = form.limits(kinds, sources.only_seen(scope.project, scope.user, scope.roles))
    found = text_search.found_texts(scope.project, sought, limits)
    rows = text_search.page(found.hits, after=request.GET.get("after", ""))
    return Response(
        {
            "results": [_told(one) for one in reads.lines(rows.rows, sought)],
            "next": keyset.next_url(request.GET, rows),
            "counts": None
            if found.more
            else {name: found.counts[kind] for name, kind in SEARCH_KINDS.items() if kind in kinds},
            "more": found.more,
        }
    )


def _told(line: SearchLine) -> dict[str, Any]:
    return {
        "kind": line.kind.lower(),
        "id": line.key,
        "title": "".join(one.text for one in line.title),
        "text": [{"text": one.text, "hit": one.hit} for one in line.pieces],
        "facts": list(line.facts),
        "part": line.part,
    }
