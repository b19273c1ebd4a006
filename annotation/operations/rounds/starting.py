"""Prepare or open a draft at once where that is quick, else have a worker do it."""

from datetime import datetime

from annotation.models import Round, User
from annotation.operations.rounds import drawing, opening
from annotation.queries import draw_plans, readiness
from annotation.rules.draws import Draw

#: What a request carries out by itself; more is left to a worker.
MOST_RESPONSES = 2_000
MOST_SEATS = 500


def prepare(*, round_: Round, by: User, now: datetime) -> dict[str, int] | None:
    """Prepare a draft; return what came of it, or None where a worker does it.

    Raises:
        NotADraft: the round is open, or the draft was changed meanwhile.
        NothingToDraw: no item fits.
    """
    wanted = Draw.from_json(round_.draw)
    if draw_plans.plan(round_, wanted, now).n_responses > MOST_RESPONSES:
        drawing.request_preparing(round_=round_, by=by, now=now)
        return None
    return drawing.prepare(round_=round_, now=now)


def open_(*, round_: Round, by: User, now: datetime) -> bool:
    """Open a draft; return whether it is open now (False: a worker opens it).

    Raises:
        NotReady: something is missing; the message names it.
        NotADraft, OpeningUnderWay: it is open, or is being opened.
    """
    large = readiness.cost(round_).n_seats > MOST_SEATS
    opening.request_opening(round_=round_, by=by, now=now, in_background=large)
    return not large and opening.open_round(round_=round_, now=now)
