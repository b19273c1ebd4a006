"""Endpoints for programs. A key is taken and never given back.

* Connections of releases, and the answers they have not given, as JSON.
"""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.imports import collecting
from annotation.imports.collecting import WantedAnswers
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import queries as rounds
from annotation.rounds.models import Round
from annotation.systems.models import SystemRelease
from evalsite.contract.calls import Body, contract, get, post, taken, taken_on, valid
from evalsite.contract.shapes import maybe, partly, rows, shape
from evalsite.records import plain, read, values
from scoring.endpoints import operations as connections
from scoring.endpoints import queries as reads
from scoring.endpoints import testing
from scoring.endpoints.models import Endpoint, EndpointTest, SystemConnection
from scoring.endpoints.records import (
    AboutIn,
    EndpointAbout,
    EndpointIn,
    EndpointsOptions,
    EndpointWords,
    KeyIn,
    Request,
)


class EndpointOut(serializers.ModelSerializer[Endpoint]):
    scripted = serializers.BooleanField(source="is_scripted")
    key = serializers.SerializerMethodField()
    key_trouble = serializers.SerializerMethodField()
    #: By name; what they hold is not told.
    headers = serializers.DictField(child=serializers.CharField())

    class Meta:
        model = Endpoint
        fields = (
            "id",
            "name",
            "number",
            "kind",
            "scripted",
            "url",
            "model_name",
            "request",
            "options",
            "headers",
            "certificates",
            "family",
            "key",
            "key_env",
            "key_trouble",
            "prompt_price",
            "completion_price",
            "cached_price",
            "currency",
            "max_in_flight",
            "per_minute",
            "timeout",
            "context_length",
            "found",
            "tested_at",
            "created_at",
            "retired_at",
        )

    def get_key(self, endpoint: Endpoint) -> str:
        """Say where the key is: "sealed", "variable" or "none"; never what it is."""
        if endpoint.key_env:
            return "variable"
        return "sealed" if endpoint.key_sealed else "none"

    def get_key_trouble(self, endpoint: Endpoint) -> str:
        """Say why the variable it names is not read, so that nothing can ask it; empty: nothing is wrong."""
        return reads.trouble(endpoint)


class FoundOut(serializers.ModelSerializer[EndpointTest]):
    component = "EndpointsFound"

    class Meta:
        model = EndpointTest
        fields = ("state", "found", "n_asked", "trouble", "problem", "asked_at", "ended_at")


class ScriptIn(Body):
    script = serializers.DictField(default=dict)


@contract(
    get(rows(EndpointOut), "Return the endpoints of the project, retired ones last."),
    post(EndpointOut, "Add an endpoint.", takes=EndpointIn, status=201),
)
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoints(request: Any, scope: Scope) -> Response:
    if request.method == "POST":
        given = taken(EndpointIn, request)
        if given.request is None and not given.model_name:
            raise serializers.ValidationError({"model_name": [_("A server needs a model.")]})
        made = connections.create(about=about_of(given), **key_of(given), **scope.deed())
        return Response(EndpointOut(made).data, status=201)
    rows = [line.endpoint for line in reads.list_endpoints(scope.project)]
    return Response({"results": EndpointOut(rows, many=True).data})


@contract(post(EndpointOut, takes=ScriptIn, status=201))
@door(permissions.UNBLINDED, permissions.OWNERS)
def scripted(request: Any, scope: Scope) -> Response:
    """Add a scripted endpoint; its results carry "scripted", for they measure nothing."""
    made = testing.add_scripted(**valid(ScriptIn, request), **scope.deed())
    return Response(EndpointOut(made).data, status=201)


@contract(
    get(EndpointOut, "Return an endpoint."),
    post(
        EndpointOut,
        "Change an endpoint; return the one that takes its place if it was used.\n\n"
        "What is left out stays as it is.",
        takes=partly(AboutIn),
    ),
)
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoint(request: Any, scope: Scope, pk: int) -> Response:
    found = _of(scope, pk)
    if request.method == "POST":
        asked = read(Request, found.request) if found.request else None
        options = read(EndpointsOptions, found.options)
        now = AboutIn(
            **values(EndpointWords.of(found)), request=asked, options=options, headers=found.headers
        )
        about = about_of(taken(AboutIn, request, onto=now))
        found = connections.edit(endpoint=found, about=about, **scope.who())
    return Response(EndpointOut(found).data)


@contract(post(EndpointOut, takes=KeyIn))
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_key(request: Any, scope: Scope, pk: int) -> Response:
    """Set the key, or name the variable that holds it; with neither, none is sent."""
    key = key_of(taken(KeyIn, request))
    made = connections.set_key(endpoint=_of(scope, pk), **key, **scope.who())
    return Response(EndpointOut(made).data)


