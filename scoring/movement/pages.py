"""The two rounds and the system that an address of the movement names.

* Why a system's score moved between two rounds, and the desk that says what stayed the same.
* Tables and plots of a round's results, and of a movement, as files.
* Every system over the rounds.
"""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, shows
from annotation.rounds import sameness as tagging
from annotation.systems.models import Item, Response
from evalsite import errors
from scoring.figures import labels as reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures import typed
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.figures.pages import like_this
from scoring.movement import board
from scoring.movement import queries as reads
from scoring.movement import trend as trends
from scoring.movement.board import Fall
from scoring.movement.causes import MovementFigure, TrendFigure
from scoring.movement.queries import ChosenMovement, MovementOfCriterion, ShownMovement
from scoring.movement.trend import Trend, TrendCourse
from scoring.results.exports import sent
from scoring.shown.sheet import SVG


def sides(request: HttpRequest, scope: Scope) -> tuple[ReadRound, ReadRound] | None:
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


def refusal(scope: Scope, both: tuple[ReadRound, ReadRound]) -> errors.Refusal | None:
    """Return why this person may not read one of the rounds now; nothing if they may."""
    for one in both:
        try:
            reading.allowed(scope, one.round.number)
        except errors.Refusal as found:
            return found
    return None


def chosen(request: HttpRequest, before: ReadRound, after: ReadRound) -> ChosenMovement | None:
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
            return ChosenMovement(before.round, after.round, one)
    raise Http404(_("This system did not take part in both rounds."))


def complete(request: HttpRequest, scope: Scope) -> tuple[ReadRound, ChosenMovement] | None:
    """Return the later round and what was chosen, if everything was named and may be read."""
    both = sides(request, scope)
    if both is None or refusal(scope, both) or not all(one.shown for one in both):
        return None
    found = chosen(request, *both)
    return None if found is None else (both[1], found)


