"""Links that invite people, as JSON, for owners. A link is answered once and kept nowhere."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api.idempotency import answers_a_secret
from annotation.models import Invitation, Role
from annotation.operations import invitations as operations
from annotation.permissions import Scope, door
from annotation.queries import invitations as reads
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import rows, said, shape

LINE = {
    "key": int,
    "whom": said(str, "For this list only: a name, or what you know the person by."),
    "roles": [str],
    "state": said(str, "open, used, revoked or over"),
    "made_by": said(str, "What whoever made it is called now."),
    "used_by": said(str, "What whoever came in with it is called now; empty: nobody did."),
    "created_at": datetime,
    "expires_at": datetime,
}
INVITATION = shape("Invitation", **LINE)
INVITED = shape("Invited", INVITATION, link=said(str, "To be sent to one person; shown this once."))


class InviteIn(Body):
    """A link for one person that gives these roles."""

    whom = serializers.CharField(max_length=200)
    roles = serializers.ListField(
        child=serializers.ChoiceField(choices=tuple(Role.values)), allow_empty=False
    )
    days = serializers.IntegerField(min_value=1, max_value=operations.DAYS[-1], default=7)


@answers_a_secret
@api_view(["GET", "POST"])
@contract(
    get(rows(INVITATION), "Return every link that works, and what became of the newest others."),
    post(INVITED, "Make a link for one person.", takes=InviteIn, status=201),
)
@door(permissions.OWNERS)
def invitations(request: HttpRequest, scope: Scope) -> Response:
    """Return the newest links; POST makes one, whose address is answered this once."""
    now = timezone.now()
    if request.method == "GET":
        return Response({"results": [told(one) for one in reads.list_of(scope.project, now)]})
    given = valid(InviteIn, request)
    made, token = operations.invite(
        project=scope.project,
        whom=given["whom"],
        roles={Role(one) for one in given["roles"]},
        days=given["days"],
        by=scope.user,
        now=now,
    )
    link = request.build_absolute_uri(reverse("join", args=[token]))
    return Response({**_line(scope, made, now), "link": link}, status=201)


@api_view(["POST"])
@contract(
    post(INVITATION),
)
@door(permissions.OWNERS)
def revoke(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Revoke a link."""
    found = get_object_or_404(Invitation, project=scope.project, pk=pk)
    now = timezone.now()
    operations.revoke(invitation=found, by=scope.user, now=now)
    return Response(_line(scope, found, now))


def told(one: reads.Line) -> dict[str, Any]:
    """Return a link as it is answered, without its address."""
    held = one.invitation
    return {
        "key": held.pk,
        "whom": held.whom,
        "roles": [str(role.value) for role in one.roles],
        "state": one.state,
        "made_by": one.made_by,
        "used_by": one.used_by,
        "created_at": held.created_at,
        "expires_at": held.expires_at,
    }


def _line(scope: Scope, of: Invitation, now: datetime) -> dict[str, Any]:
    found = reads.line_of(scope.project, of.pk, now)
    return told(found)
