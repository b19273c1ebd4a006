"""Judges beside people: all of them in one table, and one of them from every side."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from annotation.queries import items
from evalsite import errors
from scoring.operations import figures
from scoring.queries import (
    banner,
    judge_asked,
    judge_board,
    judge_options,
    judge_pictures,
    pictures,
    run_flags,
)
from scoring.queries.judge_choice import Choice
from scoring.queries.judge_options import Options
from scoring.views import waiting

Make = Callable[[Options, Mapping[str, Any]], Mapping[str, Any]]
MOST_APART = 10


@require_GET
@door(permissions.UNBLINDED)
def judges_people(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every judge beside the people who graded the same responses."""

    def make(options: Options, data: Mapping[str, Any]) -> Mapping[str, Any]:
        board = judge_board.Board(data, options)
        draw = pictures.picture(lambda narrow: judge_pictures.judges(board, narrow))
        return {"board": board, "picture": draw}

    options, problem = options_of("judges", scope, request.GET)
    return show(request, scope, options, problem, "judges", "judges_people", {}, make)


@require_GET
@door(permissions.UNBLINDED)
def judge_people(request: HttpRequest, scope: Scope, judge: int) -> HttpResponse:
    """Show one judge beside people on one criterion: how near, where not, and what sways it."""
    options, problem = options_of("judge", scope, request.GET, judge)

    def make(options: Options, data: Mapping[str, Any]) -> Mapping[str, Any]:
        detail = judge_board.Detail(data, options)
        return {
            "detail": detail,
            "apart": detail.apart(MOST_APART),
            "cloud": pictures.picture(lambda narrow: judge_pictures.cloud(detail, narrow)),
            "parts": pictures.picture(lambda _narrow: judge_pictures.parts(detail, True)),
        }

    kept = [(key, value) for key, value in request.GET.items() if key.startswith("map.")]
    flagged, flagged_runs = run_flags.of_judge(judge)
    extra = {
        "judge": judge,
        "judge_name": options.name(judge),
        "kept": kept,
        "flagged": flagged,
        "flagged_runs": flagged_runs,
    }
    return show(request, scope, options, problem, "judge", "judge_people", extra, make)


def options_of(
    name: str, scope: Scope, query: QueryDict, judge: int | None = None
) -> tuple[Options, str]:
    """Return what is chosen; where it cannot be used, the usual choice and why.

    Raises:
        Http404: there is no such judge.
    """
    try:
        return judge_asked.options(name, scope, query, judge), ""
    except errors.Refusal as refusal:
        usual = judge_asked.options(name, scope, QueryDict(mutable=True), judge)
        return usual, refusal.message


def show(
    request: HttpRequest,
    scope: Scope,
    options: Options,
    problem: str,
    name: str,
    page: str,
    extra: Mapping[str, Any],
    make: Make,
) -> HttpResponse:
    if anew := judge_asked.of_another_round(request.GET):
        return redirect(f"{request.path}?{anew.urlencode()}")
    context: dict[str, Any] = {
        "scope": scope,
        "options": options,
        "choice": options.choice,
        "problem": problem,
        "levels": judge_options.LEVEL_NAMES.items(),
        "coefficients": judge_options.COEFFICIENT_NAMES.items(),
        "signs": judge_options.SIGNS.values(),
        "query": request.GET.urlencode(),
        "may_import": scope.may(permissions.CURATORS),
        "has_answers": options.choice is not None or items.has_answers(scope.project),
        "is_scripted": banner.of_judges(
            options.choice.judges if options.choice else (),
            [one.round for one in options.chosen] if options.choice else (),
        ),
        **extra,
    }
    if options.choice is None:
        return render(request, f"scoring/{page}.html", context)
    params = judge_asked.params(name, options.choice)
    figure = figures.get(name=name, round_=options.round, params=params, now=timezone.now())
    context["round"] = options.round
    here = chosen_address(request, options.choice)
    if wait := waiting.answer(request, [figure], context, page=f"scoring/{page}.html", here=here):
        return wait
    context["ready"] = figure
    context |= make(options, figure.data or {})
    return render(request, f"scoring/{page}.html", context)


def chosen_address(request: HttpRequest, choice: Choice) -> str:
    """Return the address of a page that names its rounds: choosing them again might find others."""
    query = request.GET.copy()
    query.setlist("round", [str(number) for number in choice.rounds])
    return f"{request.path}?{query.urlencode()}"
