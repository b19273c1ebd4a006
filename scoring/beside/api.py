"""Shapes of judges beside people as the API says them; a row has the columns of its table.

* Query parameters that several routes of results take, by what reads them.
* Judges beside people for programs: JSON, CSV and SVG; every field is a column of a table.
* Judges with each other, judges together, fewer human grades, and disagreements, for programs.
"""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite import errors
from evalsite.contract.calls import AFTER, Query, choice, contract, get, whole
from evalsite.contract.shapes import FILE, With, answer, at, maybe, one_of, said, shape
from evalsite.web import keyset
from scoring.beside import asked
from scoring.beside import sheets as sheets_of_judges
from scoring.beside.options import EPSILONS, ToCompare
from scoring.beside.pages import send
from scoring.beside.pictures import Gaps
from scoring.beside.records import DrawnFrom, JudgeGap
from scoring.figures import api as figures
from scoring.figures import typed
from scoring.figures.api import JUDGES, MIXES
from scoring.figures.models import Figure
from scoring.results.api import NothingThere
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingDrawn

HEAD = {
    "state": one_of("ready"),
    "as_of": maybe(datetime),
    "rounds": [int],
    "raters": [str],
    "note": str,
    "names_shown": bool,
}
COUNTS = {str: int}
NUMBER = maybe(float)
ALTERNATIVE = shape(
    "AlternativeTest",
    passes=maybe(bool),
    winning_rate=said(NUMBER, "The share of people that it may stand in for."),
    advantage=NUMBER,
    epsilon=NUMBER,
    nearness=one_of(*asked.NEARNESS),
    test=one_of(*asked.TESTS),
    method=str,
    n_people=int,
    n_tested=int,
    reason=maybe(str),
)
CONFUSION = shape("JudgeConfusion", levels=[float], table=[[int]], rounded=bool)
#: What is no table of one judge.
OWN = shape(
    "",
    criterion=str,
    own_criterion=at("own", maybe(str)),
    coefficient=str,
    n=int,
    without_score=at("n_failed", int),
    alternative=said(maybe(ALTERNATIVE), "Whether the judge may stand in for a person."),
    confusion=said(
        maybe(CONFUSION),
        "Every mark of a person, a row each level, beside the judge's, a column each.",
    ),
    pairs_within_questions=at(
        "pairwise",
        {str: shape("PairwiseAgreement", value=NUMBER, low=NUMBER, high=NUMBER, n_pairs=int)},
    ),
    pairs_of_systems=at("over_systems", shape("SystemPairs", value=NUMBER, n_pairs=int)),
    soft_pairwise_accuracy=at("soft.value", NUMBER),
)
BESIDE_PEOPLE = shape(
    "JudgesBesidePeople", **HEAD, level=str, counts=COUNTS, **sheets_of_judges.shapes("judges")
)
ONE_BESIDE_PEOPLE = shape(
    "JudgeBesidePeople", **HEAD, **OWN.fields, **sheets_of_judges.shapes("judge")
)
PAIRS = shape(
    "JudgePairs",
    **HEAD,
    level=str,
    coefficient=str,
    criterion=str,
    counts=COUNTS,
    **sheets_of_judges.shapes("judge_pairs"),
)
TOGETHER = shape(
    "JudgesTogether",
    **HEAD,
    level=str,
    counts=COUNTS,
    open_ranges=str,
    alignment=said({str: [str]}, "The judges of LLMSel, by criterion."),
    left_out=said({str: {str: str}}, "Why a judge is left out, by criterion and judge."),
    **sheets_of_judges.shapes("judge_mixes"),
)
FEWER = shape(
    "FewerGrades",
    **HEAD,
    criterion=str,
    counts=COUNTS,
    judge=str,
    scale=[float],
    drawn_from=maybe(typed.shape(DrawnFrom)),
    confidence=NUMBER,
    method=str,
    **sheets_of_judges.shapes("powered"),
)
APART_SHAPE = shape(
    "JudgeApart",
    **HEAD,
    criterion=str,
    systems=[str],
    n=int,
    of=int,
    results=[typed.row(JudgeGap)],
    next=said(maybe(str), "The query of the next page; null on the last one."),
)


