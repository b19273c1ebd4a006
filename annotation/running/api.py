"""What comes up in a round, as JSON: names of systems in answers, seats and who holds them, questions asked.

* Workload as JSON: who holds and has done how much, when rounds would be done, who leaves.
* What is done with a round, as JSON: prepare and open it, pause, close and finish it.
"""

import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.models import Rater, RaterKind, Role
from annotation.people.permissions import Scope, door
from annotation.rounds import beginning, states
from annotation.rounds import drawing as identity_deeds
from annotation.rounds import opening as starting
from annotation.rounds import queries as reads
from annotation.rounds import readiness as identity_reads
from annotation.rounds.api import ROUND, whole
from annotation.rounds.models import Assignment, IdentityHit, Round, RoundItem
from annotation.rounds.records import (
    ClosingIn,
    DeadlineIn,
    DiscardIn,
    FlagAnswerIn,
    ReasonIn,
    RoundCopyIn,
)
from annotation.running import discarding
from annotation.running import operations as running
from annotation.running import queries as workload_reads
from evalsite.contract.calls import (
    AFTER,
    Query,
    choice,
    contract,
    get,
    listed,
    post,
    taken,
    taken_on,
)
from evalsite.contract.shapes import DOUBLE, answer, answers, at, maybe, page, said, shape
from evalsite.kinds import Choice, Text, Whole
from evalsite.records import Record, values

DECISIONS = (IdentityHit.Decision.MASK, IdentityHit.Decision.KEEP)


PLACE_OF_NAME = shape(
    "PlaceOfName",
    id=at("hit.pk", int),
    system=at("hit.response.release.system.name", str),
    item=at("hit.response.item.external_id", str),
    decision=at("hit.decision", str),
    before=str,
    name=str,
    after=str,
)


SUMMARY = shape("Summary", places=at("n", int), undecided=int, masked=int, kept=int)


NAME = shape(
    "Name", SUMMARY, term=str, systems=at(lambda one: [each.name for each in one.systems], [str])
)


@dataclass(frozen=True, kw_only=True)
class IdentityIn(Record):
    """`MASK` or `KEEP` the places of these names, these places, or (with neither) all undecided ones."""

    decision: Annotated[str, Choice(tuple(map(str, DECISIONS)))]
    terms: tuple[Annotated[str, Text()], ...] | None = None
    places: tuple[Annotated[int, Whole()], ...] | None = None


SEAT = shape(
    "Seat",
    seat=at(lambda line: line.seat.ordinal + 1, int),
    state=at("seat.state", str),
    holder=str,
    claimed_at=at("seat.claimed_at", maybe(datetime)),
    submitted_at=at("seat.submitted_at", maybe(datetime)),
)


ROUND_ITEM = shape(
    "RoundItem",
    place=at(lambda line: line.item.ordinal + 1, int),
    external_id=at("item.item.external_id", str),
    submitted=at("n_done", int),
    seats=[SEAT],
)


FLAG = shape(
    "Flag",
    id=at("pk", int),
    item=said(str, "Empty: it is about the round as a whole."),
    question=str,
    asked_by=str,
    text=str,
    at=datetime,
    answer=str,
    answered_at=maybe(datetime),
)


