"""Several evaluators of the same dialogues as JSON, and having dialogues judged again."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import ANYTHING, maybe, said, shape
from scoring.api import asking, parameters
from scoring.api.estimates import ESTIMATE
from scoring.api.judge_runs import RunOut
from scoring.api.number_shapes import INTERVAL, NUMBER, VALUE, WHY
from scoring.api.run_shapes import BudgetField
from scoring.forms.runs import LARGEST_SEED
from scoring.models import Endpoint, Judge
from scoring.operations import figures, rejudging
from scoring.operations.rejudging import MOST, Wish
from scoring.queries import (
    banner,
    connections,
    interview_choice,
    interview_profiles,
    interview_results,
    interview_voices,
)
from scoring.queries.interview_evaluators import Board

#: What the API hands on as it was computed; systems go by their place in `systems`.
OPEN = ("candidates", "pairs", "vote", "n_questions", "resamples", "method")


class JudgeAgainIn(Body):
    """Who judges: keys of `evaluators`, and names of `endpoints` that new ones are made of.

    With `estimate` nothing is started.
    """

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    evaluators = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), default=list, max_length=MOST
    )
    endpoints = serializers.ListField(
        child=serializers.CharField(max_length=80), default=list, max_length=MOST
    )
    reference_visible = serializers.BooleanField(default=False)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)


PANEL = shape(
    "EvaluatorPanel",
    note=str,
    profile={str: str},
    systems=[str],
    evaluators=[
        shape(
            "Evaluator",
            rater=int,
            run=int,
            name=str,
            first=said(bool, "Whether its verdicts led the dialogues."),
            n_exchanges=int,
            n_unscored=int,
            n_stopped=int,
        )
    ],
    results=[
        shape(
            "EvaluatorScore",
            evaluator=str,
            run=said(ANYTHING, "A run by number; empty for the panel."),
            system=str,
            aspect=str,
            score=maybe(float),
            low=maybe(float),
            high=maybe(float),
            n=int,
            n_held=int,
            reason=maybe(str),
            profile=str,
            note=str,
        )
    ],
    candidates=[int],
    pairs=[
        shape(
            "EvaluatorPair",
            left=str,
            right=str,
            together=[
                shape(
                    "EvaluatorCorrelation",
                    coefficient=str,
                    name=str,
                    value=NUMBER,
                    reason=WHY,
                    p=NUMBER,
                    p_method=str,
                    **INTERVAL,
                    interval_reason=WHY,
                    n=int,
                )
            ],
            offsets=said(
                {str: shape("EvaluatorOffset", shift=VALUE, n=int)},
                "By how much the second is above the first, by aspect.",
            ),
            same=said(VALUE, "The share of equal decisions to stop."),
            kappa=VALUE,
            kappa_quadratic=VALUE,
            n=int,
        )
    ],
    vote=str,
    n_questions=int,
    resamples=int,
    method=str,
)


@api_view(["GET", "POST"])
@contract(
    get(
        PANEL,
        "Return every evaluator's scores and how far they agree.",
        query=[*parameters.PROFILE, parameters.VOTE],
        figure=True,
    ),
    post(
        RunOut,
        "Estimate what judging the dialogues again would take, or start it.",
        takes=JudgeAgainIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def evaluators(request: Any, scope: Scope, number: int) -> Response:
    """Return every evaluator's scores and how far they agree; POST has the dialogues judged again."""
    reading = interview_results.allowed(scope, number)
    if request.method == "POST":
        return _judge_again(request, scope, reading.run)
    query = request.GET.dict()
    options = interview_profiles.of_params(query)
    vote = interview_voices.vote_of(query)
    figure = figures.of_run(
        name=interview_voices.PANEL,
        run=reading.run,
        params={**options.params, "vote": vote},
        now=timezone.now(),
        version=interview_voices.version(reading.run),
    )
    if wait := asking.waiting(request, figure):
        return wait
    board = Board(figure.data or {}, options, reading)
    return Response(
        {
            "note": banner.of_run(reading.run),
            "profile": options.params,
            "systems": board.names,
            "evaluators": [
                {name: value for name, value in one.items() if name != "scores"}
                for one in board.voices
            ],
            "results": list(board.records()),
            **{name: board.data[name] for name in OPEN},
        }
    )


def _judge_again(request: Any, scope: Scope, of: Any) -> Response:
    sent = JudgeAgainIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    wish = Wish(
        chosen=_chosen(scope, given["evaluators"], given["endpoints"]),
        seed=given["seed"],
        reference_visible=given["reference_visible"],
    )
    if given["estimate"]:
        return Response(rejudging.check(of=of, wish=wish).as_dict())
    run = rejudging.start(
        of=of,
        wish=wish,
        key=given["key"],
        name=given["name"],
        user=scope.user,
        now=timezone.now(),
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


def _chosen(scope: Scope, raters: list[int], names: list[str]) -> list[Judge | Endpoint]:
    judges = interview_choice.evaluators_of(scope.project)
    endpoints = connections.endpoints_of(scope.project)
    return [
        *(get_object_or_404(judges, rater=one) for one in raters),
        *(get_object_or_404(endpoints, name=one) for one in names),
    ]
