"""What the API says of the things of a project: every field named here, and no other."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.systems import operations
from annotation.systems import queries as reads
from annotation.systems.models import Item, System, SystemRelease
from annotation.systems.records import (
    Attributes,
    NewSystem,
    ReleaseOut,
    ReleaseWords,
    SystemOut,
    SystemWords,
)
from evalsite.contract.calls import contract, get, post, taken
from evalsite.contract.shapes import partly, rows, shape
from evalsite.records import told, values


class ItemOut(serializers.ModelSerializer[Item]):
    capability = serializers.CharField(source="capability.name", default=None)
    n_responses = serializers.IntegerField()
    n_rounds = serializers.IntegerField()

    class Meta:
        model = Item
        fields = (
            "id",
            "external_id",
            "content_sha",
            "capability",
            "difficulty",
            "question_type",
            "as_of",
            "messages",
            "reference",
            "key_points",
            "extra",
            "n_responses",
            "n_rounds",
        )


SYSTEM = shape(
    "System", SystemOut, releases=[shape("Release", ReleaseOut, n_responses=int, n_items=int)]
)


@contract(
    get(rows(SYSTEM), "Return the systems with their releases."),
    post(
        SYSTEM, "Add a system, with its first release if one is named.", takes=NewSystem, status=201
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def systems(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        made = operations.create_system(**values(taken(NewSystem, request)), **scope.deed())
        return _said(scope, made, status=201)
    return Response({"results": [_told(one) for one in reads.list_systems(scope.project)]})


@contract(
    get(SYSTEM, "Return a system with its releases."),
    post(SYSTEM, "Change a system; what is not named stays.", takes=partly(SystemWords)),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def system(request: HttpRequest, scope: Scope, pk: int) -> Response:
    found = get_object_or_404(System.objects.seen(), project=scope.project, pk=pk)
    if request.method == "POST":
        given = values(taken(SystemWords, request, onto=SystemWords.of(found)))
        found = operations.edit_system(system=found, **given, **scope.who())
    return _said(scope, found)


@contract(post(SYSTEM, takes=ReleaseWords, status=201))
@door(permissions.UNBLINDED, permissions.CURATORS)
def releases(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Add a release to a system; return the system."""
    found = get_object_or_404(System.objects.seen(), project=scope.project, pk=pk)
    given = taken(ReleaseWords, request)
    operations.add_release(system=found, **_words(given), **scope.who())
    return _said(scope, found, status=201)


@contract(post(SYSTEM, takes=partly(ReleaseWords)))
@door(permissions.UNBLINDED, permissions.CURATORS)
def release(request: HttpRequest, scope: Scope, pk: int, release: int) -> Response:
    """Change a release; what is not named stays. Return its system."""
    rows_ = SystemRelease.objects.seen().filter(system__project=scope.project, system=pk)
    old = get_object_or_404(rows_.select_related("system__project"), pk=release)
    given = taken(ReleaseWords, request, onto=ReleaseWords.of(old))
    operations.edit_release(release=old, **_words(given), **scope.who())
    return _said(scope, old.system)


def _words(given: ReleaseWords) -> dict[str, Any]:
    attributes = Attributes(**values(given, Attributes))
    return {"label": given.label, "notes": given.notes, "attributes": attributes}


def _told(line: reads.SystemLine) -> dict[str, Any]:
    releases = [
        told(ReleaseOut, one.release, n_responses=one.n_responses, n_items=one.n_items)
        for one in line.releases
    ]
    return told(SystemOut, line.system, releases=releases)


def _said(scope: Scope, of: System, status: int = 200) -> Response:
    [line] = [one for one in reads.list_systems(scope.project) if one.system.pk == of.pk]
    return Response(_told(line), status=status)
