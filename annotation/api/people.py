"""People and what was done, as JSON, for owners. Accounts and roles are given on the pages alone."""

from typing import Any

from django.http import HttpRequest
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms.lists import EventFilter
from annotation.operations import audit as chain
from annotation.permissions import Scope, door
from annotation.queries import events, projects
from evalsite import keyset
from evalsite.contract.calls import AFTER, contract, get, of_form
from evalsite.contract.filters import readable
from evalsite.contract.shapes import ANYTHING, maybe, page, rows, said, shape


class PersonOut(serializers.Serializer[Any]):
    person = serializers.UUIDField(source="user.public_id")
    username = serializers.CharField(source="user.username")
    name = serializers.CharField()
    roles = serializers.ListField(child=serializers.CharField())
    ended = serializers.ListField(child=serializers.CharField())
    since = serializers.DateTimeField()


EVENT = shape(
    "Event",
    at=str,
    verb=str,
    subject=str,
    actor=maybe(str),
    name=said(str, "What whoever did it is called now."),
    note=str,
    data={str: ANYTHING},
)


@api_view(["GET"])
@contract(
    get(rows(PersonOut)),
)
@door(permissions.OWNERS)
def people(request: HttpRequest, scope: Scope) -> Response:
    """Return everybody who belongs to the project or did, with roles held and ended."""
    return Response({"results": PersonOut(projects.list_members(scope.project), many=True).data})


@api_view(["GET"])
@contract(
    get(page(EVENT), query=[*of_form(EventFilter), AFTER]),
)
@door(permissions.OWNERS)
def audit(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of what was done, the newest first."""
    filters = readable(EventFilter(request.GET, project=scope.project)).filters()
    found = events.page(scope.project, filters, after=request.GET.get("after", ""))
    return Response(
        {
            "results": [
                {
                    "at": line.event.at,
                    "verb": line.event.verb,
                    "subject": line.event.subject,
                    "actor": str(line.event.actor) if line.event.actor else None,
                    "name": line.actor,
                    "note": line.event.note,
                    "data": line.event.data,
                }
                for line in events.lines(found.rows)
            ],
            "next": keyset.next_url(request.GET, found),
        }
    )


@api_view(["GET"])
@contract(
    get(
        shape(
            "Seal",
            sealed=said(int, "Events in the chain of hashes."),
            waiting=said(int, "Events that are not sealed yet."),
            broken=said(maybe(int), "The first event whose hash does not fit; null: none."),
        )
    ),
)
@door(permissions.OWNERS)
def seal(request: HttpRequest, scope: Scope) -> Response:
    """Read the whole chain of what was done, and say where it breaks, if it does."""
    state = events.seal_of(scope.project)
    broken = chain.broken_link(scope.project)
    return Response({"sealed": state.last, "waiting": state.n_waiting, "broken": broken})
