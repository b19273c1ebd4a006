"""Files by API, each kind of file at its address: checked, or brought in at once."""

from typing import Any, Final

from django.shortcuts import get_object_or_404
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
from annotation.api.idempotency import in_steps
from annotation.models import ImportKind, Upload
from annotation.operations.imports import at_once, uploading
from annotation.permissions import Scope, door
from annotation.queries.imports import lists
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import ANYTHING, maybe, one_of, said, shape
from evalsite.contract.waiting import taken_on

BROUGHT_IN = shape(
    "BroughtIn",
    import_=said(maybe(int), "The number of the import; null where it was only checked."),
    state=maybe(str),
    stopped=str,
    counts={str: ANYTHING},
)
FILE_READ = shape(
    "ImportFile",
    number=int,
    name=str,
    state=said(
        one_of("checking", "refused", "checked", "waiting", "importing", "imported", "stopped"),
        "`checking` until a worker has read it. Then `refused`, with `problems`; `checked`, where "
        "only that was asked for; else `waiting` for another import of the project, `importing`, and "
        "`imported` or `stopped`.",
    ),
    rows=said(int, "How many were read so far."),
    import_=said(maybe(int), "The number of the import, once it has begun."),
    counts={str: ANYTHING},
    problems=said({str: [str]}, "What is wrong with it, by line; at most 100 lines."),
)
ALSO: Final = {200: BROUGHT_IN, 202: FILE_READ}


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ChoicesIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def choices(request: Any, scope: Scope) -> Response:
    """Check or bring in questions of multiple choice (multipart/form-data)."""
    return _answer(ChoicesIn(data=request.data), ImportKind.CHOICES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=FiguresIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def figures(request: Any, scope: Scope) -> Response:
    """Check or bring in figures of other benchmarks (multipart/form-data)."""
    return _answer(FiguresIn(data=request.data), ImportKind.FIGURES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=AnswersIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def answers(request: Any, scope: Scope) -> Response:
    """Check or bring in questions with answers of systems (multipart/form-data)."""
    return _answer(AnswersIn(data=request.data), ImportKind.ANSWERS, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=GradesIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def grades(request: Any, scope: Scope) -> Response:
    """Check or bring in grades that people gave elsewhere (multipart/form-data)."""
    return _answer(GradesIn(data=request.data), ImportKind.GRADES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=ScoresIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def scores(request: Any, scope: Scope) -> Response:
    """Check or bring in scores of judges and metrics (multipart/form-data)."""
    return _answer(ScoresIn(data=request.data), ImportKind.SCORES, scope)


@in_steps
@api_view(["POST"])
@contract(
    post(BROUGHT_IN, takes=QuestionsIn, status=201, also=ALSO),
)
@parser_classes([MultiPartParser])
@door(permissions.CURATORS)
def questions(request: Any, scope: Scope) -> Response:
    """Check or bring in questions for the bank, as drafts (multipart/form-data)."""
    return _answer(QuestionsIn(data=request.data), ImportKind.QUESTIONS, scope)


@api_view(["GET"])
@contract(
    get(FILE_READ),
)
@door(permissions.CURATORS)
def import_file(request: Any, scope: Scope, number: int) -> Response:
    """Return how far a file is that was too large to be brought in while you wait.

    What nothing comes of is kept for a day, and so is what is told of conversations and dialogues.
    """
    return Response(told(get_object_or_404(lists.taken_on(scope.project), number=number)))


def told(upload: Upload) -> dict[str, Any]:
    """Return how far a file is that a worker goes on with."""
    report = upload.report or {}
    batch = upload.batches.first()
    problems = at_once.problems_of(report)
    if said := report.get("refused"):
        problems["file"] = [said, *report.get("told", ())]
    return {
        "number": upload.number,
        "name": upload.name,
        "state": at_once.state_of(upload, batch),
        "rows": report.get("n_rows", 0),
        "import": batch.number if batch else None,
        "counts": batch.counts if batch else report.get("counts", {}),
        "problems": problems if not report.get("ok") else {},
    }


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
    if outcome.waits is not None:
        body = told(outcome.waits)
        return taken_on(body, "api_import_file", scope.project.slug, outcome.waits.number)
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
