"""The signals of a round's annotators for programs."""

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import contract, get
from evalsite.contract.shapes import maybe, shape
from scoring.figures import api as figures
from scoring.figures import labels, typed
from scoring.figures.typed import KeyNames
from scoring.results.shapes import READY
from scoring.watching import queries as watching
from scoring.watching.queries import AnnotatorSignals, Signals, SignalsFigure

SIGNALS = shape(
    "Signals",
    **READY
    | typed.parts(SignalsFigure)
    | {
        "annotators": [
            shape(
                "AnnotatorSignals",
                **typed.parts(AnnotatorSignals),
                needs_look=bool,
                looked_into=maybe(str),
            )
        ]
    },
)


@contract(get(SIGNALS, figure=True))
@door(permissions.UNBLINDED)
def signals(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return every annotator's signals, with how often each is raised by chance."""
    mine = labels.allowed(scope, number)
    params = watching.params(mine.round)
    figure = figures.figure(request, watching.FIGURE, mine.round, params, now=timezone.now())
    if isinstance(figure, Response):
        return figure
    named = KeyNames(labels.labels_of(mine.round), mine.names)
    found = Signals(figure.data, named.labels, watching.looks(mine.round))
    people = [
        {
            **typed.told(one.row, named),
            "needs_look": one.needs_look,
            "looked_into": one.look.note if one.look else None,
        }
        for one in found.lines
    ]
    head = {"state": "ready", "as_of": figure.ready_at, "names_shown": mine.shown}
    return Response({**head, **typed.told(found.figure, named), "annotators": people})
