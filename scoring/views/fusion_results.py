"""What a run of Fusion-Eval came to, as a page and as a file."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors
from scoring.models import Figure
from scoring.operations import figures, run_exporting
from scoring.queries import (
    fusion_people,
    fusion_results,
    judge_asked,
    judge_board,
    judge_matrix,
    judge_options,
    run_reading,
)
from scoring.queries.fusion_results import Board
from scoring.queries.judge_options import Options
from scoring.views import waiting
from scoring.views.files import stream

PAGE = "scoring/fusion/results.html"


@require_GET
@door(permissions.UNBLINDED)
def run_fusion(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show what each judge of a run scored and took, beside people, and how far it goes with assistants."""
    try:
        reading = fusion_results.allowed(scope, number)
        board = fusion_results.board(reading)
    except errors.Refusal as refusal:
        context = {"scope": scope, "run": run_reading.of(scope, number).run, "refusal": refusal}
        return render(request, "scoring/runs/closed.html", context, status=refusal.status)
    context = {
        "scope": scope,
        "run": reading.run,
        "board": board,
        "levels": judge_options.LEVEL_NAMES.items(),
        "coefficients": judge_options.COEFFICIENT_NAMES.items(),
    }
    query, options, problem = _beside(request, scope, board)
    context |= {"options": options, "problem": problem, "has_people": options is not None}
    wanted = _figures(board, query, options)
    if wait := waiting.answer(request, list(wanted.values()), context, page=PAGE):
        return wait
    context |= {"ready": True, **_made(board, wanted, options)}
    return render(request, PAGE, context)


@require_GET
@door(permissions.UNBLINDED)
def run_fusion_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Send the means of every judge and release as CSV."""
    try:
        reading = fusion_results.allowed(scope, number)
        board = fusion_results.board(reading)
    except errors.Refusal:
        return redirect("run_fusion", scope.project.slug, number)  # that page says why
    export = run_exporting.export_lines(
        reading=reading,
        form="fusion.csv",
        lines=fusion_results.csv_lines(board),
        now=timezone.now(),
    )
    return stream(export)


def _beside(
    request: HttpRequest, scope: Scope, board: Board
) -> tuple[QueryDict, Options | None, str]:
    """Return what the judges are set beside; where the address cannot be used, the usual and why."""
    problem = ""
    query = fusion_people.query_of(scope, board, request.GET)
    if query is None:
        return QueryDict(), None, ""
    try:
        options = fusion_people.options(scope, query)
    except errors.Refusal as refusal:
        problem = refusal.message
        query = fusion_people.query_of(scope, board, QueryDict())
        if query is None:
            return QueryDict(), None, problem
        options = fusion_people.options(scope, query)
    if options.choice is None:
        return query, None, problem
    wished = fusion_people.preferred(board, options)
    if "criterion" not in query and wished not in {"", options.choice.criterion}:
        query["criterion"] = wished
        options = fusion_people.options(scope, query)
    return query, options, problem


def _figures(board: Board, query: QueryDict, options: Options | None) -> dict[str, Figure]:
    """Return the figures of the page: reliance on assistants, all judges, and tests between the run's."""
    now = timezone.now()
    made: dict[str, Figure] = {}
    if board.content.helpers and fusion_results.n_judged(board.reading.run):
        level = "pooled" if options is None or options.choice is None else options.choice.level
        made["reliance"] = figures.of_run(
            name=fusion_results.FIGURE,
            run=board.reading.run,
            params={"level": level},
            now=now,
            version=f", {fusion_results.n_judged(board.reading.run)} scores",
        )
    if options is None or options.choice is None:
        return made
    params = judge_asked.params("judges", options.choice)
    made["judges"] = figures.get(name="judges", round_=options.round, params=params, now=now)
    if len(board.raters) > 1:
        alone = fusion_people.options(board.reading.scope, fusion_people.among(query, board.raters))
        assert alone.choice is not None
        params = judge_asked.params("judge_pairs", alone.choice)
        made["tests"] = figures.get(name="judge_pairs", round_=alone.round, params=params, now=now)
    return made


def _made(board: Board, found: dict[str, Figure], options: Options | None) -> dict[str, Any]:
    """Return what the template is given of the figures that are there."""
    made: dict[str, Any] = {}
    choice = None if options is None else options.choice
    if "reliance" in found:
        coefficient = fusion_people.COEFFICIENT if choice is None else choice.coefficient
        made["reliance"] = fusion_people.Reliance(found["reliance"].data or {}, board, coefficient)
    if options is not None and "judges" in found:
        people = judge_board.Board(found["judges"].data or {}, options)
        rows = fusion_people.layout(board, people)
        why = fusion_people.undefined(rows, people.criterion_names)
        made |= {"people": people, "layout": rows, "undefined": why}
        made["together"] = fusion_people.together(board, options)
    if options is not None and "tests" in found:
        matrix = judge_matrix.Matrix(found["tests"].data or {}, options)
        made |= {"matrix": matrix, "tests": fusion_people.tests(board, matrix)}
    return made
