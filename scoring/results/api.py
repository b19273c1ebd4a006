"""Grades of a round for programs.

* Query parameters that several routes of results take, by what reads them.
* Scores of a round by weights and filters of the caller: whole, by part, and the grades behind.
* Agreement, disputes, annotators and plan of a round for programs.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import AFTER, AnyForm, Query, choice, contract, get
from evalsite.contract.shapes import ANYTHING, FILE, NEXT, maybe, one_of, said, shape
from evalsite.web import keyset
from scoring.figures import api as figures
from scoring.figures import labels, typed
from scoring.figures.api import CUT
from scoring.figures.models import Figure
from scoring.figures.typed import Named
from scoring.figures.weights import written
from scoring.results import agreement as of_agreement
from scoring.results import cells as parts
from scoring.results import disputes as of_disputes
from scoring.results import exports, graded, programs
from scoring.results import plan as of_plan
from scoring.results import queries as cut
from scoring.results import raters as of_raters
from scoring.results import shapes as figure_shapes
from scoring.results import sheets as sheets_of_scores
from scoring.results.agreement import AgreementFigure
from scoring.results.cells import Breakdown
from scoring.results.disputes import DisputesFigure
from scoring.results.graded import Answer, Given, Line
from scoring.results.plan import PlanFigure
from scoring.results.queries import Asked, Cut
from scoring.results.raters import RatersFigure
from scoring.shown.wording import why
from scoring.stats.claims import Claim


@api_view(["GET"])
@contract(
    get(FILE),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def grades(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream the grades of a round as CSV, as lines of JSON, or as the wide table."""
    mine = labels.allowed(scope, number)
    export = exports.export_grades(reading=mine, form=form, now=timezone.now())
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )


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
AGREEMENT = (choice("kappa", tuple(of_agreement.KAPPAS), "How κ of pairs is weighted."),)
PLAN = (
    Query("delta", "The difference of scores that is to be seen, in points."),
    Query("power", "With which probability it is to be seen, below 1."),
    Query("width", "How wide an interval may be, in points."),
)
TABLE = (*CUT, *DISPUTES, *AGREEMENT, *PLAN)


FIGURE = ("value", "low", "high", "n_grades", "n_questions", "n_raters", "came", "wanted")


