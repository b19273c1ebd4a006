"""Start interviews, and read their dialogues.

* What a run of interviews came to, as a page and as files.
* Several evaluators of the same dialogues: side by side, and having them judged again.
* Dialogues as files: out of a run, and into one.
"""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods

from annotation.common import forms as refusals
from annotation.files.models import WholeKind
from annotation.imports import wholes
from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite import errors
from evalsite.web import keyset
from scoring.engine import files as run_exporting
from scoring.engine import forms as run_forms
from scoring.engine import queries as run_reading
from scoring.engine import starting as run_start
from scoring.engine.estimating import Estimate
from scoring.engine.models import Run
from scoring.engine.queries import Reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.interviews import exchange, operations, rejudging, results
from scoring.kinds.interviews import queries as interviews
from scoring.kinds.interviews.evaluators import Board as InterviewEvaluatorsBoard
from scoring.kinds.interviews.forms import (
    DialogueFilter,
    DialogueImportForm,
    InterviewForm,
    PanelFilter,
    ProfileFilter,
    RejudgeForm,
)
from scoring.kinds.interviews.results import Board
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw, stream


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def interviews_new(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Choose questions, systems, interviewer and evaluator, see what it would take, and start."""
    before = run_start.cloned(scope, request.GET.get("from", ""), Run.Kind.KIEVAL)
    initial: dict[str, Any] = {"name": _("Interviews"), "over": request.GET.get("over", "")}
    if before is not None:
        initial |= {**run_forms.initial_of(before), **interviews.initial_of(before)}
    form = InterviewForm(
        run_start.sent(request), project=scope.project, initial=initial, **run_start.fresh()
    )
    counted: dict[str, Any] = {}

    def estimate(sent: InterviewForm) -> Estimate:
        checked = operations.check(project=scope.project, wish=sent.wish(), now=timezone.now())
        counted["found"] = checked.found
        return checked.estimate

    def start(sent: InterviewForm) -> Run:
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
        template="scoring/kinds/interviews/interviews_new.html",
        context={"counted": counted, "back_url": reverse("runs", args=[scope.project.slug])},
        estimate=estimate,
        start=start,
    )


@require_GET
@door(permissions.UNBLINDED)
def run_dialogues(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the dialogues of a run, by what happened in them."""
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    names = [(one["release"], one["name"]) for one in reading.run.config["releases"]]
    form = DialogueFilter(request.GET, releases=names)
    rows = interviews.filtered(reading.run, form.filters())
    page = interviews.page(rows, request.GET.get("after", ""))
    n = rows.count()
    context = {
        "scope": scope,
        "run": reading.run,
        "form": form,
        "lines": [interviews.line(reading, one) for one in page.rows],
        "count_text": ngettext("%(n)d dialogue", "%(n)d dialogues", n) % {"n": n},
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/kinds/interviews/dialogues.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_dialogue(request: HttpRequest, scope: Scope, number: int, pk: int) -> HttpResponse:
    """Show a dialogue with every verdict beside its exchange, or two candidates side by side."""
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    shown = interviews.one(reading, pk)
    others = interviews.others(reading, shown.dialogue)
    wished = request.GET.get("beside", "")
    beside = next((one for one in others if str(one.dialogue.pk) == wished), None)
    if beside is not None:
        (beside,) = interviews.with_seconds(reading, [beside])
    before, after = interviews.neighbours(shown.dialogue)
    context = {
        "scope": scope,
        "run": reading.run,
        "line": shown,
        "item": shown.dialogue.item,
        "others": others,
        "beside": beside,
        "columns": [shown, beside] if beside else [shown],
        "before": before,
        "after": after,
    }
    return render(request, "scoring/kinds/interviews/dialogue.html", context)


def closed(
    request: HttpRequest, scope: Scope, number: int, refusal: errors.Refusal
) -> HttpResponse:
    context = {"scope": scope, "run": run_reading.of(scope, number).run, "refusal": refusal}
    return render(request, "scoring/engine/closed.html", context, status=refusal.status)


PAGE = "scoring/kinds/interviews/interviews.html"


@require_GET
@door(permissions.UNBLINDED)
def run_interviews(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the scores of every system under a profile, in pairs, and under other profiles."""
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    options = results.of_params(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": ProfileFilter(options.params),
        "options": options,
        "query": request.GET.urlencode(),
        "named": results.named(options),
    }
    figure = _figure(reading, options)
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    board = Board(figure.data or {}, options, reading)
    context |= {"board": board, "ready": figure, "picture": shown_sheet.picture(board.draw)}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_interviews_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every score as CSV; while it is computed, go to the page that waits for it."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading, form="scores.csv", lines=found.csv_lines(), now=timezone.now()
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_interviews_table(
    request: HttpRequest, scope: Scope, number: int, table: str
) -> HttpResponseBase:
    """Send a table of the results as CSV; while it is computed, go to the page that waits for it."""
    if table not in results.SHEETS:
        raise Http404(_("There is no such table."))
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading,
        form=f"{table}.csv",
        lines=results.csv_lines(found, table),
        now=timezone.now(),
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_interviews_svg(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the scores as a drawing; while they are computed, go to the page that waits for them."""
    found = _ready(request, scope, number)
    if found is None:
        return _page(request, scope, number)
    try:
        drawn = found.draw(False).file()
    except NothingToDraw:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=found.reading,
        form=banner.named("scores.svg", banner.of_run(found.reading.run)),
        lines=iter([drawn]),
        now=timezone.now(),
        content_type=shown_sheet.SVG,
    )
    return stream(export)


def _figure(reading: Reading, options: results.Options) -> Figure:
    return figures.of_run(
        name=results.FIGURE,
        run=reading.run,
        params=options.params,
        now=timezone.now(),
    )


def _ready(request: HttpRequest, scope: Scope, number: int) -> Board | None:
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal:
        return None
    options = results.of_params(request.GET.dict())
    figure = _figure(reading, options)
    if figure.state != Figure.State.READY:
        return None
    return Board(figure.data or {}, options, reading)


def _page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    there = reverse("run_interviews", args=[scope.project.slug, number])
    return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)


EVALUATORS_PAGE = "scoring/kinds/interviews/evaluators.html"


@require_GET
@door(permissions.UNBLINDED)
def run_evaluators(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what every evaluator makes of the systems, the panel's vote, and how far they agree."""
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    options = results.of_params(request.GET.dict())
    vote = results.vote_of(request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": PanelFilter({**options.params, "vote": vote}),
        "query": request.GET.urlencode(),
        "again": results.again(reading.run),
        "may_judge": scope.may(permissions.CURATORS),
    }
    figure = figure_of(reading, request.GET.dict())
    if wait := waiting.answer(request, [figure], context, page=EVALUATORS_PAGE):
        return wait
    board = InterviewEvaluatorsBoard(figure.data or {}, options, reading)
    return render(request, EVALUATORS_PAGE, context | {"board": board, "ready": figure})


@require_GET
@door(permissions.UNBLINDED)
def run_evaluators_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every evaluator's scores as CSV; while they are computed, go to the page that waits."""
    there = reverse("run_evaluators", args=[scope.project.slug, number])
    page = redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal:
        return page
    figure = figure_of(reading, request.GET.dict())
    if figure.state != Figure.State.READY:
        return page
    options = results.of_params(request.GET.dict())
    board = InterviewEvaluatorsBoard(figure.data or {}, options, reading)
    export = run_exporting.export_lines(
        reading=reading, form="evaluators.csv", lines=board.csv_lines(), now=timezone.now()
    )
    return stream(export)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def run_judge_again(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Choose evaluators, see what it would take, and have the dialogues of a run judged again."""
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
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
        template="scoring/kinds/interviews/judge_again.html",
        context=context,
        estimate=estimate,
        start=start,
    )


def figure_of(reading: Reading, query: Mapping[str, Any]) -> Figure:
    """Return the figure of a run's evaluators that an address asks for."""
    options = results.of_params(query)
    return figures.of_run(
        name=results.PANEL,
        run=reading.run,
        params={**options.params, "vote": results.vote_of(query)},
        now=timezone.now(),
        version=results.version(reading.run),
    )


def _chosen_in(run: Run) -> list[str]:
    return [f"judge:{one['judge']}" for one in run.config["evaluators"]]


@require_GET
@door(permissions.UNBLINDED)
def run_dialogues_zip(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the dialogues of a run as an archive with a manifest."""
    try:
        reading = results.allowed(scope, number)
    except errors.Refusal as refusal:
        return closed(request, scope, number, refusal)
    now = timezone.now()
    export = run_exporting.export_lines(
        reading=reading,
        form="dialogues.zip",
        lines=exchange.archive(reading.run, now),
        now=now,
        content_type=shown_sheet.ZIP,
    )
    return stream(export)


@require_http_methods(["GET", "POST"])
@door(permissions.CURATORS)
def interviews_import(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Take a file of dialogues, or say what is wrong with it."""
    sent = request.method == "POST"
    form = DialogueImportForm(
        request.POST if sent else None,
        request.FILES if sent else None,
        project=scope.project,
        key=uuid4(),
        initial={"name": _("Dialogues from a file")},
    )
    if form.is_valid():
        try:
            return _taken(request, scope, form)
        except errors.Refusal as refusal:
            refusals.show(form, refusal)
    context = {
        "scope": scope,
        "form": form,
        **wholes.shown(scope.project, WholeKind.DIALOGUES),
    }
    status = refusals.status_of(form)
    return render(
        request, "scoring/kinds/interviews/interviews_import.html", context, status=status
    )


def _taken(request: HttpRequest, scope: Scope, form: DialogueImportForm) -> HttpResponse:
    """Bring a small file in now, and leave a large one to a worker."""
    file = form.cleaned_data["file"]
    given = {"project": scope.project, "key": form.cleaned_data["key"], "wish": form.wish()}
    now = timezone.now()
    if wholes.is_large(file, file.size):
        exchange.hand_in_dialogues(**given, pieces=file.chunks(), by=scope.user, now=now)
        messages.success(request, wholes.said_that_it_waits())
        return redirect("interviews_import", scope.project.slug)
    run = exchange.bring_in(**given, data=file.read(), user=scope.user, now=now)
    messages.success(request, exchange.said_of_dialogues())
    return redirect("run_dialogues", scope.project.slug, run.number)
