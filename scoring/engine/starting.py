"""The way from a form to a run: first what it would cost, then the start.

A kind of run has a view of its own with a form of its own (a scoring.engine.forms.StartForm); it hands
both to `answer`, with the two calls that a sent form is good for.
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from annotation.common import forms as refusals
from annotation.people.permissions import Scope
from evalsite import errors
from scoring.engine.forms import LARGEST_SEED, StartForm
from scoring.engine.models import Run
from scoring.kinds.fusion.models import EvaluationTask

ESTIMATE, START = "estimate", "start"
#: In an address that clones a run: everything as it was, but for the seed.
OTHER = "other"
F = TypeVar("F", bound=StartForm)


def fresh() -> dict[str, Any]:
    """Return the key and the seed that a new form begins with: `Form(**fresh())`."""
    return {"key": uuid4(), "seed": secrets.randbelow(LARGEST_SEED + 1)}


def sent(request: HttpRequest) -> Any:
    """Return what was sent, or None for a page that is only looked at."""
    return request.POST if request.method == "POST" else None


def answer(
    request: HttpRequest,
    scope: Scope,
    *,
    form: F,
    template: str,
    context: Mapping[str, Any],
    estimate: Callable[[F], Any],
    start: Callable[[F], Run],
) -> HttpResponse:
    """Show the form, the estimate of what was sent, or start the run and lead to its page.

    Args:
        request: what was asked; a POST says in `deed` whether to estimate or to start.
        scope: who asks, and where.
        form: of the kind of run, bound if something was sent.
        template: the kind's page; it includes "scoring/engine/_start.html".
        context: more for the template.
        estimate: what the run would take, of a form that is valid; may refuse.
        start: asks for the run, of a form that is valid; may refuse.
    """
    figures = None
    if form.is_bound and form.is_valid():
        try:
            if request.POST.get("deed") == START:
                return _started(request, scope, start(form))
            figures = estimate(form)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
    shown = {**context, "scope": scope, "form": form, "estimate": figures}
    return render(request, template, shown, status=refusals.status_of(form))


def _started(request: HttpRequest, scope: Scope, run: Run) -> HttpResponse:
    messages.success(request, _("The run has been asked for. This page shows how far it is."))
    return redirect("run", scope.project.slug, run.number)


def cloned(scope: Scope, given: str, kind: Run.Kind) -> Run | None:
    """Return the run whose number stands in `?from=`, if it is one of this kind."""
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return None
    found = Run.objects.filter(project=scope.project, number=int(given), kind=kind).first()
    return None if found is not None and "imported" in found.config else found


@dataclass(frozen=True)
class Begin:
    """A page on which a run is begun."""

    label: str
    url: str


#: The page of a kind's form: the name of its address; it takes the project, and the round if it says so.
FORMS: Mapping[str, tuple[str, bool]] = {
    Run.Kind.JUDGE: ("round_judge", True),
    Run.Kind.COLLECT: ("round_answers", True),
    Run.Kind.METRICS: ("metrics_new", False),
    Run.Kind.ASSIST: ("assist", False),
    Run.Kind.KIEVAL: ("interviews_new", False),
    Run.Kind.QUIZ: ("quiz_new", False),
    Run.Kind.LOSSES: ("losses_new", False),
}

#: Forms that stand on the page of something else: which, and where a run keeps its number.
OF_OTHERS: Mapping[str, tuple[str, str]] = {
    Run.Kind.REJUDGE: ("run_judge_again", "of_run"),
    Run.Kind.SUITE: ("suite_run", "suite"),
}

#: Forms that stand on the pages of an evaluation task.
OF_TASKS: Mapping[str, str] = {
    Run.Kind.FUSION: "fusion_new",
    Run.Kind.PLAN: "fusion_plan_write",
    Run.Kind.COMBINE: "fusion_combine",
}


def clone_url(run: Run) -> str:
    """Return where a run can be started again with another choice; nothing if there is no such page."""
    if "imported" in run.config:
        return ""  # nobody was asked, so nobody can be asked again like this
    if run.kind in OF_OTHERS:
        name, number = OF_OTHERS[run.kind]
        there = reverse(name, args=[run.project.slug, run.config[number]])
        return f"{there}?from={run.number}"
    if run.kind in OF_TASKS:
        return _of_task(run)
    name, of_round = FORMS.get(run.kind, ("", False))
    if run.kind == Run.Kind.COLLECT and (run.round is None or run.round.state != "DRAFT"):
        name, of_round = "answers", False  # answers are collected for drafts, or for the bank
    args: list[Any] = [run.project.slug]
    if of_round:
        if run.round is None:
            return ""
        args.append(run.round.number)
    try:
        return f"{reverse(name, args=args)}?from={run.number}"
    except NoReverseMatch:
        return ""


def _of_task(run: Run) -> str:
    task = EvaluationTask.objects.filter(pk=run.config.get("task", 0)).first()
    if task is None:
        return ""
    return f"{reverse(OF_TASKS[run.kind], args=[run.project.slug, task.number])}?from={run.number}"


def starts(scope: Scope) -> list[Begin]:
    """Return the pages on which this project's runs are begun."""
    found = []
    pages = (
        ("judge_new", _("New judge")),
        ("metrics_new", _("Compute metrics")),
        ("assist", _("Score by an assistant")),
        ("interviews_new", _("Interview systems (KIEval)")),
        ("interviews_import", _("Bring in dialogues")),
        ("quiz_new", _("Measure accuracy")),
        ("losses_new", _("Measure losses")),
        ("suites", _("Run a suite")),
        ("fusion_tasks", _("Evaluate by a task (Fusion-Eval)")),
        ("answers", _("Collect answers")),
    )
    for name, label in pages:
        with suppress(NoReverseMatch):
            found.append(Begin(label, reverse(name, args=[scope.project.slug])))
    return found
