"""The two rounds and the system that an address of the movement names.

* Why a system's score moved between two rounds, and the desk that says what stayed the same.
* Tables and plots of a round's results, and of a movement, as files.
"""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import sameness as tagging
from annotation.rounds.models import Round
from annotation.systems.models import Item, Response
from evalsite import errors
from scoring.figures import labels as reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures import typed
from scoring.figures.labels import Reading
from scoring.figures.models import Figure
from scoring.movement import queries as reads
from scoring.movement.causes import MovementFigure
from scoring.movement.queries import Chosen
from scoring.results import exports as exporting
from scoring.results.insight_pages import _page, _svg, send
from scoring.shown import sheet as shown_sheet


def sides(request: HttpRequest, scope: Scope) -> tuple[Reading, Reading] | None:
    """Return the two rounds that were named, the earlier one first; nothing if none was.

    Raises:
        Http404: there is no such round.
    """
    numbers = [request.GET.get(name, "") for name in ("before", "after")]
    if not all(number.isdecimal() and len(number) < 10 for number in numbers):
        return None
    first, second = sorted(int(number) for number in numbers)
    if first == second:
        return None
    return reading.of_reading(scope, first), reading.of_reading(scope, second)


def refusal(scope: Scope, both: tuple[Reading, Reading]) -> errors.Refusal | None:
    """Return why this person may not read one of the rounds now; nothing if they may."""
    for one in both:
        try:
            reading.allowed(scope, one.round.number)
        except errors.Refusal as found:
            return found
    return None


def chosen(request: HttpRequest, before: Reading, after: Reading) -> Chosen | None:
    """Return the rounds and the system that was named; nothing if none was.

    Raises:
        Http404: it did not take part in both rounds.
    """
    wanted = request.GET.get("system", "")
    systems = reads.systems(before.round, after.round)
    if not wanted:
        return None
    for one in systems:
        if str(one.pk) == wanted:
            return Chosen(before.round, after.round, one)
    raise Http404(_("This system did not take part in both rounds."))


def complete(request: HttpRequest, scope: Scope) -> tuple[Reading, Chosen] | None:
    """Return the later round and what was chosen, if everything was named and may be read."""
    both = sides(request, scope)
    if both is None or refusal(scope, both) or not all(one.shown for one in both):
        return None
    found = chosen(request, *both)
    return None if found is None else (both[1], found)


@require_GET
@door(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what moved a system's score between two rounds: the likeliest ones until others are chosen."""
    context: dict[str, Any] = {"scope": scope, "rounds": reads.choices(scope.project)}
    both = sides(request, scope)
    if both is None:
        likely = None if "before" in request.GET else reads.suggested(scope.project)
        if likely:
            earlier, later = (one.number for one in likely)
            return redirect(f"{request.path}?{urlencode({'before': earlier, 'after': later})}")
        return render(request, "scoring/movement/movement.html", context)
    before, after = both
    context |= {"before": before.round, "after": after.round}
    refused = refusal(scope, both)
    if refused is not None:
        return render(request, "scoring/movement/movement.html", context | {"refusal": refused})
    hidden = [one.round for one in both if not one.shown]
    systems = reads.systems(before.round, after.round)
    context |= {"hidden": hidden, "systems": [] if hidden else systems}
    picked = None if hidden else chosen(request, before, after)
    if picked is None and context["systems"]:
        query = request.GET.copy()
        query["system"] = str(systems[0].pk)
        return redirect(f"{request.path}?{query.urlencode()}")
    if picked is None:
        return render(request, "scoring/movement/movement.html", context)
    figure = figures.get(
        name="fluctuation",
        round_=after.round,
        params=reads.params(picked),
        now=timezone.now(),
    )
    context |= {"chosen": picked, "figure": figure, "query": request.GET.urlencode()}
    if wait := waiting.answer(request, [figure], context, page="scoring/movement/movement.html"):
        return wait
    context |= _shown(request, scope, after.round, figure)
    return render(request, "scoring/movement/movement.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.UNBLINDED, permissions.CURATORS)
def movement_tags(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show the pairs of two rounds with what differs; a curator says what is the same."""
    found = complete(request, scope)
    if found is None:
        return redirect("movement", scope.project.slug)
    chosen = found[1]
    if request.method == "POST":
        _tag(request, scope)
        return redirect(f"{request.path}?{request.GET.urlencode()}")
    page = reads.page(
        chosen, after=request.GET.get("after_pair", ""), everything="all" in request.GET
    )
    context = {
        "scope": scope,
        "chosen": chosen,
        "page": page,
        "query": request.GET.urlencode(),
        "may_tag": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/movement/movement_tags.html", context)


def _shown(request: HttpRequest, scope: Scope, after: Round, figure: Figure) -> dict[str, Any]:
    data = typed.read(MovementFigure, figure.data)
    shown = reads.asked(data, request.GET)
    names = reading.criteria_names(after)
    criteria = reads.by_criterion(data, shown.which, names)
    whole = not (shown.criterion or request.GET.get("capability"))
    return {
        "shown": shown,
        "told": [] if shown.problem else reads.sentences(shown, criteria if whole else ()),
        "criteria": criteria,
        "criterion": names.get(shown.criterion, shown.criterion) if shown.criterion else "",
        "which": shown.which,
        "capability": "" if shown.criterion else request.GET.get("capability", ""),
        "capabilities": reads.capabilities(data, scope.project),
        "picture": None if shown.problem else shown_sheet.picture(shown.drawing),
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


@require_GET
@door(permissions.UNBLINDED)
def movement_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Stream the causes of a movement as CSV; while they are computed, go to the page that waits."""
    ready = _moved(request, scope)
    if ready is None:
        return redirect(_page(request, scope))
    mine, chosen, data = ready
    titles = {one.pk: one.name for one in reads.capabilities(data, scope.project)}
    lines = reads.causes(chosen, data, titles).lines()
    now = timezone.now()
    return send(exporting.export_lines(reading=mine, form="movement.csv", lines=lines, now=now))


@require_GET
@door(permissions.UNBLINDED)
def movement_tags_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Stream every pair of two rounds with what it counts as."""
    found = complete(request, scope)
    if found is None:
        return redirect(_page(request, scope))
    lines = reads.tags(found[1]).lines()
    now = timezone.now()
    return send(exporting.export_lines(reading=found[0], form="tags.csv", lines=lines, now=now))


@require_GET
@door(permissions.UNBLINDED)
def movement_svg(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Send the waterfall of a movement as SVG."""
    ready = _moved(request, scope)
    if ready is None:
        return redirect(_page(request, scope))
    mine, _chosen, data = ready
    shown = reads.asked(data, request.GET)
    if shown.problem:
        return redirect(_page(request, scope))
    return send(_svg(mine, "movement.svg", shown.drawing().file()))


def _moved(request: HttpRequest, scope: Scope) -> tuple[Reading, Chosen, MovementFigure] | None:
    found = complete(request, scope)
    if found is None:
        return None
    mine, chosen = found
    now = timezone.now()
    figure = figures.get(
        name="fluctuation", round_=mine.round, params=reads.params(chosen), now=now
    )
    if figure.state != Figure.State.READY:
        return None
    return mine, chosen, typed.read(MovementFigure, figure.data)
