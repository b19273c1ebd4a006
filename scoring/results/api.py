"""Grades of a round for programs.

* Query parameters that several routes of results take, by what reads them.
* Scores of a round by weights and filters of the caller: whole, by part, and the grades behind.
* Agreement, disputes, annotators and plan of a round for programs.
* Tables and plots of a round, and of a movement, for programs: CSV and SVG.
"""

from collections.abc import Iterator
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
from evalsite.contract.calls import AFTER, Query, choice, contract, get
from evalsite.contract.shapes import (
    ANYTHING,
    FILE,
    NEXT,
    answer,
    answers,
    at,
    maybe,
    one_of,
    or_null,
    said,
    shape,
)
from evalsite.web import keyset
from scoring.figures import api as asking
from scoring.figures import api as figures
from scoring.figures import labels, typed
from scoring.figures.api import CUT
from scoring.figures.labels import ReadRound
from scoring.figures.models import Figure
from scoring.figures.typed import KeyNames
from scoring.results import agreement as of_agreement
from scoring.results import asked, exports, graded
from scoring.results import cells as parts
from scoring.results import disputes as of_disputes
from scoring.results import model as of_model
from scoring.results import plan as of_plan
from scoring.results import queries as cut
from scoring.results import raters as of_raters
from scoring.results import shapes as figure_shapes
from scoring.results import sheets as sheets_of_scores
from scoring.results.agreement import AgreementFigure
from scoring.results.asked import AskedSettings, Cut, FigureSource
from scoring.results.cells import Breakdown
from scoring.results.exports import sent
from scoring.results.pictures import PICTURES
from scoring.results.preferred import sheets as of_pairs
from scoring.results.queries import BESIDE_GRADES, PREFERENCES
from scoring.results.raters import RatersFigure
from scoring.results.sheets import SHEETS
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import NothingDrawn, stream
from scoring.shown.wording import why
from scoring.stats.claims import Claim
from scoring.stats.people.said import DisputesFigure
from scoring.stats.preferences.said import GradesBesideFigure, PreferencesFigure
from scoring.stats.scores.said import ModelFigure, PlanFigure, WholeFigure


