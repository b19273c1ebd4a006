"""Losses as JSON: starting to measure them, and what they came to."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import ANYTHING, maybe, shape
from scoring.api import asking, parameters
from scoring.api.estimates import ESTIMATE
from scoring.api.judge_runs import RunOut
from scoring.api.run_shapes import BudgetField
from scoring.forms.losses import SETTINGS
from scoring.forms.runs import LARGEST_SEED
from scoring.operations import loss_figuring
from scoring.operations import losses as operations
from scoring.operations.losses import MOST_TEXTS, Wish
from scoring.queries import banner, connections, loss_results
from scoring.queries.loss_results import Board


class LossesIn(Body):
    """Whose loss is measured on which texts. With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    train_over = serializers.CharField(max_length=40)
    test_over = serializers.CharField(max_length=40)
    releases = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), allow_empty=False, max_length=100
    )
    texts = serializers.IntegerField(
        min_value=1, max_value=MOST_TEXTS, allow_null=True, default=None
    )
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)


LOSSES = shape(
    "Losses",
    note=str,
    share=int,
    resamples=int,
    results=[
        shape(
            "LossLine",
            system=str,
            train_loss=maybe(float),
            test_loss=maybe(float),
            difference=maybe(float),
            low=maybe(float),
            high=maybe(float),
            n_train=int,
            n_test=int,
            min_k_percent=ANYTHING,
            area=maybe(float),
            area_low=maybe(float),
            area_high=maybe(float),
            n_failed=int,
            reason=maybe(str),
            note=str,
        )
    ],
)


@api_view(["POST"])
@contract(
    post(
        RunOut,
        takes=LossesIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.CURATORS)
def start(request: Any, scope: Scope) -> Response:
    """Estimate what measuring losses would take, or start it."""
    sent = LossesIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given, now = sent.validated_data, timezone.now()
    known = {one.release.pk for one in connections.of_project(scope.project) if one.is_ready}
    chosen = [one for one in given["releases"] if one in known]
    wish = Wish(**{name: given[name] for name in SETTINGS} | {"releases": chosen})
    if given["estimate"]:
        return Response(operations.check(project=scope.project, wish=wish, now=now).as_dict())
    run = operations.start(
        project=scope.project,
        wish=wish,
        key=given["key"],
        name=given["name"],
        user=scope.user,
        now=now,
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


@api_view(["GET"])
@contract(
    get(LOSSES, query=[parameters.SHARE], figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return losses and Min-K% of every system; `share` is the percentage of tokens."""
    reading = loss_results.allowed(scope, number)
    share = loss_results.share_of(request.GET.dict())
    figure = loss_figuring.figure_of(run=reading.run, share=share, now=timezone.now())
    if wait := asking.waiting(request, figure):
        return wait
    board = Board(figure.data or {}, reading)
    return Response(
        {
            "note": banner.of_run(reading.run),
            "share": share,
            "resamples": board.data["resamples"],
            "results": list(board.records()),
        }
    )
