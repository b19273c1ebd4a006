"""Rounds as JSON: the list and one of them, for those who may see identities; drafts begun and changed."""

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api import round_drafts
from annotation.api.round_drafts import NewRoundIn, RoundIn
from annotation.api.round_shapes import ROUND, RoundLineOut, SeatsOut, whole
from annotation.permissions import Scope, door
from annotation.queries import rounds as reads
from evalsite import keyset
from evalsite.contract.calls import AFTER, contract, get, post
from evalsite.contract.shapes import page, shape


@api_view(["GET", "POST"])
@contract(
    get(
        page(shape("RoundWithSeats", RoundLineOut, seats=SeatsOut)),
        "Return a page of rounds, the newest first.",
        query=[AFTER],
    ),
    post(ROUND, "Begin a draft.", takes=NewRoundIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def rounds(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of rounds, the newest first; or begin a draft."""
    if request.method == "POST":
        return Response(whole(round_drafts.create(request, scope)), status=201)
    lines, page = reads.page_of(scope.project, after=request.GET.get("after", ""))
    results = [
        {**RoundLineOut(line.round).data, "seats": SeatsOut(line.seats).data} for line in lines
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@contract(
    get(ROUND, "Return a round with its design, its progress and, once open, its manifest."),
    post(ROUND, "Change a round, all that is named or nothing.", takes=RoundIn),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def round_(request: HttpRequest, scope: Scope, number: int) -> Response:
    """Return a round with its design and progress; or change what is named, all of it or nothing."""
    found = get_object_or_404(reads.of(scope.project).select_related("project"), number=number)
    if request.method == "POST":
        round_drafts.change(request, scope, found)
        found.refresh_from_db()
    return Response(whole(found))