@shows(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what moved a system's score between two rounds: the likeliest ones until others are chosen."""
    context: dict[str, Any] = {"rounds": reads.choices(scope.project)}
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
    context |= _shown(request, scope, picked, figure)
    return render(request, "scoring/movement/movement.html", context)


@asks(permissions.UNBLINDED, permissions.CURATORS)
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
        "chosen": chosen,
        "page": page,
        "query": request.GET.urlencode(),
        "may_tag": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/movement/movement_tags.html", context)


def _shown(
    request: HttpRequest, scope: Scope, picked: ChosenMovement, figure: Figure
) -> dict[str, Any]:
    data = typed.read_figure(MovementFigure, figure.data)
    shown = reads.asked(data, request.GET)
    names = reading.criteria_names(picked.after)
    criteria = reads.by_criterion(data, shown.which, names)
    at = "" if shown.criterion else request.GET.get("capability", "")
    return {
        "shown": shown,
        "criteria": criteria,
        "which": shown.which,
        "capability": at,
        "capabilities": reads.capabilities(data, scope.project),
        **(
            {} if shown.problem else _board(scope, picked, data, shown, _parts(shown, criteria, at))
        ),
        "query": request.GET.urlencode(),
    }


def _parts(
    shown: ShownMovement, criteria: list[MovementOfCriterion], capability: str
) -> list[MovementOfCriterion]:
    """Return the criteria drawn below the whole, where enough was graded to say how sure they are."""
    if shown.criterion or capability:
        return []
    return [one for one in criteria if one.shown.ends()[0] is not None]


def _board(
    scope: Scope,
    picked: ChosenMovement,
    data: MovementFigure,
    shown: ShownMovement,
    parts: list[MovementOfCriterion],
) -> dict[str, Any]:
    tags = reverse("movement_tags", args=[scope.project.slug])
    asked = urlencode(
        {"before": picked.before.number, "after": picked.after.number, "system": picked.system.pk}
    )
    falls = [Fall(_("Overall") if parts else "", shown, picked)]
    falls += [Fall(one.title, one.shown, picked) for one in parts]
    return {
        "title": board.title(picked.system.name, shown, parts),
        "subtitle": board.subtitle(shown),
        "falls": board.waterfalls(falls),
        "facts": board.facts(data, shown, f"{tags}?{asked}&all=1"),
    }


def _tag(request: HttpRequest, scope: Scope) -> None:
    left, right = (_content(request, scope, name) for name in ("left", "right"))
    verdict = "SAME" if request.POST.get("verdict") == "SAME" else "CHANGED"
    with refusals.told(request):
        tagging.tag(
            left=left,
            right=right,
            verdict=verdict,
            note=request.POST.get("note", "")[:500],
            **scope.deed(),
        )
        messages.success(request, _("Kept. Figures are recomputed."))


def _content(request: HttpRequest, scope: Scope, name: str) -> Item | Response:
    pk = request.POST.get(name, "")
    wanted = int(pk) if pk.isdecimal() and len(pk) < 19 else 0
    if request.POST.get("kind") == "QUESTION":
        return get_object_or_404(Item, project=scope.project, pk=wanted)
    return get_object_or_404(
        Response.objects.select_related("item", "release"), item__project=scope.project, pk=wanted
    )


@shows(permissions.UNBLINDED)
def movement_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Stream the causes of a movement as CSV; while they are computed, go to the page that waits."""
    ready = _moved(request, scope)
    if ready is None:
        return redirect(like_this(request, "movement", scope.project.slug))
    mine, chosen, data = ready
    titles = {one.pk: one.name for one in reads.capabilities(data, scope.project)}
    lines = reads.causes(chosen, data, titles).lines()
    return sent(mine, "movement.csv", lines)


@shows(permissions.UNBLINDED)
def movement_tags_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Stream every pair of two rounds with what it counts as."""
    found = complete(request, scope)
    if found is None:
        return redirect(like_this(request, "movement", scope.project.slug))
    lines = reads.tags(found[1]).lines()
    return sent(found[0], "tags.csv", lines)


@shows(permissions.UNBLINDED)
def movement_svg(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Send the waterfall of a movement as SVG."""
    ready = _moved(request, scope)
    if ready is None:
        return redirect(like_this(request, "movement", scope.project.slug))
    mine, picked, data = ready
    shown = reads.asked(data, request.GET)
    if shown.problem:
        return redirect(like_this(request, "movement", scope.project.slug))
    return sent(mine, "movement.svg", iter([Fall("", shown, picked).file()]), SVG)


def _moved(
    request: HttpRequest, scope: Scope
) -> tuple[ReadRound, ChosenMovement, MovementFigure] | None:
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
    return mine, chosen, typed.read_figure(MovementFigure, figure.data)


@shows(permissions.UNBLINDED)
def trend(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every system over the rounds, and what changed between them."""
    course = trends.course(scope)
    context: dict[str, Any] = {"course": course, "hidden": course.hidden}
    page = "scoring/movement/trend.html"
    if len(course.rounds) < 2:
        return render(request, page, context)
    figure = _trend(course)
    context["figure"] = figure
    if wait := waiting.answer(request, [figure], context, page=page):
        return wait
    found = typed.read_figure(TrendFigure, figure.data)
    shown = Trend(found, course, request.GET.get("figure", ""))
    if len(shown.rounds) < 2:  # of a round in which no grade counts nothing is drawn
        return render(request, page, {**context, "is_bare": True})
    context |= {"trend": shown, "rows": trends.table(shown)}
    return render(request, page, context)


@shows(permissions.UNBLINDED)
def trend_file(request: HttpRequest, scope: Scope, form: str) -> HttpResponseBase:
    """Send the trend as CSV or SVG; while it is computed, go to the page that waits."""
    course = trends.course(scope)
    figure = _trend(course) if len(course.rounds) > 1 else None
    if figure is None or figure.state != Figure.State.READY:
        return redirect("trend", scope.project.slug)
    shown = Trend(
        typed.read_figure(TrendFigure, figure.data), course, request.GET.get("figure", "")
    )
    if len(shown.rounds) < 2:
        return redirect("trend", scope.project.slug)
    mine = ReadRound(scope, course.rounds[-1])
    if form == "trend.svg":
        return sent(mine, form, iter([shown.file()]), SVG)
    return sent(mine, form, shown.sheet.lines())


def home(*, scope: Scope, **_context: Any) -> SafeString | None:
    """Show every system over the rounds on the first page of its project, once it is computed."""
    course = trends.course(scope) if scope.may(permissions.UNBLINDED) else None
    if course is None or len(course.rounds) < 2:
        return None
    figure = _trend(course)
    if figure.state != Figure.State.READY:
        return None
    shown = Trend(typed.read_figure(TrendFigure, figure.data), course, trends.FIGURES[0])
    if len(shown.rounds) < 2:
        return None
    return render_to_string("scoring/movement/parts/home.html", {"scope": scope, "trend": shown})


def _trend(course: TrendCourse) -> Figure:
    now = timezone.now()
    return figures.get(name=trends.FIGURE, round_=course.rounds[-1], params=course.params, now=now)
