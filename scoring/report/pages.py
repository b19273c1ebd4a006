"""Reports: their figures are asked for together, and a report that is taken away is written down.

* The report of a round: a page that prints, the same as one file, and its tables.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from typing import Any

from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_GET

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite import errors
from scoring.figures import labels as reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.report import queries as reporting
from scoring.report.queries import Choice, Report
from scoring.results import exports as exporting
from scoring.results.facts import tabs
from scoring.results.insight_pages import send
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import Export


def collect(*, choice: Choice, now: datetime) -> dict[str, Figure]:
    """Return the figures of a report by key; those that are not there yet are asked for."""
    return {
        need.key: figures.get(name=need.name, round_=need.round, params=need.params, now=now)
        for need in reporting.needs(choice)
    }


def export(
    *, choice: Choice, form: str, lines: Iterator[str], content_type: str, now: datetime
) -> Export:
    """Begin to export a report, already written as text."""
    return exporting.export_lines(
        reading=choice.mine, form=form, lines=lines, now=now, content_type=content_type
    )


#: What a report as a file is dressed in, in this order.
SHEETS = ("tokens", "base", "shell", "controls", "tables", "plots", "insight", "report")
#: Fonts would be fetched from the site; the file takes those of the reader.
FONT = re.compile(r"@font-face\s*{[^}]*}")
#: What the form on the page says itself; the rest of the address goes along.
FORM = ("before", "annotators")


@require_GET
@door(permissions.UNBLINDED)
def report_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the report of a round, or how far its figures are."""
    mine = reading.of_reading(scope, number)
    context: dict[str, Any] = {
        "scope": scope,
        "round": mine.round,
        "reading": mine,
        "tabs": tabs(scope.project, mine.round, "results_report"),
    }
    try:
        reading.allowed(scope, number)
    except errors.Refusal as refusal:
        context["refusal"] = refusal
        status = 200 if mine.is_draft else refusal.status
        return render(request, "scoring/results/results_closed.html", context, status=status)
    choice = reporting.read(mine, dict(request.GET.lists()))
    figures = collect(choice=choice, now=timezone.now())
    context |= {
        "choice": choice,
        "earlier": reporting.earlier(mine),
        "kept": [pair for pair in choice.pairs if pair[0] not in FORM],
        "query": request.GET.urlencode(),
    }
    page = "scoring/report/results_report.html"
    if wait := waiting.answer(request, list(figures.values()), context, page=page):
        return wait
    return render(request, page, context | _content(choice, figures))


@require_GET
@door(permissions.UNBLINDED)
def report_html(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the report as one file that fetches nothing; while it is computed, go to the page."""
    ready = _ready(request, scope, number)
    if ready is None:
        return redirect(_page(request, scope, number))
    choice, figures = ready
    context = {
        "scope": scope,
        "round": choice.mine.round,
        "sheet": style(),
        **_content(choice, figures),
    }
    text = render_to_string("scoring/report/report_file.html", context)
    export = exporting.export_lines(
        reading=choice.mine,
        form="report.html",
        lines=iter([text]),
        now=timezone.now(),
        content_type=shown_sheet.HTML,
    )
    return send(export)


@require_GET
@door(permissions.UNBLINDED)
def report_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream every table of the report as one; while it is computed, go to the page."""
    ready = _ready(request, scope, number)
    if ready is None:
        return redirect(_page(request, scope, number))
    lines = Report(*ready).sheet().lines()
    now = timezone.now()
    export = exporting.export_lines(reading=ready[0].mine, form="report.csv", lines=lines, now=now)
    return send(export)


@cache
def style() -> SafeString:
    """Return the sheets of a report as an element, without anything that would be fetched."""
    texts = []
    for name in SHEETS:
        found = finders.find(f"css/{name}.css")
        assert isinstance(found, str), name
        with open(found, encoding="utf-8") as file:
            texts.append(FONT.sub("", file.read()))
    # Our own sheets, which hold no end of an element.
    return format_html("<style>{}</style>", mark_safe("\n".join(texts)))  # noqa: S308


def _content(choice: Choice, figures: dict[str, Figure]) -> dict[str, Any]:
    report = Report(choice, figures)
    return {
        "report": report,
    }


def _ready(
    request: HttpRequest, scope: Scope, number: int
) -> tuple[Choice, dict[str, Figure]] | None:
    try:
        mine = reading.allowed(scope, number)
    except errors.Refusal:
        return None
    choice = reporting.read(mine, dict(request.GET.lists()))
    figures = collect(choice=choice, now=timezone.now())
    if any(one.state != Figure.State.READY for one in figures.values()):
        return None
    return choice, figures


def _page(request: HttpRequest, scope: Scope, number: int) -> str:
    here = reverse("results_report", args=[scope.project.slug, number])
    return f"{here}?{request.GET.urlencode()}" if request.GET else here
