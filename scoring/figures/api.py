"""Shapes of numbers as the API says them: with bounds, with what they rest on, and why there is none.

* Query parameters that several routes of results take, by what reads them.
* The names of a round's systems for programs: who has them shown is not blind in it any more.
* What programs ask for: a figure, which may have to be computed first, or a movement by numbers.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import drafting as unblinding
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.contract.calls import RETRY_SECONDS, Query, choice, contract, get, post, whole
from evalsite.contract.shapes import answers, at, maybe, or_null, said, shape
from scoring.engine import queries as run_reading
from scoring.figures import labels as reading
from scoring.figures import operations as figures
from scoring.figures import selection, typed
from scoring.figures.models import Figure
from scoring.figures.weights import PREFIX

NUMBER = maybe(float)
WHY = said(maybe(str), typed.NO_NUMBER)
FRACTION = typed.FRACTION
INTERVAL = {"low": NUMBER, "high": NUMBER}


#: Of scores: weights and filters (scoring.results.queries).
CUT = (
    Query(f"{PREFIX}…", "A weight, by its name in `settings`."),
    *(
        Query(name, "A filter; its values stand in `settings`.", many=True)
        for name in selection.FACETS
    ),
    Query(
        "margin",
        "How many points apart two systems are still called equal; the project’s unless it is said.",
    ),
    choice(
        "way",
        ("printed", "questions"),
        "How a score is made of marks: ΣAS / ΣTS as printed in LalaEval, or the mean over questions "
        "of their ratio; marks above the lowest, over all grades, unless it is said.",
    ),
)
MOVEMENT = (
    choice("figure", ("score", "accuracy"), "Of which figure."),
    whole("capability", "The id of a capability; all of them by default."),
)
#: What is compared beside people (scoring.beside.options).
JUDGES = (
    Query("round", "A round, by number.", {"type": "integer"}, many=True),
    Query("judge", "A judge, by key.", {"type": "integer"}, many=True),
    Query("raters", "Whose grades count, as the page has it.", many=True),
    Query("level", "At which level is correlated."),
    Query("coefficient", "Which coefficient."),
    Query("criterion", "Which criterion of people."),
    Query("map.…", "`map.CRITERION.JUDGE`: the judge's own criterion; empty for none."),
)
MIXES = (
    Query("align.…", "`align.CRITERION`: a judge of LLMSel for it.", many=True),
    choice("open", ("data",), "`data` takes open ranges from the scores."),
)


NAME = shape("NameInARound", system=str, release=at("label", or_null(str)), name=at("text", str))
NAMES = shape(
    "NamesOfARound",
    names_shown=said(bool, "Whether whoever asks has the names shown."),
    releases=[NAME],
)
AGAIN = shape("FiguresAgain", again=said(int, "So many figures are being computed once more."))


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
    mine = reading.allowed(scope, number)
    if request.method == "POST":
        unblinding.show_names(round_=mine.round, **scope.who())
        mine = reading.allowed(scope, number)
    called = answers(NAME, mine.names.values())
    return Response({"names_shown": mine.shown, "releases": called})


@contract(post(AGAIN, "Compute again the figures of a round that failed."))
@door(permissions.UNBLINDED)
def round_figures_again(request: HttpRequest, scope: Scope, number: int) -> Response:
    mine = reading.allowed(scope, number)
    return Response({"again": figures.ask_again(round_=mine.round, now=timezone.now())})


@contract(post(AGAIN, "Compute again the figures of a run that failed."))
@door(permissions.UNBLINDED)
def run_figures_again(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = run_reading.reading_of(scope, number).run
    return Response({"again": figures.ask_again_of_run(run=found, now=timezone.now())})


class NotComputed(errors.Refusal):
    """The figures could not be computed; the message says why."""

    status = 409


class NothingToTell(errors.Refusal):
    """These ratings say nothing on what was asked; the message says what would."""

    code = "nothing_yet"

    status = 409


class NamesHidden(errors.NotAllowed): ...


def figure(
    request: HttpRequest, name: str, round_: Round, params: Mapping[str, Any], *, now: datetime
) -> Figure | Response:
    """Return a figure that is ready, or 202 with where to ask again.

    Raises:
        NotComputed: it could not be computed.
        NothingToTell: there is nothing to compute it from.
    """
    found = figures.get(name=name, round_=round_, params=params, now=now)
    return waiting(request, found) or found


def waiting(request: HttpRequest, found: Figure) -> Response | None:
    """Return 202 with where to ask again while a figure is computed; None once it is ready.

    Raises:
        NotComputed: it could not be computed.
        NothingToTell: there is nothing to compute it from.
    """
    if found.state == Figure.State.EMPTY:
        raise NothingToTell(found.problem)
    if found.will_not_come:
        raise NotComputed(found.problem)
    if found.state == Figure.State.READY:
        return None
    return Response(
        {"state": "computing", "message": _("The figures are being computed. Ask again.")},
        status=202,
        headers={"Location": request.get_full_path(), "Retry-After": str(RETRY_SECONDS)},
    )
