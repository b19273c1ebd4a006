"""Training data of a round for programs: what comes out, and the file."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get, of_form
from evalsite.contract.shapes import FILE, said, shape
from scoring.datasets import queries
from scoring.datasets.forms import TrainingDataForm, source_of
from scoring.datasets.pages import file_of
from scoring.figures import labels

ASKED = of_form(TrainingDataForm)
COUNTED = shape(
    "TrainingDataCount",
    form=str,
    lines=said(int, "Examples that come out; those that people wrote are counted apart."),
    written=int,
    questions=said(int, "Questions that give one or more."),
    left_out=said({str: int}, "Pairs, or questions, that give none, by reason."),
)


@contract(get(COUNTED, query=ASKED))
@door(permissions.UNBLINDED)
def datasets(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return how many examples for training come out of a final round, and why others are left out."""
    source = source_of(labels.allowed(scope, number), request.GET.dict())
    found = queries.counted(source)
    return Response(
        {
            "form": source.kind,
            "lines": found.n,
            "written": found.n_written,
            "questions": found.n_questions,
            "left_out": {str(reason): n for reason, n in found.left_out.most_common()},
        }
    )


@contract(get(FILE, query=ASKED))
@door(permissions.UNBLINDED)
def datasets_file(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Return a ZIP of the examples as JSONL with `about.json`; of `form=preferences` a CSV."""
    return file_of(source_of(labels.allowed(scope, number), request.GET.dict()))
