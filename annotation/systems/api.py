"""What the API says of the things of a project: every field named here, and no other."""

from dataclasses import asdict, replace
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.api import SystemOut
from annotation.people.permissions import Scope, door
from annotation.systems import operations
from annotation.systems import queries as reads
from annotation.systems.models import Item, System, SystemRelease
from annotation.systems.operations import Attributes
from evalsite.contract.calls import Body, contract, get, post, valid
from evalsite.contract.shapes import partly, rows


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


class ReleaseIn(Body):
    """A release; of an older one what is left out stays as it is. Null: nobody has said."""

    label = serializers.CharField(max_length=120)  # type: ignore[assignment]
    notes = serializers.CharField(required=False, allow_blank=True)
    web_access = serializers.BooleanField(required=False, allow_null=True)
    retrieval = serializers.BooleanField(required=False, allow_null=True)
    tools = serializers.BooleanField(required=False, allow_null=True)
    context_length = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, allow_null=True
    )
    knowledge_until = serializers.CharField(max_length=40, required=False, allow_blank=True)


class SystemIn(Body):
    """A system; of an older one what is left out stays as it is. `aliases` are names it may use of itself."""

    name = serializers.CharField(max_length=200)
    aliases = serializers.ListField(child=serializers.CharField(max_length=200), required=False)
    family = serializers.CharField(max_length=80, required=False, allow_blank=True)


class NewSystemIn(SystemIn):
    release = serializers.CharField(max_length=120, required=False, allow_blank=True)


@api_view(["GET", "POST"])
@contract(
    get(rows(SystemOut), "Return the systems with their releases."),
    post(
        SystemOut,
        "Add a system, with its first release if one is named.",
        takes=NewSystemIn,
        status=201,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def systems(request: HttpRequest, scope: Scope) -> Response:
    """Return the systems with their releases, or add one."""
    if request.method == "POST":
        made = operations.create_system(
            project=scope.project,
            **valid(NewSystemIn, request),
            by=scope.user,
            now=timezone.now(),
        )
        return _said(scope, made, status=201)
    return Response({"results": SystemOut(reads.list_systems(scope.project), many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(SystemOut, "Return a system with its releases."),
    post(SystemOut, "Change a system; what is not named stays.", takes=partly(SystemIn)),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def system(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Return a system with its releases, or change what is named."""
    found = get_object_or_404(System.objects.seen(), project=scope.project, pk=pk)
    if request.method == "POST":
        given = valid(SystemIn, request, partial=True)
        found = operations.edit_system(
            system=found,
            name=given.get("name", found.name),
            aliases=given.get("aliases", found.aliases),
            family=given.get("family"),
            by=scope.user,
            now=timezone.now(),
        )
    return _said(scope, found)


@api_view(["POST"])
@contract(
    post(SystemOut, takes=ReleaseIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def releases(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Add a release to a system; return the system."""
    found = get_object_or_404(System.objects.seen(), project=scope.project, pk=pk)
    given = valid(ReleaseIn, request)
    operations.add_release(
        system=found,
        label=given["label"],
        notes=given.get("notes", ""),
        attributes=_attributes(Attributes(), given),
        by=scope.user,
        now=timezone.now(),
    )
    return _said(scope, found, status=201)


@api_view(["POST"])
@contract(
    post(SystemOut, takes=partly(ReleaseIn)),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def release(request: HttpRequest, scope: Scope, pk: int, release: int) -> Response:
    """Change a release; what is not named stays. Return its system."""
    rows_ = SystemRelease.objects.seen().filter(system__project=scope.project, system=pk)
    old = get_object_or_404(rows_.select_related("system__project"), pk=release)
    given = valid(ReleaseIn, request, partial=True)
    operations.edit_release(
        release=old,
        label=given.get("label", old.label),
        notes=given.get("notes", old.notes),
        attributes=_attributes(Attributes.of(old), given),
        by=scope.user,
        now=timezone.now(),
    )
    return _said(scope, old.system)


def _attributes(were: Attributes, given: dict[str, Any]) -> Attributes:
    return replace(were, **{name: given[name] for name in asdict(were) if name in given})


def _said(scope: Scope, of: System, status: int = 200) -> Response:
    [line] = [one for one in reads.list_systems(scope.project) if one.system.pk == of.pk]
    return Response(SystemOut(line).data, status=status)
