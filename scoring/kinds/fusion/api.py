"""Evaluation tasks and plans as JSON: which there are, writing them, having a plan written.

* Fusion-Eval as JSON: having answers evaluated by a task, and what a run came to.
"""

from collections.abc import Collection
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.common.scales import Scale
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import Body, contract, get, post
from evalsite.contract.shapes import maybe, rows, said, shape
from scoring.engine.api import ESTIMATE, starting
from scoring.engine.kinds import LARGEST_SEED
from scoring.kinds.fusion import combining, task_operations
from scoring.kinds.fusion import operations as fusing
from scoring.kinds.fusion import queries as reads
from scoring.kinds.fusion.models import EvaluationTask, Plan, TaskVersion
from scoring.kinds.fusion.tasks import MOST_TEXT, FusionTask, Helper, TaskField
from scoring.kinds.fusion.templates import TEMPLATES
from scoring.protocols.task_asking_v1 import Assistant, Criterion
from scoring.protocols.task_prompts_v1 import LANGUAGES


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


class EvaluationTasksAssistantIn(Body):
    """Who assists: `assistant` is a key that `assistants/` of a task lists.

    In its place `machine` is the key of a judge or a metric, `criterion` one of its own if it has several.
    """

    assistant = serializers.CharField(default="", allow_blank=True, max_length=200)
    machine = serializers.IntegerField(allow_null=True, default=None, max_value=LARGEST_SEED)
    criterion = serializers.CharField(default="", allow_blank=True, max_length=80)
    key = serializers.CharField(default="", allow_blank=True, max_length=80)
    meaning = serializers.CharField(default="", allow_blank=True, max_length=500)
    compares = serializers.CharField(default="", allow_blank=True, max_length=300)


class MoreAssistantsIn(Body):
    """Assistants that a task gets beside those it has."""

    assistants = EvaluationTasksAssistantIn(many=True, allow_empty=False)


class ContentIn(Body):
    description = serializers.CharField(max_length=MOST_TEXT)
    language = serializers.ChoiceField(choices=sorted(LANGUAGES), default="en")
    # This name is a word of the framework, too, which takes fields out of the class.
    fields_ = FieldIn(many=True, default=list)
    criteria = CriterionIn(many=True)
    assistants = EvaluationTasksAssistantIn(many=True, default=list)
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


