"""What comes up in a round, as JSON: names of systems in answers, seats and who holds them, questions asked.

* Workload as JSON: who holds and has done how much, when rounds would be done, who leaves.
* What is done with a round, as JSON: prepare and open it, pause, close and finish it.
"""

import secrets
import uuid
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.models import Rater, RaterKind, Role
from annotation.people.permissions import Scope, door
from annotation.rounds import copying, states
from annotation.rounds import drawing as identity_deeds
from annotation.rounds import opening as starting
from annotation.rounds import queries as reads
from annotation.rounds import readiness as identity_reads
from annotation.rounds.api import ROUND, whole
from annotation.rounds.models import Assignment, IdentityHit, Round, RoundItem
from annotation.rounds.rules import LONGEST_NAME, LONGEST_REASON, LONGEST_SEED
from annotation.running import discarding
from annotation.running import operations as running
from annotation.running import queries as workload_reads
from evalsite.contract.calls import AFTER, Body, Query, choice, contract, get, post, taken_on, valid
from evalsite.contract.shapes import maybe, page, said, shape
from evalsite.web import keyset

DECISIONS = (IdentityHit.Decision.MASK, IdentityHit.Decision.KEEP)


class PlaceOfNameOut(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="hit.pk")
    system = serializers.CharField(source="hit.response.release.system.name")
    item = serializers.CharField(source="hit.response.item.external_id")
    decision = serializers.CharField(source="hit.decision")
    before = serializers.CharField(trim_whitespace=False)
    name = serializers.CharField(trim_whitespace=False)
    after = serializers.CharField(trim_whitespace=False)


class SummaryOut(serializers.Serializer[Any]):
    places = serializers.IntegerField(source="n")
    undecided = serializers.IntegerField()
    masked = serializers.IntegerField()
    kept = serializers.IntegerField()


class NameOut(SummaryOut):
    term = serializers.CharField()
    systems = serializers.SerializerMethodField()

    def get_systems(self, name: identity_reads.Term) -> list[str]:
        return [one.name for one in name.systems]


class IdentityIn(Body):
    """`MASK` or `KEEP` the places of these names, these places, or (with neither) all undecided ones."""

    decision = serializers.ChoiceField(choices=[str(one) for one in DECISIONS])
    terms = serializers.ListField(child=serializers.CharField(), required=False)
    places = serializers.ListField(child=serializers.IntegerField(), required=False)


class SeatOut(serializers.Serializer[Any]):
    seat = serializers.SerializerMethodField()
    state = serializers.CharField(source="seat.state")
    holder = serializers.CharField()
    claimed_at = serializers.DateTimeField(source="seat.claimed_at", allow_null=True)
    submitted_at = serializers.DateTimeField(source="seat.submitted_at", allow_null=True)

    def get_seat(self, line: reads.SeatLine) -> int:
        return line.seat.ordinal + 1


class RoundItemOut(serializers.Serializer[Any]):
    place = serializers.SerializerMethodField()
    external_id = serializers.CharField(source="item.item.external_id")
    submitted = serializers.IntegerField(source="n_done")
    seats = SeatOut(many=True)

    def get_place(self, line: reads.ItemLine) -> int:
        return line.item.ordinal + 1