APART = (
    whole("system", "Its place in `systems`, from 1."),
    choice("direction", asked.DIRECTIONS, "Where the judge is so; both by default."),
    choice("least", asked.LEAST_GAPS, "How far apart at least."),
    AFTER,
)
STANDING_IN = (
    choice("kind", tuple(asked.EPSILONS), "Who the people are: the usual ε is theirs; experts."),
    choice("epsilon", EPSILONS, "ε of the test whether the judge may stand in."),
    choice("nearness", asked.NEARNESS, "How near a mark is to the others’: by distance, or equal."),
    choice("test", asked.TESTS, "Clustered by question, or over responses as published."),
)
ANY_OF_JUDGES = (*JUDGES, *STANDING_IN, *MIXES, *APART)


def kinds_of_judges(
    name: str,
    kinds: "Mapping[str, sheets_of_judges.FigureTable] | Mapping[str, sheets_of_judges.Plot]",
) -> Query:
    """Return the part of an address that names a table or a plot of judges, with those there are."""
    of_one = [key for key, one in kinds.items() if one.figure in asked.OF_ONE]
    others = [key for key in kinds if key not in of_one]
    text = f"With a judge in the address: {', '.join(of_one)}. Without: {', '.join(others)}."
    return choice(name, tuple(kinds), text)


class NothingToCompare(errors.Conflict): ...


@contract(
    get(
        With("judge", ONE_BESIDE_PEOPLE, BESIDE_PEOPLE),
        query=[*figures.JUDGES, *STANDING_IN],
        figure=True,
    )
)
@door(permissions.UNBLINDED)
def judges(request: HttpRequest, scope: Scope, judge: int | None = None) -> Response:
    """Return every judge beside people, or one of them; 202 while it is computed.

    The address chooses as that of the page: round, judge, raters, level, coefficient, criterion.
    """
    name = "judges" if judge is None else "judge"
    found = figure_of(request, scope, name, judge)
    return found if isinstance(found, Response) else _told(name, *found)


