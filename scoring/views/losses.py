"""Have losses measured on texts of a test that may have been learnt, and see what they say."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.forms import losses as forms
from scoring.forms import runs as run_forms
from scoring.forms.losses import LossesForm, ShareFilter
from scoring.models import Figure, Run
from scoring.operations import loss_figuring, run_exporting
from scoring.operations import losses as operations
from scoring.operations.runs.estimating import Estimate
from scoring.queries import loss_results
from scoring.queries.loss_results import Board
from scoring.views import interviews, run_start, waiting
from scoring.views.files import stream

PAGE = "scoring/runs/losses.html"


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def losses_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose texts of both kinds and systems, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.LOSSES)
    initial: dict[str, Any] = {"name": _("Losses")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.initial_of(before)}
    form = LossesForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: LossesForm) -> Estimate:
        return operations.check(project=scope.project, wish=sent.wish(), now=timezone.now())

    def start(sent: LossesForm) -> Run:
        begun = sent.start()
        return operations.start(
            project=scope.project,
            wish=sent.wish(),
            key=begun.key,
            name=begun.name,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            cloned_from=before,
        )

    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/losses_new.html",
        context={"back_url": reverse("runs", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_losses(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show losses on both kinds of text, their difference, and Min-K% of every system."""
    try:
        reading = loss_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    share = loss_results.share_of(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": ShareFilter({"share": str(share)}),
        "share": share,
        "query": request.GET.urlencode(),
    }
    figure = loss_figuring.figure_of(run=reading.run, share=share, now=timezone.now())
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    context |= {"board": Board(figure.data or {}, reading), "ready": figure}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_losses_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every loss as CSV; while they are computed, go to the page that waits for them."""
    there = reverse("run_losses", args=[scope.project.slug, number])
    there = f"{there}?{request.GET.urlencode()}" if request.GET else there
    try:
        reading = loss_results.allowed(scope, number)
    except errors.Refusal:
        return redirect(there)
    share = loss_results.share_of(request.GET.dict())
    figure = loss_figuring.figure_of(run=reading.run, share=share, now=timezone.now())
    if figure.state != Figure.State.READY:
        return redirect(there)
    lines = Board(figure.data or {}, reading).csv_lines()
    export = run_exporting.export_lines(
        reading=reading, form="losses.csv", lines=lines, now=timezone.now()
    )
    return stream(export)