class FlagOut(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    item = serializers.CharField()
    question = serializers.CharField()
    asked_by = serializers.CharField()
    text = serializers.CharField()
    at = serializers.DateTimeField()
    answer = serializers.CharField()
    answered_at = serializers.DateTimeField(allow_null=True)


class ReasonIn(Body):
    reason = serializers.CharField(max_length=LONGEST_REASON)


class FlagAnswerIn(Body):
    flag = serializers.IntegerField()
    text = serializers.CharField(max_length=1000)


@api_view(["GET", "POST"])
@contract(
    get(
        shape("Names", summary=SummaryOut, names=[NameOut], more=bool),
        "Return names of systems found in answers of a round, undecided ones first.",
        query=[Query("start", "How many names to leave out.", {"type": "integer"})],
    ),
    post(
        shape("NamesDecided", decided=int, summary=SummaryOut),
        "Mask names for the annotators of a draft, or leave them as they are.",
        takes=IdentityIn,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def identity(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the names of systems in answers of a round, or decide what annotators see there."""
    found = _find(scope, number)
    if request.method == "POST":
        given = valid(IdentityIn, request)
        terms, places = given.get("terms"), given.get("places")
        decided = identity_deeds.decide(
            round_=found,
            terms=terms,
            hits=places,
            undecided_only=terms is None and places is None,
            decision=IdentityHit.Decision(given["decision"]),
            by=scope.user,
            now=timezone.now(),
        )
        summary = SummaryOut(identity_reads.summary(found)).data
        return Response({"decided": decided, "summary": summary})
    names, more = identity_reads.terms(found, start=_start(request))
    return Response(
        {
            "summary": SummaryOut(identity_reads.summary(found)).data,
            "names": NameOut(names, many=True).data,
            "more": more,
        }
    )


@api_view(["GET"])
@contract(
    get(
        page(PlaceOfNameOut), query=[Query("term", "The name, as the list of names has it."), AFTER]
    ),
)
@door(permissions.UNBLINDED)
def places(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the places of one name, with the words around them."""
    found = _find(scope, number)
    lines, page_ = identity_reads.hits_page(
        found, request.GET.get("term", ""), after=request.GET.get("after", "")
    )
    return Response(
        {
            "results": PlaceOfNameOut(lines, many=True).data,
            "next": keyset.next_url(request.GET, page_),
        }
    )


@api_view(["GET"])
@contract(
    get(
        page(RoundItemOut),
        query=[choice("only", ["", "held", "left"], "Items with such seats."), AFTER],
    ),
)
@door(permissions.UNBLINDED)
def seats(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the items of a round with their seats: who holds one, what is done, never the grades."""
    lines, page_ = reads.item_page(
        _find(scope, number),
        only=request.GET.get("only", ""),
        after=request.GET.get("after", ""),
    )
    return Response(
        {
            "results": RoundItemOut(lines, many=True).data,
            "next": keyset.next_url(request.GET, page_),
        }
    )


@api_view(["POST"])
@contract(
    post(SeatOut, takes=ReasonIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def release(request: HttpRequest, scope: Scope, number: int, seat: int) -> Response:
    """Take a seat from its holder, with a reason."""
    given = valid(ReasonIn, request)
    rows = Assignment.objects.filter(round=_find(scope, number)).select_related(
        "rater__user__person", "round_item__item"
    )
    held = get_object_or_404(rows, ordinal=seat - 1)
    running.release(assignment=held, by=scope.user, reason=given["reason"], now=timezone.now())
    held = rows.get(pk=held.pk)
    return Response(SeatOut(reads.SeatLine(held, reads.holder_of(held))).data)


@api_view(["POST"])
@contract(
    post(SeatOut, takes=ReasonIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def add_seat(request: HttpRequest, scope: Scope, number: int, place: int) -> Response:
    """Add a seat to an item of a round in review, with a reason."""
    given = valid(ReasonIn, request)
    rows = RoundItem.objects.filter(round=_find(scope, number)).select_related("item", "round")
    added = running.add_seat(
        round_item=get_object_or_404(rows, ordinal=place - 1),
        by=scope.user,
        reason=given["reason"],
        now=timezone.now(),
    )
    return Response(SeatOut(reads.SeatLine(added, reads.holder_of(added))).data, status=201)


@api_view(["GET", "POST"])
@contract(
    get(
        page(FlagOut),
        "Return what annotators asked and nobody has answered yet; `?only=all` for all of it.",
        query=[choice("only", ["", "all"], "`all`: answered ones as well."), AFTER],
    ),
    post(
        shape("Answered", flag=int, text=str), "Answer what an annotator asked.", takes=FlagAnswerIn
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def flags(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what annotators have asked about questions of a round, or answer."""
    found = _find(scope, number)
    if request.method == "POST":
        given = valid(FlagAnswerIn, request)
        flag = get_object_or_404(reads.of_flags(found), pk=given["flag"])
        said = running.answer(
            flag=flag, round_=found, text=given["text"], by=scope.user, now=timezone.now()
        )
        return Response({"flag": flag.pk, "text": said.text})
    every = request.GET.get("only") == "all"
    lines, page_ = reads.flags_page(found, every=every, after=request.GET.get("after", ""))
    return Response(
        {"results": FlagOut(lines, many=True).data, "next": keyset.next_url(request.GET, page_)}
    )


def _start(request: HttpRequest) -> int:
    given = request.GET.get("start", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 8 else 0


def _find(scope: Scope, number: int) -> Round:
    return get_object_or_404(reads.of(scope.project).select_related("project"), number=number)


class LineOut(serializers.Serializer[Any]):
    component = "WorkloadLine"
    annotator = serializers.UUIDField(source="rater.user.public_id")
    name = serializers.CharField()
    is_annotator = serializers.BooleanField()
    rounds = serializers.IntegerField(source="n_rounds")
    held = serializers.IntegerField(source="n_held")
    submitted = serializers.IntegerField(source="n_done")
    last_seven_days = serializers.IntegerField(source="n_lately")
    declined = serializers.IntegerField(source="n_declined")
    minutes = serializers.FloatField(allow_null=True)
    minutes_each = serializers.FloatField(allow_null=True)
    last_at = serializers.DateTimeField(source="last", allow_null=True)


class OutlookOut(serializers.Serializer[Any]):
    round = serializers.IntegerField(source="round.number")
    name = serializers.CharField(source="round.name")
    deadline = serializers.DateTimeField(source="round.deadline", allow_null=True)
    annotators = serializers.IntegerField(source="n_annotators")
    left = serializers.IntegerField(source="n_left")
    last_seven_days = serializers.IntegerField(source="n_lately")
    done_on = serializers.DateTimeField(allow_null=True)
    is_late = serializers.BooleanField()


class LeaveIn(Body):
    reason = serializers.CharField(max_length=LONGEST_REASON)


@api_view(["GET"])
@contract(
    get(shape("Workload", annotators=[LineOut], rounds=[OutlookOut])),
)
@door(permissions.OWNERS)
def workload(request: HttpRequest, scope: Scope) -> Response:
    """Return what each annotator holds and has done, and when each open round would be done.

    Minutes are active time at the page, `minutes_each` the median of a question (null: too few).
    """
    now = timezone.now()
    return Response(
        {
            "annotators": LineOut(workload_reads.lines(scope.project, now), many=True).data,
            "rounds": OutlookOut(workload_reads.outlooks(scope.project, now), many=True).data,
        }
    )


@api_view(["POST"])
@contract(
    post(shape("Left", rounds=int, seats=int), takes=LeaveIn),
)
@door(permissions.OWNERS)
def leave(request: HttpRequest, scope: Scope, person: uuid.UUID) -> Response:
    """Take somebody out of every round under way; what they hold goes to the others."""
    rows = Rater.objects.filter(project=scope.project, kind=RaterKind.PERSON)
    rater = get_object_or_404(rows.select_related("user__person"), user__public_id=person)
    given = LeaveIn(data=getattr(request, "data", None))
    given.is_valid(raise_exception=True)
    left = running.leave_rounds(
        project=scope.project,
        rater=rater,
        by=scope.user,
        reason=given.validated_data["reason"],
        now=timezone.now(),
    )
    return Response({"rounds": left.n_rounds, "seats": left.n_seats})


class DeadlineIn(Body):
    deadline = serializers.DateTimeField(allow_null=True)


class ClosingIn(Body):
    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)


class CopyIn(Body):
    """`SAME` questions in their newest versions, or a `NEW` draw by the same wishes."""

    component = "RoundDeedsCopyIn"

    name = serializers.CharField(max_length=LONGEST_NAME, required=False)
    questions = serializers.ChoiceField(
        choices=[str(one) for one in copying.Questions], default=str(copying.Questions.SAME)
    )
    seed = serializers.CharField(max_length=LONGEST_SEED, required=False, allow_blank=True)


class DiscardIn(Body):
    """`reason` is needed once the round was opened; its annotators read it."""

    reason = serializers.CharField(max_length=LONGEST_REASON, required=False, allow_blank=True)


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


@api_view(["POST"])
@contract(
    post(PREPARED, also={202: PREPARED}),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def prepare(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Draw the items of a draft and look for names of systems in their answers."""
    found = _find_round(scope, number)
    counts = starting.prepare(round_=found, by=scope.user, now=timezone.now())
    if counts is None:
        return taken_on({"prepared": None}, "api_round", scope.project.slug, number)
    return Response({"prepared": counts})


@api_view(["POST"])
@contract(
    post(ROUND, also={202: ROUND}),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def open_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Open a prepared draft; 202 where a worker opens a large one."""
    found = _find_round(scope, number)
    is_open = starting.open_(round_=found, by=scope.user, now=timezone.now())
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
    return api_view(["POST"])(
        contract(post(ROUND))(door(permissions.UNBLINDED, permissions.CURATORS)(view))
    )


pause = _step(states.pause, "Hand out no more seats until the round goes on.")
resume = _step(states.resume, "Resume a paused round.")
withdraw = _step(
    states.withdraw_opening,
    "Withdraw an opening that does not complete; the round is a draft again.",
)
finish = _step(states.finish, "Make a round in review final.")


@api_view(["POST"])
@contract(
    post(ROUND, takes=DeadlineIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def prolong(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Set another closing time of an open round, or none."""
    given = valid(DeadlineIn, request)
    return _moved(scope, number, states.prolong, **given)


@api_view(["POST"])
@contract(
    post(ROUND, takes=ClosingIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def close(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Close an open round for review: no more questions are handed out."""
    given = valid(ClosingIn, request)
    return _moved(scope, number, states.close, **given)


@api_view(["POST"])
@contract(
    post(ROUND, takes=CopyIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def copy(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Begin a draft with the settings, releases, rubrics, annotators and draw of a round."""
    given = valid(CopyIn, request)
    made = copying.copy(
        round_=_find_round(scope, number),
        questions=copying.Questions(given["questions"]),
        name=given.get("name", ""),
        seed=given.get("seed") or secrets.token_hex(8),
        secret=secrets.token_bytes(32),
        by=scope.user,
        by_owner=scope.may({Role.OWNER}),
        now=timezone.now(),
    )
    return Response(whole(made), status=201)


@api_view(["POST"])
@contract(
    post(None, takes=DiscardIn, status=204),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def discard(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Delete a draft, or discard an opened round in which nothing was graded."""
    given = valid(DiscardIn, request)
    discarding.discard(
        round_=_find_round(scope, number),
        by=scope.user,
        now=timezone.now(),
        reason=given.get("reason", ""),
    )
    return Response(status=204)


def _moved(scope: Scope, number: int, step: Callable[..., None], **given: Any) -> Response:
    found = _find_round(scope, number)
    step(round_=found, by=scope.user, now=timezone.now(), **given)
    found.refresh_from_db()
    return Response(whole(found))


def _find_round(scope: Scope, number: int) -> Round:
    return get_object_or_404(reads.of(scope.project).select_related("project"), number=number)
