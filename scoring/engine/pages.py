"""Runs: their list, one of them with all that is counted of it, and its parts that go on by themselves.

* The steps of a run, and one of them with every call that was made for it.
* Two runs of a project beside each other.
* A run as files.
* What runs put into the named slots of annotation's pages.
* What a person does to a run: pause it, let it go on, call it off, try again what failed, pay for more.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.common import forms as refusals
from annotation.people import permissions
from annotation.people.permissions import Scope, asks, does, shows
from annotation.rounds.models import Round
from evalsite import errors, panels
from evalsite.web import keyset
from scoring.engine import calls_read, kinds
from scoring.engine import files as run_exporting
from scoring.engine import progress as run_progress
from scoring.engine import queries as engine
from scoring.engine import requests as control
from scoring.engine import starting as run_start
from scoring.engine import told as run_config
from scoring.engine.forms import BudgetForm, CompareFilter, RunFilter, StepFilter
from scoring.engine.models import Run, Step
from scoring.engine.progress import RunProgress
from scoring.engine.queries import RunReading
from scoring.shown.sheet import stream

#: A run that works is asked for this often; one that is large, less often.
POLL_SECONDS, POLL_SECONDS_OF_MANY = 2, 5
MANY_STEPS = 5000


@shows(permissions.UNBLINDED)
def runs(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the runs, the newest first."""
    form = RunFilter(request.GET)
    rows = engine.filtered(scope.project, form.filters())
    page = engine.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "form": form,
        "lines": engine.lines(page.rows),
        "count_text": ngettext("%(n)d run", "%(n)d runs", n) % {"n": n},
        **keyset.links(request.GET, page),
        "starts": run_start.starts(scope) if scope.may(permissions.CURATORS) else [],
    }
    return render(request, "scoring/engine/list.html", context)


