"""Find a page or a thing by a few words: as a page, and as JSON for the palette."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.models import Role
from annotation.permissions import Scope, door
from annotation.queries import search as reads
from annotation.queries import worklist
from annotation.views import shell

MOST = 20
PAGES = 6
LONGEST = 100


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
    """Show what fits the words; without words, the pages there are."""
    words = wanted(request)
    context = {"scope": scope, "words": words, "hits": hits(scope, words), "longest": LONGEST}
    return render(request, "annotation/search.html", context)


@require_GET
@door(permissions.EVERYBODY)
def search_json(request: HttpRequest, scope: Scope) -> JsonResponse:
    """Return what fits the words, for the palette."""
    return JsonResponse({"hits": [asdict(hit) for hit in hits(scope, wanted(request))]})


def wanted(request: HttpRequest) -> str:
    words = request.GET.get("q", "").replace("\0", "")
    return " ".join(words.split())[:LONGEST]


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


def _rubrics(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.rubrics(scope.project, words):
        yield Hit(one.name, _("Rubric"), _url(scope, "rubric", one.key))


def _systems(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.systems(scope.project, words):
        yield Hit(one.name, _("System"), _url(scope, "system", one.pk))


def _people(scope: Scope, words: str) -> Iterator[Hit]:
    for one in reads.people(scope.project, words):
        url = _url(scope, "person", one.public_id)
        yield Hit(str(one.display_name), _("Person"), url, one.username)


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
    (permissions.READERS, _rubrics),
    (permissions.UNBLINDED, _systems),
    (permissions.OWNERS, _people),
    (permissions.CURATORS, _imports),
    (permissions.EVERYBODY, _projects),
)


def _things(scope: Scope, words: str) -> Iterator[Hit]:
    """Yield what fits of every kind; who may not see a kind does not ask for it."""
    for who, kind in KINDS:
        if scope.may(who):
            yield from kind(scope, words)


def _url(scope: Scope, name: str, key: object) -> str:
    return reverse(name, args=[scope.project.slug, key])
