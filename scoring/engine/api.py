"""The shape of an estimate: what a run would take, before it is started.

* What the API says of a run: every field named here, and no secret among them.
* Starting a run, and what one may do to it, for programs.
* Runs as JSON: what they are, how far, every step and every call, and two beside each other.
* Live judges as JSON: which there are, making one, and having it grade a round.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework import serializers
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.models import Role
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import (
    AFTER,
    contract,
    get,
    of_form,
    post,
    readable,
    taken,
    whole,
)
from evalsite.contract.shapes import (
    ANYTHING,
    FILE,
    answer,
    at,
    maybe,
    optional,
    or_null,
    page,
    said,
    shape,
)
from evalsite.kinds import Whole
from evalsite.records import Record
from evalsite.web import keyset
from scoring.endpoints.models import Judge
from scoring.engine import calls_read
from scoring.engine import files as run_files
from scoring.engine import progress as run_progress
from scoring.engine import queries as run_reading
from scoring.engine import requests as control
from scoring.engine.forms import StepFilter
from scoring.engine.kinds import Begun, Spending
from scoring.engine.models import LLMCall, Run
from scoring.engine.progress import RunProgress
from scoring.engine.queries import RunReading
from scoring.shown import names as banner
from scoring.shown.sheet import stream

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


STEPS = shape(
    "StepCounts",
    total=at("n_steps", int),
    left=at("n_left", int),
    in_work=at("n_claimed", int),
    worker_ended=at("n_lost", said(int, "Of those left, how many a worker ended in the midst of.")),
    done=at("n_ok", int),
    system_failed=at("n_system_failed", int),
    machinery_failed=at("n_failed", int),
    no_reading=at("n_no_reading", int),
    left_out=at("n_skipped", int),
)
FLAGGED = shape(
    "FlaggedSteps",
    steps=at("n", int),
    found=at(lambda flagged: {one.flag: one.n for one in flagged.found}, {str: int}),
)


def _cost(progress: RunProgress) -> str | None:
    return None if progress.is_mixed else str(progress.cost)


def _failed(progress: RunProgress) -> dict[str, int]:
    return {one.trouble: one.n for one in progress.failures}


PROGRESS = shape(
    "Progress",
    steps=at(lambda progress: progress, STEPS),
    per_minute=maybe(float),
    seconds=maybe(float),
    seconds_left=maybe(float),
    seconds_each=maybe(float),
    seconds_for_rest=maybe(float),
    waits_until=said(maybe(datetime), "An endpoint asked to wait; nobody is asked there before."),
    adjusted=said(
        [shape("Adjusted", endpoint=str, limit_name=str, left_out=str)],
        "Parameters an endpoint refused, and how it is asked since.",
    ),
    calls=at("n_calls", int),
    prompt_tokens=int,
    completion_tokens=int,
    cost=at(_cost, said(maybe(Decimal), "Null where currencies differ.")),
    currency=or_null(str),
    all_priced=at("is_priced", bool),
    forecast=maybe(Decimal),
    asked=at(lambda progress: SpentOut(progress.spent, many=True).data, [SpentOut]),
    failed_calls=at(_failed, said({str: int}, "How many calls failed, by what troubled them.")),
    set_aside=at("reasons", [shape("SetAside", outcome=str, trouble=str, problem=str, n=int)]),
    flagged=FLAGGED,
)


MOST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class RetryIn(Record):
    #: As the steps are counted, from 1; all that failed unless given.
    step: Annotated[int | None, Whole(1, MOST)] = None


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

    @contract(post(RunOut, _SAID[name]))
    @door(permissions.UNBLINDED, permissions.CURATORS)
    def view(request: Any, scope: Scope, number: int) -> Response:
        found = run_reading.reading_of(scope, number).run
        DEEDS[name](run=found, user=scope.user, now=timezone.now())
        return Response(RunOut(run_reading.reading_of(scope, number).run).data)

    return view


@contract(post(RunOut, takes=RetryIn))
@door(permissions.UNBLINDED, permissions.CURATORS)
def retry(request: Any, scope: Scope, number: int) -> Response:
    """Try again the steps in which the machinery failed, or one of them."""
    found = run_reading.reading_of(scope, number).run
    step = taken(RetryIn, request).step
    control.retry_failed(
        run=found,
        user=scope.user,
        now=timezone.now(),
        step=None if step is None else step - 1,
    )
    return Response(RunOut(run_reading.reading_of(scope, number).run).data)


@contract(post(RunOut, takes=Spending))
@door(permissions.UNBLINDED, permissions.CURATORS)
def budget(request: Any, scope: Scope, number: int) -> Response:
    """Give a run another budget, or none."""
    found = run_reading.reading_of(scope, number).run
    budget = taken(Spending, request).budget
    control.set_budget(run=found, budget=budget, user=scope.user, now=timezone.now())
    return Response(RunOut(run_reading.reading_of(scope, number).run).data)


PAGE = 50


REST = {"note": str, "hidden_until_final": bool}
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
AGREEMENT = shape(
    "RunsAgreement",
    criterion=or_null(str),
    n=int,
    n_same=int,
    mean_difference=maybe(float),
    mean_distance=maybe(float),
)
COMPARED = shape(
    "RunsCompared",
    scripted=at("is_scripted", bool),
    hidden_until_final=at("is_hidden", bool),
    different=at("differences", [shape("Differs", name=str, a=str, b=str)]),
    n_same=int,
    a=PROGRESS,
    b=PROGRESS,
    agreement=[AGREEMENT],
)


@contract(get(shape("RunWithProgress", RunOut, progress=PROGRESS)))
@door(permissions.UNBLINDED)
def run(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a run with its progress, costs and outcomes."""
    reading = run_reading.reading_of(scope, number)
    progress = run_progress.progress_of(reading.run, timezone.now())
    return Response({**RunOut(reading.run).data, "progress": answer(PROGRESS, progress)})


