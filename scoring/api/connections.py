"""Connections of releases, and the answers they have not given, as JSON."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms import collecting as choices
from annotation.models import Round, SystemRelease
from annotation.permissions import Scope, door
from annotation.queries import collecting as wants
from annotation.queries import rounds
from annotation.queries.collecting import Wanted
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, of_form, post, whole
from evalsite.contract.shapes import maybe, rows, shape
from scoring.api.estimates import ESTIMATE
from scoring.api.judge_runs import RunOut
from scoring.api.run_shapes import BudgetField
from scoring.forms.runs import LARGEST_SEED
from scoring.models import SystemConnection
from scoring.operations import collecting, connections
from scoring.operations.collecting import MOST_SAMPLES
from scoring.queries import answers as answer_reads
from scoring.queries import connections as reads

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


class AnswersIn(Body):
    """Which answers are collected. With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    round = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    releases = serializers.ListField(child=serializers.IntegerField(), default=list)
    capabilities = serializers.ListField(child=serializers.IntegerField(), default=list)
    samples = serializers.IntegerField(min_value=1, max_value=MOST_SAMPLES, default=1)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)


CONNECTION = shape(
    "Connections", release=int, connection=maybe(ConnectionOut), earlier=[ConnectionOut]
)


@api_view(["GET", "POST"])
@contract(
    get(CONNECTION, "Return which endpoint answers as a release, now and before."),
    post(CONNECTION, "Connect a release with an endpoint, or end that.", takes=ConnectionIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def connection(request: Any, scope: Scope, pk: int) -> Response:
    """Return what answers as a release, and what did; POST changes it."""
    releases = SystemRelease.objects.seen().select_related("system")
    found = get_object_or_404(releases, system__project=scope.project, pk=pk)
    if request.method == "POST":
        sent = ConnectionIn(data=request.data)
        sent.is_valid(raise_exception=True)
        _connect(scope, found, **sent.validated_data)
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


@api_view(["GET", "POST"])
@contract(
    get(
        rows(OfferOut),
        "Return which answers are missing, of a round or of the bank.",
        query=[
            whole("round", "Of this draft of a round; of the bank without one."),
            *of_form(choices.Choice),
        ],
    ),
    post(
        RunOut,
        "Estimate what collecting answers would take, or start it.",
        takes=AnswersIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.CURATORS)
def answers(request: Any, scope: Scope) -> Response:
    """Return whose answers are missing (of ?round=, or of ?capability= and ?release=); POST collects them."""
    if request.method == "POST":
        return _collect(request, scope)
    given = str(request.GET.get("round", ""))
    if given:
        round_ = _draft(scope, int(given) if given.isascii() and given.isdigit() else 0)
        wanted = wants.of_round(round_, timezone.now())
    else:
        wanted = _of_bank(request, scope)
    return Response({"results": OfferOut(answer_reads.offers(wanted), many=True).data})


def _of_bank(request: HttpRequest, scope: Scope) -> Wanted:
    capabilities, releases = choices.Choice(request.GET, project=scope.project).chosen()
    return wants.of_bank(scope.project, capabilities, releases, timezone.now())


def _collect(request: Any, scope: Scope) -> Response:
    sent = AnswersIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given, now = sent.validated_data, timezone.now()
    round_ = _draft(scope, given["round"]) if given.get("round") is not None else None
    wanted = (
        wants.of_round(round_, now)
        if round_
        else wants.of_bank(scope.project, given["capabilities"], given["releases"], now)
    )
    config = collecting.configure(
        wanted=wanted, releases=given["releases"], samples=given["samples"], round_=round_
    )
    if given["estimate"]:
        return Response(collecting.estimate(project=scope.project, config=config).as_dict())
    run = collecting.request_answers(
        project=scope.project,
        key=given["key"],
        name=given["name"],
        config=config,
        seed=given["seed"],
        user=scope.user,
        now=now,
        budget=given["budget"],
        round_=round_,
    )
    return Response(RunOut(run).data, status=201)


def _draft(scope: Scope, number: int) -> Round:
    drafts = rounds.of(scope.project).filter(state=Round.State.DRAFT)
    return get_object_or_404(drafts, number=number)
