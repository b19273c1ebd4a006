"""The comments of a round's annotators for programs."""

from django.http import HttpRequest
from rest_framework.response import Response

from annotation.people import permissions
from annotation.people.permissions import Scope, door
from evalsite.contract.calls import AFTER, Query, contract, get
from evalsite.contract.shapes import NEXT, answers, at, or_null, said, shape
from evalsite.web import keyset
from scoring.comments import queries as comments
from scoring.figures import labels

COMMENT = shape(
    "RoundComment",
    item=str,
    capability=or_null(str),
    system=str,
    annotator=str,
    grades=at(
        "marks",
        [
            shape(
                "CommentGrade",
                criterion=str,
                value=said(str, "The number, or that it could not be graded."),
                level=said(or_null(str), "The word of the level."),
            )
        ],
    ),
    comment=at("text", str),
    at=at(lambda one: one.at.isoformat(), str),
)
COMMENTS = shape("RoundComments", names_shown=bool, n_comments=int, comments=[COMMENT], next=NEXT)
QUERY = (
    Query("system", "Of the system at this place, from 1, in the order of the draw."),
    Query("criterion", "Beside a grade by this criterion, by its key."),
    Query("level", "Beside a grade of this value."),
    Query("q", "With this text, in any case."),
    AFTER,
)


@contract(get(COMMENTS, query=QUERY))
@door(permissions.UNBLINDED)
def round_comments(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return the comments of annotators, the newest first; `next` asks for more."""
    mine = labels.allowed(scope, number)
    found = comments.read_comments(mine, request.GET.dict())
    page = found.page(request.GET.get("after", ""))
    return Response(
        {
            "names_shown": mine.shown,
            "n_comments": found.rows().count(),
            "comments": answers(COMMENT, found.lines(page.rows)),
            "next": keyset.next_url(request.GET, page),
        }
    )
