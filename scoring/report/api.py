"""Query parameters that several routes of results take, by what reads them."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import AnyForm, choice, contract, get, whole
from evalsite.contract.shapes import FILE, optional, shape
from scoring.figures import api as asking
from scoring.figures import labels as reading
from scoring.figures import typed
from scoring.movement.api import MOVEMENT as MOVED
from scoring.movement.api import said as said_of_movement
from scoring.report import pages as reports
from scoring.report import queries as reporting
from scoring.report.queries import MOVEMENT, Choice, Report
from scoring.results import exports as exporting
from scoring.results import programs, shapes
from scoring.results import queries as results
from scoring.results.agreement import AgreementFigure
from scoring.results.api import TABLE
from scoring.results.disputes import DisputesFigure
from scoring.results.plan import PlanFigure
from scoring.results.raters import RatersFigure

REPORT = (
    choice("annotators", reporting.PEOPLE, "How annotators are called, or that they are left out."),
    whole("before", "The earlier round to compare with, by number."),
    *TABLE,
)


#: What a report leaves out where it leaves annotators out.
PEOPLE = {"agreement": ("pairs", "without"), "disputes": ("annotators", "places")}
SHAPE = shape(
    "Report",
    **shapes.READY,
    **shapes.SCORE_PARTS,
    is_final=bool,
    is_partial=bool,
    agreement=typed.shape(AgreementFigure, "ReportAgreement", PEOPLE["agreement"]),
    disputes=typed.shape(DisputesFigure, "ReportDisputes", PEOPLE["disputes"]),
    annotators=optional(typed.shape(RatersFigure, "ReportAnnotators")),
    plan=typed.shape(PlanFigure, "ReportPlan"),
    movement=[MOVED],
    methods_text=[shape("MethodText", of=str, text=str)],
    settings=[shape("ReportSetting", setting=str, value=str)],
    versions=[shape("ReportVersion", of=str, value=str)],
)
#: The computed parts of the report: their name, the figure and its type.
PARTS: Mapping[str, tuple[str, type[Any]]] = {
    "agreement": ("agreement", AgreementFigure),
    "disputes": ("disputes", DisputesFigure),
    "annotators": ("raters", RatersFigure),
    "plan": ("plan", PlanFigure),
}


@api_view(["GET"])
@contract(
    get(SHAPE, query=REPORT, figure=True),
)
@door(permissions.UNBLINDED)
def report(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the report of a round; 202 while any of its figures is computed."""
    ready = _ready(request, scope, number)
    return ready if isinstance(ready, Response) else Response(_said(ready))


@api_view(["GET"])
@contract(
    get(FILE, query=REPORT, figure=True),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def report_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream every table of the report as one; 202 while any of its figures is computed."""
    ready = _ready(request, scope, number)
    if isinstance(ready, Response):
        return ready
    export = exporting.export_lines(
        reading=ready.choice.mine,
        form="report.csv",
        lines=ready.sheet().lines(),
        now=timezone.now(),
    )
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )


def _ready(request: HttpRequest, scope: Scope, number: int) -> Report | Response:
    mine = reading.allowed(scope, number)
    choice = reporting.read(mine, dict(request.GET.lists()))
    if choice.problem:
        raise reporting.BadReport(choice.problem)
    figures = reports.collect(choice=choice, now=timezone.now())
    for one in sorted(figures.values(), key=lambda one: not one.will_not_come):
        if wait := asking.waiting(request, one):
            return wait
    return Report(choice, figures)


def _said(made: Report) -> dict[str, Any]:
    choice, figure = made.choice, made.figures[results.FIGURE]
    shown = choice.mine.shown
    return {
        **programs.results(made.round, made.result, figure, names_shown=shown),
        "as_of": made.as_of,
        "is_final": made.is_final,
        "is_partial": made.is_partial,
        **_parts(made),
        "movement": [_moved(choice, made, one.system.pk) for one in choice.moved],
        "methods_text": [{"of": one.title, "text": one.text} for one in made.methods],
        "settings": [{"setting": title, "value": value} for title, value in made.settings],
        "versions": [{"of": title, "value": value} for title, value in made.versions],
    }


def _parts(made: Report) -> dict[str, Any]:
    parts = {}
    for key, (name, kind) in PARTS.items():
        source = made.source(name)
        parts[key] = typed.told(source.read(kind), source.named)
    if made.choice.with_people:
        return parts
    del parts["annotators"]
    for key, people in PEOPLE.items():
        for name in people:
            del parts[key][name]
    return parts


def _moved(choice: Choice, made: Report, system: int) -> dict[str, Any]:
    chosen = next(one for one in choice.moved if one.system.pk == system)
    return said_of_movement(chosen, made.figures[f"{MOVEMENT} {system}"], choice.mine.scope)
