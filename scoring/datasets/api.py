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
from scoring.datasets.pages import packed
from scoring.datasets.rules import OWN
from scoring.figures import labels
from scoring.results import exports

ASKED = of_form(TrainingDataForm)
CRITERION = tuple(one for one in ASKED if one.name == "criterion")
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
def datasets_zip(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Return the examples of a final round for training, with `about.json`: how they were made."""
    return packed(source_of(labels.allowed(scope, number), request.GET.dict()))


@contract(get(FILE, query=CRITERION))
@door(permissions.UNBLINDED)
def preferences_csv(request: HttpRequest, scope: Scope, number: int) -> HttpResponseBase:
    """Stream what was chosen in a final round of pairs, with its texts; it can be imported again."""
    source = source_of(labels.allowed(scope, number), {**request.GET.dict(), "form": OWN})
    return exports.sent(source.mine, "preferences.csv", queries.own_lines(source))
