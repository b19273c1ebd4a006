"""Files by API, each kind of file at its address: checked, or brought in at once."""

from typing import Any

from django.utils import timezone
from rest_framework.decorators import api_view, parser_classes
from rest_framework.parsers import MultiPartParser
from rest_framework.response import Response

from annotation import permissions
from annotation.api.file_bodies import (
    AnswersIn,
    ChoicesIn,
    FiguresIn,
    GradesIn,
    QuestionsIn,
    ScoresIn,
)
from annotation.models import ImportKind
from annotation.operations.imports import at_once, uploading
from annotation.permissions import Scope, door
from evalsite.contract.calls import contract, post
from evalsite.contract.shapes import ANYTHING, maybe, said, shape

BROUGHT_IN = shape(
    "BroughtIn",
    import_=said(maybe(int), "The number of the import; null where it was only checked."),
    state=maybe(str),
    stopped=str,
    counts={str: ANYTHING},
)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ChoicesIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def choices(request: Any, scope: Scope) -> Response:
    """Check or bring in questions of multiple choice (multipart/form-data)."""
    return _answer(ChoicesIn(data=request.data), ImportKind.CHOICES, scope)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=FiguresIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def figures(request: Any, scope: Scope) -> Response:
    """Check or bring in figures of other benchmarks (multipart/form-data)."""
    return _answer(FiguresIn(data=request.data), ImportKind.FIGURES, scope)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=AnswersIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def answers(request: Any, scope: Scope) -> Response:
    """Check or bring in questions with answers of systems (multipart/form-data)."""
    return _answer(AnswersIn(data=request.data), ImportKind.ANSWERS, scope)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=GradesIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def grades(request: Any, scope: Scope) -> Response:
    """Check or bring in grades that people gave elsewhere (multipart/form-data)."""
    return _answer(GradesIn(data=request.data), ImportKind.GRADES, scope)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ScoresIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def scores(request: Any, scope: Scope) -> Response:
    """Check or bring in scores of judges and metrics (multipart/form-data)."""
    return _answer(ScoresIn(data=request.data), ImportKind.SCORES, scope)


@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=QuestionsIn, status=201, also={200: BROUGHT_IN}),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def questions(request: Any, scope: Scope) -> Response:
    """Check or bring in questions for the bank, as drafts (multipart/form-data)."""
    return _answer(QuestionsIn(data=request.data), ImportKind.QUESTIONS, scope)


def _answer(sent: Any, kind: ImportKind, scope: Scope) -> Response:
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    outcome = at_once.bring_in(
        project=scope.project,
        kind=kind,
        name=given["file"].name,
        pieces=given["file"].chunks(uploading.CHUNK),
        mapping=sent.mapping,
        columns=given["columns"],
        encoding=given["encoding"],
        only_check=given["only_check"],
        by=scope.user,
        clock=timezone.now,
    )
    batch = outcome.batch
    return Response(
        {
            "import": batch.number if batch else None,
            "state": batch.state if batch else None,
            "stopped": batch.stopped if batch else "",
            "counts": batch.counts if batch else outcome.report["counts"],
        },
        status=201 if batch else 200,
    )
