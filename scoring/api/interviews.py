"""Interviews as JSON: what can be chosen, and starting them."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from evalsite.contract.bodies import Body
from evalsite.contract.calls import AFTER, contract, get, of_form, post
from evalsite.contract.filters import readable
from evalsite.contract.shapes import maybe, page, said, shape
from scoring.api import asking, parameters
from scoring.api.estimates import ESTIMATE
from scoring.api.judge_runs import RunOut
from scoring.api.number_shapes import DIFFERENCE
from scoring.api.run_shapes import BudgetField
from scoring.forms.interviews import SETTINGS, DialogueFilter
from scoring.forms.runs import LARGEST_SEED
from scoring.models import Endpoint, Exchange, Judge
from scoring.operations import figures, interview_starting
from scoring.operations.interview_starting import Wish
from scoring.operations.interviewing import (
    DECISIONS,
    LANGUAGES,
    MOST_EXCHANGES,
    MOST_QUESTIONS,
    PRIORS,
)
from scoring.queries import (
    banner,
    connections,
    interview_choice,
    interview_dialogues,
    interview_profiles,
    interview_results,
)
from scoring.queries.interview_dialogues import Line
from scoring.queries.interview_results import Board


class InterviewsIn(Body):
    """Who is interviewed about what: `evaluator` is a judge's key, or `evaluator_endpoint` makes one.

    With `estimate` nothing is started.
    """

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    over = serializers.CharField(max_length=40)
    releases = serializers.ListField(
        child=serializers.IntegerField(max_value=LARGEST_SEED), allow_empty=False, max_length=100
    )
    interactor = serializers.CharField(max_length=80)
    evaluator = serializers.IntegerField(required=False, allow_null=True, max_value=LARGEST_SEED)
    evaluator_endpoint = serializers.CharField(
        required=False, default="", allow_blank=True, max_length=80
    )
    reference_visible = serializers.BooleanField(default=False)
    questions = serializers.IntegerField(
        min_value=1, max_value=MOST_QUESTIONS, allow_null=True, default=None
    )
    planned = serializers.IntegerField(min_value=1, max_value=MOST_EXCHANGES, default=5)
    mark_but_continue = serializers.BooleanField(default=False)
    prior = serializers.ChoiceField(choices=PRIORS, default="neutral")
    decision = serializers.ChoiceField(choices=DECISIONS, default="text")
    verify = serializers.BooleanField(default=False)
    temperature = serializers.FloatField(min_value=0, max_value=2, default=0.0)
    language = serializers.ChoiceField(choices=LANGUAGES, default="auto")
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("evaluator") is None) == (not attrs["evaluator_endpoint"]):
            message = _("Name an evaluator, or an endpoint that one is made of.")
            raise serializers.ValidationError({"evaluator": [message]})
        return attrs


CHOICES = shape(
    "InterviewChoices",
    over=[shape("InterviewSource", over=str, name=str)],
    releases=[shape("ReadyRelease", release=int, name=str)],
    evaluators=[shape("EvaluatorName", evaluator=int, name=str)],
    endpoints=[str],
)
INTERVIEWED = shape(
    "InterviewScores",
    note=str,
    profile={str: str},
    systems=[str],
    results=[
        shape(
            "InterviewScore",
            system=str,
            aspect=str,
            dataset=str,
            capability=str,
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
    datasets=[str],
    capabilities=[str],
    pairs=[DIFFERENCE],
    facts=[
        shape(
            "InterviewFacts",
            _text="How the dialogues of a system went.",
            release=int,
            n=int,
            n_without=int,
            rounds=said(maybe(float), "Rounds held, in the mean."),
            n_exchanges=int,
            n_unscored=int,
            n_right=int,
            n_decided=int,
            n_stopped=int,
            n_failed=int,
            n_flagged=int,
            reasons=said({str: int}, "How many were stopped, by reason."),
        )
    ],
    profiles=[
        shape(
            "InterviewProfile",
            _text="Scores and ranks under a profile, system by system; the chosen one first.",
            profile=shape(
                "ProfileAxes",
                name=str,
                scale=str,
                decay=str,
                after_stop=str,
                unscored=str,
                early_stopping=bool,
            ),
            values=[maybe(float)],
            ranks=[maybe(float)],
            moves=said([maybe(float)], "Places lost against the chosen profile."),
        )
    ],
    ablation=[shape("Ablation", decaying=bool, stopping=bool, values=[maybe(float)])],
    n_questions=int,
    resamples=int,
    seed=maybe(int),
    method=str,
    test=maybe(str),
)
DIALOGUE = shape(
    "Dialogue",
    dialogue=int,
    question=str,
    dataset=str,
    release=int,
    system=str,
    answer=str,
    chosen=str,
    right=maybe(bool),
    decided_by=str,
    planned=int,
    ended=str,
    stopped_at=maybe(int),
    stop_reason=str,
    problem=str,
    flags=[str],
    exchanges=[
        shape(
            "DialogueExchange",
            k=int,
            question=str,
            answer=str,
            scores=said(maybe({str: maybe(float)}), "By aspect."),
            comments={str: str},
            unscored=str,
            stops=maybe(bool),
            stop_reason=str,
            flags=[str],
        )
    ],
)


@api_view(["GET", "POST"])
@contract(
    get(CHOICES, "Return the sources of questions and the systems, for interviews."),
    post(
        RunOut,
        "Estimate what interviews would take, or start them.",
        takes=InterviewsIn,
        status=201,
        also={
            200: shape("InterviewsEstimate", ESTIMATE, questions=int, without_answer=int),
        },
    ),
)
@door(permissions.CURATORS)
def start(request: Any, scope: Scope) -> Response:
    """Return what interviews can be about and who can take part; POST estimates or starts them."""
    if request.method == "GET":
        return Response(_choices(scope))
    sent = InterviewsIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given, now = sent.validated_data, timezone.now()
    wish = _wish(scope, given)
    if given["estimate"]:
        checked = interview_starting.check(project=scope.project, wish=wish, now=now)
        return Response(
            {
                "questions": len(checked.found.items),
                "without_answer": checked.found.n_without,
                **checked.estimate.as_dict(),
            }
        )
    run = interview_starting.start(
        project=scope.project,
        wish=wish,
        key=given["key"],
        name=given["name"],
        user=scope.user,
        now=now,
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


def _wish(scope: Scope, given: dict[str, Any]) -> Wish:
    endpoints = connections.endpoints_of(scope.project)
    evaluator: Judge | Endpoint
    if given.get("evaluator") is None:
        evaluator = get_object_or_404(endpoints, name=given["evaluator_endpoint"])
    else:
        judges = interview_choice.evaluators_of(scope.project)
        evaluator = get_object_or_404(judges, rater=given["evaluator"])
    known = [one.release.pk for one in connections.of_project(scope.project)]
    return Wish(
        over=given["over"],
        releases=[one for one in given["releases"] if one in known],
        interactor=get_object_or_404(endpoints, name=given["interactor"]),
        evaluator=evaluator,
        seed=given["seed"],
        reference_visible=given["reference_visible"],
        settings={name: given[name] for name in SETTINGS},
    )


def _choices(scope: Scope) -> dict[str, Any]:
    sources = interview_choice.sources(scope.project)
    return {
        "over": [
            {"over": interview_choice.BANK, "name": _("All that can be drawn")},
            *({"over": key, "name": name.strip()} for _sort, rows in sources for key, name in rows),
        ],
        "releases": [
            {"release": one.release.pk, "name": str(one.release)}
            for one in connections.of_project(scope.project)
            if one.is_ready
        ],
        "evaluators": [
            {"evaluator": one.rater_id, "name": one.name}
            for one in interview_choice.evaluators_of(scope.project)
        ],
        "endpoints": [one.name for one in connections.endpoints_of(scope.project)],
    }


@api_view(["GET"])
@contract(
    get(INTERVIEWED, query=parameters.PROFILE, figure=True),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return the scores of a run of interviews under the profile in the address, and other profiles."""
    reading = interview_results.allowed(scope, number)
    options = interview_profiles.of_params(request.GET.dict())
    figure = figures.of_run(
        name=interview_results.FIGURE, run=reading.run, params=options.params, now=timezone.now()
    )
    if wait := asking.waiting(request, figure):
        return wait
    board = Board(figure.data or {}, options, reading)
    return Response(
        {
            "note": banner.of_run(reading.run),
            "profile": options.params,
            "systems": board.names,
            "results": list(board.records()),
            **{name: board.data.get(name) for name in OPEN},
        }
    )