_NUMBERS = {"low": maybe(float), "high": maybe(float)}
BREAKDOWN = shape(
    "ScoreBreakdown",
    **figure_shapes.READY,
    settings=figure_shapes.SETTINGS,
    claim=said(one_of(*map(str, Claim)), "For whom the intervals hold: the widest claim there is."),
    cells=[
        shape(
            "ScoreCell",
            figure=str,
            system=str,
            part=maybe(str),
            criterion=maybe(str),
            difficulty=maybe(str),
            area=maybe(str),
            value=maybe(figures.FRACTION),
            **_NUMBERS,
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
    ],
)
ITEMS = shape(
    "GradedItems",
    cell=[str],
    names_shown=bool,
    settings=figure_shapes.SETTINGS,
    n_items=int,
    items=[
        shape(
            "GradedItem",
            item=str,
            question=str,
            asked=str,
            purpose=str,
            capability=maybe(str),
            difficulty=maybe(str),
            area=maybe(str),
            answers=[
                shape(
                    "GradedAnswer",
                    system=str,
                    wanted=maybe(int),
                    missing=int,
                    grades=[
                        shape(
                            "GivenGrade",
                            annotator=str,
                            person=maybe(str),
                            criterion=str,
                            mark=str,
                            top=str,
                            reason=maybe(str),
                            comment=maybe(str),
                            evidence=[ANYTHING],
                            at=maybe(datetime),
                            seconds=maybe(int),
                        )
                    ],
                )
            ],
        )
    ],
    next=NEXT,
)


@api_view(["GET"])
@contract(
    get(figure_shapes.SCORES, query=figures.CUT, figure=True),
)
@door(permissions.UNBLINDED)
def results(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return scores, accuracies, differences and coverage; 202 while they are computed."""
    mine = labels.allowed(scope, number)
    chosen = cut.read(mine, dict(request.GET.lists()))
    found = figures.figure(request, cut.FIGURE, mine.round, chosen.params, now=timezone.now())
    if not isinstance(found, Figure):
        return found
    result = chosen.result(found.data or {})
    said = programs.results(mine.round, result, found, names_shown=mine.shown)
    return Response({**said, "settings": settings(chosen)})


@api_view(["GET"])
@contract(
    get(BREAKDOWN, query=figures.CUT, figure=True),
)
@door(permissions.UNBLINDED)
def breakdown(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return every cell of system × capability × difficulty × area, with groups."""
    mine = labels.allowed(scope, number)
    chosen = cut.read(mine, dict(request.GET.lists()))
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


@api_view(["GET"])
@contract(
    get(FILE, query=[*figures.CUT, *CELL], figure=True),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def files(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream scores, cells or the grades behind a cell as CSV, by the same weights and filters."""
    mine = labels.allowed(scope, number)
    query = dict(request.GET.lists())
    chosen, now = cut.read(mine, query), timezone.now()
    if form == "cell.csv":
        with_people = scope.may(permissions.CURATORS)
        lines = sheets_of_scores.grades(graded.cell(chosen, query), with_people=with_people).lines()
    else:
        whole = form == "results.csv"
        name, params = (
            (cut.FIGURE, chosen.params) if whole else (parts.FIGURE, parts.params(chosen))
        )
        found = figures.figure(request, name, mine.round, params, now=now)
        if not isinstance(found, Figure):
            return found
        data = found.data or {}
        said = "; ".join(f"{title}: {value}" for title, value in chosen.said())
        lines = (
            exports.score_lines(chosen.result(data), said)
            if whole
            else sheets_of_scores.parts(Breakdown(data, chosen), chosen).lines()
        )
    export = exports.export_lines(reading=mine, form=form, lines=lines, now=now)
    return StreamingHttpResponse(
        export.lines, content_type=export.content_type, headers=export.headers
    )


def _cells(table: Breakdown, chosen: Cut) -> Iterator[dict[str, Any]]:
    names = chosen.names
    places = {pk: n for n, pk in enumerate(chosen.selection.ground.names, start=1)}
    for row in table.rows:
        if row["release"] not in names:
            continue
        at = {"node": row["node"], "release": str(places[row["release"]])}
        at |= {name: row[name] for name in ("criterion", "difficulty", "domain") if row[name]}
        titles = {name: title or None for name, title in table.titles(row).items()}
        yield {
            "figure": row["figure"],
            "system": names[row["release"]].text,
            **titles,
            **{name: row[name] for name in FIGURE},
            "n_parts_missing": row["missing"],
            "reason": row["reason"],
            "interval_reason": row["interval_reason"],
            "explanation": why(row["reason"] or row["interval_reason"]),
            "at": {f"{graded.PREFIX}{name}": value for name, value in at.items()},
        }


@api_view(["GET"])
@contract(
    get(ITEMS, query=[*figures.CUT, *CELL, AFTER]),
)
@door(permissions.UNBLINDED)
def graded_items(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the items behind a cell with all grades, some at a time; `next` asks for more."""
    mine = labels.allowed(scope, number)
    query = dict(request.GET.lists())
    chosen = cut.read(mine, query)
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
            "items": [_item(line) for line in lines],
            "next": keyset.next_url(request.GET, page),
        }
    )


def settings(chosen: Cut) -> dict[str, Any]:
    """Return the weights and filters in use, and every value that an address can give them."""
    used = chosen.weights
    return {
        "is_usual": chosen.is_usual,
        "query": chosen.query,
        "weights": [
            {
                "name": line.name,
                "title": line.title,
                "stored": line.stored,
                "used": line.used,
                "share": None if line.share is None else float(line.share / 100),
            }
            for line in chosen.form
        ],
        "effective": {key: written(weight) for key, weight in used.effective.items()},
        "filters": [
            {
                "name": facet.name,
                "title": facet.title,
                "values": [
                    {"key": one.key, "title": one.title, "items": one.n, "is_on": one.is_on}
                    for one in facet.choices
                ],
            }
            for facet in chosen.facets
        ],
    }


def _item(line: Line) -> Mapping[str, Any]:
    item = line.place.item
    return {
        "item": item.external_id,
        "question": item.group,
        "asked": line.question,
        "purpose": line.place.purpose,
        "capability": line.capability or None,
        "difficulty": line.difficulty or None,
        "area": line.domain or None,
        "answers": [_answer(answer) for answer in line.answers],
    }


def _answer(answer: Answer) -> Mapping[str, Any]:
    return {
        "system": answer.name.text,
        "wanted": answer.n_wanted,
        "missing": answer.n_missing,
        "grades": [_grade(grade) for grade in answer.grades],
    }


def _grade(grade: Given) -> Mapping[str, Any]:
    return {
        "annotator": grade.annotator,
        "person": grade.person or None,
        "criterion": grade.criterion,
        "mark": grade.mark,
        "top": grade.top,
        "reason": grade.reason or None,
        "comment": grade.comment or None,
        "evidence": list(grade.evidence),
        "at": grade.at,
        "seconds": grade.seconds,
    }


def _answer_insight(
    request: HttpRequest, scope: Scope, number: int, name: str, wish: Asked, kind: type[Any]
) -> Response:
    mine = labels.allowed(scope, number)
    figure = figures.figure(request, name, mine.round, wish.params, now=timezone.now())
    if isinstance(figure, Response):
        return figure
    named = Named(labels.of(mine.round), mine.names)
    head = {"state": "ready", "as_of": figure.ready_at, "names_shown": mine.shown}
    return Response({**head, **typed.told(typed.read(kind, figure.data), named)})


@api_view(["GET"])
@contract(
    get(figure_shapes.AGREEMENT, query=AGREEMENT, figure=True),
)
@door(permissions.UNBLINDED)
def agreement(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return agreement by capability and criterion, by pair, and without each annotator."""
    wish = cut.of_agreement(request.GET.dict())
    return _answer_insight(request, scope, number, of_agreement.FIGURE, wish, AgreementFigure)


@api_view(["GET"])
@contract(
    get(figure_shapes.DISPUTES, query=DISPUTES, figure=True),
)
@door(permissions.UNBLINDED)
def disputes(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return who stands alone and which questions divide, by the rules in the address."""
    wish = cut.of_disputes(request.GET.dict(), scope.project)
    return _answer_insight(request, scope, number, of_disputes.FIGURE, wish, DisputesFigure)


@api_view(["GET"])
@contract(
    get(figure_shapes.ANNOTATORS, figure=True),
)
@door(permissions.UNBLINDED)
def annotators(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return severity, fair scores, steadiness, drift, pace and the effect of position."""
    wish = Asked(of_raters.PARAMS)
    return _answer_insight(request, scope, number, of_raters.FIGURE, wish, RatersFigure)


@api_view(["GET"])
@contract(
    get(figure_shapes.PLAN, query=PLAN, figure=True),
)
@door(permissions.UNBLINDED)
def plan(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return how many questions each number of annotators needs."""
    round_ = labels.allowed(scope, number).round
    wish = cut.of_plan(request.GET.dict(), round_)
    return _answer_insight(request, scope, number, of_plan.FIGURE, wish, PlanFigure)
