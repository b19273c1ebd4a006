"""What a suite's run came to: its page, the parts behind a figure, and files.

* A suite's metric against the labels that people gave.
"""

import math
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.web import keyset
from scoring.engine import files as run_exporting
from scoring.engine.models import Run
from scoring.engine.queries import Reading
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.suites import exchange as suite_exporting
from scoring.kinds.suites import labels as suite_pictures
from scoring.kinds.suites import results
from scoring.kinds.suites.forms import BaselineFilter, LabelFilter
from scoring.kinds.suites.results import Board, Series, Wanted
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingToDraw, stream

PAGE = "scoring/kinds/suites/suite.html"
#: While a run is in one of these, more comes in by itself.
MOVING = {Run.State.STAGED, Run.State.RUNNING}


@require_GET
@door(permissions.UNBLINDED)
def run_suite(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show distributions, roles, turns and releases beside each other, and what became of the gates."""
    reading = results.allowed(scope, number)
    run = reading.run
    figure, baseline = _figure(request, reading)
    context = {
        "scope": scope,
        "run": run,
        "may_publish": scope.may(permissions.CURATORS),
        "form": BaselineFilter(request.GET, runs=list(results.baselines(run)[:100])),
        "baseline": baseline,
        "moving": run.state in MOVING,
        "here": request.get_full_path(),
        "said": results.said_by_judges(run) if run.config.get("only") else [],
    }
    if wait := waiting.answer(request, [figure], context, page=PAGE):
        return wait
    board = Board(figure.data or {}, run)
    chosen = request.GET.get("metric", "")
    page = min(max(_number(request.GET.get("page", "")) or 1, 1), board.n_pages)
    context |= {
        "board": board,
        "ready": figure,
        "chosen": board.find(chosen),
        "shown": [_drawn(one) for one in board.shown(chosen, page)],
        "page": page,
        "newer_url": _page_url(request, page - 1) if page > 1 else None,
        "older_url": _page_url(request, page + 1) if page < board.n_pages else None,
        "kept": f"baseline={baseline.number}&" if baseline else "",
    }
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_parts(request: HttpRequest, scope: Scope, number: int, rater: int) -> HttpResponse:
    """List the parts of conversations behind a figure, by value."""
    run = results.allowed(scope, number).run
    wanted = _wanted(request, rater)
    down = request.GET.get("order", "") != "up"
    metric = results.named(run, rater)
    page = results.page(run, wanted, after=request.GET.get("after", ""), down=down)
    context = {
        "scope": scope,
        "run": run,
        "metric": metric,
        "may_publish": scope.may(permissions.CURATORS),
        "name": wanted.name,
        "narrowed": results.words(wanted),
        "parts": page.rows,
        "looked_at": page.looked_at,
        "down": down,
        "only": wanted.only,
        "turned": _turned(request, down=down),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/kinds/suites/suite_parts.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_figures(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every figure of the results as CSV; while they are computed, go to the page that waits."""
    reading = results.allowed(scope, number)
    board = _ready(request, reading)
    if board is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=reading,
        form=banner.named("figures.csv", banner.of_run(reading.run)),
        lines=results.csv_lines(board),
        now=timezone.now(),
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_svg(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send one metric as a drawing: how its values lie, or with ?plot=turns how they go turn by turn."""
    reading = results.allowed(scope, number)
    board = _ready(request, reading)
    one = board.find(request.GET.get("metric", "")) if board else None
    if one is None:
        return _page(request, scope, number)
    plot = request.GET.get("plot", "")
    plot = plot if plot in suite_pictures.PICTURES else suite_pictures.BARS
    try:
        drawn = suite_pictures.PICTURES[plot](one, False).file()
    except NothingToDraw:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=reading,
        form=banner.named(f"{plot}.svg", banner.of_run(reading.run)),
        lines=iter([drawn]),
        now=timezone.now(),
        content_type=shown_sheet.SVG,
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_file(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Send every value of every part: as CSV, as JSON Lines, or as one SQLite file."""
    reading = results.allowed(scope, number)
    made = suite_exporting.export(reading=reading, form=form, now=timezone.now())
    return StreamingHttpResponse(
        made.pieces, content_type=made.content_type, headers=dict(made.headers)
    )


def _turned(request: HttpRequest, *, down: bool) -> str:
    query = request.GET.copy()
    query.pop("after", None)
    query["order"] = "up" if down else "down"
    return f"?{query.urlencode()}"


def _figure(request: HttpRequest, reading: Reading) -> tuple[Figure, Run | None]:
    run = reading.run
    baseline = results.baseline(run, request.GET.get("baseline", ""))
    params = {"baseline": baseline.number} if baseline else {}
    figure = figures.of_run(
        name=results.FIGURE,
        run=run,
        params=params,
        now=timezone.now(),
        version=results.version(run),
    )
    return figure, baseline


def _ready(request: HttpRequest, reading: Reading) -> Board | None:
    figure, _baseline = _figure(request, reading)
    if figure.state != Figure.State.READY:
        return None
    return Board(figure.data or {}, reading.run)


def _drawn(one: Series) -> dict[str, Any]:
    return {
        "one": one,
        "bars": shown_sheet.picture(lambda narrow: suite_pictures.distribution(one, narrow)),
        "turns": shown_sheet.picture(lambda narrow: suite_pictures.turns(one, narrow)),
    }


def _wanted(request: HttpRequest, rater: int) -> Wanted:
    given = request.GET
    return Wanted(
        rater=rater,
        name=given.get("name", ""),
        level=given.get("level", ""),
        release=_number(given.get("release", "")),
        only=given.get("only", ""),
        label=given.get("label"),
        low=_value(given.get("low", "")),
        high=_value(given.get("high", "")),
        role=given.get("role", ""),
        turn=_number(given.get("turn", "")),
    )


def _page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    there = reverse("run_suite", args=[scope.project.slug, number])
    return redirect(f"{there}?{request.GET.urlencode()}" if request.GET else there)


def _page_url(request: HttpRequest, page: int) -> str:
    query = request.GET.copy()
    query["page"] = str(page)
    return f"?{query.urlencode()}"


def _value(given: str) -> float | None:
    try:
        found = float(given)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


def _number(given: str) -> int | None:
    return int(given) if given.isascii() and given.isdigit() and len(given) < 10 else None


LABELS_PAGE = "scoring/kinds/suites/suite_labels.html"


@require_GET
@door(permissions.UNBLINDED)
def run_suite_labels(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show classes, table and figures of a metric held against a label; the first of each by itself."""
    run = results.allowed(scope, number).run
    choices, found = suite_pictures.choices(run), suite_pictures.labels(run)
    labels = [one for one in found if not one.why]
    form = LabelFilter(request.GET, choices=choices, labels=labels)
    context = {
        "scope": scope,
        "run": run,
        "form": form,
        "choices": choices,
        "labels": labels,
        "others": [one for one in found if one.why][: suite_pictures.MOST_TOLD],
    }
    if not choices or not labels:
        return render(request, LABELS_PAGE, context)
    metric, label = form.chosen()
    context["chosen"] = next((one for one in labels if one.name == label), None)
    figure = figures.of_run(
        name=suite_pictures.FIGURE,
        run=run,
        params={"metric": metric, "label": label},
        now=timezone.now(),
        version=results.version(run),
    )
    if wait := waiting.answer(request, [figure], context, page=LABELS_PAGE):
        return wait
    context |= {
        "board": suite_pictures.Board(figure.data or {}),
        "label": label,
        "ready": figure,
    }
    return render(request, LABELS_PAGE, context)