@contract(get(page(STEP, **REST), query=[*of_form(StepFilter), AFTER]))
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


@contract(get(page(CALL, **REST), query=[whole("step", "A step, counted from 1."), AFTER]))
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


def _rest(reading: RunReading, request: HttpRequest, page: keyset.Page[Any]) -> dict[str, Any]:
    return {
        "note": banner.of_run(reading.run),
        "hidden_until_final": reading.hides_judges,
        "next": keyset.next_url(request.GET, page),
    }


@contract(get(COMPARED))
@door(permissions.UNBLINDED)
def compare(request: HttpRequest, scope: Scope, before: int, after: int) -> Response:
    """Return two runs beside each other, and how far their judgments agree."""
    a, b = (run_reading.reading_of(scope, number).run for number in (before, after))
    return Response(answer(COMPARED, calls_read.compare(a, b, timezone.now())))


@contract(get(FILE))
@door(permissions.UNBLINDED)
def files(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream a run as a file."""
    reading = run_reading.allowed(scope, number)
    made = run_files.export_run(reading=reading, form=form, now=timezone.now())
    return stream(made)


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


def begins(kind: Begun, summary: str, estimate: Any = ESTIMATE) -> Any:
    """Return the contract of starting runs of a kind; `estimate` is what is answered without a start."""
    return post(JudgeRunOut, summary, takes=kind.wish, status=201, also={200: estimate})


def begin(request: Any, scope: Scope, kind: Begun, of: Any) -> Response:
    """Answer what a run would take, or start it.

    Args:
        request: with what was chosen, of the kind's record.
        scope: who asks, and where.
        kind: of the run.
        of: the project, or what of it the run is about.
    """
    wish = taken(kind.wish, request)
    who: Any = {"user": scope.user, "now": timezone.now()}
    if wish.estimate:
        found, asked = control.checked(kind, of, wish, **who)
        return Response({**asked.told, **found.as_dict()})
    return Response(JudgeRunOut(control.started(kind, of, wish, **who)).data, status=201)


def starting(
    kind: Begun,
    summary: str,
    *,
    of: Callable[[Scope, int], Any] | None = None,
    estimate: Any = ESTIMATE,
    seers: Collection[Role] = permissions.CURATORS,
) -> Callable[..., Any]:
    """Return the view that answers what a run would take, or starts it.

    Args:
        kind: of the run.
        summary: what it does.
        of: finds what the run is about, by the number in the address; without it, that is the project.
        estimate: what is answered without a start.
        seers: to whom the address is known; only curators start runs.
    """

    @contract(begins(kind, summary, estimate))
    @door(seers, permissions.CURATORS)
    def view(request: Any, scope: Scope, number: int = 0) -> Response:
        return begin(request, scope, kind, of(scope, number) if of else scope.project)

    return view
