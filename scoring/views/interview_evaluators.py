"""Several evaluators of the same dialogues: side by side, and having them judged again."""

from collections.abc import Mapping
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
from scoring.forms import runs as run_forms
from scoring.forms.interview_evaluators import PanelFilter, RejudgeForm
from scoring.models import Figure, Run
from scoring.operations import figures, rejudging, run_exporting
from scoring.operations.runs.estimating import Estimate
from scoring.queries import interview_profiles, interview_results, interview_voices
from scoring.queries.interview_evaluators import Board
from scoring.queries.run_reading import Reading
from scoring.views import interviews, run_start, waiting
from scoring.views.files import stream

PAGE = "scoring/runs/evaluators.html"


@require_GET
@door(permissions.UNBLINDED)
def run_evaluators(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what every evaluator makes of the systems, the panel's vote, and how far they agree."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    options = interview_profiles.of_params(request.GET.dict())
    vote = interview_voices.vote_of(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": PanelFilter({**options.params, "vote": vote}),
        "query": request.GET.urlencode(),
        "again": interview_voices.again(reading.run),
        "may_judge": scope.may(permissions.CURATORS),
    }
    figure = figure_of(reading, request.GET.dict())
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    board = Board(figure.data or {}, options, reading)
    return render(request, PAGE, context | {"board": board, "ready": figure})


@require_GET
@door(permissions.UNBLINDED)
def run_evaluators_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every evaluator's scores as CSV; while they are computed, go to the page that waits."""
    there = reverse("run_evaluators", args=[scope.project.slug, number])
    page = redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal:
        return page
    figure = figure_of(reading, request.GET.dict())
    if figure.state != Figure.State.READY:
        return page
    options = interview_profiles.of_params(request.GET.dict())
    board = Board(figure.data or {}, options, reading)
    export = run_exporting.export_lines(
        reading=reading, form="evaluators.csv", lines=board.csv_lines(), now=timezone.now()
    )
    return stream(export)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def run_judge_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose evaluators, see what it would take, and have the dialogues of a run judged again."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    of = reading.run
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.REJUDGE)
    initial: dict[str, Any] = {"name": str(_("%(name)s, judged again") % {"name": of.name})[:120]}
    if before is not None:
        initial |= {**run_forms.initial_of(before), "evaluators": _chosen_in(before)}
    form = RejudgeForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )

    def estimate(sent: RejudgeForm) -> Estimate:
        return rejudging.check(of=of, wish=sent.wish())

    def start(sent: RejudgeForm) -> Run:
        begun = sent.start()
        return rejudging.start(
            of=of,
            wish=sent.wish(),
            key=begun.key,
            name=begun.name,
            user=scope.user,
            now=timezone.now(),
            budget=begun.budget,
            cloned_from=before,
        )

    context: Mapping[str, Any] = {
        "run": of,
        "is_over": of.state in {Run.State.DONE, Run.State.CANCELLED},
        "back_url": reverse("run_evaluators", args=[scope.project.slug, of.number]),
    }
    return run_start.answer(
        request,
        scope,
        form=form,
        template="scoring/runs/judge_again.html",
        context=context,
        estimate=estimate,
        start=start,
    )


def figure_of(reading: Reading, query: Mapping[str, Any]) -> Figure:
    """Return the figure of a run's evaluators that an address asks for."""
    options = interview_profiles.of_params(query)
    return figures.of_run(
        name=interview_voices.PANEL,
        run=reading.run,
        params={**options.params, "vote": interview_voices.vote_of(query)},
        now=timezone.now(),
        version=interview_voices.version(reading.run),
    )


def _chosen_in(run: Run) -> list[str]:
    return [f"judge:{one['judge']}" for one in run.config["evaluators"]]
