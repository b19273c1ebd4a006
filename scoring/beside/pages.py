"""Judges beside people: all of them in one table, and one of them from every side.

* Look through the responses on which one judge and people lie apart.
* Fewer human grades: a random sample of them, and a judge's scores of everything.
* Judge against judge: how alike they are, and which of two agrees better with people.
* Several judges made into one, beside each of them and people.
* Tables and plots of judges beside people as files.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.people import permissions
from annotation.people.permissions import Scope, shows
from annotation.systems import queries as items
from evalsite import errors
from evalsite.web import keyset
from scoring.beside import asked, verdicts
from scoring.beside import fewer as judge_fewer
from scoring.beside import mixing as judge_together
from scoring.beside import options as judge_options
from scoring.beside import pictures as judge_pictures
from scoring.beside import sheets as sheets_of_judges
from scoring.beside.board import Detail, JudgeBoard, JudgeMatrix
from scoring.beside.fewer import Fewer
from scoring.beside.mixing import MixPage
from scoring.beside.options import BesideChoice, ToCompare
from scoring.beside.pictures import Gaps
from scoring.engine import progress as run_flags
from scoring.engine.models import Run
from scoring.figures import operations as figures
from scoring.figures import pages as waiting
from scoring.figures.models import Figure
from scoring.kinds.judging import queries as machines
from scoring.results import exports as exporting
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingDrawn

Make = Callable[[Any], Mapping[str, Any]]


@shows(permissions.UNBLINDED)
def judges_people(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every judge beside the people who graded the same responses."""

    def make(board: JudgeBoard) -> Mapping[str, Any]:
        ranked = verdicts.ranked(board, request.GET.get("sort", ""))
        return {
            "board": board,
            "title": verdicts.title_of_all(board),
            "ruler": judge_pictures.judges(board).ruler,
            "ranked": ranked,
            "costs_known": any(one.cost is not None for one in ranked),
            "sorts": verdicts.sorts(request.GET),
        }

    options, problem = options_of("judges", scope, request.GET)
    return show(request, scope, options, problem, "judges", "judges_people", {}, make)


@shows(permissions.UNBLINDED)
def judge_people(request: HttpRequest, scope: Scope, judge: int) -> HttpResponse:
    """Show one judge beside people on one criterion: how near, where not, and what sways it."""
    options, problem = options_of("judge", scope, request.GET, judge)

    def make(detail: Detail) -> Mapping[str, Any]:
        apart = reverse("judge_apart", args=[scope.project.slug, judge])
        query = request.GET.urlencode()
        address = f"{apart}?{query}&" if query else f"{apart}?"
        parts, biases = judge_pictures.parts(detail), judge_pictures.biases(detail)
        return {
            "detail": detail,
            "title": verdicts.title(detail, options.name(judge)),
            "subtitle": verdicts.subtitle(detail),
            "ceiling": judge_pictures.ceiling(detail),
            "parts": list(zip(detail.parts, parts.drawings, strict=True)),
            "parts_ruler": parts.ruler,
            "biases": list(zip(detail.bias, biases.drawings, strict=True)),
            "biases_ruler": biases.ruler,
            "cases": verdicts.cases(
                options, detail.data.apart[: verdicts.WORST], detail.data.criterion
            ),
            "cloud": judge_pictures.shown(detail, address),
        }

    kept = [(key, value) for key, value in request.GET.items() if key.startswith("map.")]
    flagged, flagged_runs = run_flags.of_judge(judge)
    extra = {
        "judge": judge,
        "judge_name": options.name(judge),
        "kept": kept,
        "flagged": flagged,
        "flagged_runs": flagged_runs,
        "tuning": machines.tuning_of(judge),
        "standing_in": [
            (
                label,
                field,
                [(key, text, key == options.filters.get(field)) for key, text in choices],
            )
            for label, field, choices in judge_options.STANDING_IN
        ],
    }
    return show(request, scope, options, problem, "judge", "judge_people", extra, make)


def options_of(
    name: str, scope: Scope, query: QueryDict, judge: int | None = None
) -> tuple[ToCompare, str]:
    """Return what is chosen; where it cannot be used, the usual choice and why.

    Raises:
        Http404: there is no such judge.
    """
    try:
        return asked.options(name, scope, query, judge), ""
    except errors.Refusal as refusal:
        usual = asked.options(name, scope, QueryDict(mutable=True), judge)
        return usual, refusal.message


