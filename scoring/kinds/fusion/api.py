"""Evaluation tasks and plans as JSON: which there are, writing them, having a plan written.

* Fusion-Eval as JSON: having answers evaluated by a task, and what a run came to.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.common.scales import Scale
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.rounds import queries as rounds
from evalsite.contract.calls import Body, contract, get, post
from evalsite.contract.shapes import maybe, rows, said, shape
from scoring.engine import queries as judge_list
from scoring.engine.api import ESTIMATE, StartIn
from scoring.engine.api import JudgeRunOut as RunOut
from scoring.engine.forms import LARGEST_SEED
from scoring.kinds.fusion import combining, task_operations
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion import results as fusion_results
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.operations import MOST_PREDICTIONS, MOST_TOKENS, Settings, Wish
from scoring.kinds.fusion.results import Line
from scoring.kinds.fusion.tasks import MOST_TEXT, Field, Helper, Task
from scoring.kinds.fusion.templates import TEMPLATES
from scoring.kinds.fusion.v1 import Variant
from scoring.kinds.judging import queries as judging_queries
from scoring.protocols.task_asking_v1 import Assistant, Criterion
from scoring.protocols.task_prompts_v1 import LANGUAGES
from scoring.shown import names as banner


class RangeIn(Body):
    """A range of scores; without a step any value between is one."""

    minimum = serializers.DecimalField(max_digits=12, decimal_places=4)
    maximum = serializers.DecimalField(max_digits=12, decimal_places=4)
    step = serializers.DecimalField(
        max_digits=12, decimal_places=4, allow_null=True, default=None, min_value=Decimal(0)
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        try:
            _scale(attrs)
        except ValueError as problem:
            raise serializers.ValidationError({"maximum": [str(problem)]}) from problem
        return attrs


class CriterionIn(RangeIn):
    component = "EvaluationTasksCriterionIn"
    key = serializers.SlugField(max_length=80, required=False, default="")
    name = serializers.CharField(max_length=120)
    definition = serializers.CharField(default="", allow_blank=True, max_length=MOST_TEXT)
    steps = serializers.ListField(child=serializers.CharField(max_length=1000), default=list)


class FieldIn(Body):
    """`where` is question, conversation, reference, or field: and a name kept with the question."""

    name = serializers.CharField(max_length=80)
    where = serializers.CharField(max_length=200)


class AssistantIn(Body):
    """`machine` is the key of a judge or a metric; `criterion` one of its own, if it has several."""

    component = "EvaluationTasksAssistantIn"

    machine = serializers.IntegerField(max_value=LARGEST_SEED)
    criterion = serializers.CharField(default="", allow_blank=True, max_length=80)
    key = serializers.CharField(default="", allow_blank=True, max_length=80)
    meaning = serializers.CharField(default="", allow_blank=True, max_length=500)
    compares = serializers.CharField(default="", allow_blank=True, max_length=300)


class ContentIn(Body):
    description = serializers.CharField(max_length=MOST_TEXT)
    language = serializers.ChoiceField(choices=sorted(LANGUAGES), default="en")
    # This name is a word of the framework, too, which takes fields out of the class.
    fields_ = FieldIn(many=True, default=list)
    criteria = CriterionIn(many=True)
    assistants = AssistantIn(many=True, default=list)
    overall = RangeIn(allow_null=True, default=None)

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        found["fields"] = found.pop("fields_")
        return found


class TaskIn(Body):
    """A new task: of a template, of the newest version of a rubric, or with content of its own."""

    name = serializers.CharField(max_length=120)
    template = serializers.ChoiceField(choices=sorted(TEMPLATES), required=False)
    rubric = serializers.SlugField(max_length=80, required=False)
    content = ContentIn(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if sum(name in attrs for name in ("template", "rubric", "content")) != 1:
            message = _("Name a template or a rubric, or give the content; one of them.")
            raise serializers.ValidationError({"content": [message]})
        return attrs


class PlanIn(Body):
    """A plan by a person; `alignment` has for a criterion's key the keys of its assistants."""

    component = "EvaluationTasksPlanIn"

    text = serializers.CharField(max_length=MOST_TEXT)
    alignment = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(max_length=80)), default=dict
    )
    based_on = serializers.IntegerField(allow_null=True, default=None, max_value=LARGEST_SEED)


