"""Put a suite together by a form; what comes of it is YAML like any other."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms.suite_builder import ROOM, SuiteBuilder, initial_of, offered
from scoring.models import Suite, SuiteVersion
from scoring.operations import suite_runs
from scoring.operations import suites as operations
from scoring.operations.runs.suiting import NothingToEvaluate
from scoring.protocols.suite import definition, writing
from scoring.queries import suites as reads
from scoring.views import run_start


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def suite_build(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Write a new suite by a form, or with ?suite= another version of one that the form can say."""
    suite = _suite(scope, request.GET.get("suite", ""))
    initial = _initial(suite) if suite is not None else {}
    if initial is None and suite is not None:
        messages.info(request, _("This suite says more than the form can. Change its YAML."))
        return redirect("suite_edit", scope.project.slug, suite.number)
    form = SuiteBuilder(run_start.sent(request), project=scope.project, initial=initial)
    if form.is_valid():
        try:
            made = _saved(scope, suite, writing.write(form.draft()))
        except errors.Refusal as refusal:
            form.add_error(None, refusal.message)
        else:
            if request.POST.get("deed") == "try":
                return _tried(request, scope, form, made)
            messages.success(request, _("The suite is saved."))
            return redirect("suite", scope.project.slug, made.suite.number)
    context = {"scope": scope, "form": form, "suite": suite}
    status = refusals.status_of(form)
    return render(request, "scoring/suites/build.html", context, status=status)


def _suite(scope: Scope, given: str) -> Suite | None:
    known = given.isascii() and given.isdigit() and len(given) < 10
    return reads.find(scope.project, int(given)) if known else None


def _initial(suite: Suite) -> dict[str, Any] | None:
    """Return what the form shows of a suite, or None if the form cannot say all of it."""
    whole = definition.from_dict(reads.newest(suite).definition)
    draft = writing.draft_of(whole)
    if len(draft.rubrics) > len(ROOM):
        return None
    try:
        again = operations.read(writing.write(draft))
    except errors.Refusal:
        return None
    if writing.plain(again) != writing.plain(whole):
        return None
    initial = initial_of(draft)
    known = {key for key, _name in offered(suite.project)}
    return initial if known >= set(initial["completions"]) else None


def _tried(
    request: HttpRequest, scope: Scope, form: SuiteBuilder, made: SuiteVersion
) -> HttpResponse:
    """Have three conversations evaluated by the suite that was just saved, and go to what comes of it."""
    chosen = form.chosen_set()
    try:
        if chosen is None:
            raise NothingToEvaluate(
                _("Bring conversations in first; then the suite can be tried on three of them.")
            )
        run = suite_runs.request_suite(
            project=scope.project,
            version=made,
            sets=[chosen],
            key=uuid4(),
            name=_("%(name)s, tried") % {"name": made.suite.name[:100]},
            seed=made.number,
            user=scope.user,
            now=timezone.now(),
            tries=True,
        )
    except errors.Refusal as refusal:
        messages.warning(
            request, _("The suite is saved. It was not tried: %(why)s") % {"why": refusal.message}
        )
        there = reverse("suite_build", args=[scope.project.slug])
        return redirect(f"{there}?suite={made.suite.number}")
    messages.success(request, _("Version %(n)d is saved and is being tried.") % {"n": made.number})
    return redirect("run_suite", scope.project.slug, run.number)


def _saved(scope: Scope, suite: Suite | None, text: str) -> SuiteVersion:
    now = timezone.now()
    if suite is None:
        return operations.create(project=scope.project, text=text, by=scope.user, now=now)
    return operations.change(suite=suite, text=text, by=scope.user, now=now)
