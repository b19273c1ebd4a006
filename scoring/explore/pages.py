"""Explore: any table of a round's results as a figure that its reader puts together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy

from annotation.people import permissions
from annotation.people.permissions import Scope, shows
from evalsite import errors
from scoring.explore import tables
from scoring.explore.tables import Explored, ExploreRows
from scoring.figures import labels
from scoring.figures import pages as waiting
from scoring.figures.labels import ReadRound
from scoring.results.facts import around

#: How many rows the page shows as a table; the figure holds more.
SHOWN = 100
KINDS = {
    "points": gettext_lazy("Points"),
    "mean": gettext_lazy("Bars of means"),
    "box": gettext_lazy("Boxes"),
    "histogram": gettext_lazy("Histogram of x"),
}
#: What colours are given by where a table has it, the first of them.
COLOURED = ("system", "judge", "annotator", "criterion")
#: What tells figures in one table apart, such as score and accuracy: one of them is drawn.
APART = ("figure", "coefficient")


@dataclass(frozen=True, slots=True)
class ExploreChoice:
    """What the figure shows: columns by what they are used for; "" for nothing."""

    kind: str
    x: str
    y: str
    colour: str
    facet: str
    where: str
    value: str


@shows(permissions.UNBLINDED)
def explore_page(request: HttpRequest, scope: Scope, number: int) -> HttpResponse:
    """Show a table of the results as a figure, or how far it is computed."""
    mine = labels.of_reading(scope, number)
    known = tables.titles_of(mine)
    name = request.GET.get("table") or next(iter(known))
    if name not in known:
        raise Http404
    titles = {"titles": known.items(), "table": name, "title": known[name]}
    context = around(mine, "results_explore") | titles
    if shut := waiting.closed(request, mine, context):
        return shut
    try:
        found = tables.explored(name, mine, dict(request.GET.lists()), timezone.now())
    except errors.Refusal as refusal:
        return render(request, "scoring/explore/explore.html", context | {"problem": str(refusal)})
    wanted = [found.figure] if found.figure else []
    if wait := waiting.answer(request, wanted, context, page="scoring/results/results_wait.html"):
        return wait
    return render(request, "scoring/explore/explore.html", context | _shown(request, mine, found))


def _shown(request: HttpRequest, mine: ReadRound, found: Explored) -> dict[str, Any]:
    rows = tables.rows_of(found.make(found.figure))
    choice = chosen(rows, request.GET.dict())
    return {
        "figure": found.figure,
        "rows": rows,
        "first": [[_cell(value) for value in row] for row in rows.rows[:SHOWN]],
        "choice": choice,
        "kinds": KINDS.items(),
        "data": {
            "columns": rows.columns,
            "numbers": rows.numbers,
            "rows": rows.rows,
            "whiskers": rows.whiskers,
            "looks": tables.looks(mine),
            "value": choice.value,
        },
    }


def _cell(value: Any) -> tuple[str, bool]:
    """Return a value as the table writes it, and whether it is a number."""
    if isinstance(value, float):
        return f"{value:.4g}", True
    return "" if value is None else str(value), isinstance(value, int)


def chosen(rows: ExploreRows, query: Mapping[str, str]) -> ExploreChoice:
    """Return what an address chooses; where it says nothing, or names no column, the usual."""

    def column(key: str, usual: str) -> str:
        found = query.get(key, usual)
        return found if found in rows.columns else usual if key not in query else ""

    numbers, words = rows.numbers, [name for name in rows.words if name not in APART]
    whiskers = list(rows.whiskers)
    colour = next((name for name in COLOURED if name in words), "")
    rest = [name for name in words if name != colour] or words
    first = next(iter(rest or numbers), "")
    number = next(iter([*(name for name in whiskers if name in numbers), *numbers]), "")
    kind = query.get("kind", "points")
    return ExploreChoice(
        kind=kind if kind in KINDS else "points",
        x=column("x", number) or number or first,
        y=column("y", first) or first,
        colour=column("colour", colour),
        facet=column("facet", ""),
        where=column("where", next((name for name in APART if name in rows.words), "")),
        value=query.get("value", ""),
    )