@contract(
    get(
        shape("Names", summary=SUMMARY, names=[NAME], more=bool),
        "Return names of systems found in answers of a round, undecided ones first.",
        query=[Query("start", "How many names to leave out.", {"type": "integer"})],
    ),
    post(
        shape("NamesDecided", decided=int, summary=SUMMARY),
        "Mask names for the annotators of a draft, or leave them as they are.",
        takes=IdentityIn,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def identity(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = _find(scope, number)
    if request.method == "POST":
        given = taken(IdentityIn, request)
        terms, places = given.terms, given.places
        decided = identity_deeds.decide(
            round_=found,
            terms=terms,
            hits=places,
            undecided_only=terms is None and places is None,
            decision=IdentityHit.Decision(given.decision),
            **scope.who(),
        )
        summary = answer(SUMMARY, identity_reads.summary(found))
        return Response({"decided": decided, "summary": summary})
    names, more = identity_reads.terms(found, start=_start(request))
    return Response(
        {
            "summary": answer(SUMMARY, identity_reads.summary(found)),
            "names": answers(NAME, names),
            "more": more,
        }
    )


@contract(
    get(page(PLACE_OF_NAME), query=[Query("term", "The name, as the list of names has it."), AFTER])
)
@door(permissions.UNBLINDED)
def places(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the places of one name, with the words around them."""
    found = _find(scope, number)
    lines, page_ = identity_reads.hits_page(
        found, request.GET.get("term", ""), after=request.GET.get("after", "")
    )
    return listed(request, PLACE_OF_NAME, page_, lines)


@contract(
    get(
        page(ROUND_ITEM),
        query=[choice("only", ["", "held", "left"], "Items with such seats."), AFTER],
    )
)
@door(permissions.UNBLINDED)
def seats(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the items of a round with their seats: who holds one, what is done, never the grades."""
    lines, page_ = reads.item_page(
        _find(scope, number),
        only=request.GET.get("only", ""),
        after=request.GET.get("after", ""),
    )
    return listed(request, ROUND_ITEM, page_, lines)


@contract(post(SEAT, takes=ReasonIn))
@door(permissions.UNBLINDED, permissions.CURATORS)
def release(request: HttpRequest, scope: Scope, number: int, seat: int) -> Response:
    """Take a seat from its holder, with a reason."""
    given = taken(ReasonIn, request)
    rows = Assignment.objects.filter(round=_find(scope, number)).select_related(
        "rater__user__person", "round_item__item"
    )
    held = get_object_or_404(rows, ordinal=seat - 1)
    running.release(assignment=held, reason=given.reason, **scope.who())
    held = rows.get(pk=held.pk)
    return Response(answer(SEAT, reads.SeatLine(held, reads.holder_of(held))))


@contract(post(SEAT, takes=ReasonIn, status=201))
@door(permissions.UNBLINDED, permissions.CURATORS)
def add_seat(request: HttpRequest, scope: Scope, number: int, place: int) -> Response:
    """Add a seat to an item of a round in review, with a reason."""
    given = taken(ReasonIn, request)
    rows = RoundItem.objects.filter(round=_find(scope, number)).select_related("item", "round")
    added = running.add_seat(
        round_item=get_object_or_404(rows, ordinal=place - 1), reason=given.reason, **scope.who()
    )
    return Response(answer(SEAT, reads.SeatLine(added, reads.holder_of(added))), status=201)


@contract(
    get(
        page(FLAG),
        "Return what annotators asked and nobody has answered yet; `?only=all` for all of it.",
        query=[choice("only", ["", "all"], "`all`: answered ones as well."), AFTER],
    ),
    post(
        shape("Answered", flag=int, text=str), "Answer what an annotator asked.", takes=FlagAnswerIn
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def flags(request: HttpRequest, scope: Scope, number: int) -> Response:
    found = _find(scope, number)
    if request.method == "POST":
        given = taken(FlagAnswerIn, request)
        flag = get_object_or_404(reads.of_flags(found), pk=given.flag)
        answered = running.answer(flag=flag, round_=found, text=given.text, **scope.who())
        return Response({"flag": flag.pk, "text": answered.text})
    every = request.GET.get("only") == "all"
    lines, page_ = reads.flags_page(found, every=every, after=request.GET.get("after", ""))
    return listed(request, FLAG, page_, lines)


def _start(request: HttpRequest) -> int:
    given = request.GET.get("start", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 8 else 0


def _find(scope: Scope, number: int) -> Round:
    return get_object_or_404(
        reads.rounds_of(scope.project).select_related("project"), number=number
    )


WORKLOAD_LINE = shape(
    "WorkloadLine",
    annotator=at("rater.user.public_id", UUID),
    name=str,
    is_annotator=bool,
    rounds=at("n_rounds", int),
    held=at("n_held", int),
    submitted=at("n_done", int),
    last_seven_days=at("n_lately", int),
    declined=at("n_declined", int),
    minutes=maybe(DOUBLE),
    minutes_each=maybe(DOUBLE),
    last_at=at("last", maybe(datetime)),
)


OUTLOOK = shape(
    "Outlook",
    round=at("round.number", int),
    name=at("round.name", str),
    deadline=at("round.deadline", maybe(datetime)),
    annotators=at("n_annotators", int),
    left=at("n_left", int),
    last_seven_days=at("n_lately", int),
    done_on=maybe(datetime),
    is_late=bool,
)


@contract(get(shape("Workload", annotators=[WORKLOAD_LINE], rounds=[OUTLOOK])))
@door(permissions.OWNERS)
def workload(request: HttpRequest, scope: Scope) -> Response:
    """Return what each annotator holds and has done, and when each open round would be done.

    Minutes are active time at the page, `minutes_each` the median of a question (null: too few).
    """
    now = timezone.now()
    return Response(
        {
            "annotators": answers(WORKLOAD_LINE, workload_reads.lines(scope.project, now)),
            "rounds": answers(OUTLOOK, workload_reads.outlooks(scope.project, now)),
        }
    )


@contract(post(shape("Left", rounds=int, seats=int), takes=ReasonIn))
@door(permissions.OWNERS)
def leave(request: HttpRequest, scope: Scope, person: uuid.UUID) -> Response:
    """Take somebody out of every round under way; what they hold goes to the others."""
    rows = Rater.objects.filter(project=scope.project, kind=RaterKind.PERSON)
    rater = get_object_or_404(rows.select_related("user__person"), user__public_id=person)
    given = taken(ReasonIn, request)
    left = running.leave_rounds(rater=rater, reason=given.reason, **scope.deed())
    return Response({"rounds": left.n_rounds, "seats": left.n_seats})


PREPARED = shape(
    "PreparedRound",
    prepared=said(
        maybe(
            shape(
                "Prepared",
                items=int,
                eligible=int,
                responses=int,
                missing=int,
                hits=int,
                scripted=int,
            )
        ),
        "What was drawn and found; null while a worker prepares a large draft: ask the round.",
    ),
)


@contract(post(PREPARED, also={202: PREPARED}))
@door(permissions.UNBLINDED, permissions.CURATORS)
def prepare(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Draw the items of a draft and look for names of systems in their answers."""
    found = _find(scope, number)
    counts = starting.prepare(round_=found, **scope.who())
    if counts is None:
        return taken_on({"prepared": None}, "api_round", scope.project.slug, number)
    return Response({"prepared": counts})


@contract(post(ROUND, also={202: ROUND}))
@door(permissions.UNBLINDED, permissions.CURATORS)
def open_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Open a prepared draft; 202 where a worker opens a large one."""
    found = _find(scope, number)
    is_open = starting.open_(round_=found, **scope.who())
    found.refresh_from_db()
    if not is_open:
        return taken_on(whole(found), "api_round", scope.project.slug, number)
    return Response(whole(found))


def _step(step: Callable[..., None], words: str) -> Any:
    """Return the view of a step that takes nothing but the round."""

    def view(request: HttpRequest, scope: Scope, number: int) -> Response:
        return _moved(scope, number, step)

    view.__doc__ = words
    view.__name__ = step.__name__
    return contract(post(ROUND))(door(permissions.UNBLINDED, permissions.CURATORS)(view))


pause = _step(states.pause, "Hand out no more seats until the round goes on.")
resume = _step(states.resume, "Resume a paused round.")
withdraw = _step(
    states.withdraw_opening,
    "Withdraw an opening that does not complete; the round is a draft again.",
)
finish = _step(states.finish, "Make a round in review final.")


@contract(post(ROUND, takes=DeadlineIn))
@door(permissions.UNBLINDED, permissions.CURATORS)
def prolong(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Set another closing time of an open round, or none."""
    return _moved(scope, number, states.prolong, **values(taken(DeadlineIn, request)))


@contract(post(ROUND, takes=ClosingIn))
@door(permissions.UNBLINDED, permissions.CURATORS)
def close(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Close an open round for review: no more questions are handed out."""
    return _moved(scope, number, states.close, **values(taken(ClosingIn, request)))


@contract(post(ROUND, takes=RoundCopyIn, status=201))
@door(permissions.UNBLINDED, permissions.CURATORS)
def copy(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Begin a draft with the settings, releases, rubrics, annotators and draw of a round."""
    given = taken(RoundCopyIn, request)
    made = beginning.copy(
        round_=_find(scope, number),
        questions=beginning.Questions(given.questions),
        name=given.name,
        seed=given.seed or secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        by_owner=scope.may({Role.OWNER}),
        **scope.who(),
    )
    return Response(whole(made), status=201)


@contract(post(None, takes=DiscardIn, status=204))
@door(permissions.UNBLINDED, permissions.CURATORS)
def discard(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Delete a draft, or discard an opened round in which nothing was graded."""
    given = taken(DiscardIn, request)
    discarding.discard(round_=_find(scope, number), reason=given.reason, **scope.who())
    return Response(status=204)


def _moved(scope: Scope, number: int, step: Callable[..., None], **given: Any) -> Response:
    found = _find(scope, number)
    step(round_=found, **given, **scope.who())
    found.refresh_from_db()
    return Response(whole(found))
