"""From a draft to an open round: prepare it, look for names, look at it, open it."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation import permissions
from annotation.models import IdentityHit, Round, RoundItem
from annotation.operations.rounds import identity as names
from annotation.operations.rounds import opening, starting
from annotation.permissions import Scope, door
from annotation.queries import identity
from annotation.rules import seeds, tokens
from annotation.views.rounds import back, find, refuse
from evalsite import errors, keyset, markdown


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_prepare(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number)
    try:
        counts = starting.prepare(round_=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    if counts is not None:
        messages.success(request, _said(counts))
    return back(found)


def _said(counts: dict[str, int]) -> str:
    drawn = ngettext("%(n)d item is drawn", "%(n)d items are drawn", counts["items"])
    drawn = drawn % {"n": counts["items"]}
    if not counts["hits"]:
        return _("%(drawn)s; no response names its system.") % {"drawn": drawn}
    places = ngettext(
        "%(drawn)s; %(n)d place in the responses names a system. Decide what annotators see there.",
        "%(drawn)s; %(n)d places in the responses name a system. Decide what annotators see there.",
        counts["hits"],
    )
    return places % {"drawn": drawn, "n": counts["hits"]}


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_open(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    found = find(scope, number)
    try:
        is_open = starting.open_(round_=found, by=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        return refuse(request, scope, found, refusal)
    if is_open:
        messages.success(request, _("The round is open. Its annotators find it in their list."))
    return back(found)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_identity(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show where responses name systems, grouped by name or all places of one (`?term=`)."""
    found = find(scope, number)
    if request.method == "POST":
        return _decide(request, scope, found)
    return _identity(request, scope, found)


def _decide(request: HttpRequest, scope: Scope, found: Round) -> HttpResponse:
    decision, which = request.POST.get("decision", ""), request.POST.get("which", "")
    hits = [int(one) for one in request.POST.getlist("hit") if one.isascii() and one.isdigit()]
    if decision not in {IdentityHit.Decision.MASK, IdentityHit.Decision.KEEP}:
        raise Http404
    try:
        decided = names.decide(
            round_=found,
            terms=request.POST.getlist("term") if which == "term" else None,
            hits=hits if which == "hits" else None,
            undecided_only=which == "all",
            decision=IdentityHit.Decision(decision),
            by=scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        return _identity(request, scope, found, refusal=refusal, status=refusal.status)
    said = ngettext("%(n)d place is decided.", "%(n)d places are decided.", decided)
    messages.success(request, said % {"n": decided})
    return redirect(request.get_full_path())


def _identity(
    request: HttpRequest, scope: Scope, found: Round, *, status: int = 200, **context: Any
) -> HttpResponse:
    term = request.GET.get("term", "")
    editable = found.state == Round.State.DRAFT and found.opening_at is None
    context |= {
        "scope": scope,
        "round": found,
        "summary": identity.summary(found),
        "may_edit": editable and scope.may(permissions.CURATORS),
        "term": term,
    }
    if term:
        excerpts, page = identity.hits_page(found, term, after=request.GET.get("after", ""))
        if not excerpts:
            raise Http404(_("There is no such name in this round."))
        context |= {
            "excerpts": excerpts,
            "next_url": keyset.next_url(request.GET, page),
            "first_url": keyset.first_url(request.GET, page),
        }
        return render(request, "annotation/round_identity_term.html", context, status=status)
    given = request.GET.get("start", "")
    start = int(given) if given.isascii() and given.isdigit() and len(given) < 8 else 0
    terms, more = identity.terms(found, start=start)
    context |= {
        "terms": terms,
        "next_url": f"?start={start + identity.TERMS_SHOWN}" if more else None,
        "first_url": "?" if start else None,
    }
    return render(request, "annotation/round_identity.html", context, status=status)


@dataclass(frozen=True)
class Shown:
    """A response as an annotator will see it."""

    letter: str
    html: str
    masked: bool


@require_GET
@door(permissions.UNBLINDED)
def round_preview(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Show an item as its annotators will see it; the order stands for any."""
    found = find(scope, number)
    items = RoundItem.objects.filter(round=found).select_related("item__capability")
    one = items.select_related("rubric_version").filter(ordinal=place - 1).first()
    if one is None:
        raise Http404(_("There is no such item in this round."))
    version = one.rubric_version
    face = one.face or opening.face(one)
    rubrics = markdown.render(version.principle) if version and version.principle else ""
    context = {
        "scope": scope,
        "round": found,
        "place": place,
        "n_items": items.count(),
        "face": face,
        "responses": _shown(found, one),
        "principle": face.get("principle") or rubrics,
        "criteria": version.criteria.prefetch_related("levels") if version else [],
    }
    return render(request, "annotation/round_preview.html", context)


def _shown(found: Round, of: RoundItem) -> list[Shown]:
    masks = identity.masks_of(of)
    renderer = opening.UNIFORM_RENDERER if found.uniform_rendering else opening.RENDERER
    responses = [row.response for row in of.responses.select_related("response")]
    responses.sort(key=lambda one: seeds.rank_key(found.seed, one.content_sha))
    return [
        Shown(
            tokens.letter(place % len(tokens.LETTERS)),
            opening.shown(response, masks.get(response.pk, []), renderer).html,
            response.pk in masks,
        )
        for place, response in enumerate(responses)
    ]
