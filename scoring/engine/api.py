"""The shape of an estimate: what a run would take, before it is started.

* What the API says of a run: every field named here, and no secret among them.
* Starting a run, and what one may do to it, for programs.
* Runs as JSON: what they are, how far, every step and every call, and two beside each other.
* Live judges as JSON: which there are, making one, and having it grade a round.
"""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import (
    AFTER,
    AnyForm,
    Body,
    contract,
    get,
    of_form,
    post,
    readable,
    whole,
)
from evalsite.contract.shapes import ANYTHING, FILE, maybe, optional, page, said, shape
from evalsite.web import keyset
from scoring.endpoints.models import Judge
from scoring.engine import calls_read
from scoring.engine import files as run_files
from scoring.engine import progress as run_progress
from scoring.engine import queries as run_reading
from scoring.engine import requests as control
from scoring.engine.forms import LARGEST_SEED, StepFilter
from scoring.engine.models import LLMCall, Run
from scoring.engine.progress import Progress
from scoring.engine.queries import Reading
from scoring.engine.requests import BUDGET_DIGITS, BUDGET_PLACES, LEAST_BUDGET
from scoring.shown import names as banner

SHARE = shape(
    "EstimateShare",
    role=str,
    endpoint_id=maybe(int),
    endpoint=str,
    calls=int,
    prompt_tokens=int,
    completion_tokens=int,
    cost=maybe(float),
    currency=str,
)
ESTIMATE = shape(
    "Estimate",
    calls=int,
    prompt_tokens=int,
    completion_tokens=int,
    cost=said(maybe(float), "Null where a price is not known, or currencies differ."),
    currency=str,
    seconds=maybe(float),
    longest=int,
    sampled=bool,
    shares=[SHARE],
)


class BudgetField(serializers.DecimalField):
    """A limit of money, in the currency of the endpoints; null: none."""

    def __init__(self, **more: Any) -> None:
        super().__init__(
            max_digits=BUDGET_DIGITS,
            decimal_places=BUDGET_PLACES,
            min_value=LEAST_BUDGET,
            allow_null=True,
            **more,
        )


class StartIn(Body):
    """What every start of a run says. With `estimate` nothing is started."""

    key = serializers.UUIDField()
    name = serializers.CharField(max_length=120)
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED)
    budget = BudgetField(default=None)
    estimate = serializers.BooleanField(default=False)


class RunLineOut(serializers.ModelSerializer[Run]):
    """A run in the list."""

    round = serializers.IntegerField(source="round.number", default=None)
    judge = serializers.IntegerField(source="judge.rater_id", default=None)
    cloned_from = serializers.IntegerField(source="cloned_from.number", default=None)
    note = serializers.SerializerMethodField()

    class Meta:
        model = Run
        fields: tuple[str, ...] = (
            "number",
            "name",
            "kind",
            "protocol",
            "round",
            "judge",
            "state",
            "pause",
            "problem",
            "scripted",
            "asks_script",
            "note",
            "budget",
            "cloned_from",
            "requested_at",
            "started_at",
            "finished_at",
        )

    def get_note(self, run: Run) -> str:
        return banner.of_run(run)


class RunOut(RunLineOut):
    """A run with what it was started with; its secret never leaves the database."""

    component = "RunShapesRun"

    class Meta(RunLineOut.Meta):
        ref_name = "Run"
        fields = (*RunLineOut.Meta.fields, "key", "seed", "config", "config_sha", "estimate")


class SpentOut(serializers.Serializer[Any]):
    role = serializers.CharField()
    endpoint = serializers.CharField(source="endpoint.name")
    calls = serializers.IntegerField(source="n")
    failed = serializers.IntegerField(source="n_failed")
    without_price = serializers.IntegerField(source="n_unpriced")
    #: Calls whose server counted no tokens: what they cost is estimated.
    estimated = serializers.IntegerField(source="n_estimated")
    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    cost = serializers.DecimalField(
        source="known_cost", max_digits=20, decimal_places=8, allow_null=True
    )
    currency = serializers.CharField(source="endpoint.currency")
    seconds = serializers.FloatField()


