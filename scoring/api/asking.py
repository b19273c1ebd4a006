"""What programs ask for: a figure, which may have to be computed first, or a movement by numbers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from rest_framework.response import Response

from annotation.models import Round
from annotation.permissions import Scope
from evalsite import errors
from evalsite.contract.waiting import RETRY_SECONDS
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import movement, reading
from scoring.queries.movement import Chosen
from scoring.queries.reading import Reading


class NotComputed(errors.Refusal):
    """The figures could not be computed; the message says why."""

    code = "not_computed"
    status = 409


class NothingYet(errors.Refusal):
    """These ratings say nothing on what was asked; the message says what would."""

    code = "nothing_yet"
    status = 409


class NamesHidden(errors.NotAllowed):
    code = "names_hidden"


def figure(
    request: HttpRequest, name: str, round_: Round, params: Mapping[str, Any], *, now: datetime
) -> Figure | Response:
    """Return a figure that is ready, or 202 with where to ask again.

    Raises:
        NotComputed: it could not be computed.
        NothingYet: there is nothing to compute it from.
    """
    found = figures.get(name=name, round_=round_, params=params, now=now)
    return waiting(request, found) or found


def waiting(request: HttpRequest, found: Figure) -> Response | None:
    """Return 202 with where to ask again while a figure is computed; None once it is ready.

    Raises:
        NotComputed: it could not be computed.
        NothingYet: there is nothing to compute it from.
    """
    if found.state == Figure.State.EMPTY:
        raise NothingYet(found.problem)
    if found.will_not_come:
        raise NotComputed(found.problem)
    if found.state == Figure.State.READY:
        return None
    return Response(
        {"state": "computing", "message": _("The figures are being computed. Ask again.")},
        status=202,
        headers={"Location": request.get_full_path(), "Retry-After": str(RETRY_SECONDS)},
    )


def chosen(scope: Scope, before: int, after: int, system: int) -> tuple[Reading, Chosen]:
    """Return the later round and the movement of a system, counted by name from 1.

    Raises:
        NamesHidden: the names of one of the rounds are not shown.
        Http404: there is no such pair of rounds or system.
    """
    sides = [reading.allowed(scope, number) for number in sorted((before, after))]
    if not all(one.shown for one in sides):
        raise NamesHidden(_("Have the names of both rounds shown first: a system is compared."))
    known = sorted(
        movement.systems(sides[0].round, sides[1].round), key=lambda one: (one.name, one.pk)
    )
    if before == after or not 1 <= system <= len(known):
        raise Http404
    return sides[1], Chosen(sides[0].round, sides[1].round, known[system - 1])
