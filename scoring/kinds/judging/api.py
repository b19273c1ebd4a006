"""Live judges as JSON: which there are, making one, and having it grade a round."""

import secrets
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.common.sentences import gettext as _
from annotation.people import permissions
from annotation.people.models import RaterKind
from annotation.people.permissions import Scope, door
from annotation.rounds.models import Round
from evalsite import errors
from evalsite.contract.calls import AFTER, Body, contract, get, of_form, post, readable
from evalsite.contract.shapes import ANYTHING, page, rows, said, shape
from evalsite.web import keyset
from scoring.endpoints.models import Judge
from scoring.engine import api as run_shapes
from scoring.engine import queries as engine
from scoring.engine.api import ESTIMATE, MOST, BudgetField, JudgeOut, StartIn
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.api import RunOut as RunDeedsRunOut
from scoring.engine.forms import LARGEST_SEED, RunFilter
from scoring.engine.models import Run
from scoring.kinds.judging import operations as judging
from scoring.kinds.judging import queries as reads
from scoring.kinds.judging import settings as judges
from scoring.kinds.judging.prompts_v1 import LANGUAGES
from scoring.kinds.judging.settings import (
    A_NUMBER,
    KINDS,
    MOST_REPEATS,
    MOST_TOKENS,
    ONLY_WEIGHTS,
    SAMPLES,
    WEIGHTS,
)


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


class JudgingIn(StartIn):
    """Which judge grades, by which criteria (none named: all). With `estimate` nothing is started."""

    judge = serializers.IntegerField(max_value=LARGEST_SEED)
    criteria = serializers.ListField(child=serializers.CharField(max_length=80), default=list)


class CriterionOut(serializers.Serializer[Any]):
    component = "JudgeRunsCriterion"
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
            endpoint=get_object_or_404(engine.endpoints_of(scope.project), name=given["endpoint"]),
            settings=given["settings"],
            by=scope.user,
            now=timezone.now(),
        )
        return Response(JudgeOut(made).data, status=201)
    rows = reads.of(scope.project).filter(rater__kind=RaterKind.JUDGE).order_by("name")
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
    round_ = get_object_or_404(reads.rounds_of(scope.project), number=number)
    round_.project = scope.project
    if request.method == "GET":
        criteria = CriterionOut(reads.choices_of(round_), many=True).data
        return Response({"answers": reads.n_places(round_), "criteria": criteria})
    sent = JudgingIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    judge = get_object_or_404(reads.of(scope.project), rater=given["judge"])
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


class RunIn(Body):
    """A judge's run over a round, to be started. The same key again is the same run.

    Answers are collected, and metrics computed, at addresses of their own.
    """

    key = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=[Run.Kind.JUDGE], default=Run.Kind.JUDGE)
    name = serializers.CharField(max_length=120)
    round = serializers.IntegerField(min_value=1, max_value=MOST)
    #: As in the addresses of judges.
    judge = serializers.IntegerField(min_value=1, max_value=MOST)
    criteria = serializers.ListField(child=serializers.CharField(max_length=120), default=list)
    seed = serializers.IntegerField(
        default=None, allow_null=True, min_value=0, max_value=LARGEST_SEED
    )
    budget = BudgetField(default=None)
    cloned_from = serializers.IntegerField(
        default=None, allow_null=True, min_value=1, max_value=MOST
    )
    #: Nothing is started; the answer says what it would take.
    estimate = serializers.BooleanField(default=False)


def start(request: Any, scope: Scope) -> Response:
    form = RunIn(data=request.data)
    form.is_valid(raise_exception=True)
    given = form.validated_data
    rounds, judges = Round.objects.filter(project=scope.project), Judge.objects
    asked = {
        "round_": _named("round", rounds.filter(number=given["round"]), given),
        "judge": _named(
            "judge", judges.filter(project=scope.project, rater_id=given["judge"]), given
        ),
        "criteria": given["criteria"],
    }
    if given["estimate"]:
        return Response(judging.estimate(**asked).as_dict())
    again = Run.objects.filter(project=scope.project, key=given["key"]).first()
    made = again or judging.request_judging(
        **asked,
        **{name: given[name] for name in ("key", "name", "budget")},
        seed=secrets.randbelow(LARGEST_SEED + 1) if given["seed"] is None else given["seed"],
        user=scope.user,
        now=timezone.now(),
        cloned_from=_named(
            "cloned_from",
            Run.objects.filter(project=scope.project, number=given["cloned_from"]),
            given,
        ),
    )
    return Response(
        RunDeedsRunOut(engine.of(scope, made.number).run).data, status=200 if again else 201
    )


def _named(name: str, rows: Any, given: Mapping[str, Any]) -> Any:
    """Return what is named, if anything is.

    Raises:
        errors.Invalid: it does not exist in the project.
    """
    if given[name] is None:
        return None
    found = rows.first()
    if found is None:
        said = _("There is none of this number in the project.")
        raise errors.Invalid(said, fields={name: [said]})
    return found


@api_view(["GET", "POST"])
@contract(
    get(
        page(
            shape(
                "RunWithSteps",
                run_shapes.RunLineOut,
                steps=shape("RunSteps", total=int, left=int, failed=int),
            )
        ),
        "Return a page of runs, the newest first.",
        query=[*of_form(RunFilter), AFTER],
    ),
    post(
        run_shapes.RunOut,
        "Start a judge's run over a round, or estimate it.",
        takes=RunIn,
        status=201,
        also={200: said(ANYTHING, "The estimate; or the run, where the key was used before.")},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def runs(request: Any, scope: Scope) -> Response:
    """Return a page of runs, the newest first; or start one."""
    if request.method == "POST":
        return start(request, scope)
    rows = engine.filtered(scope.project, readable(RunFilter(request.GET)).filters())
    page = engine.page(rows, request.GET.get("after", ""))
    results = [
        {
            **run_shapes.RunLineOut(line.run).data,
            "steps": {"total": line.n_steps, "left": line.n_left, "failed": line.n_failed},
        }
        for line in engine.lines(page.rows)
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})
