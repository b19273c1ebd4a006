"""Workload as JSON: who holds and has done how much, when rounds would be done, who leaves."""

import uuid
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Rater, RaterKind
from annotation.operations import leaving
from annotation.permissions import Scope, door
from annotation.queries import workload as reads
from annotation.rules.rounds import LONGEST_REASON
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import (
    shape,
)


class LineOut(serializers.Serializer[Any]):
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
            "annotators": LineOut(reads.lines(scope.project, now), many=True).data,
            "rounds": OutlookOut(reads.outlooks(scope.project, now), many=True).data,
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
    left = leaving.leave_rounds(
        project=scope.project,
        rater=rater,
        by=scope.user,
        reason=given.validated_data["reason"],
        now=timezone.now(),
    )
    return Response({"rounds": left.n_rounds, "seats": left.n_seats})
