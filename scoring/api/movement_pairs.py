"""Which questions and responses of two rounds stayed the same: what differs, and saying so."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response as Answer

from annotation import permissions
from annotation.models import Item, Response
from annotation.operations import sameness
from annotation.permissions import Scope, door
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import AFTER, contract, get, post
from evalsite.contract.shapes import maybe, page, said, shape
from scoring.api import asking
from scoring.queries import tagdesk

#: A tag counts from then on; the figures of the movement are computed anew.
SAME, CHANGED = "SAME", "CHANGED"
SIDE = shape(
    "MovementSide",
    kind=said(str, "QUESTION or RESPONSE."),
    left=said(int, "The item or response of the earlier round."),
    right=said(int, "That of the later round."),
    same=bool,
    by=said(str, "Who says so; `nobody` has yet where the pair is open, and it counts as changed."),
    likeness=said(int, "Of their texts, in percent."),
)
PAIRS = page(
    shape("MovementPair", title=str, sides=[SIDE]),
    open=said(int, "Pairs that nobody has decided about."),
    pairs=said(int, "Pairs whose contents differ."),
)
TAG = shape("MovementTag", kind=str, left=int, right=int, verdict=str, note=maybe(str))


class TagIn(Body):
    """What somebody says of a pair; a later word counts in place of an earlier one."""

    kind = serializers.ChoiceField(choices=["QUESTION", "RESPONSE"])
    left = serializers.IntegerField()
    right = serializers.IntegerField()
    verdict = serializers.ChoiceField(choices=[SAME, CHANGED])
    note = serializers.CharField(max_length=500, required=False, allow_blank=True)


@api_view(["GET", "POST"])
@contract(
    get(PAIRS, "Return the pairs that differ, by question, with what is decided.", query=[AFTER]),
    post(TAG, "Decide whether a pair means the same.", takes=TagIn, status=201),
)
@door(permissions.UNBLINDED, permissions.CURATORS)
def pairs(request: HttpRequest, scope: Scope, before: int, after: int, system: int) -> Answer:
    """Return pairs of two rounds that differ, or say whether one is the same in meaning."""
    chosen = asking.chosen(scope, before, after, system)[1]
    if request.method == "POST":
        return _tagged(scope, valid(TagIn, request))
    found = tagdesk.page(chosen, after=request.GET.get("after", ""), everything=True)
    query = request.GET.copy()
    query["after"] = found.after
    return Answer(
        {
            "results": [
                {"title": line.title, "sides": [_side(one) for one in line.sides]}
                for line in found.lines
            ],
            "next": f"?{query.urlencode()}" if found.after else None,
            "open": found.n_open,
            "pairs": found.n_pairs,
        }
    )


def _side(one: tagdesk.Side) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "left": one.left,
        "right": one.right,
        "same": one.decided.same,
        "by": one.decided.by,
        "likeness": one.likeness,
    }


def _tagged(scope: Scope, given: dict[str, Any]) -> Answer:
    left, right = (_content(scope, given["kind"], given[side]) for side in ("left", "right"))
    made = sameness.tag(
        project=scope.project,
        left=left,
        right=right,
        verdict=given["verdict"],
        note=given.get("note", ""),
        by=scope.user,
        now=timezone.now(),
    )
    told = {name: given[name] for name in ("kind", "left", "right")}
    return Answer({**told, "verdict": made.verdict, "note": made.note}, status=201)


def _content(scope: Scope, kind: str, pk: int) -> Item | Response:
    if kind == "QUESTION":
        return get_object_or_404(Item, project=scope.project, pk=pk)
    found = Response.objects.select_related("item", "release")
    return get_object_or_404(found, item__project=scope.project, pk=pk)
