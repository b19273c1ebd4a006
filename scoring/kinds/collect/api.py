"""Connections of releases, and the answers they have not given, as JSON."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.imports import collecting as wants
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get, of_form, post, whole
from evalsite.contract.shapes import rows
from scoring.endpoints.api import MOST, OfferOut, _draft, _of_bank
from scoring.engine.api import ESTIMATE, StartIn
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.kinds.collect import operations as collect
from scoring.kinds.collect.operations import MOST_SAMPLES


class AnswersIn(StartIn):
    """Which answers are collected. With `estimate` nothing is started."""

    component = "ConnectionsAnswersIn"

    round = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    releases = serializers.ListField(child=serializers.IntegerField(), default=list)
    capabilities = serializers.ListField(child=serializers.IntegerField(), default=list)
    samples = serializers.IntegerField(min_value=1, max_value=MOST_SAMPLES, default=1)


@api_view(["GET", "POST"])
@contract(
    get(
        rows(OfferOut),
        "Return which answers are missing, of a round or of the bank.",
        query=[
            whole("round", "Of this draft of a round; of the bank without one."),
            *of_form(wants.Choice),
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
    return Response({"results": OfferOut(collect.offers(wanted), many=True).data})


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
    config = collect.configure(
        wanted=wanted, releases=given["releases"], samples=given["samples"], round_=round_
    )
    if given["estimate"]:
        return Response(collect.estimate(project=scope.project, config=config).as_dict())
    run = collect.request_answers(
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
