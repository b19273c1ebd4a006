"""The steps of a run, and one of them with every call that was made for it."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors, keyset
from scoring.forms.runs import StepFilter
from scoring.models import Step
from scoring.queries import run_calls, run_reading
from scoring.queries.run_reading import Reading


@require_GET
@door(permissions.UNBLINDED)
def run_steps(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the steps of a run in their order."""
    try:
        reading = run_reading.allowed(scope, number)
    except errors.Refusal as refusal:
        return _closed(request, scope, number, refusal)
    form = StepFilter(request.GET)
    rows = run_calls.filtered(reading.run, form.filters())
    page = run_calls.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        **_of(reading),
        "form": form,
        "lines": run_calls.lines(reading, page.rows),
        "count_text": ngettext("%(n)d step", "%(n)d steps", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/runs/steps.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_step(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Show a step, counted from 1, with its calls as a transcript."""
    try:
        reading = run_reading.allowed(scope, number)
    except errors.Refusal as refusal:
        return _closed(request, scope, number, refusal)
    rows = Step.objects.filter(run=reading.run).select_related(
        "item", "release__system", "response__release__system"
    )
    step = get_object_or_404(rows, ordinal=place - 1)
    page = run_calls.calls_of(step, request.GET.get("after", ""))
    before, after = run_calls.neighbours(step)
    context = {
        **_of(reading),
        "line": run_calls.line_of(reading, step),
        "step": step,
        "calls": run_calls.transcript(reading, step, page.rows),
        "result": None if reading.hides_judges else step.result,
        "before": None if before is None else before + 1,
        "after": None if after is None else after + 1,
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/runs/step.html", context)


def _of(reading: Reading) -> dict[str, Any]:
    may_do = reading.scope.may(permissions.CURATORS)
    return {"scope": reading.scope, "run": reading.run, "reading": reading, "may_do": may_do}


def _closed(
    request: HttpRequest, scope: Scope, number: int, refusal: errors.Refusal
) -> HttpResponse:
    context = {**_of(run_reading.of(scope, number)), "refusal": refusal}
    return render(request, "scoring/runs/closed.html", context, status=refusal.status)
