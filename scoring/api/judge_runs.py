"""Live judges as JSON: which there are, making one, and having it grade a round."""

from dataclasses import fields
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import RaterKind
from annotation.permissions import Scope, door
from evalsite.contract.bodies import Body
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import rows, shape
from scoring.api.estimates import ESTIMATE
from scoring.api.run_shapes import BudgetField
from scoring.forms.runs import LARGEST_SEED
from scoring.models import Judge, Run
from scoring.operations import judges, judging
from scoring.operations.judge_settings import (
    A_NUMBER,
    KINDS,
    MOST_REPEATS,
    MOST_TOKENS,
    ONLY_WEIGHTS,
    SAMPLES,
    WEIGHTS,
)
from scoring.protocols.direct.prompts_v1 import LANGUAGES
from scoring.queries import judge_list
from scoring.queries import judging as reads


class JudgeOut(serializers.ModelSerializer[Judge]):
    """`key` is that of the judge in the address of its page beside people."""

    key = serializers.IntegerField(source="rater_id")
    endpoint = serializers.CharField(source="endpoint.name")
    scripted = serializers.BooleanField(source="endpoint.is_scripted")
    usable = serializers.SerializerMethodField()

    class Meta:
        model = Judge
        fields = (
            "key",
            "name",
            "protocol",
            "endpoint",
            "scripted",
            "usable",
            "config",
            "config_sha",
        )

    def get_usable(self, judge: Judge) -> bool:
        return judge.endpoint.retired_at is None


class JudgeIn(Body):
    """A judge; what is left out has its usual value, what its kind does not know is refused."""

    kind = serializers.ChoiceField(choices=list(KINDS), default="direct")
    name = serializers.CharField(max_length=120)
    endpoint = serializers.CharField(max_length=80)
    repeats = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS, required=False)
    fewest_valid = serializers.IntegerField(min_value=1, max_value=MOST_REPEATS, required=False)
    temperature = serializers.FloatField(min_value=0, max_value=2, allow_null=True, required=False)
    max_tokens = serializers.IntegerField(min_value=A_NUMBER, max_value=MOST_TOKENS, required=False)
    together = serializers.BooleanField(required=False)
    turned = serializers.BooleanField(required=False)
    weights = serializers.ChoiceField(choices=[WEIGHTS, ONLY_WEIGHTS, SAMPLES], required=False)
    reference = serializers.BooleanField(required=False)
    language = serializers.ChoiceField(choices=sorted(LANGUAGES), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        kind = KINDS[attrs["kind"]]
        known = {one.name for one in fields(kind.settings)}
        settings = {
            name: value for name, value in attrs.items() if name not in ("kind", "name", "endpoint")
        }
        if unknown := sorted(set(settings) - known):
            message = _("A judge of the kind “%(kind)s” has no such setting.") % {"kind": kind.key}
            raise serializers.ValidationError({name: [message] for name in unknown})
        return {**attrs, "settings": kind.settings(**settings)}


class JudgingIn(Body):
    """Which judge grades, by which criteria (none named: all). With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    judge = serializers.IntegerField(max_value=LARGEST_SEED)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    criteria = serializers.ListField(child=serializers.CharField(max_length=80), default=list)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)


class RunOut(serializers.ModelSerializer[Run]):
    """A run that was started."""

    class Meta:
        model = Run
        ref_name = "StartedRun"
        fields = ("number", "name", "kind", "state", "protocol", "scripted", "estimate")


class CriterionOut(serializers.Serializer[Any]):
    key = serializers.CharField()
    name = serializers.CharField()
    rubrics = serializers.ListField(child=serializers.CharField())


@api_view(["GET", "POST"])
@contract(
    get(rows(JudgeOut), "Return the judges of the project."),
    post(JudgeOut, "Make a judge.", takes=JudgeIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def live_judges(request: Any, scope: Scope) -> Response:
    """Return the judges that are configured here; POST makes one."""
    if request.method == "POST":
        sent = JudgeIn(data=request.data)
        sent.is_valid(raise_exception=True)
        given = sent.validated_data
        made = judges.create(
            project=scope.project,
            name=given["name"],
            endpoint=get_object_or_404(
                judge_list.endpoints_of(scope.project), name=given["endpoint"]
            ),
            settings=given["settings"],
            by=scope.user,
            now=timezone.now(),
        )
        return Response(JudgeOut(made).data, status=201)
    rows = judge_list.of(scope.project).filter(rater__kind=RaterKind.JUDGE).order_by("name")
    return Response({"results": JudgeOut(rows, many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(
        shape("ToJudge", answers=int, criteria=[CriterionOut]),
        "Return what a judge would grade in a round.",
    ),
    post(
        RunOut,
        "Estimate what judging a round would take, or have it judged.",
        takes=JudgingIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.CURATORS)
def judge_round(request: Any, scope: Scope, number: int) -> Response:
    """Return what there is to judge in a round; POST estimates it or has it judged."""
    round_ = get_object_or_404(judge_list.rounds_of(scope.project), number=number)
    round_.project = scope.project
    if request.method == "GET":
        criteria = CriterionOut(reads.choices_of(round_), many=True).data
        return Response({"answers": reads.n_places(round_), "criteria": criteria})
    sent = JudgingIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    judge = get_object_or_404(judge_list.of(scope.project), rater=given["judge"])
    if given["estimate"]:
        found = judging.estimate(judge=judge, round_=round_, criteria=given["criteria"])
        return Response(found.as_dict())
    run = judging.request_judging(
        judge=judge,
        round_=round_,
        key=given["key"],
        name=given["name"],
        seed=given["seed"],
        user=scope.user,
        now=timezone.now(),
        criteria=given["criteria"],
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)
