"""What programs ask for: a figure, which may have to be computed first, or a movement by numbers.

* A system's movement between two rounds as JSON; every field named here, systems by name.
* Which questions and responses of two rounds stayed the same: what differs, and saying so.
* Tables and plots of a round, and of a movement, for programs: CSV and SVG.
"""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.response import Response as Answer

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import sameness
from annotation.systems.models import Item
from annotation.systems.models import Response as MovementPairsResponse
from evalsite import errors
from evalsite.contract.calls import AFTER, Body, contract, get, post, valid
from evalsite.contract.shapes import FILE, maybe, one_of, page, shape
from evalsite.contract.shapes import said as movement_pairs_said
from scoring.figures import api as figures
from scoring.figures import labels as reading
from scoring.figures import typed
from scoring.figures.api import NamesHidden
from scoring.figures.labels import Labels, ReadRound
from scoring.figures.models import Figure
from scoring.figures.typed import KeyNames
from scoring.movement import queries as reads
from scoring.movement import trend as trends
from scoring.movement.board import Fall
from scoring.movement.causes import MovementFigure, TrendFigure
from scoring.movement.queries import ChosenMovement
from scoring.movement.trend import Trend, TrendCourse
from scoring.results.api import NothingThere
from scoring.results.exports import sent
from scoring.shown import sheet as shown_sheet


def chosen(scope: Scope, before: int, after: int, system: int) -> tuple[ReadRound, ChosenMovement]:
    """Return the later round and the movement of a system, counted by name from 1.

    Raises:
        NamesHidden: the names of one of the rounds are not shown.
        Http404: there is no such pair of rounds or system.
    """
    sides = [reading.allowed(scope, number) for number in sorted((before, after))]
    if not all(one.shown for one in sides):
        raise NamesHidden(_("Have the names of both rounds shown first: a system is compared."))
    known = sorted(
        reads.systems(sides[0].round, sides[1].round), key=lambda one: (one.name, one.pk)
    )
    if before == after or not 1 <= system <= len(known):
        raise Http404
    return sides[1], ChosenMovement(sides[0].round, sides[1].round, known[system - 1])


MOVEMENT = shape(
    "Movement",
    state=one_of("ready"),
    system=str,
    as_of=maybe(datetime),
    **typed.parts(MovementFigure),
)


@contract(get(MOVEMENT, figure=True))
@door(permissions.UNBLINDED)
def movement(request: HttpRequest, scope: Scope, before: int, after: int, system: int) -> Response:
    """Return the causes of the change by every method; 202 while they are computed.

    `system` counts the systems of both rounds by name, from 1.
    """
    picked = chosen(scope, before, after, system)[1]
    figure = figures.figure(
        request, "fluctuation", picked.after, reads.params(picked), now=timezone.now()
    )
    if isinstance(figure, Response):
        return figure
    return Response(said(picked, figure, scope))


def said(chosen: reads.ChosenMovement, figure: Figure, scope: Scope) -> dict[str, Any]:
    """Return what the API says of a movement that was computed."""
    found = typed.read_figure(MovementFigure, figure.data)
    titles = {str(one.pk): one.name for one in reads.capabilities(found, scope.project)}
    told = typed.told(found, KeyNames(Labels(titles, {}, {}), {}))
    head = {"state": "ready", "system": chosen.system.name, "as_of": figure.ready_at}
    return {**head, **told}


#: A tag counts from then on; the figures of the movement are computed anew.
SAME, CHANGED = "SAME", "CHANGED"
SIDE = shape(
    "MovementSide",
    kind=movement_pairs_said(str, "QUESTION or RESPONSE."),
    left=movement_pairs_said(int, "The item or response of the earlier round."),
    right=movement_pairs_said(int, "That of the later round."),
    same=bool,
    by=movement_pairs_said(
        str, "Who says so; `nobody` has yet where the pair is open, and it counts as changed."
    ),
    likeness=movement_pairs_said(int, "Of their texts, in percent."),
)
PAIRS = page(
    shape("MovementPair", title=str, sides=[SIDE]),
    open=movement_pairs_said(int, "Pairs that nobody has decided about."),
    pairs=movement_pairs_said(int, "Pairs whose contents differ."),
)
TAG = shape("MovementTag", kind=str, left=int, right=int, verdict=str, note=maybe(str))


class TagIn(Body):
    """What somebody says of a pair; a later word counts in place of an earlier one."""

    kind = serializers.ChoiceField(choices=["QUESTION", "RESPONSE"])
    left = serializers.IntegerField()
    right = serializers.IntegerField()
    verdict = serializers.ChoiceField(choices=[SAME, CHANGED])
    note = serializers.CharField(max_length=500, required=False, allow_blank=True)


