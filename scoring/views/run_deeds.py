"""What a person does to a run: pause it, let it go on, call it off, try again what failed, pay for more."""

import functools
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST

from annotation import permissions
from annotation.forms import refusals
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.runs import BudgetForm
from scoring.models import Run
from scoring.operations import figures
from scoring.operations.runs import control
from scoring.queries import run_progress, run_reading
from scoring.views import runs

Deed = Callable[..., Any]


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def run_pause(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    said = _("The run pauses. Calls in flight are finished and kept.")
    return _do(request, scope, number, control.pause, said)


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def run_resume(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _do(request, scope, number, control.resume, _("The run goes on where it stopped."))


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def run_cancel(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what calling a run off means; then do it."""
    if request.method == "POST":
        said = _("The run is called off. What it came to so far stays.")
        return _do(request, scope, number, control.cancel, said)
    reading = run_reading.of(scope, number)
    progress = run_progress.of(reading.run, timezone.now())
    context = {"scope": scope, "run": reading.run, "progress": progress}
    return render(request, "scoring/runs/cancel.html", context)


@require_POST
@door(permissions.UNBLINDED, permissions.CURATORS)
def run_retry(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Free the steps in which the machinery failed, or the one that is named, counted from 1."""

    def said(n: int) -> str:
        return ngettext(
            "%(n)d step is tried again. Calls that were answered are not repeated.",
            "%(n)d steps are tried again. Calls that were answered are not repeated.",
            n,
        ) % {"n": n}

    step = request.POST.get("step", "")
    place = int(step) - 1 if step.isascii() and step.isdigit() and len(step) < 10 else None
    deed = functools.partial(control.retry_failed, step=place)
    return _do(request, scope, number, deed, said)


@require_POST
@door(permissions.UNBLINDED)
def run_figures_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Try the figures of a run that could not be computed once more."""
    reading = run_reading.of(scope, number)
    figures.ask_again_of_run(run=reading.run, now=timezone.now())
    messages.info(request, _("The figures are being computed again."))
    to = request.POST.get("next", "")
    return (
        redirect(to)
        if url_has_allowed_host_and_scheme(to, allowed_hosts=None)
        else back(reading.run)
    )


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def run_budget(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Give a run another budget, or none."""
    reading = run_reading.of(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = BudgetForm(sent, initial={"budget": reading.run.budget})
    if form.is_valid():
        try:
            control.set_budget(
                run=reading.run,
                budget=form.cleaned_data["budget"],
                user=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The budget is changed."))
            return back(reading.run)
    progress = run_progress.of(reading.run, timezone.now())
    context = {"scope": scope, "run": reading.run, "form": form, "progress": progress}
    status = refusals.status_of(form)
    return render(request, "scoring/runs/budget.html", context, status=status)


def back(run: Run) -> HttpResponse:
    return redirect("run", run.project.slug, run.number)


def _do(
    request: HttpRequest, scope: Scope, number: int, deed: Deed, said: str | Callable[[Any], str]
) -> HttpResponse:
    reading = run_reading.of(scope, number)
    try:
        made = deed(run=reading.run, user=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        context = {**runs.page_of(scope, number), "refusal": refusal}
        return render(request, "scoring/runs/run.html", context, status=refusal.status)
    messages.success(request, said if isinstance(said, str) else said(made))
    return back(reading.run)
