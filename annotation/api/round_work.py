"""What comes up in a round, as JSON: names of systems in answers, seats and who holds them, questions asked."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Assignment, IdentityHit, Round, RoundItem
from annotation.operations import flags as flag_deeds
from annotation.operations.rounds import identity as identity_deeds
from annotation.operations.rounds import seats as seat_deeds
from annotation.permissions import Scope, door
from annotation.queries import flags as flag_reads
from annotation.queries import identity as identity_reads
from annotation.queries import rounds as reads
from annotation.rules.rounds import LONGEST_REASON
from evalsite import keyset
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import AFTER, Query, choice, contract, get, post
from evalsite.contract.shapes import page, shape

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
    seat_deeds.release(assignment=held, by=scope.user, reason=given["reason"], now=timezone.now())
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
    added = seat_deeds.add_seat(
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
        flag = get_object_or_404(flag_reads.of(found), pk=given["flag"])
        said = flag_deeds.answer(
            flag=flag, round_=found, text=given["text"], by=scope.user, now=timezone.now()
        )
        return Response({"flag": flag.pk, "text": said.text})
    every = request.GET.get("only") == "all"
    lines, page_ = flag_reads.page_of(found, every=every, after=request.GET.get("after", ""))
    return Response(
        {"results": FlagOut(lines, many=True).data, "next": keyset.next_url(request.GET, page_)}
    )


def _start(request: HttpRequest) -> int:
    given = request.GET.get("start", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 8 else 0


def _find(scope: Scope, number: int) -> Round:
    return get_object_or_404(reads.of(scope.project).select_related("project"), number=number)
