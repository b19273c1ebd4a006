"""The names of a round's systems for programs: who has them shown is not blind in it any more."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.operations import unblinding
from annotation.permissions import Scope, door
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import maybe, said, shape
from scoring.operations import figures
from scoring.queries import reading, run_reading
from scoring.queries.reading import Reading

NAMES = shape(
    "NamesOfARound",
    names_shown=said(bool, "Whether whoever asks has the names shown."),
    releases=[shape("NameInARound", system=str, release=maybe(str), name=str)],
)
AGAIN = shape("FiguresAgain", again=said(int, "So many figures are being computed once more."))


@api_view(["GET", "POST"])
@contract(
    get(NAMES, "Return what the systems of a round are called: their names once these are shown."),
    post(
        NAMES,
        "Show the names of a round's systems to you from now on.\n\n"
        "It is recorded, and who has seen them grades in the round no more. The same again changes "
        "nothing.",
    ),
)
@door(permissions.UNBLINDED)
def names(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what the systems of a round are called; a POST has their names shown."""
    mine = reading.allowed(scope, number)
    if request.method == "POST":
        unblinding.show_names(round_=mine.round, by=scope.user, now=timezone.now())
        mine = reading.allowed(scope, number)
    return Response(_told(mine))


def _told(mine: Reading) -> dict[str, Any]:
    called = mine.names.values()
    return {
        "names_shown": mine.shown,
        "releases": [
            {"system": one.system, "release": one.label or None, "name": one.text} for one in called
        ],
    }


@api_view(["POST"])
@contract(
    post(AGAIN, "Compute again the figures of a round that failed."),
)
@door(permissions.UNBLINDED)
def round_figures_again(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Compute again the figures of a round that failed."""
    mine = reading.allowed(scope, number)
    return Response({"again": figures.ask_again(round_=mine.round, now=timezone.now())})


@api_view(["POST"])
@contract(
    post(AGAIN, "Compute again the figures of a run that failed."),
)
@door(permissions.UNBLINDED)
def run_figures_again(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Compute again the figures of a run that failed."""
    found = run_reading.of(scope, number).run
    return Response({"again": figures.ask_again_of_run(run=found, now=timezone.now())})
