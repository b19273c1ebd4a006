"""The rubrics that come with the product as JSON, to start from."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.operations import rubrics as operations
from annotation.permissions import Scope, door
from annotation.queries import examples
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import ANYTHING, rows, shape


class AddedOut(serializers.Serializer[Any]):
    key = serializers.CharField(source="rubric.key")
    name = serializers.CharField(source="rubric.name")
    version = serializers.IntegerField(source="number")


@api_view(["GET", "POST"])
@contract(
    get(
        rows({str: ANYTHING}), "Return the example rubrics with criteria and levels, to start from."
    ),
    post(
        shape("AddedRubrics", added=[AddedOut]), "Add the example rubrics that the project lacks."
    ),
)
@door(permissions.READERS, permissions.CURATORS)
def rubric_examples(request: HttpRequest, scope: Scope) -> Response:
    """Return the example rubrics with criteria and levels; or write those the project lacks."""
    if request.method == "POST":
        made = operations.load_fixture(
            project=scope.project,
            entries=examples.list_rubrics(),
            by=scope.user,
            now=timezone.now(),
        )
        return Response({"added": AddedOut(made, many=True).data})
    return Response({"results": examples.list_rubrics()})
