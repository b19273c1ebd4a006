"""Suites: their list, writing them, the metrics there are, and starting a run."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.permissions import Scope, door
from evalsite import errors, keyset
from scoring.forms import runs as run_forms
from scoring.forms.suites import SuiteForm, SuiteRunForm
from scoring.models import Run
from scoring.operations import suite_runs
from scoring.operations import suites as operations
from scoring.operations.runs.estimating import Estimate
from scoring.protocols.suite import definition
from scoring.queries import suite_catalogue, suite_schedules
from scoring.queries import suite_metrics as known
from scoring.queries import suites as reads
from scoring.views import run_start

#: What a new suite begins with.
BEGINNING = """\
name: My suite
metrics:
  function:
    - {name: string_length, metric_level: Turn}
    - {name: is_refusal, metric_level: Turn,
       depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]}
# A rubric has a language model judge. Name an endpoint of this project under “grader”.
# grader: [{endpoint: NAME}]
# rubrics:
#   polite:
#     prompt: "Is this answer polite? {context} {completion}"
#     choice_scores: {"YES": 1, "NO": 0}
# …and under “metrics”:
#   rubric:
#     - {name: polite, metric_level: Turn}
# A gate makes manage.py run_suite fail:
# gates: [{metric: is_refusal, max: 0.1}]
"""


@require_GET
@door(permissions.UNBLINDED)
def suites(request: HttpRequest, scope: Scope) -> HttpResponse:
    """List the suites, the newest first."""
    rows = reads.of(scope.project)
    page = keyset.page(rows, by=["-number"], after=request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "lines": reads.lines(page.rows),
        "count_text": ngettext("%(n)d suite", "%(n)d suites", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/suites/list.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a suite; what cannot be used is told line by line."""
    form = SuiteForm(run_start.sent(request), initial={"text": BEGINNING})
    if form.is_valid():
        try:
            made = operations.create(
                project=scope.project,
                text=form.cleaned_data["text"],
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The suite is saved."))
            return redirect("suite", scope.project.slug, made.suite.number)
    context = {"scope": scope, "form": form}
    status = refusals.status_of(form)
    return render(request, "scoring/suites/edit.html", context, status=status)


@require_GET
@door(permissions.UNBLINDED)
def suite(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show a suite: what it measures and judges, its versions and its runs."""
    found = reads.find(scope.project, number)
    version = _version(request, found)
    made = definition.from_dict(version.definition)
    context = {
        "scope": scope,
        "suite": found,
        "version": version,
        "newest": reads.newest(found),
        "made": made,
        "metrics": reads.metrics_of(made),
        "gates": reads.gates_of(made),
        "versions": reads.versions_of(found),
        "runs": reads.runs_of(found),
        "schedule": suite_schedules.of(found),
        "may_do": scope.may(permissions.CURATORS),
    }
    return render(request, "scoring/suites/one.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_edit(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Change a suite: what is saved is another version."""
    found = reads.find(scope.project, number)
    version = reads.newest(found)
    form = SuiteForm(run_start.sent(request), initial={"text": version.text})
    if form.is_valid():
        try:
            made = operations.change(
                suite=found,
                text=form.cleaned_data["text"],
                by=scope.user,
                now=timezone.now(),
                rubrics=dict(definition.from_dict(version.definition).rubrics),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("Version %(n)d is saved.") % {"n": made.number})
            return redirect("suite", scope.project.slug, found.number)
    context = {"scope": scope, "form": form, "suite": found}
    status = refusals.status_of(form)
    return render(request, "scoring/suites/edit.html", context, status=status)


@require_GET
@door(permissions.UNBLINDED)
def suite_metrics(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every function metric with an example and its value."""
    context = {
        "scope": scope,
        "groups": suite_catalogue.grouped(),
        "problems": known.problems(),
    }
    return render(request, "scoring/suites/metrics.html", context)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_run(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose conversations, see what a run would take, and start it."""
    found = reads.find(scope.project, number)
    version = reads.newest(found)
    made = definition.from_dict(version.definition)
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.SUITE)
    initial: dict[str, Any] = {"name": found.name}
    if before is not None:
        initial |= {**run_forms.initial_of(before), "sets": reads.set_numbers(before)}
        initial["tolerated"] = before.config.get("tolerated", 0)
    form = SuiteRunForm(
        run_start.sent(request),
        project=scope.project,
        asks=bool(made.judged or made.completions or made.moderated),
        initial=initial,
        **run_start.fresh(),
    )

    def estimate(sent: SuiteRunForm) -> Estimate:
        given = sent.cleaned_data
        return suite_runs.estimate(
            project=scope.project,
            version=version,
            sets=sent.chosen(),
            tries=given["tries"],
            seed=given["seed"],
        )

    def start(sent: SuiteRunForm) -> Run:
        given = sent.cleaned_data
        return suite_runs.request_suite(
            project=scope.project,
            version=version,
            sets=sent.chosen(),
            key=given["key"],
            name=given["name"],
            seed=given["seed"],
            user=scope.user,
            now=timezone.now(),
            budget=given.get("budget"),
            cloned_from=before,
            tries=given["tries"],
            tolerated=given["tolerated"] or 0.0,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/suites/run.html",
        context={
            "suite": found,
            "version": version,
            "completions": [one.words for one in made.completions],
            "back_url": reverse("suite", args=[scope.project.slug, found.number]),
        },
        estimate=estimate,
        start=start,
    )


def _version(request: HttpRequest, found: Any) -> Any:
    wished = request.GET.get("version", "")
    if wished.isascii() and wished.isdigit() and len(wished) < 10:
        return reads.version_of(found, int(wished))
    return reads.newest(found)