@contract(
    get(
        FILE,
        query=ANY_OF_JUDGES,
        figure=True,
        parts=[kinds_of_judges("table", sheets_of_judges.TABLES)],
    )
)
@door(permissions.UNBLINDED)
def sheet(
    request: HttpRequest, scope: Scope, table: str, judge: int | None = None
) -> HttpResponseBase:
    """Stream a table as CSV; 202 while its figure is computed."""
    kind = sheets_of_judges.TABLES.get(table)
    if kind is None or (kind.figure in asked.OF_ONE) != (judge is not None):
        raise Http404
    found = figure_of(request, scope, kind.figure, judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    return send(options, f"{table}.csv", kind.make(figure.data, options).lines())


@contract(
    get(
        FILE,
        query=ANY_OF_JUDGES,
        figure=True,
        parts=[kinds_of_judges("plot", sheets_of_judges.PLOTS)],
    )
)
@door(permissions.UNBLINDED)
def picture(
    request: HttpRequest, scope: Scope, plot: str, judge: int | None = None
) -> HttpResponseBase:
    """Send a plot as SVG; 202 while its figure is computed."""
    kind = sheets_of_judges.PLOTS.get(plot)
    if kind is None or (kind.figure in asked.OF_ONE) != (judge is not None):
        raise Http404
    found = figure_of(request, scope, kind.figure, judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    try:
        drawn = kind.make(figure.data, options)
    except NothingDrawn:
        said = _("There is nothing to draw yet; the JSON of the figure says why.")
        raise NothingThere(said) from None
    return send(options, f"{plot}.svg", iter([drawn]), shown_sheet.SVG)


def figure_of(
    request: HttpRequest, scope: Scope, name: str, judge: int | None = None
) -> tuple[Figure, ToCompare] | Response:
    """Return a figure that is ready and what it was asked for; 202 while it is computed.

    Raises:
        NothingToCompare: nothing here was both graded and scored.
        BadChoice: something that the address names is not there, or cannot be compared.
    """
    options = asked.options(name, scope, request.GET, judge)
    if options.choice is None:
        raise NothingToCompare(_("Nothing here was both graded by people and scored by machines."))
    params = asked.params(name, options.choice)
    found = figures.figure(request, name, options.round, params, now=timezone.now())
    return found if isinstance(found, Response) else (found, options)


def head(figure: Figure, options: ToCompare) -> dict[str, Any]:
    """Return of which ratings a figure tells."""
    choice = options.choice
    assert choice is not None
    return {
        "state": "ready",
        "as_of": figure.ready_at,
        "rounds": list(choice.rounds),
        "raters": list(choice.raters),
        "note": asked.of_judges(choice.judges, [one.round for one in options.chosen]),
        "names_shown": all(one.shown for one in options.chosen),
    }


@contract(get(PAIRS, query=figures.JUDGES, figure=True))
@door(permissions.UNBLINDED)
def pairs(request: HttpRequest, scope: Scope) -> Response:
    """Return how every two judges correlate, and which agrees better with people; 202 meanwhile."""
    found = figure_of(request, scope, "judge_pairs")
    return found if isinstance(found, Response) else _told("judge_pairs", *found)


@contract(get(TOGETHER, query=[*figures.JUDGES, *figures.MIXES], figure=True))
@door(permissions.UNBLINDED)
def together(request: HttpRequest, scope: Scope) -> Response:
    """Return AVG, the median, LLMSel and CorrW beside each judge, with their weights; 202 meanwhile.

    `align.CRITERION=JUDGE`, repeatable, names the judges of LLMSel; `open=data` takes open ranges
    from the scores.
    """
    found = figure_of(request, scope, "judge_mixes")
    if isinstance(found, Response):
        return found
    together, name = judge_view("judge_mixes", *found), found[1].name
    more = {
        "open_ranges": "from the scores" if together.data.by_data else "left out",
        "alignment": {part.name: [name(one) for one in part.ticked] for part in together.parts},
        "left_out": {part.name: dict(part.left_out) for part in together.parts},
    }
    return _told("judge_mixes", *found, more)


@contract(get(FEWER, query=figures.JUDGES, figure=True))
@door(permissions.UNBLINDED)
def fewer(request: HttpRequest, scope: Scope) -> Response:
    """Return the means of people with a judge's help and without, by system; 202 meanwhile."""
    found = figure_of(request, scope, "powered")
    if isinstance(found, Response):
        return found
    data = judge_view("powered", *found).data
    more = {
        "judge": found[1].name(data.judge),
        "scale": data.scale,
        "drawn_from": data.drawn_from and answer(typed.shape(DrawnFrom), data.drawn_from),
        "confidence": next((row.means.confidence for row in data.rows), None),
        "method": data.method,
    }
    return _told("powered", *found, more)


@contract(get(APART_SHAPE, query=[*figures.JUDGES, *APART], figure=True))
@door(permissions.UNBLINDED)
def apart(request: HttpRequest, scope: Scope, judge: int) -> Response:
    """Return the responses on which a judge and people lie apart, a page at a time; 202 meanwhile.

    `system` (its place in `systems`, from 1), `direction`, `least` and `after` narrow and turn it.
    """
    found = figure_of(request, scope, "judge_apart", judge)
    if isinstance(found, Response):
        return found
    figure, options = found
    gaps = Gaps(figure.data, options)
    page = gaps.page()
    more = {
        "criterion": gaps.data.criterion,
        "systems": [name for _place, name in gaps.systems],
        "n": len(gaps.fitting),
        "of": gaps.data.of,
        "results": list(typed.rows("apart", JudgeGap, page.rows, "").records()),
        "next": keyset.next_url(request.GET, page),
    }
    return Response(head(figure, options) | more)


def judge_view(name: str, figure: Figure, options: ToCompare) -> Any:
    """Return a figure as whoever is shown it reads it."""
    return sheets_of_judges.VIEWS[name](figure.data, options)


def _told(
    name: str, figure: Figure, options: ToCompare, more: dict[str, Any] | None = None
) -> Response:
    """Answer with what a figure is of, how much was compared, and all its tables: rows by column."""
    view = judge_view(name, figure, options)
    if name == "judge":
        known = answer(OWN, view.data)
    else:
        own = ("level", "coefficient", "criterion")
        known = {key: getattr(view.data, key) for key in own if hasattr(view.data, key)}
        known["counts"] = asdict(view.data.facts)
    made = {
        key: list(kind.of(view).records())
        for key, kind in sheets_of_judges.TABLES.items()
        if kind.figure == name
    }
    return Response(head(figure, options) | known | (more or {}) | made)
