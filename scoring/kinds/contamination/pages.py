"""What interview scores are set against.

* The figure of interview scores against accuracy: computed anew when either side has more.
* Interview scores of a run against accuracy and other benchmarks.
"""

from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET

from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from evalsite import errors
from scoring.engine import files as run_exporting
from scoring.engine.models import Run
from scoring.engine.queries import Reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.contamination import queries as contamination
from scoring.kinds.contamination.queries import Board, Options
from scoring.kinds.interviews import pages as interviews
from scoring.kinds.interviews import results as interview_results
from scoring.kinds.interviews.forms import ProfileFilter
from scoring.shown.sheet import stream


class ContaminationFilter(ProfileFilter):
    """The other axis, and how verdicts become scores."""

    axis = forms.ChoiceField(label=_("Set against"), required=False)
    field_order = ("axis",)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["axis"].choices = contamination.axes(project)  # type: ignore[attr-defined]


def figure_of(*, run: Run, options: Options, now: datetime) -> Figure:
    """Return the figure as far as interviews and measurements have come; if it is not there, ask for it."""
    return figures.of_run(
        name=contamination.NAME,
        run=run,
        params=options.params,
        now=now,
        version=contamination.version(run, options),
    )


PAGE = "scoring/kinds/contamination/contamination.html"


@require_GET
@door(permissions.UNBLINDED)
def run_contamination(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show who is interviewed worse than its accuracy suggests, and what other benchmarks say."""
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal as refusal:
        return interviews.closed(request, scope, number, refusal)
    options = contamination.of_run(reading.run, request.GET.dict())
    context = {
        "scope": scope,
        "run": reading.run,
        "form": ContaminationFilter(options.params, project=scope.project),
        "options": options,
        "query": request.GET.urlencode(),
        "may_import": scope.may(permissions.CURATORS),
    }
    figure = _figure(reading, options)
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    context |= {"board": _board(figure, reading, options), "ready": figure}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_contamination_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every distance and correlation as CSV; while they are computed, go to the page."""
    there = reverse("run_contamination", args=[scope.project.slug, number])
    there = f"{there}?{request.GET.urlencode()}" if request.GET else there
    try:
        reading = interview_results.allowed(scope, number)
    except errors.Refusal:
        return redirect(there)
    options = contamination.of_run(reading.run, request.GET.dict())
    figure = _figure(reading, options)
    if figure.state != Figure.State.READY:
        return redirect(there)
    lines = _board(figure, reading, options).csv_lines()
    export = run_exporting.export_lines(
        reading=reading, form="contamination.csv", lines=lines, now=timezone.now()
    )
    return stream(export)


def _figure(reading: Reading, options: contamination.Options) -> Figure:
    return figure_of(run=reading.run, options=options, now=timezone.now())


def _board(figure: Figure, reading: Reading, options: contamination.Options) -> Board:
    named = dict(contamination.axes(reading.run.project))
    return Board(figure.data or {}, options, reading, named.get(options.axis, options.axis))