class PlanWriteIn(StartIn):
    """Which endpoint writes a plan. With `estimate` nothing is started."""

    endpoint = serializers.CharField(max_length=80)


RANGE = {"minimum": str, "maximum": str, "step": maybe(str)}
TASK = shape(
    "EvaluationTask",
    number=int,
    name=str,
    version=int,
    sha=str,
    created_at=datetime,
    description=str,
    language=str,
    fields=[shape("TaskField", name=str, where=str)],
    criteria=[
        shape("TaskCriterion", key=str, name=str, definition=str, steps=[str], **RANGE),
    ],
    assistants=[
        shape(
            "TaskAssistant",
            key=str,
            name=str,
            meaning=str,
            compares=str,
            low=maybe(float),
            high=maybe(float),
            rater=int,
            criterion=str,
        )
    ],
    overall=maybe(shape("TaskRange", **RANGE)),
)
PLAN = shape(
    "EvaluationPlan",
    number=int,
    version=int,
    text=str,
    alignment=said({str: [str]}, "For a criterion's key the keys of its assistants."),
    source=str,
    endpoint=maybe(str),
    run=maybe(int),
    problem=str,
    unknown=[str],
    created_at=datetime,
)


@api_view(["GET", "POST"])
@contract(
    get(rows(TASK), "Return the newest version of every task."),
    post(TASK, "Write a task.", takes=TaskIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tasks(request: Any, scope: Scope) -> Response:
    """Return the newest version of every task; POST writes a new one."""
    if request.method == "GET":
        rows = reads.of(scope.project).prefetch_related("versions")
        return Response({"results": [task_out(one, one.versions.all()[0]) for one in rows]})
    sent = TaskIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    rubric = None
    if "template" in given:
        content = TEMPLATES[given["template"]]
    elif "rubric" in given:
        known = {one.rubric.key: one for one in reads.rubrics(scope.project)}
        rubric = known.get(given["rubric"])
        if rubric is None:
            raise serializers.ValidationError({"rubric": [_("There is no such rubric.")]})
        content = reads.from_rubric(rubric)
    else:
        content = _content(scope.project, given["content"])
    made = task_operations.create(
        project=scope.project,
        name=given["name"],
        content=content,
        by=scope.user,
        now=timezone.now(),
        rubric_version=rubric,
    )
    return Response(task_out(made.task, made), status=201)


@api_view(["GET", "POST"])
@contract(
    get(rows(TASK), "Return every version of a task, the newest first."),
    post(TASK, "Write the next version of a task.", takes=ContentIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def task(request: Any, scope: Scope, number: int) -> Response:
    """Return every version of a task, the newest first; POST writes the next one."""
    found = task_of(scope, number)
    if request.method == "GET":
        return Response({"results": [task_out(found, one) for one in found.versions.all()]})
    sent = ContentIn(data=request.data)
    sent.is_valid(raise_exception=True)
    made = task_operations.add_version(
        task=found,
        content=_content(scope.project, sent.validated_data),
        by=scope.user,
        now=timezone.now(),
    )
    return Response(task_out(found, made), status=201)


@api_view(["GET", "POST"])
@contract(
    get(rows(PLAN), "Return the plans of a task, the newest first."),
    post(PLAN, "Write a plan for its newest version.", takes=PlanIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def plans(request: Any, scope: Scope, number: int) -> Response:
    """Return the plans of a task, the newest first; POST writes one for its newest version."""
    found = task_of(scope, number)
    if request.method == "GET":
        return Response({"results": [plan_out(one) for one in reads.plans_of(found)]})
    sent = PlanIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    before = None
    if given["based_on"] is not None:
        before = get_object_or_404(found.plans, number=given["based_on"])
    made = task_operations.write(
        version=reads.newest(found),
        text=given["text"],
        alignment=given["alignment"],
        source=Plan.Source.PERSON,
        by=scope.user,
        now=timezone.now(),
        based_on=before,
    )
    return Response(plan_out(made), status=201)


@api_view(["POST"])
@contract(
    post(
        RunOut,
        takes=PlanWriteIn,
        status=201,
        also={200: ESTIMATE},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def write_plan(request: Any, scope: Scope, number: int) -> Response:
    """Estimate or start a run in which an endpoint writes a plan."""
    version = reads.newest(task_of(scope, number))
    sent = PlanWriteIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    endpoint = get_object_or_404(judge_list.endpoints_of(scope.project), name=given["endpoint"])
    if given["estimate"]:
        return Response(task_operations.estimate(version=version, endpoint=endpoint).as_dict())
    run = task_operations.request_plan(
        version=version,
        endpoint=endpoint,
        key=given["key"],
        name=given["name"],
        seed=given["seed"],
        user=scope.user,
        now=timezone.now(),
        budget=given["budget"],
    )
    return Response(RunOut(run).data, status=201)


def task_of(scope: Scope, number: int) -> EvaluationTask:
    found = get_object_or_404(reads.of(scope.project), number=number)
    found.project = scope.project
    return found


def task_out(task: EvaluationTask, version: TaskVersion) -> dict[str, Any]:
    return {
        "number": task.number,
        "name": task.name,
        "version": version.number,
        "sha": version.sha,
        "created_at": version.created_at,
        **version.content,
    }


def plan_out(plan: Plan) -> dict[str, Any]:
    return {
        "number": plan.number,
        "version": plan.version.number,
        "text": plan.text,
        "alignment": plan.alignment,
        "source": plan.source,
        "endpoint": None if plan.endpoint is None else plan.endpoint.name,
        "run": None if plan.run is None else plan.run.number,
        "problem": plan.problem,
        "unknown": plan.unknown,
        "created_at": plan.created_at,
    }


def _content(project: Project, given: dict[str, Any]) -> Task:
    overall = given["overall"]
    return Task(
        description=given["description"],
        fields=tuple(Field(one["name"], one["where"]) for one in given["fields"]),
        criteria=tuple(
            Criterion(
                one["key"] or slugify(one["name"])[:70] or f"criterion-{place}",
                one["name"],
                _scale(one),
                one["definition"],
                tuple(one["steps"]),
            )
            for place, one in enumerate(given["criteria"], start=1)
        ),
        helpers=tuple(_helper(project, one) for one in given["assistants"]),
        overall=None if overall is None else _scale(overall),
        language=given["language"],
    )


def _helper(project: Project, given: dict[str, Any]) -> Helper:
    mine = [one for one in reads.assistants(project) if one.helper.rater == given["machine"]]
    wanted = [one for one in mine if given["criterion"] in {"", one.helper.criterion}]
    if len(wanted) != 1:
        message = (
            _("Say which criterion of this judge or metric assists.")
            if wanted
            else _("There is no such judge or metric, or it has no such criterion.")
        )
        raise serializers.ValidationError({"assistants": [message]})
    base = wanted[0].helper
    assistant = Assistant(
        given["key"] or base.assistant.key,
        base.assistant.name,
        given["meaning"],
        given["compares"],
        base.assistant.low,
        base.assistant.high,
    )
    return Helper(assistant, base.rater, base.criterion)


def _scale(given: dict[str, Any]) -> Scale:
    return Scale(given["minimum"], given["maximum"], given.get("step"))


MOST = 2**31 - 1
USUAL = Settings()


class FusionIn(StartIn):
    """Which answers are evaluated, of a round or an import. With `estimate` nothing is started."""

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
        checked = fusing.check_wish(project=scope.project, wish=wish)
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
        judge=_named(judging_queries.of(scope.project), rater=given.get("judge")),
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