@contract(
    get(PAIRS, "Return the pairs that differ, by question, with what is decided.", query=[AFTER]),
    post(TAG, "Decide whether a pair means the same.", takes=TagIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def pairs(request: HttpRequest, scope: Scope, before: int, after: int, system: int) -> Answer:
    picked = chosen(scope, before, after, system)[1]
    if request.method == "POST":
        return _tagged(scope, valid(TagIn, request))
    found = reads.page(picked, after=request.GET.get("after", ""), everything=True)
    query = request.GET.copy()
    query["after"] = found.after
    return Answer(
        {
            "results": [
                {"title": line.title, "sides": [_side(one) for one in line.sides]}
                for line in found.lines
            ],
            "next": f"?{query.urlencode()}" if found.after else None,
            "open": found.n_open,
            "pairs": found.n_pairs,
        }
    )


def _side(one: reads.Side) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "left": one.left,
        "right": one.right,
        "same": one.decided.same,
        "by": one.decided.by,
        "likeness": one.likeness,
    }


def _tagged(scope: Scope, given: dict[str, Any]) -> Answer:
    left, right = (_content(scope, given["kind"], given[side]) for side in ("left", "right"))
    made = sameness.tag(
        left=left, right=right, verdict=given["verdict"], note=given.get("note", ""), **scope.deed()
    )
    told = {name: given[name] for name in ("kind", "left", "right")}
    return Answer({**told, "verdict": made.verdict, "note": made.note}, status=201)


def _content(scope: Scope, kind: str, pk: int) -> Item | MovementPairsResponse:
    if kind == "QUESTION":
        return get_object_or_404(Item, project=scope.project, pk=pk)
    found = MovementPairsResponse.objects.select_related("item", "release")
    return get_object_or_404(found, item__project=scope.project, pk=pk)


@contract(get(FILE, query=figures.MOVEMENT, figure=True))
@door(permissions.UNBLINDED)
def moved(
    request: HttpRequest, scope: Scope, before: int, after: int, system: int, form: str
) -> HttpResponseBase:
    """Send the causes of a movement as CSV or SVG, or the pairs it rests on as CSV."""
    mine, picked = chosen(scope, before, after, system)
    if form == "tags.csv":
        return sent(mine, form, reads.tags(picked).lines())
    found = figures.figure(
        request, "fluctuation", picked.after, reads.params(picked), now=timezone.now()
    )
    if isinstance(found, Response):
        return found
    figure = typed.read_figure(MovementFigure, found.data)
    if form == "movement.csv":
        titles = {one.pk: one.name for one in reads.capabilities(figure, scope.project)}
        return sent(mine, form, reads.causes(picked, figure, titles).lines())
    shown = reads.asked(figure, request.GET)
    if shown.problem:
        raise NothingThere(shown.problem)
    return sent(mine, form, iter([Fall("", shown, picked).file()]), shown_sheet.SVG)


TREND = shape(
    "Trend",
    state=one_of("ready"),
    as_of=maybe(datetime),
    rounds=[shape("TrendRound", number=int, name=str)],
    hidden=movement_pairs_said([int], "Rounds left out as their names are not shown to you."),
    **typed.parts(TrendFigure),
)


class TooFewRounds(errors.Conflict):
    """There are not two rounds whose names are shown."""


@contract(get(TREND, figure=True))
@door(permissions.UNBLINDED)
def trend(request: HttpRequest, scope: Scope) -> Response:
    """Return every system over the newest rounds, and what changed between them; 202 meanwhile."""
    course, figure = _course(request, scope)
    if isinstance(figure, Response):
        return figure
    told = typed.told(
        typed.read_figure(TrendFigure, figure.data), KeyNames(Labels({}, {}, {}), course.names)
    )
    head = {
        "state": "ready",
        "as_of": figure.ready_at,
        "rounds": [{"number": one.number, "name": one.name} for one in course.rounds],
        "hidden": [one.number for one in course.hidden],
    }
    return Response({**head, **told})


@contract(get(FILE, figure=True))
@door(permissions.UNBLINDED)
def trend_csv(request: HttpRequest, scope: Scope) -> HttpResponseBase:
    """Send every system over the newest rounds as CSV; 202 while it is computed."""
    course, figure = _course(request, scope)
    if isinstance(figure, Response):
        return figure
    shown = Trend(typed.read_figure(TrendFigure, figure.data), course, "")
    mine = ReadRound(scope, course.rounds[-1])
    return sent(mine, "trend.csv", shown.sheet.lines())


def _course(request: HttpRequest, scope: Scope) -> tuple[TrendCourse, Figure | Response]:
    """Return the rounds that are looked at and their figure, which may have to be waited for.

    Raises:
        TooFewRounds: there are not two of them.
    """
    found = trends.course(scope)
    if len(found.rounds) < 2:
        raise TooFewRounds(_("A trend takes two graded rounds whose names are shown to you."))
    now = timezone.now()
    figure = figures.figure(request, trends.FIGURE, found.rounds[-1], found.params, now=now)
    return found, figure
