"""The scores of a round: the page, its breakdown, and the grades behind a cell."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import errors, keyset
from scoring.models import Figure
from scoring.operations import figures
from scoring.queries import breakdown, cut, facts, graded, plots, reading, results
from scoring.queries.cut import Cut
from scoring.queries.reading import Reading
from scoring.queries.selection import FACETS
from scoring.queries.tabs import tabs
from scoring.queries.weights import PREFIX
from scoring.views import waiting

FIGURES = ("score", "accuracy")
BREAKDOWN = "results_breakdown"
#: In the address of a cell: that it stands in the breakdown.
FROM = f"{graded.PREFIX}breakdown"


def _closed(request: HttpRequest, mine: Reading, context: dict[str, Any]) -> HttpResponse | None:
    """Return why somebody may not read these results; None if they may."""
    try:
        reading.allowed(mine.scope, mine.round.number)
    except errors.Refusal as refusal:
        context["refusal"] = refusal
        status = 200 if mine.is_draft else refusal.status
        return render(request, "scoring/results_closed.html", context, status=status)
    return None


def _context(scope: Scope, mine: Reading, tab: str) -> dict[str, Any]:
    return {
        "scope": scope,
        "round": mine.round,
        "reading": mine,
        "tabs": tabs(scope.project, mine.round, tab),
    }


def _chosen(
    request: HttpRequest, mine: Reading, tab: str, context: dict[str, Any]
) -> tuple[Cut, HttpResponse | None]:
    """Return the cut in the address; with a redirect where the same cut has a shorter one."""
    query = dict(request.GET.lists())
    chosen = cut.lenient(mine, query)
    asked = [(name, text) for name, texts in query.items() for text in texts]
    others = [pair for pair in asked if not _is_ours(pair[0])]
    own = [pair for pair in asked if _is_ours(pair[0])]
    if not chosen.problem and sorted(own) != sorted(chosen.pairs):
        shorter = urlencode([*chosen.pairs, *others])
        return chosen, redirect(f"{request.path}?{shorter}" if shorter else request.path)
    context |= {
        "cut": chosen,
        "others": others,
        "others_query": urlencode(others),
        "tabs": tabs(mine.scope.project, mine.round, tab, query=chosen.query),
        "drill": _drill(mine, chosen, others, tab),
    }
    return chosen, None


def _is_ours(name: str) -> bool:
    return name in FACETS or name.startswith(PREFIX)


def _drill(mine: Reading, chosen: Cut, others: list[tuple[str, str]], tab: str) -> str:
    """Return the beginning of the address of a cell's grades; the cell comes behind it."""
    url = reverse("results_items", args=[mine.scope.project.slug, mine.round.number])
    kept = urlencode([*chosen.pairs, *others, *([(FROM, "1")] if tab == BREAKDOWN else [])])
    return f"{url}?{kept}&" if kept else f"{url}?"


@require_GET
@door(permissions.UNBLINDED)
def round_results(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show the results of a round, or how far they are; a page that waits asks again by itself."""
    mine = reading.of(scope, number)
    context = _context(scope, mine, "results")
    if closed := _closed(request, mine, context):
        return closed
    chosen, shorter = _chosen(request, mine, "results", context)
    if shorter:
        return shorter
    figure = figures.get(
        name=results.FIGURE, round_=mine.round, params=chosen.params, now=timezone.now()
    )
    if wait := waiting.answer(request, [figure], context, page="scoring/scores_wait.html"):
        return wait
    context |= {"figure": figure, **content(chosen, figure.data or {})}
    return render(request, "scoring/results.html", context)


def content(chosen: Cut, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of a figure that is ready."""
    result = chosen.result(data)
    plot = result.plot
    return {
        "result": result,
        "facts": facts.facts(result),
        "plot": plots.named(plot, result.names, result.title) if plot else None,
        "plot_config": plots.CONFIG,
        "scores": result.table("score", criteria=True),
        "accuracy": result.table("accuracy", criteria=False),
    }


@require_GET
@door(permissions.UNBLINDED)
def breakdown_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show scores or accuracies by capability, difficulty and area, with group rows."""
    mine = reading.of(scope, number)
    context = _context(scope, mine, BREAKDOWN)
    if closed := _closed(request, mine, context):
        return closed
    chosen, shorter = _chosen(request, mine, BREAKDOWN, context)
    if shorter:
        return shorter
    figure = figures.get(
        name=breakdown.FIGURE,
        round_=mine.round,
        params=breakdown.params(chosen),
        now=timezone.now(),
    )
    if wait := waiting.answer(request, [figure], context, page="scoring/scores_wait.html"):
        return wait
    context |= {"figure": figure, **_parts(request, chosen, figure)}
    return render(request, "scoring/results_breakdown.html", context)


def _parts(request: HttpRequest, chosen: Cut, figure: Figure) -> dict[str, Any]:
    wanted = request.GET.get("figure", "")
    kind = wanted if wanted in FIGURES else FIGURES[0]
    table = breakdown.Breakdown(figure.data or {}, chosen)
    places = chosen.selection.ground.places()
    of = breakdown.chosen_release(request.GET.get("of", ""), table.names, places)
    numbers = {pk: place for place, pk in places.items()}
    return {
        "breakdown": table,
        "kind": kind,
        "of": of,
        "systems": [(numbers[name.release], name) for name in table.names],
        "lines": table.lines(kind),
        "cross": table.cross(kind, of.release) if of and table.has_cross else [],
    }


@require_GET
@door(permissions.UNBLINDED)
def items_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """List the items behind a cell, each with all grades, reasons and times."""
    mine = reading.of(scope, number)
    context = _context(scope, mine, "results")
    if closed := _closed(request, mine, context):
        return closed
    chosen = cut.lenient(mine, dict(request.GET.lists()))
    problem = chosen.problem
    try:
        cell = graded.cell(chosen, dict(request.GET.lists()))
    except graded.BadCell as refusal:
        cell, problem = graded.cell(chosen, {}), refusal.message
    page = graded.page(cell, after=request.GET.get("after", ""))
    n = graded.items(cell).count()
    context |= {
        "cut": chosen,
        "cell": cell,
        "problem": problem,
        "n": n,
        "count_text": ngettext("%(n)d question", "%(n)d questions", n) % {"n": n},
        "lines": graded.lines(cell, page.rows, with_people=scope.may(permissions.CURATORS)),
        "back": _back(request, scope, number),
        "csv_query": urlencode([*chosen.pairs, *cell.pairs]),
        "next_url": keyset.next_url(request.GET, page),
        "first_url": keyset.first_url(request.GET, page),
    }
    return render(request, "scoring/results_items.html", context)


def _back(request: HttpRequest, scope: Scope, number: int) -> str:
    """Return the page that the cell stands on, as it was: without the cell."""
    kept = request.GET.copy()
    name = BREAKDOWN if FROM in kept else "results"
    for key in list(kept):
        if key.startswith(graded.PREFIX) or key == "after":
            del kept[key]
    url = reverse(name, args=[scope.project.slug, number])
    return f"{url}?{kept.urlencode()}" if kept else url