def show(
    request: HttpRequest,
    scope: Scope,
    options: ToCompare,
    problem: str,
    name: str,
    page: str,
    extra: Mapping[str, Any],
    make: Make,
) -> HttpResponse:
    if anew := asked.of_another_round(request.GET):
        return redirect(f"{request.path}?{anew.urlencode()}")
    context: dict[str, Any] = {
        "options": options,
        "choice": options.choice,
        "problem": problem,
        "levels": judge_options.LEVEL_NAMES.items(),
        "coefficients": judge_options.COEFFICIENT_NAMES.items(),
        "signs": judge_options.SIGNS.values(),
        "query": request.GET.urlencode(),
        "may_import": scope.may(permissions.CURATORS),
        "has_answers": options.choice is not None or items.has_answers(scope.project),
        "is_scripted": asked.of_judges(
            options.choice.judges if options.choice else (),
            [one.round for one in options.chosen] if options.choice else (),
        ),
        **extra,
    }
    context |= _of_pairs(options)
    if options.choice is None or context["of_pairs"]:
        return render(request, f"scoring/beside/{page}.html", context)
    params = asked.params(name, options.choice)
    figure = figures.get(name=name, round_=options.round, params=params, now=timezone.now())
    context["round"] = options.round
    here = chosen_address(request, options.choice)
    if wait := waiting.answer(
        request, [figure], context, page=f"scoring/beside/{page}.html", here=here
    ):
        return wait
    context["ready"] = figure
    context |= make(sheets_of_judges.VIEWS[name](figure.data, options))
    return render(request, f"scoring/beside/{page}.html", context)


def _of_pairs(options: ToCompare) -> Mapping[str, Any]:
    """Return whether only rounds of pairs are chosen, which no score stands beside; and who judged them."""
    chosen = [] if options.choice is None else [one.round for one in options.chosen]
    if not chosen or not all(one.of_pairs for one in chosen):
        return {"of_pairs": False}
    runs = Run.objects.filter(round__in=chosen, kind=Run.Kind.PAIRS)
    over = f"?over=round:{chosen[0].number}"
    return {"of_pairs": True, "judged": runs.order_by("number").last(), "over": over}


def chosen_address(request: HttpRequest, choice: BesideChoice) -> str:
    """Return the address of a page that names its rounds: choosing them again might find others."""
    query = request.GET.copy()
    query.setlist("round", [str(number) for number in choice.rounds])
    return f"{request.path}?{query.urlencode()}"


@shows(permissions.UNBLINDED)
def judge_apart(request: HttpRequest, scope: Scope, judge: int) -> HttpResponse:
    """List the responses that fit the filters in the address, those farthest apart first."""
    options, problem = options_of("judge_apart", scope, request.GET, judge)

    def make(gaps: Gaps) -> Mapping[str, Any]:
        page = gaps.page()
        alone = gaps.fitting[:1] if options.filters.get("response") else []
        return {
            "gaps": gaps,
            "cases": verdicts.cases(options, alone, gaps.data.criterion),
            "page": page,
            **keyset.links(request.GET, page),
        }

    kept = [(key, value) for key, value in request.GET.items() if key.startswith("map.")]
    extra = {
        "judge": judge,
        "judge_name": options.name(judge),
        "kept": kept,
        "filters": options.filters,
        "systems": judge_pictures.systems(judge_options.names(options)) if options.choice else [],
        "sizes": asked.LEAST_GAPS,
    }
    return show(request, scope, options, problem, "judge_apart", "judge_apart", extra, make)