def progress_of(progress: Progress) -> dict[str, Any]:
    return {
        "steps": {
            "total": progress.n_steps,
            "left": progress.n_left,
            "in_work": progress.n_claimed,
            "done": progress.n_ok,
            "system_failed": progress.n_system_failed,
            "machinery_failed": progress.n_failed,
            "no_reading": progress.n_no_reading,
            "left_out": progress.n_skipped,
        },
        "per_minute": progress.per_minute,
        "seconds": progress.seconds,
        "seconds_left": progress.seconds_left,
        "seconds_each": progress.seconds_each,
        "calls": progress.n_calls,
        "prompt_tokens": progress.prompt_tokens,
        "completion_tokens": progress.completion_tokens,
        "cost": None if progress.is_mixed else str(progress.cost),
        "currency": progress.currency or None,
        "all_priced": progress.is_priced,
        "forecast": None if progress.forecast is None else str(progress.forecast),
        "asked": SpentOut(progress.spent, many=True).data,
        "failed_calls": {one.trouble: one.n for one in progress.failures},
        "set_aside": [
            {"outcome": one.outcome, "trouble": one.trouble, "problem": one.problem, "n": one.n}
            for one in progress.reasons
        ],
        "flagged": {
            "steps": progress.flagged.n,
            "found": {one.flag: one.n for one in progress.flagged.found},
        },
    }


STEPS = shape(
    "StepCounts",
    total=int,
    left=int,
    in_work=int,
    done=int,
    system_failed=int,
    machinery_failed=int,
    no_reading=int,
    left_out=int,
)
PROGRESS = shape(
    "Progress",
    steps=STEPS,
    per_minute=maybe(float),
    seconds=maybe(float),
    seconds_left=maybe(float),
    seconds_each=maybe(float),
    calls=int,
    prompt_tokens=int,
    completion_tokens=int,
    cost=said(maybe(Decimal), "Null where currencies differ."),
    currency=maybe(str),
    all_priced=bool,
    forecast=maybe(Decimal),
    asked=[SpentOut],
    failed_calls=said({str: int}, "How many calls failed, by what troubled them."),
    set_aside=[shape("SetAside", outcome=str, trouble=str, problem=str, n=int)],
    flagged=shape("FlaggedSteps", steps=int, found={str: int}),
)


MOST = 2**31 - 1


class BudgetIn(Body):
    budget = BudgetField()


class RetryIn(Body):
    #: As the steps are counted, from 1; all that failed unless given.
    step = serializers.IntegerField(default=None, allow_null=True, min_value=1, max_value=MOST)


Deed = Callable[..., Any]
DEEDS: Mapping[str, Deed] = {
    "pause": control.pause,
    "resume": control.resume,
    "cancel": control.cancel,
}
_SAID = {
    "pause": "Pause a run; return it as it is then.",
    "resume": "Resume a paused run; return it as it is then.",
    "cancel": "Cancel a run; return it as it is then.",
}


def deed(name: str) -> Callable[..., Any]:
    """Return the view of a deed, which answers with the run as it is then."""

    @api_view(["POST"])
    @contract(
        post(RunOut, _SAID[name]),
    )
    @door(permissions.UNBLINDED, permissions.CURATORS)
    def view(request: Any, scope: Scope, number: int) -> Response:
        found = run_reading.of(scope, number).run
        DEEDS[name](run=found, user=scope.user, now=timezone.now())
        return Response(RunOut(run_reading.of(scope, number).run).data)

    return view


