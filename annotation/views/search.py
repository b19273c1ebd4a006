"""Find a page or a thing by a few words: as a page, and as JSON for the palette."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation import permissions
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
        said = f"{place.within} {place.label}".casefold()
        if all(word in said for word in words.casefold().split()):
            yield Hit(place.label, _("Page"), place.url, place.within)


def _things(scope: Scope, words: str) -> Iterator[Hit]:
    """Yield things of every kind; each kind has its own door, and only those who pass it ask."""
    slug = scope.project.slug
    if scope.may(permissions.ANNOTATORS):
        yield from _own_rounds(scope, words)
    if scope.may(permissions.UNBLINDED):
        for round_ in reads.rounds(scope.project, words):
            hint = _("round %(n)d") % {"n": round_.number}
            url = reverse("round", args=[slug, round_.number])
            yield Hit(round_.name, _("Round"), url, f"{hint}, {round_.get_state_display()}")
    if scope.may(permissions.READERS):
        for item in reads.items(scope.project, words):
            question = Truncator(item.question).chars(120)
            yield Hit(item.external_id, _("Item"), reverse("item", args=[slug, item.pk]), question)
        for rubric in reads.rubrics(scope.project, words):
            yield Hit(rubric.name, _("Rubric"), reverse("rubric", args=[slug, rubric.key]))
    if scope.may(permissions.UNBLINDED):
        for system in reads.systems(scope.project, words):
            yield Hit(system.name, _("System"), reverse("system", args=[slug, system.pk]))
    if scope.may(permissions.OWNERS):
        for user in reads.people(scope.project, words):
            url = reverse("person", args=[slug, user.public_id])
            yield Hit(str(user.display_name), _("Person"), url, user.username)
    if scope.may(permissions.CURATORS):
        for batch in reads.imports(scope.project, words):
            url = reverse("batch", args=[slug, batch.number])
            yield Hit(batch.file_name, _("Import"), url, str(batch.get_state_display()))
    for project in reads.projects(scope.user, words):
        if project.pk != scope.project.pk:
            url = reverse("project_home", args=[project.slug])
            yield Hit(project.name, _("Project"), url, project.subtitle)


def _own_rounds(scope: Scope, words: str) -> Iterator[Hit]:
    rater = worklist.rater_of(scope.project, scope.user)
    for number, name in worklist.list_names(rater, words) if rater else ():
        url = reverse("grade_sheet", args=[scope.project.slug, number])
        yield Hit(name, _("Your grades"), url)
