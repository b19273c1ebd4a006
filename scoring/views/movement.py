"""Why a system's score moved between two rounds, and the desk that says what stayed the same."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.models import Item, Response
from annotation.operations import sameness as tagging
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import movement as reads
from scoring.queries import movement_told, pictures, tagdesk
from scoring.views import sides, waiting


@require_GET
@door(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what moved a system's score between two rounds: the likeliest ones until others are chosen."""
    context: dict[str, Any] = {"scope": scope, "rounds": reads.choices(scope.project)}
    both = sides.sides(request, scope)
    if both is None:
        likely = None if "before" in request.GET else reads.suggested(scope.project)
        if likely:
            earlier, later = (one.number for one in likely)
            return redirect(f"{request.path}?{urlencode({'before': earlier, 'after': later})}")
        return render(request, "scoring/movement.html", context)
    before, after = both
    context |= {"before": before.round, "after": after.round}
    refusal = sides.refusal(scope, both)
    if refusal is not None:
        return render(request, "scoring/movement.html", context | {"refusal": refusal})
    hidden = [one.round for one in both if not one.shown]
    systems = reads.systems(before.round, after.round)
    context |= {"hidden": hidden, "systems": [] if hidden else systems}
    chosen = None if hidden else sides.chosen(request, before, after)
    if chosen is None and context["systems"]:
        query = request.GET.copy()
        query["system"] = str(systems[0].pk)
        return redirect(f"{request.path}?{query.urlencode()}")
    if chosen is None:
        return render(request, "scoring/movement.html", context)
    figure = figures.get(
        name="fluctuation",
        round_=after.round,
        params=reads.params(chosen),
        now=timezone.now(),
    )
    context |= {"chosen": chosen, "figure": figure, "query": request.GET.urlencode()}
    if wait := waiting.answer(request, [figure], context, page="scoring/movement.html"):
        return wait
    context |= _shown(request, scope, figure)
    return render(request, "scoring/movement.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def movement_tags(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the pairs of two rounds with what differs; a curator says what is the same."""
    found = sides.complete(request, scope)
    if found is None:
        return redirect("movement", scope.project.slug)
    chosen = found[1]
    if request.method == "POST":
        _tag(request, scope)
        return redirect(f"{request.path}?{request.GET.urlencode()}")
    page = tagdesk.page(
        chosen, after=request.GET.get("after_pair", ""), everything="all" in request.GET
    )
    context = {
        "scope": scope,
        "chosen": chosen,
        "page": page,
        "query": request.GET.urlencode(),
        "may_tag": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/movement_tags.html", context)


def _shown(request: HttpRequest, scope: Scope, figure: Figure) -> dict[str, Any]:
    data = figure.data or {}
    shown = reads.asked(data, request.GET)
    return {
        "shown": shown,
        "told": [] if shown.problem else movement_told.sentences(shown),
        "which": shown.which,
        "capability": request.GET.get("capability", ""),
        "capabilities": reads.capabilities(data, scope.project),
        "picture": None if shown.problem else pictures.picture(shown.drawing),
    }


def _tag(request: HttpRequest, scope: Scope) -> None:
    left, right = (_content(request, scope, name) for name in ("left", "right"))
    verdict = "SAME" if request.POST.get("verdict") == "SAME" else "CHANGED"
    try:
        tagging.tag(
            project=scope.project,
            left=left,
            right=right,
            verdict=verdict,
            note=request.POST.get("note", "")[:500],
            by=scope.user,
            now=timezone.now(),
        )
    except errors.Refusal as refusal:
        messages.error(request, refusal.message)
    else:
        messages.success(request, _("Your decision is kept. The figures are computed anew."))


def _content(request: HttpRequest, scope: Scope, name: str) -> Item | Response:
    pk = request.POST.get(name, "")
    wanted = int(pk) if pk.isdecimal() and len(pk) < 19 else 0
    if request.POST.get("kind") == "QUESTION":
        return get_object_or_404(Item, project=scope.project, pk=wanted)
    return get_object_or_404(
        Response.objects.select_related("item", "release"), item__project=scope.project, pk=wanted
    )