@shows(permissions.UNBLINDED)
def run(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return render(request, "scoring/engine/run.html", page_of(scope, number))


def page_of(scope: Scope, number: int) -> dict[str, Any]:
    """Return what the page of a run shows."""
    reading = engine.reading_of(scope, number)
    progress = run_progress.progress_of(reading.run, timezone.now())
    return {
        **part_of(reading, progress),
        "facts": run_config.facts(reading.run),
        "clone_url": run_start.clone_url(reading.run),
        "plugin": kinds.plugin(reading.run.kind),
        "links": kinds.plugin(reading.run.kind).links_of(reading.run),
        "more": list(panels.fill("run", run=reading.run)),
    }


def part_of(reading: engine.RunReading, progress: RunProgress) -> dict[str, Any]:
    return {
        "scope": reading.scope,
        "reading": reading,
        "run": reading.run,
        "progress": progress,
        "may_do": reading.scope.may(permissions.CURATORS),
        "poll": POLL_SECONDS if progress.n_steps < MANY_STEPS else POLL_SECONDS_OF_MANY,
    }


@shows(permissions.UNBLINDED)
def run_live(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Send the part of a run's page that moves, or the sentence that is read aloud.

    When the run is in another state than the page was drawn for, the page is loaded anew: its
    buttons are others then.
    """
    reading = engine.reading_of(scope, number)
    if request.GET.get("state", reading.run.state) != reading.run.state:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = part_of(reading, run_progress.progress_of(reading.run, timezone.now()))
    said = request.GET.get("part") == "said"
    template = "scoring/engine/_said.html" if said else "scoring/engine/_live.html"
    return render(request, template, context)


@shows(permissions.UNBLINDED)
def run_steps(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the steps of a run in their order."""
    try:
        reading = engine.allowed(scope, number)
    except errors.Refusal as refusal:
        return _closed(request, scope, number, refusal)
    form = StepFilter(request.GET)
    rows = calls_read.filtered(reading.run, form.filters())
    page = calls_read.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        **_of(reading),
        "form": form,
        "lines": calls_read.lines(reading, page.rows),
        "count_text": ngettext("%(n)d step", "%(n)d steps", n) % {"n": n},
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/engine/steps.html", context)


@shows(permissions.UNBLINDED)
def run_step(request: HttpRequest, scope: Scope, number: int, place: int) -> HttpResponse:
    """Show a step, counted from 1, with its calls as a transcript."""
    try:
        reading = engine.allowed(scope, number)
    except errors.Refusal as refusal:
        return _closed(request, scope, number, refusal)
    rows = Step.objects.filter(run=reading.run).select_related(
        "item", "release__system", "response__release__system"
    )
    step = get_object_or_404(rows, ordinal=place - 1)
    page = calls_read.calls_of(step, request.GET.get("after", ""))
    before, after = calls_read.neighbours(step)
    context = {
        **_of(reading),
        "line": calls_read.line_of(reading, step),
        "step": step,
        "calls": calls_read.transcript(reading, step, page.rows),
        "result": None if reading.hides_judges else step.result,
        "before": None if before is None else before + 1,
        "after": None if after is None else after + 1,
        **keyset.links(request.GET, page),
    }
    return render(request, "scoring/engine/step.html", context)


def _of(reading: RunReading) -> dict[str, Any]:
    may_do = reading.scope.may(permissions.CURATORS)
    return {"scope": reading.scope, "run": reading.run, "reading": reading, "may_do": may_do}


def _closed(
    request: HttpRequest, scope: Scope, number: int, refusal: errors.Refusal
) -> HttpResponse:
    context = {**_of(engine.reading_of(scope, number)), "refusal": refusal}
    return render(request, "scoring/engine/closed.html", context, status=refusal.status)


#: So many runs are offered; an older one can be named in the address.
OFFERED = 200


@shows(permissions.UNBLINDED)
def runs_compare(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show what was different between two runs, what came of it, and where they agree."""
    newest = engine.of_run_list(scope.project).order_by("-number")
    rows = list(newest.values_list("number", "name", "kind")[:OFFERED])
    offered = [(number, name) for number, name, _kind in rows]
    asked = request.GET.dict() or _usual([(number, kind) for number, _name, kind in rows])
    named = [_number(asked.get(name, "")) for name in ("a", "b")]
    found = {one.number: one for one in engine.of_run_list(scope.project).filter(number__in=named)}
    chosen = [found.get(number) for number in named]
    more = [(one.number, one.name) for one in found.values()]
    form = CompareFilter(asked, runs=list(dict.fromkeys([*more, *offered])))
    context = {
        "form": form,
        "n_runs": len(offered),
        "problem": _problem(chosen),
        "comparison": None,
    }
    a, b = chosen
    if a is not None and b is not None and a != b:
        for one in (a, b):
            one.project = scope.project
        context["comparison"] = calls_read.compare(a, b, timezone.now())
    return render(request, "scoring/engine/compare.html", context)


def _usual(rows: Sequence[tuple[int, str]]) -> dict[str, str]:
    """Return the newest run that has another of its kind before it, and that one; nothing if none has."""
    seen: dict[str, int] = {}
    pairs = []
    for number, kind in rows:
        if kind in seen:
            pairs.append((seen[kind], number))
        else:
            seen[kind] = number
    later, earlier = max(pairs, default=(0, 0))
    return {"a": str(earlier), "b": str(later)} if pairs else {}


def _number(given: str) -> int:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 0


def _problem(chosen: list[Run | None]) -> str:
    a, b = chosen
    if a is not None and a == b:
        return _("That is the same run. Choose another.")
    return ""


@shows(permissions.UNBLINDED)
def run_export(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream a run in one of its forms."""
    try:
        reading = engine.allowed(scope, number)
    except errors.Refusal:
        return redirect("run_steps", scope.project.slug, number)  # that page says why
    return stream(run_exporting.export_run(reading=reading, form=form, now=timezone.now()))


#: So many runs are named; the list has all.
SHOWN = 5


def of_round(*, scope: Scope, round: Round, **_context: Any) -> SafeString | None:
    """Show which judges ran over a round, and lead to a new one."""
    if not scope.may(permissions.UNBLINDED):
        return None
    runs = list(engine.over(round)[: SHOWN + 1])
    may_judge = scope.may(permissions.CURATORS) and round.state != Round.State.DRAFT
    if not runs and not may_judge:
        return None
    n, n_done = engine.n_over(round) if runs else (0, 0)
    context = {
        "scope": scope,
        "round": round,
        "runs": runs[:SHOWN],
        "n": n,
        "n_done": n_done,
        "may_judge": may_judge,
    }
    return render_to_string("scoring/engine/parts/round_runs.html", context)


Deed = Callable[..., Any]


@does(permissions.UNBLINDED, permissions.CURATORS)
def run_pause(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    said = _("Paused. Calls in flight finish.")
    return _do(request, scope, number, control.pause, said)


@does(permissions.UNBLINDED, permissions.CURATORS)
def run_resume(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    return _do(request, scope, number, control.resume, _("Resumed."))


@asks(permissions.CURATORS)
def run_cancel(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Say what calling a run off means; then do it."""
    if request.method == "POST":
        said = _("Cancelled. Results so far stay.")
        return _do(request, scope, number, control.cancel, said)
    reading = engine.reading_of(scope, number)
    progress = run_progress.progress_of(reading.run, timezone.now())
    context = {"run": reading.run, "progress": progress}
    return render(request, "scoring/engine/cancel.html", context)


@does(permissions.UNBLINDED, permissions.CURATORS)
def run_retry(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Free the steps in which the machinery failed, or the one that is named, counted from 1."""

    def said(n: int) -> str:
        return ngettext(
            "%(n)d step is retried.",
            "%(n)d steps are retried.",
            n,
        ) % {"n": n}

    step = request.POST.get("step", "")
    place = int(step) - 1 if step.isascii() and step.isdigit() and len(step) < 10 else None
    deed = functools.partial(control.retry_failed, step=place)
    return _do(request, scope, number, deed, said)


@asks(permissions.CURATORS)
def run_budget(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Give a run another budget, or none."""
    reading = engine.reading_of(scope, number)
    sent = request.POST if request.method == "POST" else None
    form = BudgetForm(sent, initial={"budget": reading.run.budget})
    if form.is_valid():
        with refusals.shown(form):
            control.set_budget(
                run=reading.run,
                budget=form.cleaned_data["budget"],
                user=scope.user,
                now=timezone.now(),
            )
            messages.success(request, _("Budget changed."))
            return back(reading.run)
    progress = run_progress.progress_of(reading.run, timezone.now())
    context = {"run": reading.run, "form": form, "progress": progress}
    status = refusals.status_of(form)
    return render(request, "scoring/engine/budget.html", context, status=status)


def back(run: Run) -> HttpResponse:
    return redirect("run", run.project.slug, run.number)


def _do(
    request: HttpRequest, scope: Scope, number: int, deed: Deed, said: str | Callable[[Any], str]
) -> HttpResponse:
    reading = engine.reading_of(scope, number)
    try:
        made = deed(run=reading.run, user=scope.user, now=timezone.now())
    except errors.Refusal as refusal:
        context = {**page_of(scope, number), "refusal": refusal}
        return render(request, "scoring/engine/run.html", context, status=refusal.status)
    messages.success(request, said if isinstance(said, str) else said(made))
    return back(reading.run)
