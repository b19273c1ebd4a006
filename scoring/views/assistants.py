"""Make an assistant, have it score answers, and see what came of it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.forms import refusals
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms import assistants as forms
from scoring.forms import runs as run_forms
from scoring.forms.assistants import AssistForm
from scoring.models import Run
from scoring.operations import assistants as operations
from scoring.operations import assisting, run_exporting
from scoring.operations.runs.estimating import Estimate
from scoring.protocols.assistants.asking_v1 import Kind
from scoring.queries import assistant_results, judge_list, run_reading
from scoring.views import run_start
from scoring.views.files import stream


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def assistant_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Configure an assistant; then it is ready to score answers."""
    wished = request.GET.get("kind", "")
    kind = Kind(wished) if wished in set(Kind) else Kind.SERVED
    form = forms.FORMS[kind](run_start.sent(request), project=scope.project)
    if form.is_bound and form.is_valid():
        try:
            made = operations.create(
                project=scope.project,
                name=form.cleaned_data["name"],
                endpoint=form.cleaned_data["endpoint"],
                settings=form.settings(),
                by=scope.user,
                now=timezone.now(),
            )
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
        else:
            messages.success(request, _("The assistant is ready. It stays as it is configured."))
            url = reverse("assist", args=[scope.project.slug])
            return redirect(f"{url}?assistant={made.pk}")
    context = {
        "scope": scope,
        "form": form,
        "kinds": [(f"?kind={one}", label, one == kind) for one, (label, _x) in forms.ABOUT.items()],
        "about": forms.ABOUT[kind][1],
        "can_make": judge_list.endpoints_of(scope.project).exists(),
        "may_add": scope.may(permissions.OWNERS),
        "back_url": reverse("judges", args=[scope.project.slug]),
    }
    return render(request, "scoring/assistant_new.html", context, status=refusals.status_of(form))


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def assist(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose an assistant and answers, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.ASSIST)
    initial: dict[str, Any] = {
        "name": _("Scores of an assistant"),
        "assistant": request.GET.get("assistant", ""),
        "over": request.GET.get("over", ""),
    }
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.initial_of(before)}
    form = AssistForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: AssistForm) -> Estimate:
        return assisting.estimate(
            assistant=sent.cleaned_data["assistant"], round_=sent.round(), batch=sent.batch()
        )

    def start(sent: AssistForm) -> Run:
        begun = sent.start()
        return assisting.request_scores(
            assistant=sent.cleaned_data["assistant"],
            key=begun.key,
            name=begun.name,
            seed=begun.seed,
            user=scope.user,
            now=timezone.now(),
            round_=sent.round(),
            batch=sent.batch(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/assist.html",
        context={
            "has_assistants": judge_list.assistants(scope.project).exists(),
            "back_url": reverse("judges", args=[scope.project.slug]),
        },
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_assistant_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the score of every answer as CSV."""
    try:
        reading = assistant_results.allowed(scope, number)
        lines = assistant_results.csv_lines(reading)
    except errors.Refusal:
        return redirect("run_assistant", scope.project.slug, number)  # that page says why
    export = run_exporting.export_lines(
        reading=reading, form="assistant.csv", lines=lines, now=timezone.now()
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_assistant(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show how an assistant's scores are distributed, by release, and why answers have none."""
    try:
        reading = assistant_results.allowed(scope, number)
        found = assistant_results.board(reading)
    except errors.Refusal as refusal:
        context = {"scope": scope, "run": run_reading.of(scope, number).run, "refusal": refusal}
        return render(request, "scoring/runs/closed.html", context, status=refusal.status)
    context = {"scope": scope, "run": reading.run, "board": found}
    return render(request, "scoring/runs/assistant.html", context)
