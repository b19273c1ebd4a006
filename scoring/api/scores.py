"""Scores of a round by weights and filters of the caller: whole, by part, and the grades behind."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from rest_framework.decorators import api_view, content_negotiation_class
from rest_framework.response import Response

from annotation import permissions
from annotation.permissions import Scope, door
from evalsite import keyset
from evalsite.contract.calls import AFTER, contract, get
from evalsite.contract.files import AnyForm
from evalsite.contract.shapes import ANYTHING, FILE, NEXT, maybe, said, shape
from scoring.api import asking, figure_shapes, number_shapes, parameters, serializers
from scoring.models import Figure
from scoring.operations import exporting
from scoring.queries import breakdown as parts
from scoring.queries import cut, exports, graded, reading, sheets_of_scores
from scoring.queries import results as reads
from scoring.queries.breakdown import Breakdown
from scoring.queries.cut import Cut
from scoring.queries.graded import Answer, Given, Line
from scoring.queries.weights import written
from scoring.queries.wording import why

FIGURE = ("value", "low", "high", "n_grades", "n_questions", "n_raters", "came", "wanted")


_NUMBERS = {"low": maybe(float), "high": maybe(float)}
BREAKDOWN = shape(
    "ScoreBreakdown",
    **figure_shapes.READY,
    settings=figure_shapes.SETTINGS,
    cells=[
        shape(
            "ScoreCell",
            figure=str,
            system=str,
            part=maybe(str),
            criterion=maybe(str),
            difficulty=maybe(str),
            area=maybe(str),
            value=maybe(number_shapes.FRACTION),
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
    get(figure_shapes.SCORES, query=parameters.CUT, figure=True),
)
@door(permissions.UNBLINDED)
def results(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return scores, accuracies, differences and coverage; 202 while they are computed."""
    mine = reading.allowed(scope, number)
    chosen = cut.read(mine, dict(request.GET.lists()))
    found = asking.figure(request, reads.FIGURE, mine.round, chosen.params, now=timezone.now())
    if not isinstance(found, Figure):
        return found
    result = chosen.result(found.data or {})
    said = serializers.results(mine.round, result, found, names_shown=mine.shown)
    return Response({**said, "settings": settings(chosen)})


@api_view(["GET"])
@contract(
    get(BREAKDOWN, query=parameters.CUT, figure=True),
)
@door(permissions.UNBLINDED)
def breakdown(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return every cell of system × capability × difficulty × area, with groups."""
    mine = reading.allowed(scope, number)
    chosen = cut.read(mine, dict(request.GET.lists()))
    found = asking.figure(
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
            "cells": list(_cells(table, chosen)),
        }
    )


@api_view(["GET"])
@contract(
    get(FILE, query=[*parameters.CUT, *parameters.CELL], figure=True),
)
@content_negotiation_class(AnyForm)
@door(permissions.UNBLINDED)
def files(request: HttpRequest, scope: Scope, number: int, form: str) -> HttpResponseBase:
    """Stream scores, cells or the grades behind a cell as CSV, by the same weights and filters."""
    mine = reading.allowed(scope, number)
    query = dict(request.GET.lists())
    chosen, now = cut.read(mine, query), timezone.now()
    if form == "cell.csv":
        with_people = scope.may(permissions.CURATORS)
        lines = sheets_of_scores.grades(graded.cell(chosen, query), with_people=with_people).lines()
    else:
        whole = form == "results.csv"
        name, params = (
            (reads.FIGURE, chosen.params) if whole else (parts.FIGURE, parts.params(chosen))
        )
        found = asking.figure(request, name, mine.round, params, now=now)
        if not isinstance(found, Figure):
            return found
        data = found.data or {}
        said = "; ".join(f"{title}: {value}" for title, value in chosen.said())
        lines = (
            exports.score_lines(chosen.result(data), said)
            if whole
            else sheets_of_scores.parts(Breakdown(data, chosen), chosen).lines()
        )
    export = exporting.export_lines(reading=mine, form=form, lines=lines, now=now)
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
    get(ITEMS, query=[*parameters.CUT, *parameters.CELL, AFTER]),
)
@door(permissions.UNBLINDED)
def graded_items(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the items behind a cell with all grades, some at a time; `next` asks for more."""
    mine = reading.allowed(scope, number)
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