#: What the API hands on as it was computed; systems go by their place in `systems`.
OPEN = (
    "candidates",
    "datasets",
    "capabilities",
    "pairs",
    "facts",
    "profiles",
    "ablation",
    "n_questions",
    "resamples",
    "seed",
    "method",
    "test",
)


@api_view(["GET"])
@contract(
    get(page(DIALOGUE, note=str), query=[*of_form(DialogueFilter), AFTER]),
)
@door(permissions.UNBLINDED)
def dialogues(request: Any, scope: Scope, number: int) -> Response:
    """Return the dialogues of a run with every verdict, page by page; the page's filters."""
    reading = interview_results.allowed(scope, number)
    names = [(one["release"], one["name"]) for one in reading.run.config["releases"]]
    form = readable(DialogueFilter(request.GET, releases=names))
    rows = interview_dialogues.filtered(reading.run, form.filters())
    page = interview_dialogues.page(rows, request.GET.get("after", ""))
    return Response(
        {
            "note": banner.of_run(reading.run),
            "next": keyset.next_url(request.GET, page),
            "results": [_dialogue(interview_dialogues.line(reading, one)) for one in page.rows],
        }
    )


def _dialogue(line: Line) -> dict[str, Any]:
    one = line.dialogue
    return {
        "dialogue": one.pk,
        "question": one.item.external_id,
        "dataset": one.dataset,
        "release": one.release_id,
        "system": line.system,
        "answer": one.answer,
        "chosen": one.chosen,
        "right": one.right,
        "decided_by": one.decided_by,
        "planned": one.n_planned,
        "ended": one.ended,
        "stopped_at": one.stopped_at,
        "stop_reason": one.stop_reason,
        "problem": one.problem,
        "flags": one.flags,
        "exchanges": [_exchange(verdict.exchange) for verdict in line.verdicts],
    }


def _exchange(one: Exchange) -> dict[str, Any]:
    return {
        "k": one.k,
        "question": one.question,
        "answer": one.answer,
        "scores": one.scores,
        "comments": one.comments,
        "unscored": one.unscored,
        "stops": one.stops,
        "stop_reason": one.stop_reason,
        "flags": one.flags,
    }