@shows(permissions.UNBLINDED)
def judges_fewer(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show for every system what people would say on average, with a judge's help and without."""

    def make(fewer: Fewer) -> Mapping[str, Any]:
        drawn = judge_fewer.draw(fewer)
        lines = list(zip(fewer.lines, drawn.drawings, strict=True))
        return {"fewer": fewer, "lines": lines, "ruler": drawn.ruler}

    options, problem = options_of("powered", scope, request.GET)
    kept = [(key, value) for key, value in request.GET.items() if key.startswith("map.")]
    return show(request, scope, options, problem, "powered", "judges_fewer", {"kept": kept}, make)


#: So many pairs stand open; the others can be unfolded.
SHOWN = 30


@shows(permissions.UNBLINDED)
def judges_pairs(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show every two judges beside each other on one criterion."""

    def make(matrix: JudgeMatrix) -> Mapping[str, Any]:
        first, further = matrix.tests[:SHOWN], matrix.tests[SHOWN:]
        return {"matrix": matrix, "first": first, "further": further}

    options, problem = options_of("judge_pairs", scope, request.GET)
    return show(request, scope, options, problem, "judge_pairs", "judges_pairs", {}, make)


@shows(permissions.UNBLINDED)
def judges_together(request: HttpRequest, scope: Scope) -> HttpResponse:
    """Show AVG, the median, LLMSel and CorrW of the chosen judges beside people, and each judge alone."""

    def make(together: MixPage) -> Mapping[str, Any]:
        context: dict[str, Any] = {"together": together, "part": together.part}
        if together.part:
            drawn = judge_together.draw(together.part)
            context["lines"] = list(zip(together.part.lines, drawn.drawings, strict=True))
            context["ruler"] = drawn.ruler
        return context

    options, problem = options_of("judge_mixes", scope, request.GET)
    extra = {
        "ticks": judge_together.ticks(options),
        "by_data": options.choice is not None and options.choice.extra.get("by_data"),
    }
    return show(request, scope, options, problem, "judge_mixes", "judges_together", extra, make)


PAGES = {
    "judge_pairs": "judges_pairs",
    "judge_mixes": "judges_together",
    "powered": "judges_fewer",
    "judge": "judge_people",
    "judge_apart": "judge_apart",
}


@shows(permissions.UNBLINDED)
def judges_csv(
    request: HttpRequest, scope: Scope, table: str, judge: int | None = None
) -> HttpResponseBase:
    """Stream a table as CSV; while its figure is computed, go to the page that waits for it."""
    kind = sheets_of_judges.TABLES.get(table)
    if kind is None or (kind.figure in asked.OF_ONE) != (judge is not None):
        raise Http404
    found = _ready(request, scope, kind.figure, judge)
    if found is None:
        return redirect(_page(request, scope, kind.figure, judge))
    figure, options = found
    return send(options, f"{table}.csv", kind.make(figure.data, options).lines())


@shows(permissions.UNBLINDED)
def judges_svg(
    request: HttpRequest, scope: Scope, plot: str, judge: int | None = None
) -> HttpResponseBase:
    """Send a plot as SVG; while its figure is computed, go to the page that waits for it."""
    kind = sheets_of_judges.PLOTS.get(plot)
    if kind is None or (kind.figure in asked.OF_ONE) != (judge is not None):
        raise Http404
    found = _ready(request, scope, kind.figure, judge)
    if found is None:
        return redirect(_page(request, scope, kind.figure, judge))
    figure, options = found
    try:
        drawn = kind.make(figure.data, options)
    except NothingDrawn:
        return redirect(_page(request, scope, kind.figure, judge))
    return send(options, f"{plot}.svg", iter([drawn]), shown_sheet.SVG)


def _ready(
    request: HttpRequest, scope: Scope, name: str, judge: int | None
) -> tuple[Figure, ToCompare] | None:
    """Return the figure that an address asks for; None where its page has something to say first."""
    try:
        options = asked.options(name, scope, request.GET, judge)
    except errors.Refusal:
        return None
    if options.choice is None:
        return None
    params = asked.params(name, options.choice)
    figure = figures.get(name=name, round_=options.round, params=params, now=timezone.now())
    return (figure, options) if figure.state == Figure.State.READY else None


def _page(request: HttpRequest, scope: Scope, name: str, judge: int | None) -> str:
    found = [scope.project.slug] if judge is None else [scope.project.slug, judge]
    return waiting.like_this(request, PAGES.get(name, "judges_people"), *found)


def send(
    options: ToCompare, form: str, lines: Iterator[str], content_type: str = shown_sheet.CSV
) -> HttpResponseBase:
    judges = options.choice.judges if options.choice else ()
    form = banner.named(form, asked.of_judges(judges, [one.round for one in options.chosen]))
    return exporting.sent(options.chosen[0], form, lines, content_type)
