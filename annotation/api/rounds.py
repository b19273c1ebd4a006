"""Rounds as JSON: what they are made of and how far they are, for those who may see identities."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Round
from annotation.permissions import Scope, door
from annotation.queries import rounds as reads
from evalsite import keyset
from evalsite.contract.calls import AFTER, contract, get
from evalsite.contract.shapes import page, said, shape

LINE = (
    "number",
    "name",
    "kind",
    "state",
    "n_seats",
    "deadline",
    "revision",
    "created_at",
    "opened_at",
    "paused_at",
    "review_at",
    "final_at",
)
DESIGN = ("seed", "lease_minutes", "seats_override", "uniform_rendering", "draw", "manifest")


class SeatsOut(serializers.Serializer[Any]):
    total = serializers.IntegerField(source="n")
    submitted = serializers.IntegerField(source="done")
    held = serializers.IntegerField()
    free = serializers.IntegerField()


class RoundLineOut(serializers.ModelSerializer[Round]):
    """A round in the list."""

    class Meta:
        model = Round
        fields: tuple[str, ...] = LINE


class RoundOut(RoundLineOut):
    """A round with its design; the secret never leaves the database."""

    class Meta(RoundLineOut.Meta):
        fields = (*LINE, *DESIGN)


class RoundSystemOut(serializers.Serializer[Any]):
    system = serializers.CharField(source="release.system.name")
    release = serializers.CharField(source="release.label")


class RoundRubricOut(serializers.Serializer[Any]):
    capability = serializers.CharField(source="capability.name", default=None)
    rubric = serializers.CharField(source="rubric_version.rubric.key")
    version = serializers.IntegerField(source="rubric_version.number")


class CoverageOut(serializers.Serializer[Any]):
    submitted = serializers.IntegerField(source="n_done")
    items = serializers.IntegerField(source="n_items")


class PlaceOut(serializers.Serializer[Any]):
    annotator = serializers.UUIDField(source="annotator.rater.public_id")
    name = serializers.CharField()
    submitted = serializers.IntegerField(source="done")
    held = serializers.IntegerField()
    last_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(source="annotator.ended_at", allow_null=True)
    override = serializers.CharField(source="annotator.override")


ROUND = shape(
    "WholeRound",
    RoundOut,
    systems=[RoundSystemOut],
    rubrics=[RoundRubricOut],
    seats=SeatsOut,
    coverage=said([CoverageOut], "Of how many items so many seats are submitted."),
    annotators=[PlaceOut],
)


@api_view(["GET"])
@contract(
    get(page(shape("RoundWithSeats", RoundLineOut, seats=SeatsOut)), query=[AFTER]),
)
@door(permissions.UNBLINDED)
def rounds(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of rounds, the newest first."""
    lines, page = reads.page_of(scope.project, after=request.GET.get("after", ""))
    results = [
        {**RoundLineOut(line.round).data, "seats": SeatsOut(line.seats).data} for line in lines
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET"])
@contract(
    get(ROUND),
)
@door(permissions.UNBLINDED)
def round_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a round with its design, its progress and, once open, its manifest."""
    found = get_object_or_404(reads.of(scope.project), number=number)
    return Response(
        {
            **RoundOut(found).data,
            "systems": RoundSystemOut(reads.systems_of(found), many=True).data,
            "rubrics": RoundRubricOut(reads.rubrics_of(found), many=True).data,
            "seats": SeatsOut(reads.seats(found)).data,
            "coverage": CoverageOut(reads.coverage(found), many=True).data,
            "annotators": PlaceOut(reads.annotators_of(found), many=True).data,
        }
    )