@contract(
    get(shape("NewestTest", test=maybe(FoundOut)), "Return the newest test of the connection."),
    post(FoundOut, "Have the connection tested.", status=202),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def endpoint_test(request: Any, scope: Scope, pk: int) -> Response:
    found = _of(scope, pk)
    if request.method == "POST":
        test = testing.request(endpoint=found, **scope.who())
        return taken_on(FoundOut(test).data, "api_endpoint_test", scope.project.slug, pk)
    test_there = reads.newest_test(found)
    return Response({"test": FoundOut(test_there).data if test_there else None})


@contract(post(EndpointOut))
@door(permissions.UNBLINDED, permissions.OWNERS)
def endpoint_retire(request: Any, scope: Scope, pk: int) -> Response:
    """Take an endpoint out of use."""
    found = _of(scope, pk)
    connections.retire(endpoint=found, **scope.who())
    found.refresh_from_db()
    return Response(EndpointOut(found).data)


def _of(scope: Scope, pk: int) -> Endpoint:
    return get_object_or_404(reads.of_endpoints(scope.project).select_related("project"), pk=pk)


def about_of(given: AboutIn) -> EndpointAbout:
    return EndpointAbout(
        **values(given, EndpointWords),
        request=plain(given.request) if given.request else {},
        options=plain(given.options),
        headers=given.headers,
    )


def key_of(given: KeyIn) -> dict[str, str]:
    if given.key and given.variable:
        said = _("Give a key or name a variable, not both.")
        raise serializers.ValidationError({"variable": [said]})
    return {"key": given.key, "variable": given.variable}


MOST = 2**31 - 1


class ConnectionOut(serializers.ModelSerializer[SystemConnection]):
    endpoint = serializers.CharField(source="endpoint.name")
    number = serializers.IntegerField(source="endpoint.number")
    scripted = serializers.BooleanField(source="endpoint.is_scripted")
    retired_at = serializers.DateTimeField(source="endpoint.retired_at", allow_null=True)

    class Meta:
        model = SystemConnection
        fields = (
            "id",
            "endpoint",
            "number",
            "scripted",
            "retired_at",
            "settings",
            "created_at",
            "ended_at",
        )


class ConnectionIn(Body):
    """The name of an endpoint in use, or null to end the connection."""

    endpoint = serializers.CharField(allow_null=True)
    settings = serializers.DictField(default=dict)


class OfferOut(serializers.Serializer[Any]):
    release = serializers.IntegerField(source="release.pk")
    name = serializers.CharField(source="release")
    missing = serializers.IntegerField(source="n_missing")
    endpoint = serializers.CharField(source="connection.endpoint.name", default=None)
    ready = serializers.BooleanField(source="is_ready")


CONNECTION = shape(
    "Connections", release=int, connection=maybe(ConnectionOut), earlier=[ConnectionOut]
)


@contract(
    get(CONNECTION, "Return which endpoint answers as a release, now and before."),
    post(CONNECTION, "Connect a release with an endpoint, or end that.", takes=ConnectionIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def connection(request: Any, scope: Scope, pk: int) -> Response:
    releases = SystemRelease.objects.seen().select_related("system")
    found = get_object_or_404(releases, system__project=scope.project, pk=pk)
    if request.method == "POST":
        _connect(scope, found, **valid(ConnectionIn, request))
    history = list(reads.of_release(found))
    now = next((one for one in history if one.ended_at is None), None)
    return Response(
        {
            "release": found.pk,
            "connection": ConnectionOut(now).data if now else None,
            "earlier": ConnectionOut([one for one in history if one.ended_at], many=True).data,
        }
    )


def _connect(
    scope: Scope, release: SystemRelease, endpoint: str | None, settings: dict[str, Any]
) -> None:
    now = timezone.now()
    if endpoint is None:
        connections.disconnect(release=release, by=scope.user, now=now)
        return
    named = get_object_or_404(reads.endpoints_of(scope.project), name=endpoint)
    connections.connect(release=release, endpoint=named, settings=settings, by=scope.user, now=now)


def _of_bank(request: HttpRequest, scope: Scope) -> WantedAnswers:
    capabilities, releases = collecting.CollectForm(request.GET, project=scope.project).chosen()
    return collecting.of_bank(scope.project, capabilities, releases, timezone.now())


def _draft(scope: Scope, number: int) -> Round:
    drafts = rounds.rounds_of(scope.project).filter(state=Round.State.DRAFT)
    return get_object_or_404(drafts, number=number)
