"""What a suite's run came to: its page, the parts behind a figure, and files."""

import math
from typing import Any

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from scoring.forms.suites import BaselineFilter
from scoring.models import Figure, Run
from scoring.operations import exporting, figures, run_exporting, suite_exporting
from scoring.queries import banner, pictures, suite_board, suite_parts, suite_pictures
from scoring.queries import suite_results as reads
from scoring.queries.pictures import NothingToDraw
from scoring.queries.run_reading import Reading
from scoring.queries.suite_board import Board, Series
from scoring.queries.suite_parts import Wanted
from scoring.views import waiting
from scoring.views.files import stream

PAGE = "scoring/runs/suite.html"
#: While a run is in one of these, more comes in by itself.
MOVING = {Run.State.STAGED, Run.State.RUNNING}


@require_GET
@door(permissions.UNBLINDED)
def run_suite(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show distributions, roles, turns and releases beside each other, and what became of the gates."""
    reading = reads.allowed(scope, number)
    run = reading.run
    figure, baseline = _figure(request, reading)
    context = {
        "scope": scope,
        "run": run,
        "may_publish": scope.may(permissions.CURATORS),
        "form": BaselineFilter(request.GET, runs=list(reads.baselines(run)[:100])),
        "baseline": baseline,
        "moving": run.state in MOVING,
        "here": request.get_full_path(),
        "said": suite_parts.said_by_judges(run) if run.config.get("only") else [],
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
    run = reads.allowed(scope, number).run
    wanted = _wanted(request, rater)
    down = request.GET.get("order", "") != "up"
    metric = suite_parts.named(run, rater)
    page = suite_parts.page(run, wanted, after=request.GET.get("after", ""), down=down)
    context = {
        "scope": scope,
        "run": run,
        "metric": metric,
        "may_publish": scope.may(permissions.CURATORS),
        "name": wanted.name,
        "narrowed": suite_parts.words(wanted),
        "parts": page.rows,
        "looked_at": page.looked_at,
        "down": down,
        "only": wanted.only,
        "turned": _turned(request, down=down),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/runs/suite_parts.html", context)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_figures(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send every figure of the results as CSV; while they are computed, go to the page that waits."""
    reading = reads.allowed(scope, number)
    board = _ready(request, reading)
    if board is None:
        return _page(request, scope, number)
    export = run_exporting.export_lines(
        reading=reading,
        form=banner.named("figures.csv", banner.of_run(reading.run)),
        lines=suite_board.csv_lines(board),
        now=timezone.now(),
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_svg(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send one metric as a drawing: how its values lie, or with ?plot=turns how they go turn by turn."""
    reading = reads.allowed(scope, number)
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
        content_type=exporting.SVG,
    )
    return stream(export)


@require_GET
@door(permissions.UNBLINDED)
def run_suite_file(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Send every value of every part: as CSV, as JSON Lines, or as one SQLite file."""
    reading = reads.allowed(scope, number)
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
    baseline = reads.baseline(run, request.GET.get("baseline", ""))
    params = {"baseline": baseline.number} if baseline else {}
    figure = figures.of_run(
        name=reads.FIGURE, run=run, params=params, now=timezone.now(), version=reads.version(run)
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
        "bars": pictures.picture(lambda narrow: suite_pictures.distribution(one, narrow)),
        "turns": pictures.picture(lambda narrow: suite_pictures.turns(one, narrow)),
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
