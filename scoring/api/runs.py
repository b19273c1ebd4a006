"""Runs as JSON: what they are, how far, every step and every call, and two beside each other."""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from evalsite.contract.calls import AFTER, contract, get, of_form, post, whole
from evalsite.contract.files import AnyForm
from evalsite.contract.filters import readable
from evalsite.contract.shapes import ANYTHING, FILE, maybe, optional, page, said, shape
from scoring.api import run_deeds, run_shapes
from scoring.forms.runs import RunFilter, StepFilter
from scoring.models import LLMCall
from scoring.operations import run_exporting
from scoring.queries import (
    banner,
    run_calls,
    run_compare,
    run_files,
    run_list,
    run_progress,
    run_reading,
)
from scoring.queries.run_reading import Reading

PAGE = 50


REST = {"note": str, "hidden_until_final": bool}
PROGRESS = run_shapes.PROGRESS
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
    a=PROGRESS,
    b=PROGRESS,
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
        takes=run_deeds.RunIn,
        status=201,
        also={200: said(ANYTHING, "The estimate; or the run, where the key was used before.")},
    ),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def runs(request: Any, scope: Scope) -> Response:
    """Return a page of runs, the newest first; or start one."""
    if request.method == "POST":
        return run_deeds.start(request, scope)
    rows = run_list.filtered(scope.project, readable(RunFilter(request.GET)).filters())
    page = run_list.page(rows, request.GET.get("after", ""))
    results = [
        {
            **run_shapes.RunLineOut(line.run).data,
            "steps": {"total": line.n_steps, "left": line.n_left, "failed": line.n_failed},
        }
        for line in run_list.lines(page.rows)
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET"])
@contract(
    get(shape("RunWithProgress", run_shapes.RunOut, progress=PROGRESS)),
)
@door(permissions.UNBLINDED)
def run(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a run with its progress, costs and outcomes."""
    reading = run_reading.of(scope, number)
    progress = run_progress.of(reading.run, timezone.now())
    return Response(
        {**run_shapes.RunOut(reading.run).data, "progress": run_shapes.progress_of(progress)}
    )


@api_view(["GET"])
@contract(
    get(page(STEP, **REST), query=[*of_form(StepFilter), AFTER]),
)
@door(permissions.UNBLINDED)
def run_steps(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a page of steps in their order; the filters are those of the page."""
    reading = run_reading.allowed(scope, number)
    rows = run_calls.filtered(reading.run, readable(StepFilter(request.GET)).filters())
    page = run_calls.page(rows, request.GET.get("after", ""))
    results = [
        {
            **run_files.step_row(reading, line.step),
            "question": line.question,
            "calls": line.n_calls,
            "failed_calls": line.n_failed,
            "cost": None if line.cost is None else str(line.cost),
        }
        for line in run_calls.lines(reading, page.rows)
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
    found = run_compare.compare(a, b, timezone.now())
    return Response(
        {
            "scripted": found.is_scripted,
            "hidden_until_final": found.is_hidden,
            "different": [{"name": one.name, "a": one.a, "b": one.b} for one in found.differences],
            "n_same": found.n_same,
            "a": run_shapes.progress_of(found.a),
            "b": run_shapes.progress_of(found.b),
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
    made = run_exporting.export_run(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(made.lines, content_type=made.content_type, headers=made.headers)