@contract(get(FILE))
@door(permissions.UNBLINDED)
def grades(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream the grades of a round as CSV, as lines of JSON, or as the wide table."""
    mine = labels.allowed(scope, number)
    return stream(exports.export_grades(reading=mine, form=form, now=timezone.now()))


#: Of a cell behind a score (scoring.results.graded).
CELL = tuple(
    Query(f"{graded.PREFIX}{name}", "Where the cell stands; `at` of the breakdown has it.")
    for name in graded.AT
)
#: Rules of disputes, and what a plan is made for (scoring.results.queries).
DISPUTES = (
    choice("rater_rule", tuple(of_disputes.RATER_RULES), "When an annotator stands alone."),
    choice("question_rule", tuple(of_disputes.QUESTION_RULES), "When a question divides."),
    *(
        Query(name, text)
        for name, text in (
            ("far", "How far a mark must lie from the others."),
            ("share", "The share of annotators, at most 1."),
            ("span", "How far the marks must spread."),
            ("w1", "The weight of dividing responses, such as 1/2."),
            ("w2", "The weight of annotators who stand alone, such as 1/2."),
        )
    ),
)
AGREEMENT = (
    choice("kappa", tuple(of_agreement.KAPPAS), "How κ of pairs is weighted."),
    Query("raters", "The group of annotators whose grades alone count: a name of `groups`."),
)
PLAN = (
    Query("delta", "The difference of scores that is to be seen, in points."),
    Query("power", "With which probability it is to be seen, below 1."),
    Query("width", "How wide an interval may be, in points."),
)
BESIDE = (Query("other", "The number of the round of grades; the newest without it."),)
TABLE = (*CUT, *DISPUTES, *AGREEMENT, *PLAN, *BESIDE)


CELL_OF = shape(
    "ScoreCell",
    figure=str,
    system=str,
    part=maybe(str),
    criterion=maybe(str),
    difficulty=maybe(str),
    area=maybe(str),
    value=maybe(figures.FRACTION),
    **figures.INTERVAL,
    n_grades=int,
    n_questions=int,
    n_raters=int,
    came=int,
    wanted=maybe(int),
    n_parts_missing=int,
    reason=maybe(str),
    interval_reason=maybe(str),
    explanation=str,
    at=said({str: str}, "The parameters that name the cell at the grades behind it."),
)
BREAKDOWN = shape(
    "ScoreBreakdown",
    **figure_shapes.READY,
    settings=figure_shapes.SETTINGS,
    claim=said(one_of(*map(str, Claim)), "For whom the intervals hold: the widest claim there is."),
    cells=[CELL_OF],
)
GRADE = shape(
    "GivenGrade",
    annotator=str,
    person=or_null(str),
    criterion=str,
    mark=str,
    top=str,
    reason=or_null(str),
    comment=or_null(str),
    evidence=[ANYTHING],
    at=maybe(datetime),
    seconds=maybe(int),
)
ANSWER = shape(
    "GradedAnswer",
    system=at("name.text", str),
    wanted=at("n_wanted", maybe(int)),
    missing=at("n_missing", int),
    grades=[GRADE],
)
ITEM = shape(
    "GradedItem",
    item=at("place.item.external_id", str),
    question=at("place.item.group", str),
    asked=at("question", str),
    purpose=at("place.purpose", str),
    capability=or_null(str),
    difficulty=or_null(str),
    area=at("domain", or_null(str)),
    answers=[ANSWER],
)
ITEMS = shape(
    "GradedItems",
    cell=[str],
    names_shown=bool,
    settings=figure_shapes.SETTINGS,
    n_items=int,
    items=[ITEM],
    next=NEXT,
)


@contract(get(figure_shapes.SCORES, query=figures.CUT, figure=True))
@door(permissions.UNBLINDED)
def results(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return scores, accuracies, differences and coverage; 202 while they are computed."""
    mine = _of_grades(labels.allowed(scope, number))
    chosen = asked.read_cut(mine, dict(request.GET.lists()))
    found = figures.figure(request, cut.FIGURE, mine.round, chosen.params, now=timezone.now())
    if not isinstance(found, Figure):
        return found
    result = chosen.result(found.data or {})
    said = figure_shapes.results(mine.round, result, found, names_shown=mine.shown)
    return Response({**said, "settings": settings(chosen)})


@contract(get(BREAKDOWN, query=figures.CUT, figure=True))
@door(permissions.UNBLINDED)
def breakdown(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return every cell of system × capability × difficulty × area, with groups."""
    mine = _of_grades(labels.allowed(scope, number))
    chosen = asked.read_cut(mine, dict(request.GET.lists()))
    found = figures.figure(
        request, parts.FIGURE, mine.round, parts.params(chosen), now=timezone.now()
    )
    if not isinstance(found, Figure):
        return found
    table = Breakdown(found.data or {}, chosen)
    return Response(
        {
            "state": "ready",
            "as_of": found.ready_at,
            "names_shown": mine.shown,
            "settings": settings(chosen),
            "claim": (found.data or {})["claim"],
            "cells": list(_cells(table, chosen)),
        }
    )


@contract(get(FILE, query=[*figures.CUT, *CELL], figure=True))
@door(permissions.UNBLINDED)
def files(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream scores, cells or the grades behind a cell as CSV, by the same weights and filters."""
    mine = labels.allowed(scope, number)
    query = dict(request.GET.lists())
    chosen, now = asked.read_cut(mine, query), timezone.now()
    if form == "cell.csv":
        with_people = scope.may(permissions.CURATORS)
        lines = sheets_of_scores.grades(graded.cell(chosen, query), with_people=with_people).lines()
    elif mine.round.of_pairs:
        found = figures.figure(request, PREFERENCES, mine.round, chosen.preferences, now=now)
        if not isinstance(found, Figure):
            return found
        source = FigureSource(mine.round, found.data or {}, chosen.labels, chosen.names)
        make = of_pairs.strengths if form == "results.csv" else of_pairs.parts
        lines = make(source).lines()
    else:
        whole = form == "results.csv"
        name, params = (
            (cut.FIGURE, chosen.params) if whole else (parts.FIGURE, parts.params(chosen))
        )
        found = figures.figure(request, name, mine.round, params, now=now)
        if not isinstance(found, Figure):
            return found
        data = found.data or {}
        words = [f"{title}: {value}" for title, value in chosen.said()]
        said = "; ".join(filter(None, [*words, of_model.sample_words(mine.round)]))
        lines = (
            exports.score_lines(chosen.result(data), said)
            if whole
            else sheets_of_scores.parts(Breakdown(data, chosen), chosen).lines()
        )
    return exports.sent(mine, form, lines)


def _cells(table: Breakdown, chosen: Cut) -> Iterator[dict[str, Any]]:
    names = chosen.names
    places = {pk: n for n, pk in enumerate(chosen.selection.ground.names, start=1)}
    for row in table.rows:
        if row.release not in names:
            continue
        at = {"node": row.node, "release": str(places[row.release])}
        parts = {name: getattr(row, name) for name in ("criterion", "difficulty", "domain")}
        at |= {name: key for name, key in parts.items() if key}
        yield answer(
            CELL_OF,
            row,
            system=names[row.release].text,
            **{name: title or None for name, title in table.titles(row).items()},
            explanation=why(row.reason or row.interval_reason),
            at={f"{graded.PREFIX}{name}": value for name, value in at.items()},
        )


@contract(get(ITEMS, query=[*figures.CUT, *CELL, AFTER]))
@door(permissions.UNBLINDED)
def graded_items(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the items behind a cell with all grades, some at a time; `next` asks for more."""
    mine = labels.allowed(scope, number)
    query = dict(request.GET.lists())
    chosen = asked.read_cut(mine, query)
    cell = graded.cell(chosen, query)
    page = graded.page(cell, after=request.GET.get("after", ""))
    with_people = scope.may(permissions.CURATORS)
    lines = graded.lines(cell, page.rows, with_people=with_people)
    return Response(
        {
            "cell": cell.words,
            "names_shown": mine.shown,
            "settings": settings(chosen),
            "n_items": graded.items(cell).count(),
            "items": answers(ITEM, lines),
            "next": keyset.next_url(request.GET, page),
        }
    )


def settings(chosen: Cut) -> dict[str, Any]:
    """Return the weights and filters in use, and every value that an address can give them."""
    return answer(figure_shapes.SETTINGS, chosen)


def _answer_insight(
    request: HttpRequest, scope: Scope, number: int, name: str, wish: AskedSettings, kind: type[Any]
) -> Response:
    mine = labels.allowed(scope, number)
    figure = figures.figure(request, name, mine.round, wish.params, now=timezone.now())
    if isinstance(figure, Response):
        return figure
    named = KeyNames(labels.labels_of(mine.round), mine.names)
    head = {"state": "ready", "as_of": figure.ready_at, "names_shown": mine.shown}
    return Response({**head, **typed.told(typed.read_figure(kind, figure.data), named)})


@contract(get(figure_shapes.AGREEMENT, query=AGREEMENT, figure=True))
@door(permissions.UNBLINDED)
def agreement(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return agreement by capability and criterion, by pair, by group, and without each annotator."""
    groups = labels.allowed(scope, number).groups
    wish = asked.of_agreement(request.GET.dict(), groups)
    return _answer_insight(request, scope, number, of_agreement.FIGURE, wish, AgreementFigure)


@contract(get(figure_shapes.DISPUTES, query=DISPUTES, figure=True))
@door(permissions.UNBLINDED)
def disputes(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return who stands alone and which questions divide, by the rules in the address."""
    wish = asked.of_disputes(request.GET.dict(), scope.project)
    return _answer_insight(request, scope, number, of_disputes.FIGURE, wish, DisputesFigure)


@contract(get(figure_shapes.ANNOTATORS, figure=True))
@door(permissions.UNBLINDED)
def annotators(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return severity, fair scores, steadiness, drift, pace and the effect of position."""
    known = labels.allowed(scope, number)
    _of_grades(known)
    wish = asked.of_annotators(known.groups)
    return _answer_insight(request, scope, number, of_raters.FIGURE, wish, RatersFigure)


@contract(get(figure_shapes.PLAN, query=PLAN, figure=True))
@door(permissions.UNBLINDED)
def plan(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return how many questions each number of annotators needs."""
    round_ = labels.allowed(scope, number).round
    wish = asked.of_plan(request.GET.dict(), round_)
    return _answer_insight(request, scope, number, of_plan.FIGURE, wish, PlanFigure)


class OfPairs(errors.Conflict):
    """A round of pairs has no scores; its preferences are at an address of their own."""

    code = "round_of_pairs"


class NotOfPairs(errors.Conflict):
    """A round of grades has no preferences."""

    code = "no_round_of_pairs"


def _of_grades(mine: ReadRound) -> ReadRound:
    """Return a reading of a round of grades.

    Raises:
        OfPairs: people chose between answers in it.
    """
    if mine.round.of_pairs:
        raise OfPairs(_("This is a round of pairs, without scores. Ask for its preferences."))
    return mine


def _of_pairs(mine: ReadRound) -> ReadRound:
    """Return a reading of a round of pairs.

    Raises:
        NotOfPairs: people graded in it.
    """
    if not mine.round.of_pairs:
        raise NotOfPairs(_("In this round answers were graded. Ask for its results."))
    return mine


@contract(get(figure_shapes.PREFERENCES, query=CUT, figure=True))
@door(permissions.UNBLINDED)
def preferences(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return who was preferred to whom in a round of pairs, by criterion; it knows no weights."""
    mine = _of_pairs(labels.allowed(scope, number))
    wish = asked.wish(PREFERENCES, mine, dict(request.GET.lists()))
    return _answer_insight(request, scope, number, PREFERENCES, wish, PreferencesFigure)


@contract(get(figure_shapes.BESIDE, query=BESIDE, figure=True))
@door(permissions.UNBLINDED)
def beside(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return how often people chose the answer that was graded better in another round."""
    mine = _of_pairs(labels.allowed(scope, number))
    wish = asked.wish(BESIDE_GRADES, mine, dict(request.GET.lists()))
    return _answer_insight(request, scope, number, BESIDE_GRADES, wish, GradesBesideFigure)


@contract(get(figure_shapes.MODEL, query=CUT, figure=True))
@door(permissions.UNBLINDED)
def model(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return what a mixed model says of systems, beside their scores, and where spread comes from."""
    mine = _of_grades(labels.allowed(scope, number))
    wish = AskedSettings(asked.read_cut(mine, dict(request.GET.lists())).params)
    return _answer_insight(request, scope, number, of_model.FIGURE, wish, ModelFigure)


@contract(get(figure_shapes.WHOLE, figure=True))
@door(permissions.UNBLINDED)
def whole(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the scores over all outputs that a round was drawn from, by the chance of each."""
    wish = asked.wish(of_model.WHOLE, _of_grades(labels.allowed(scope, number)), {})
    return _answer_insight(request, scope, number, of_model.WHOLE, wish, WholeFigure)


class NothingThere(errors.Conflict):
    """There is nothing to draw; the JSON of the figure says why."""

    code = "nothing_to_draw"


@contract(
    get(
        FILE,
        query=TABLE,
        figure=True,
        parts=[choice("table", tuple(SHEETS), "Which table of the results.")],
    )
)
@door(permissions.UNBLINDED)
def sheet(request: HttpRequest, scope: Scope, number: int, table: str) -> HttpResponseBase:
    """Stream a table as CSV; 202 while its figure is computed."""
    mine = labels.allowed(scope, number)
    known = sheets_of_scores.kinds(mine.round)
    if table not in known:
        raise Http404
    kind = known[table]
    found = _source(request, mine, kind.figure)
    if isinstance(found, Response):
        return found
    return sent(mine, f"{table}.csv", kind.make(found).lines())


@contract(
    get(
        FILE,
        query=TABLE,
        figure=True,
        parts=[choice("plot", tuple(PICTURES), "Which plot of the results.")],
    )
)
@door(permissions.UNBLINDED)
def picture(request: HttpRequest, scope: Scope, number: int, plot: str) -> HttpResponseBase:
    """Send a plot as SVG; 202 while its figure is computed."""
    mine = labels.allowed(scope, number)
    if plot not in PICTURES:
        raise Http404
    kind = PICTURES[plot]
    found = _source(request, mine, kind.figure)
    if isinstance(found, Response):
        return found
    try:
        drawn = kind.make(found).file()
    except NothingDrawn:
        said = _("There is nothing to draw yet; the JSON of the figure says why.")
        raise NothingThere(said) from None
    return sent(mine, f"{plot}.svg", iter([drawn]), shown_sheet.SVG)


def _source(request: HttpRequest, mine: ReadRound, name: str) -> FigureSource | Response:
    wish = asked.wish(name, mine, dict(request.GET.lists()))
    found = asking.figure(request, name, mine.round, wish.params, now=timezone.now())
    if isinstance(found, Response):
        return found
    return FigureSource(mine.round, found.data or {}, labels.labels_of(mine.round), mine.names)
