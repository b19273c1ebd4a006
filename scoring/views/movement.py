"""Why a system's score moved between two rounds, and the desk that says what stayed the same."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
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
from scoring.queries import plots, reading, tagdesk
from scoring.queries.movement import Chosen
from scoring.queries.reading import Reading

POLL_SECONDS = 2


@require_GET
@door(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose two rounds and a system; show what moved its score."""
    context: dict[str, Any] = {"scope": scope, "rounds": reads.choices(scope.project)}
    sides = _sides(request, scope)
    if sides is None:
        return render(request, "scoring/movement.html", context)
    before, after = sides
    context |= {"before": before.round, "after": after.round}
    refusal = _refusal(scope, sides)
    if refusal is not None:
        return render(request, "scoring/movement.html", context | {"refusal": refusal})
    hidden = [one.round for one in sides if not one.shown]
    systems = reads.systems(before.round, after.round)
    context |= {"hidden": hidden, "systems": [] if hidden else systems}
    chosen = None if hidden else _chosen(request, before, after)
    if chosen is None:
        return render(request, "scoring/movement.html", context)
    figure = figures.get(
        name="fluctuation",
        round_=after.round,
        params=reads.params(chosen),
        now=timezone.now(),
    )
    context |= {
        "chosen": chosen,
        "figure": figure,
        "poll": POLL_SECONDS,
        "query": request.GET.urlencode(),
    }
    if figure.state == Figure.State.READY:
        if request.headers.get("HX-Request"):
            return HttpResponse(headers={"HX-Refresh": "true"})
        context |= _shown(request, scope, figure)
    elif request.headers.get("HX-Request"):
        return render(request, "scoring/parts/movement_wait.html", context)
    return render(request, "scoring/movement.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def movement_tags(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the pairs of two rounds with what differs; a curator says what is the same."""
    sides = _sides(request, scope)
    if sides is None or _refusal(scope, sides) or not all(one.shown for one in sides):
        return redirect("movement", scope.project.slug)
    chosen = _chosen(request, *sides)
    if chosen is None:
        return redirect("movement", scope.project.slug)
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


def _sides(request: HttpRequest, scope: Scope) -> tuple[Reading, Reading] | None:
    """Return the two rounds that were named, the earlier one first; nothing if none was."""
    numbers = [request.GET.get(name, "") for name in ("before", "after")]
    if not all(number.isdecimal() and len(number) < 10 for number in numbers):
        return None
    first, second = sorted(int(number) for number in numbers)
    if first == second:
        return None
    return reading.of(scope, first), reading.of(scope, second)


def _refusal(scope: Scope, sides: tuple[Reading, Reading]) -> errors.Refusal | None:
    for one in sides:
        try:
            reading.allowed(scope, one.round.number)
        except errors.Refusal as refusal:
            return refusal
    return None


def _chosen(request: HttpRequest, before: Reading, after: Reading) -> Chosen | None:
    wanted = request.GET.get("system", "")
    systems = reads.systems(before.round, after.round)
    if not wanted:
        return None
    for one in systems:
        if str(one.pk) == wanted:
            return Chosen(before.round, after.round, one)
    raise Http404(_("This system did not take part in both rounds."))


def _shown(request: HttpRequest, scope: Scope, figure: Figure) -> dict[str, Any]:
    data = figure.data or {}
    which = "accuracy" if request.GET.get("figure") == "accuracy" else "score"
    wanted = request.GET.get("capability", "")
    shown = reads.Shown(data, which, int(wanted) if wanted.isdecimal() else None)
    return {
        "shown": shown,
        "which": which,
        "capability": wanted,
        "capabilities": reads.capabilities(data, scope.project),
        "plot_config": plots.CONFIG,
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
