"""Assistants as JSON: which there are, making one, having it score answers, and what came of it."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from annotation.rounds import queries as rounds
from evalsite.contract.calls import Body, contract, get, post
from evalsite.contract.shapes import maybe, rows, shape
from scoring.engine import queries as judge_list
from scoring.engine.api import ESTIMATE, BudgetField, JudgeOut
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.forms import LARGEST_SEED
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants import queries as assistant_results
from scoring.kinds.assistants.asking_v1 import Kind
from scoring.kinds.assistants.operations import MOST_AT_ONCE, MOST_REPEATS, Settings
from scoring.kinds.assistants.prompts_v1 import LANGUAGES

USUAL = Settings()


class AssistantIn(Body):
    """An assistant; what is left out has its usual value, what its kind fixes is fixed."""

    component = "AssistantsAssistantIn"

    name = serializers.CharField(max_length=120)
    endpoint = serializers.CharField(max_length=80)
    kind = serializers.ChoiceField(choices=[one.value for one in Kind], default=USUAL.kind.value)
    premise = serializers.CharField(max_length=200, allow_blank=True, default=USUAL.premise)
    turned = serializers.BooleanField(default=USUAL.turned)
    low = serializers.FloatField(allow_null=True, default=USUAL.low)
    high = serializers.FloatField(allow_null=True, default=USUAL.high)
    higher_is_better = serializers.BooleanField(default=USUAL.higher_is_better)
    at_once = serializers.IntegerField(min_value=1, max_value=MOST_AT_ONCE, default=USUAL.at_once)
    repeats = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS, default=USUAL.repeats)
    temperature = serializers.FloatField(
        min_value=0, max_value=2, allow_null=True, default=USUAL.temperature
    )
    language = serializers.ChoiceField(choices=sorted(LANGUAGES), default=USUAL.language)


class AssistingIn(Body):
    """Which assistant scores a round or an import, not both. With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    assistant = serializers.IntegerField(max_value=LARGEST_SEED)
    round = serializers.IntegerField(required=False, allow_null=True, max_value=LARGEST_SEED)
    import_ = serializers.IntegerField(required=False, allow_null=True, max_value=LARGEST_SEED)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        found["import"] = found.pop("import_")  # a word of Python
        return found

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("round") is None) == (attrs.get("import") is None):
            raise serializers.ValidationError({"round": [_("Name a round or an import.")]})
        return attrs


SCORED = shape(
    "AssistantScores",
    assistant=int,
    results=[
        shape(
            "AssistantScore",
            release=str,
            n=int,
            mean=maybe(float),
            lowest=maybe(float),
            lower=maybe(float),
            middle=maybe(float),
            upper=maybe(float),
            highest=maybe(float),
            without_value=int,
        )
    ],
    parts=[shape("ScoreRange", low=float, high=float, n=int)],
    without_value=[shape("AnswersWithout", reason=str, answers=int)],
)


@api_view(["GET", "POST"])
@contract(
    get(rows(JudgeOut), "Return the assistant evaluators whose endpoint is in use."),
    post(JudgeOut, "Make an assistant evaluator.", takes=AssistantIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def list_assistants(request: Any, scope: Scope) -> Response:
    """Return the assistants whose endpoint is in use; POST makes one."""
    if request.method == "GET":
        rows = assistant_results.assistants(scope.project)
        return Response({"results": JudgeOut(rows, many=True).data})
    sent = AssistantIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = dict(sent.validated_data)
    name, endpoint = given.pop("name"), given.pop("endpoint")
    made = assistants.create(
        project=scope.project,
        name=name,
        endpoint=get_object_or_404(judge_list.endpoints_of(scope.project), name=endpoint),
        settings=Settings(**{**given, "kind": Kind(given["kind"])}),
        by=scope.user,
        now=timezone.now(),
    )
    return Response(JudgeOut(made).data, status=201)


@api_view(["POST"])
@contract(
    post(
        RunOut,
        takes=AssistingIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.CURATORS)
def assist(request: Any, scope: Scope) -> Response:
    """Estimate what scoring answers would take, or have them scored."""
    sent = AssistingIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    assistant = get_object_or_404(
        assistant_results.assistants(scope.project), rater=given["assistant"]
    )
    round_ = None
    if given.get("round") is not None:
        round_ = get_object_or_404(rounds.of(scope.project), number=given["round"])
    if given["estimate"]:
        found = assistants.estimate(assistant=assistant, round_=round_, batch=given.get("import"))
        return Response(found.as_dict())
    run = assistants.request_scores(
        assistant=assistant,
        key=given["key"],
        name=given["name"],
        seed=given["seed"],
        user=scope.user,
        now=timezone.now(),
        round_=round_,
        batch=given.get("import"),
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


@api_view(["GET"])
@contract(
    get(SCORED),
)
@door(permissions.UNBLINDED)
def run_assistant(request: Any, scope: Scope, number: int) -> Response:
    """Return how an assistant's scores are distributed by release, and why answers have none."""
    found = assistant_results.board(assistant_results.allowed(scope, number))
    return Response(
        {
            "assistant": found.rater,
            "results": list(assistant_results.records(found)),
            "parts": [{"low": one.low, "high": one.high, "n": one.n} for one in found.parts],
            "without_value": [{"reason": one.text, "answers": one.n} for one in found.reasons],
        }
    )
