"""The question plan as JSON: every number with what there is of it, and changes to the numbers."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api.taxonomy import StockOut
from annotation.models import Difficulty, PlanCell
from annotation.operations import plan as operations
from annotation.operations.plan import Spot
from annotation.permissions import Scope, door
from annotation.queries import plan as reads
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import rows


class ShareOut(serializers.Serializer[Any]):
    designer = serializers.UUIDField(source="designer.public_id")
    name = serializers.CharField(source="designer.display_name")
    n = serializers.IntegerField(min_value=1, max_value=operations.MOST_WANTED)
    due_on = serializers.DateField(allow_null=True)


class LineOut(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="cell.pk")
    capability = serializers.IntegerField(source="cell.capability_id")
    difficulty = serializers.CharField(source="cell.difficulty")
    domain = serializers.IntegerField(source="cell.domain_id", allow_null=True)
    wanted = serializers.IntegerField(source="cell.wanted")
    stock = StockOut()
    missing = serializers.IntegerField()
    shares = ShareOut(many=True)


class CellIn(Body):
    capability = serializers.IntegerField()
    difficulty = serializers.ChoiceField(choices=Difficulty.choices)
    domain = serializers.IntegerField(required=False, allow_null=True, default=None)
    wanted = serializers.IntegerField(min_value=0, max_value=operations.MOST_WANTED)


class PlanIn(Body):
    cells = CellIn(many=True)


class ShareIn(Body):
    designer = serializers.UUIDField()
    n = serializers.IntegerField(min_value=1, max_value=operations.MOST_WANTED)
    due_on = serializers.DateField(required=False, allow_null=True, default=None)


@api_view(["GET", "POST"])
@contract(
    get(rows(LineOut), "Return the plan, the largest gaps first."),
    post(rows(LineOut), "Set the numbers of some cells (0: none).", takes=PlanIn),
)
@door(permissions.READERS, permissions.CURATORS)
def plan(request: HttpRequest, scope: Scope) -> Response:
    """Return the plan, what is missing most first; or write the numbers of some cells (0: none)."""
    if request.method == "POST":
        given = PlanIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        wanted = {
            Spot(one["capability"], one["difficulty"], one["domain"]): one["wanted"]
            for one in given.validated_data["cells"]
        }
        operations.set_wanted(
            project=scope.project, wanted=wanted, by=scope.user, now=timezone.now()
        )
    return Response({"results": LineOut(reads.lines(scope.project), many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(LineOut, "Return one cell of the plan."),
    post(LineOut, "Ask a designer for questions of a cell.", takes=ShareIn),
)
@door(permissions.READERS, permissions.CURATORS)
def cell(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Return one number of the plan, or ask somebody for questions of it."""
    found = get_object_or_404(
        PlanCell.objects.select_related("project", "capability", "domain"),
        project=scope.project,
        pk=pk,
    )
    if request.method == "POST":
        given = ShareIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        people = {one.public_id: one for one in reads.writers(scope.project)}
        designer = people.get(given.validated_data["designer"])
        if designer is None:
            raise serializers.ValidationError({"designer": ["They do not write questions here."]})
        operations.assign(
            cell=found,
            designer=designer,
            n=given.validated_data["n"],
            due_on=given.validated_data["due_on"],
            by=scope.user,
            now=timezone.now(),
        )
    return Response(LineOut(reads.line_of(found)).data)
