"""Find a page or a thing by a few words: as JSON for the palette, and as a page with all that has them."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.forms.search import SearchFilter
from annotation.models import Role, SearchText, SourceCollection
from annotation.permissions import Scope, door
from annotation.queries import search as reads
from annotation.queries import search_results, sources, text_search, worklist
from annotation.rules import searching
from annotation.rules.searching import Sought
from annotation.views import shell
from evalsite import keyset

MOST = 20
PAGES = 6
LONGEST = 100
#: The page takes more words: a sentence that somebody remembers.
LONGEST_ON_PAGE = 300

Kind = SearchText.Kind
NAMES = {
    Kind.QUESTION: _lazy("Questions"),
    Kind.ITEM: _lazy("Items"),
    Kind.SOURCE: _lazy("Sources"),
    Kind.RESPONSE: _lazy("Responses"),
}


@dataclass(frozen=True)
class Hit:
    """One thing found: what it is called, what kind of thing it is, and where."""

    label: str
    kind: str
    url: str
    hint: str = ""


@require_GET
@door(permissions.EVERYBODY)
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
        "scope": scope,
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
    return render(request, "annotation/search.html", context)


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
    found = text_search.found(scope.project, sought, here)
    counts = None if found.more else found.counts
    if chosen and not found.more:
        counts = text_search.counts(scope.project, sought, limits)
    page = text_search.page(found.hits, after=request.GET.get("after", ""))
    n = found.counts.total()
    said = _("more than %(n)d found") if found.more else ngettext("%(n)d found", "%(n)d found", n)
    return {
        "lines": [_shown(scope, one) for one in search_results.lines(page.rows, sought)],
        "tabs": _tabs(request, kinds, counts, chosen),
        "count_text": said % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
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


def _shown(scope: Scope, line: search_results.Line) -> dict[str, Any]:
    """Return a line with the address of what was found: a response stands on the page of its item."""
    names = {Kind.QUESTION: "question", Kind.SOURCE: "source"}
    return {
        "line": line,
        "url": _url(scope, names.get(Kind(line.kind), "item"), line.key),
        "kind": Kind(line.kind).label,
    }


@require_GET
@door(permissions.EVERYBODY)
def search_json(request: HttpRequest, scope: Scope) -> JsonResponse:
    """Return what fits the words, for the palette."""
    return JsonResponse({"hits": [asdict(hit) for hit in hits(scope, wanted(request))]})


def wanted(request: HttpRequest, longest: int = LONGEST) -> str:
    words = request.GET.get("q", "").replace("\0", "")
    # Half a pair of surrogates is no sign, and no page could show it again.
    words = words[: 20 * longest].encode(errors="ignore").decode()
    return " ".join(words.split())[:longest]


def hits(scope: Scope, words: str) -> list[Hit]:
    """Return at most twenty things that this person may see, pages first."""
    pages = list(_pages(scope, words))
    if not words:
        return pages[:MOST]
    return [*pages[:PAGES], *_things(scope, words)][:MOST]


def _pages(scope: Scope, words: str) -> Iterator[Hit]:
    for place in shell.places(scope.project, scope.roles):
        said = f"{place.within} {place.label}".casefold().split()
        if all(any(one.startswith(word) for one in said) for word in words.casefold().split()):
            yield Hit(place.label, _("Page"), place.url, place.within)


def _own_rounds(scope: Scope, words: str) -> Iterator[Hit]:
    rater = worklist.rater_of(scope.project, scope.user)
    for number, name in worklist.list_names(rater, words) if rater else ():
        yield Hit(name, _("Your grades"), _url(scope, "grade_sheet", number))


def _rounds(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.rounds(scope.project, words):
        hint = _("round %(n)d, %(state)s") % {"n": one.number, "state": one.get_state_display()}
        yield Hit(one.name, _("Round"), _url(scope, "round", one.number), hint)


def _questions(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.questions(scope.project, words):
        asked = Truncator(one.asked).chars(120)
        yield Hit(
            one.question.external_id, _("Question"), _url(scope, "question", one.question_id), asked
        )


def _items(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.items(scope.project, words):
        question = Truncator(one.question).chars(120)
        yield Hit(one.external_id, _("Item"), _url(scope, "item", one.pk), question)


def _sources(scope: Scope, words: str) -> Iterator[Hit]:
    seen = sources.only_seen(scope.project, scope.user, scope.roles)
    for one in reads.sources(scope.project, words, seen):
        yield Hit(one.title, _("Source"), _url(scope, "source", one.pk), one.publisher)


def _responses(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.responses(scope.project, words):
        said = Truncator(" ".join(searching.said(one.messages))).chars(120)
        label = f"{one.release.system.name} · {one.item.external_id}"
        yield Hit(label, _("Response"), _url(scope, "item", one.item_id), said)


def _rubrics(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.rubrics(scope.project, words):
        yield Hit(one.name, _("Rubric"), _url(scope, "rubric", one.key))


def _systems(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.systems(scope.project, words):
        yield Hit(one.name, _("System"), _url(scope, "system", one.pk))


def _people(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.people(scope.project, words):
        url = _url(scope, "person", one.public_id)
        yield Hit(one.display_name, _("Person"), url, one.username)


def _imports(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.imports(scope.project, words):
        url = _url(scope, "batch", one.number)
        yield Hit(one.file_name, _("Import"), url, str(one.get_state_display()))


def _projects(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.projects(scope.user, words):
        if one.pk != scope.project.pk:
            url = reverse("project_home", args=[one.slug])
            yield Hit(one.name, _("Project"), url, one.subtitle)


#: Each kind of thing, and who may see it: the same as at its own page.
KINDS: tuple[tuple[frozenset[Role], Callable[[Scope, str], Iterator[Hit]]], ...] = (
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


def _things(scope: Scope, words: str) -> Iterator[Hit]:
    """Yield what fits of every kind; who may not see a kind does not ask for it."""
    for who, kind in KINDS:
        if scope.may(who):
            yield from kind(scope, words)


def _others(scope: Scope, words: str) -> Iterator[Hit]:
    """Yield what fits of the kinds that have no texts."""
    for who, kind in KINDS:
        if words and kind not in TEXTS and scope.may(who):
            yield from kind(scope, words)


def _url(scope: Scope, name: str, key: object) -> str:
    return reverse(name, args=[scope.project.slug, key])