@api_view(["POST"])
@contract(
    post(RunOut, takes=RetryIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def retry(request: Any, scope: Scope, number: int) -> Response:
    """Try again the steps in which the machinery failed, or one of them."""
    found = run_reading.of(scope, number).run
    form = RetryIn(data=request.data)
    form.is_valid(raise_exception=True)
    step = form.validated_data["step"]
    control.retry_failed(
        run=found,
        user=scope.user,
        now=timezone.now(),
        step=None if step is None else step - 1,
    )
    return Response(RunOut(run_reading.of(scope, number).run).data)


@api_view(["POST"])
@contract(
    post(RunOut, takes=BudgetIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def budget(request: Any, scope: Scope, number: int) -> Response:
    """Give a run another budget, or none."""
    found = run_reading.of(scope, number).run
    form = BudgetIn(data=request.data)
    form.is_valid(raise_exception=True)
    control.set_budget(
        run=found, budget=form.validated_data["budget"], user=scope.user, now=timezone.now()
    )
    return Response(RunOut(run_reading.of(scope, number).run).data)


PAGE = 50


REST = {"note": str, "hidden_until_final": bool}
RUN_PROGRESS = PROGRESS
STEP = shape(
    "RunStep",
    step=int,
    key=str,
    item=maybe(str),
    system=maybe(str),
    state=str,
    outcome=str,
    trouble=str,
    problem=str,
    flags=str,
    attempt=int,
    started_at=maybe(datetime),
    finished_at=maybe(datetime),
    question=maybe(str),
    calls=int,
    failed_calls=int,
    cost=maybe(Decimal),
)
CALL = shape(
    "RunCall",
    step=int,
    role=str,
    part=str,
    exchange=int,
    repeat=int,
    attempt=int,
    trouble=str,
    problem=str,
    status=maybe(int),
    prompt_tokens=maybe(int),
    completion_tokens=maybe(int),
    seconds=maybe(float),
    request_sha=str,
    endpoint=str,
    cost=maybe(str),
    currency=str,
    at=datetime,
    messages=said(maybe([{str: ANYTHING}]), "Null while it is hidden."),
    reply=maybe(str),
    tool_calls=optional([{str: ANYTHING}]),
    finish=optional(maybe(str)),
    settings={str: ANYTHING},
    hidden=bool,
)
COMPARED = shape(
    "RunsCompared",
    scripted=bool,
    hidden_until_final=bool,
    different=[shape("Differs", name=str, a=str, b=str)],
    n_same=int,
    a=RUN_PROGRESS,
    b=RUN_PROGRESS,
    agreement=[
        shape(
            "RunsAgreement",
            criterion=maybe(str),
            n=int,
            n_same=int,
            mean_difference=maybe(float),
            mean_distance=maybe(float),
        )
    ],
)


@api_view(["GET"])
@contract(
    get(shape("RunWithProgress", RunOut, progress=RUN_PROGRESS)),
)
@door(permissions.UNBLINDED)
def run(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a run with its progress, costs and outcomes."""
    reading = run_reading.of(scope, number)
    progress = run_progress.of(reading.run, timezone.now())
    return Response({**RunOut(reading.run).data, "progress": progress_of(progress)})


@api_view(["GET"])
@contract(
    get(page(STEP, **REST), query=[*of_form(StepFilter), AFTER]),
)
@door(permissions.UNBLINDED)
def run_steps(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a page of steps in their order; the filters are those of the page."""
    reading = run_reading.allowed(scope, number)
    rows = calls_read.filtered(reading.run, readable(StepFilter(request.GET)).filters())
    page = calls_read.page(rows, request.GET.get("after", ""))
    results = [
        {
            **run_files.step_row(reading, line.step),
            "question": line.question,
            "calls": line.n_calls,
            "failed_calls": line.n_failed,
            "cost": None if line.cost is None else str(line.cost),
        }
        for line in calls_read.lines(reading, page.rows)
    ]
    return Response({"results": results, **_rest(reading, request, page)})


@api_view(["GET"])
@contract(
    get(page(CALL, **REST), query=[whole("step", "A step, counted from 1."), AFTER]),
)
@door(permissions.UNBLINDED)
def run_calls_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a page of calls in their order, with texts as far as they may be read; `?step=` of one."""
    reading = run_reading.allowed(scope, number)
    rows = LLMCall.objects.filter(run=reading.run).select_related("step", "endpoint")
    step = request.GET.get("step", "")
    if step.isascii() and step.isdigit() and len(step) < 10:
        rows = rows.filter(step__ordinal=int(step) - 1)
    page = keyset.page(rows, by=("pk",), after=request.GET.get("after", ""), size=PAGE)
    texts = run_files.texts_of(reading, page.rows)
    results = [run_files.call_row(one) | run_files.said(reading, one, texts) for one in page.rows]
    return Response({"results": results, **_rest(reading, request, page)})


def _rest(reading: Reading, request: HttpRequest, page: keyset.Page[Any]) -> dict[str, Any]:
    return {
        "note": banner.of_run(reading.run),
        "hidden_until_final": reading.hides_judges,
        "next": keyset.next_url(request.GET, page),
    }


@api_view(["GET"])
@contract(
    get(COMPARED),
)
@door(permissions.UNBLINDED)
def compare(request: HttpRequest, scope: Scope, before: int, after: int) -> Response:
    """Return two runs beside each other, and how far their judgments agree."""
    a, b = (run_reading.of(scope, number).run for number in (before, after))
    found = calls_read.compare(a, b, timezone.now())
    return Response(
        {
            "scripted": found.is_scripted,
            "hidden_until_final": found.is_hidden,
            "different": [{"name": one.name, "a": one.a, "b": one.b} for one in found.differences],
            "n_same": found.n_same,
            "a": progress_of(found.a),
            "b": progress_of(found.b),
            "agreement": [
                {
                    "criterion": one.criterion or None,
                    "n": one.n,
                    "n_same": one.n_same,
                    "mean_difference": one.mean_difference,
                    "mean_distance": one.mean_distance,
                }
                for one in found.agreement
            ],
        }
    )


@api_view(["GET"])
@contract(
    get(FILE),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def files(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream a run as a file."""
    reading = run_reading.allowed(scope, number)
    made = run_files.export_run(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(made.lines, content_type=made.content_type, headers=made.headers)


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


class JudgeRunOut(serializers.ModelSerializer[Run]):
    """A run that was started."""

    component = "JudgeRunsRun"

    class Meta:
        model = Run
        ref_name = "StartedRun"
        fields = ("number", "name", "kind", "state", "protocol", "scripted", "estimate")
