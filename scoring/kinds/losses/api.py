"""Query parameters that several routes of results take, by what reads them."""

from typing import Any

from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import choice, contract, get, post
from evalsite.contract.shapes import ANYTHING, maybe, shape
from scoring.endpoints import queries as connections
from scoring.engine.api import ESTIMATE, StartIn
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.forms import LARGEST_SEED
from scoring.figures import api as asking
from scoring.kinds.losses import operations as losses
from scoring.kinds.losses import queries as loss_results
from scoring.kinds.losses.operations import MOST_TEXTS, Wish
from scoring.kinds.losses.pages import SETTINGS
from scoring.kinds.losses.queries import Board
from scoring.shown import names as banner

SHARE = choice("share", tuple(map(str, loss_results.SHARES)), "Percent of the tokens of a text.")


class LossesIn(StartIn):
    """Whose loss is measured on which texts. With `estimate` nothing is started."""

    train_over = serializers.CharField(max_length=40)
    test_over = serializers.CharField(max_length=40)
    releases = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), allow_empty=False, max_length=100
    )
    texts = serializers.IntegerField(
        min_value=1, max_value=MOST_TEXTS, allow_null=True, default=None
    )


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
        return Response(losses.check(project=scope.project, wish=wish, now=now).as_dict())
    run = losses.start(
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
    get(LOSSES, query=[SHARE], figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return losses and Min-K% of every system; `share` is the percentage of tokens."""
    reading = loss_results.allowed(scope, number)
    share = loss_results.share_of(request.GET.dict())
    figure = losses.figure_of(run=reading.run, share=share, now=timezone.now())
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
