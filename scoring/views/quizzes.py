"""Have accuracy measured on questions of multiple choice, and see what it came to."""

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
from scoring.forms import quizzes as forms
from scoring.forms import runs as run_forms
from scoring.forms.quizzes import QuizForm, RuleFilter
from scoring.models import Figure, Run
from scoring.operations import exporting, quiz_figuring, run_exporting
from scoring.operations import quizzes as operations
from scoring.operations.runs.estimating import Estimate
from scoring.queries import banner, pictures, quiz_options, quiz_results
from scoring.queries.pictures import NothingToDraw
from scoring.queries.quiz_results import Board
from scoring.views import interviews, run_start, waiting
from scoring.views.files import stream

PAGE = "scoring/runs/accuracy.html"


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def quiz_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose questions, systems, orders and examples, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.QUIZ)
    initial: dict[str, Any] = {"name": _("Accuracy"), "over": request.GET.get("over", "")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **forms.initial_of(before)}
    form = QuizForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )
    counted: dict[str, Any] = {}

    def estimate(sent: QuizForm) -> Estimate:
        checked = operations.check(project=scope.project, wish=sent.wish(), now=timezone.now())
        counted["found"] = checked.found
        return checked.estimate

    def start(sent: QuizForm) -> Run:
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
        template="scoring/quiz_new.html",
        context={"counted": counted, "back_url": reverse("runs", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_accuracy(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the accuracy of every system under a rule, in each data set and each order of options."""
    try:
        reading = quiz_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    options = quiz_options.of_params(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": RuleFilter(options.params),
        "options": options,
        "query": request.GET.urlencode(),
    }
    figure = quiz_figuring.figure_of(run=reading.run, options=options, now=timezone.now())
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    board = Board(figure.data or {}, options, reading)
    context |= {"board": board, "ready": figure, "picture": pictures.picture(board.draw)}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_accuracy_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every accuracy as CSV; while it is computed, go to the page that waits for it."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading, form="accuracy.csv", lines=found.csv_lines(), now=timezone.now()
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_accuracy_svg(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the accuracies as a drawing; while they are computed, go to the page that waits for them."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    try:
        drawn = found.draw(False).file()
    except NothingToDraw:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading,
        form=banner.named("accuracy.svg", banner.of_run(found.reading.run)),
        lines=iter([drawn]),
        now=timezone.now(),
        content_type=exporting.SVG,
    )
    return stream(export)


def _ready(request: HttpRequest, scope: Scope, number: int) -> Board | None:
    try:
        reading = quiz_results.allowed(scope, number)
    except errors.Refusal:
        return None
    options = quiz_options.of_params(request.GET.dict())
    figure = quiz_figuring.figure_of(run=reading.run, options=options, now=timezone.now())
    if figure.state != Figure.State.READY:
        return None
    return Board(figure.data or {}, options, reading)


def _page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    there = reverse("run_accuracy", args=[scope.project.slug, number])
    return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)
