"""Fusion-Eval as JSON: having answers evaluated by a task, and what a run came to."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from annotation.queries import rounds
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import maybe, shape
from scoring.api.estimates import ESTIMATE
from scoring.api.evaluation_tasks import task_of
from scoring.api.judge_runs import RunOut
from scoring.api.run_shapes import BudgetField
from scoring.forms.runs import LARGEST_SEED
from scoring.models import EvaluationTask
from scoring.operations import combining, fusing
from scoring.operations.fusing import Wish
from scoring.operations.fusion_judges import MOST_PREDICTIONS, MOST_TOKENS, Settings
from scoring.protocols.fusion_eval.v1 import Variant
from scoring.queries import banner, fusion_results, judge_list
from scoring.queries import evaluation_tasks as reads
from scoring.queries.fusion_results import Line

MOST = 2**31 - 1
USUAL = Settings()


class FusionIn(Body):
    """Which answers are evaluated, of a round or an import. With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    round = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    import_ = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    variants = serializers.ListField(
        child=serializers.ChoiceField(choices=[str(one) for one in Variant]), allow_empty=False
    )
    plan = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    endpoint = serializers.CharField(max_length=80)
    predictions = serializers.IntegerField(
        min_value=1, max_value=MOST_PREDICTIONS, default=USUAL.predictions
    )
    fewest_valid = serializers.IntegerField(
        min_value=1, max_value=MOST_PREDICTIONS, default=USUAL.fewest_valid
    )
    temperature = serializers.FloatField(
        min_value=0, max_value=2, allow_null=True, default=USUAL.temperature
    )
    max_tokens = serializers.IntegerField(
        min_value=50, max_value=MOST_TOKENS, default=USUAL.max_tokens
    )
    turned = serializers.BooleanField(default=USUAL.turned)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
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


#: Answers, and how many of them have a score, by the key of the assistant.
COUNTED = {"answers": int, "with_score": {str: int}}
FUSED = shape(
    "FusionScores",
    note=str,
    task=int,
    version=int,
    plan=maybe(int),
    judges=[
        shape(
            "FusionJudge",
            judge=int,
            name=str,
            variant=maybe(str),
            predictions=int,
            invalid_predictions=int,
            answers=maybe(int),
            seconds_per_answer=maybe(float),
            cost_per_answer=maybe(float),
            currency=str,
        )
    ],
    without_score=[shape("WithoutScore", reason=str, n=int)],
    results=[
        shape(
            "FusionScore",
            judge=str,
            variant=maybe(str),
            release=str,
            criterion=str,
            mean=maybe(float),
            n=int,
            without_score=int,
            mean_spread=maybe(float),
        )
    ],
)


@api_view(["POST"])
@contract(
    post(
        RunOut, takes=FusionIn, status=201, also={200: shape("FusionEstimate", ESTIMATE, **COUNTED)}
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def start(request: Any, scope: Scope, number: int) -> Response:
    """Estimate an evaluation by the newest version of a task, or have it made."""
    task = task_of(scope, number)
    sent = FusionIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    wish = _wish(scope, task, given)
    if given["estimate"]:
        checked = fusing.check(project=scope.project, wish=wish)
        return Response(
            {
                "answers": checked.found.n,
                "with_score": checked.found.scored,
                **checked.estimate.as_dict(),
            }
        )
    run = fusing.start(
        project=scope.project,
        wish=wish,
        key=given["key"],
        name=given["name"],
        seed=given["seed"],
        user=scope.user,
        now=timezone.now(),
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


class CombineIn(Body):
    """How scores are combined, over a round or an import; `judge` is the key of one of the task's judges.

    With `estimate` nothing is started.
    """

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    round = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    import_ = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    ways = serializers.ListField(
        child=serializers.ChoiceField(choices=list(combining.WAYS)), allow_empty=False
    )
    plan = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    judge = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    people = serializers.IntegerField(required=False, allow_null=True, max_value=MOST)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    estimate = serializers.BooleanField(default=False)

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        found["import"] = found.pop("import_")  # a word of Python
        return found

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (attrs.get("round") is None) == (attrs.get("import") is None):
            raise serializers.ValidationError({"round": [_("Name a round or an import.")]})
        return attrs


@api_view(["POST"])
@contract(
    post(RunOut, takes=CombineIn, status=201, also={200: shape("CombineEstimate", **COUNTED)}),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def combine(request: Any, scope: Scope, number: int) -> Response:
    """Count what there is to combine, or have AVG, LLMSel and CorrW made of the task's assistants."""
    task = task_of(scope, number)
    sent = CombineIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    wish = combining.Wish(
        version=reads.newest(task),
        ways=given["ways"],
        plan=_named(task.plans, number=given.get("plan")),
        judge=_named(judge_list.of(scope.project), rater=given.get("judge")),
        round=_named(rounds.of(scope.project), number=given.get("round")),
        batch=given.get("import"),
        people=_named(rounds.of(scope.project), number=given.get("people")),
    )
    if given["estimate"]:
        found = combining.check(project=scope.project, wish=wish)
        return Response({"answers": found.n, "with_score": found.scored})
    run = combining.start(
        project=scope.project,
        wish=wish,
        key=given["key"],
        name=given["name"],
        seed=given["seed"],
        user=scope.user,
        now=timezone.now(),
    )
    return Response(RunOut(run).data, status=201)


def _named(rows: Any, **by: Any) -> Any:
    """Return the row that is named, or None where none is."""
    return None if None in by.values() else get_object_or_404(rows, **by)


@api_view(["GET"])
@contract(
    get(FUSED),
)
@door(permissions.UNBLINDED)
def results(request: Any, scope: Scope, number: int) -> Response:
    """Return what each judge of a run scored, what could not be read, and what an answer took."""
    board = fusion_results.board(fusion_results.allowed(scope, number))
    return Response(
        {
            "note": banner.of_run(board.reading.run),
            "task": board.version.task.number,
            "version": board.version.number,
            "plan": None if board.plan is None else board.plan.number,
            "judges": [_line(one) for one in board.lines],
            "without_score": [{"reason": reason, "n": n} for reason, n in board.reasons],
            "results": list(fusion_results.records(board)),
        }
    )


def _line(line: Line) -> dict[str, Any]:
    spent = line.spent
    return {
        "judge": line.rater,
        "name": line.name,
        "variant": line.variant,
        "predictions": line.n_samples,
        "invalid_predictions": line.n_invalid,
        "answers": None if spent is None else spent.n,
        "seconds_per_answer": None if spent is None else spent.seconds,
        "cost_per_answer": None if spent is None else spent.cost,
        "currency": "" if spent is None else spent.currency,
    }


def _wish(scope: Scope, task: EvaluationTask, given: dict[str, Any]) -> Wish:
    names = Settings.__dataclass_fields__
    return Wish(
        version=reads.newest(task),
        variants=[Variant(one) for one in given["variants"]],
        endpoint=get_object_or_404(judge_list.endpoints_of(scope.project), name=given["endpoint"]),
        plan=_named(task.plans, number=given.get("plan")),
        round=_named(rounds.of(scope.project), number=given.get("round")),
        batch=given.get("import"),
        settings=Settings(**{name: given[name] for name in names}),
    )