class EvaluationTasksPlanIn(Body):
    """A plan by a person; `alignment` has for a criterion's key the keys of its assistants."""

    text = serializers.CharField(max_length=MOST_TEXT)
    alignment = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(max_length=80)), default=dict
    )
    based_on = serializers.IntegerField(allow_null=True, default=None, max_value=LARGEST_SEED)


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
MAY_ASSIST = shape(
    "MayAssist",
    key=str,
    name=str,
    machine=int,
    criterion=str,
    low=maybe(float),
    high=maybe(float),
    assists=said(bool, "Whether the newest version of the task has it."),
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


@contract(
    get(rows(TASK), "Return the newest version of every task."),
    post(TASK, "Write a task.", takes=TaskIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def tasks(request: Any, scope: Scope) -> Response:
    """Return the newest version of every task; POST writes a new one."""
    if request.method == "GET":
        rows = reads.tasks_of(scope.project).prefetch_related("versions")
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
        name=given["name"], content=content, rubric_version=rubric, **scope.deed()
    )
    return Response(task_out(made.task, made), status=201)


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
        task=found, content=_content(scope.project, sent.validated_data), **scope.who()
    )
    return Response(task_out(found, made), status=201)


@contract(
    get(rows(MAY_ASSIST), "Return the judges and metrics that can assist a task, by their keys."),
    post(
        TASK,
        "Write the next version of a task, with more assistants.",
        takes=MoreAssistantsIn,
        status=201,
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def assistants(request: Any, scope: Scope, number: int) -> Response:
    """Return what can assist a task; POST adds some of it."""
    found = task_of(scope, number)
    if request.method == "GET":
        content = reads.content(reads.newest(found))
        named = {(one.rater, one.criterion) for one in content.helpers}
        known = (one.helper for one in reads.assistants(scope.project))
        return Response({"results": [_may_assist(one, named) for one in known]})
    sent = MoreAssistantsIn(data=request.data)
    sent.is_valid(raise_exception=True)
    helpers = [_helper(scope.project, one) for one in sent.validated_data["assistants"]]
    made = task_operations.assist(task=found, helpers=helpers, **scope.who())
    return Response(task_out(found, made), status=201)


def _may_assist(one: Helper, named: Collection[tuple[int, str]]) -> dict[str, Any]:
    return {
        "key": one.assistant.key,
        "name": one.assistant.name,
        "machine": one.rater,
        "criterion": one.criterion,
        "low": one.assistant.low,
        "high": one.assistant.high,
        "assists": (one.rater, one.criterion) in named,
    }


@contract(
    get(rows(PLAN), "Return the plans of a task, the newest first."),
    post(PLAN, "Write a plan for its newest version.", takes=EvaluationTasksPlanIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def plans(request: Any, scope: Scope, number: int) -> Response:
    """Return the plans of a task, the newest first; POST writes one for its newest version."""
    found = task_of(scope, number)
    if request.method == "GET":
        return Response({"results": [plan_out(one) for one in reads.plans_of(found)]})
    sent = EvaluationTasksPlanIn(data=request.data)
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
        based_on=before,
        **scope.who(),
    )
    return Response(plan_out(made), status=201)


def task_of(scope: Scope, number: int) -> EvaluationTask:
    found = get_object_or_404(reads.tasks_of(scope.project), number=number)
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


def _content(project: Project, given: dict[str, Any]) -> FusionTask:
    overall = given["overall"]
    return FusionTask(
        description=given["description"],
        fields=tuple(TaskField(one["name"], one["where"]) for one in given["fields"]),
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
    base = _assisting(project, given)
    assistant = Assistant(
        given["key"] or base.assistant.key,
        base.assistant.name,
        given["meaning"],
        given["compares"],
        base.assistant.low,
        base.assistant.high,
    )
    return Helper(assistant, base.rater, base.criterion)


def _assisting(project: Project, given: dict[str, Any]) -> Helper:
    if given["assistant"]:
        return task_operations.assistants_named(project, [given["assistant"]])[0]
    mine = [one for one in reads.assistants(project) if one.helper.rater == given["machine"]]
    wanted = [one for one in mine if given["criterion"] in {"", one.helper.criterion}]
    if len(wanted) != 1:
        message = (
            _("Say which criterion of this judge or metric assists.")
            if wanted
            else _("There is no such judge or metric, or it has no such criterion.")
        )
        raise serializers.ValidationError({"assistants": [message]})
    return wanted[0].helper


def _scale(given: dict[str, Any]) -> Scale:
    return Scale(given["minimum"], given["maximum"], given.get("step"))


def _newest(scope: Scope, number: int) -> TaskVersion:
    return reads.newest(task_of(scope, number))


#: Answers, and how many of them have a score or lack it, by the name of the assistant.
COUNTED = {"answers": int, "with_score": {str: int}, "without_score": {str: int}}
_OF_A_TASK: Any = {"of": _newest, "seers": permissions.UNBLINDED}
write_plan = starting(
    task_operations.WRITE,
    "Estimate or start a run in which an endpoint writes a plan.",
    **_OF_A_TASK,
)
start = starting(
    fusing.START,
    "Estimate an evaluation by the newest version of a task, or have it made.",
    estimate=shape("FusionEstimate", ESTIMATE, **COUNTED),
    **_OF_A_TASK,
)
combine = starting(
    combining.START,
    "Count what there is to combine, or have AVG, the median, LLMSel and CorrW made of the task's assistants.",
    estimate=shape("CombineEstimate", ESTIMATE, **COUNTED),
    **_OF_A_TASK,
)
