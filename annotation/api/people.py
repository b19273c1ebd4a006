"""People, what opens the project for them, and what was done, as JSON, for owners.

Accounts and passwords are made on the pages alone; an invitation lets somebody make their own.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms.lists import EventFilter
from annotation.models import PasswordLink, Project, Role, User
from annotation.operations import audit as chain
from annotation.operations import passwords
from annotation.operations import people as operations
from annotation.permissions import Scope, door
from annotation.queries import events, personal_tokens, projects
from annotation.queries import password_links as link_reads
from evalsite import keyset
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import AFTER, contract, get, of_form, post
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


ROLES = tuple(Role.values)
TOKEN = shape(
    "TokenOfMember",
    person=UUID,
    name=str,
    what_for=str,
    start=said(str, "The first characters, by which its person knows it again."),
    scopes=[str],
    all_projects=said(bool, "Whether it opens every project of its person, or this one only."),
    last_used_at=maybe(datetime),
    expires_at=datetime,
)


PASSWORD_LINK = shape(
    "PasswordLink",
    key=int,
    person=UUID,
    name=str,
    made_at=datetime,
    expires_at=datetime,
)


class RolesIn(Body):
    """All roles that somebody is to hold from now on; none ends them all."""

    roles = serializers.ListField(child=serializers.ChoiceField(choices=ROLES))


class MemberIn(Body):
    """Somebody who has an account, by user name, and what they are to be besides what they are."""

    username = serializers.CharField(max_length=150)
    roles = serializers.ListField(child=serializers.ChoiceField(choices=ROLES), allow_empty=False)


@api_view(["GET", "POST"])
@contract(
    get(
        rows(PersonOut),
        "Return everybody who belongs or belonged to the project, with their roles.",
    ),
    post(PersonOut, "Give roles to somebody who has an account.", takes=MemberIn, status=201),
)
@door(permissions.OWNERS)
def people(request: HttpRequest, scope: Scope) -> Response:
    """Return everybody who belongs to the project or did, with roles held and ended; POST adds one."""
    if request.method == "GET":
        members = projects.list_members(scope.project)
        return Response({"results": PersonOut(members, many=True).data})
    given = valid(MemberIn, request)
    user = operations.add_member(
        project=scope.project,
        username=given["username"],
        roles={Role(one) for one in given["roles"]},
        by=scope.user,
        now=timezone.now(),
    )
    return Response(_member(scope.project, user), status=201)


@api_view(["GET", "POST"])
@contract(
    get(PersonOut, "Return a person of the project, with roles held and ended."),
    post(PersonOut, "Set which roles a person holds from now on.", takes=RolesIn),
)
@door(permissions.OWNERS)
def person(request: HttpRequest, scope: Scope, person: UUID) -> Response:
    """Return somebody with roles held and ended; POST changes which are held."""
    user = get_object_or_404(projects.members_of(scope.project), public_id=person)
    if request.method == "POST":
        operations.set_roles(
            project=scope.project,
            user=user,
            roles={Role(one) for one in valid(RolesIn, request)["roles"]},
            by=scope.user,
            now=timezone.now(),
        )
    return Response(_member(scope.project, user))


def _member(of: Project, user: User) -> Any:
    members = projects.list_members(of)
    return PersonOut(next(one for one in members if one.user == user)).data


@api_view(["GET"])
@contract(
    get(rows(TOKEN)),
)
@door(permissions.OWNERS)
def tokens(request: HttpRequest, scope: Scope) -> Response:
    """Return the tokens that open the project to programs, the last used first."""
    found = personal_tokens.reaching(scope.project, timezone.now())[
        : personal_tokens.SHOWN_REACHING
    ]
    return Response(
        {
            "results": [
                {
                    "person": str(one.user.public_id),
                    "name": str(one.user.display_name),
                    "what_for": one.name,
                    "start": one.start,
                    "scopes": one.scopes,
                    "all_projects": one.project_id is None,
                    "last_used_at": one.last_used_at,
                    "expires_at": one.expires_at,
                }
                for one in found
            ]
        }
    )


@api_view(["GET"])
@contract(
    get(
        rows(PASSWORD_LINK),
        "Return the mailed links to a new password that work, of people of this project alone.",
    ),
)
@door(permissions.OWNERS)
def password_links(request: HttpRequest, scope: Scope) -> Response:
    """Return the links to a new password that work."""
    found = link_reads.live(scope.project, timezone.now())
    return Response({"results": [_link(one) for one in found]})


@api_view(["POST"])
@contract(
    post(PASSWORD_LINK, "Take a mailed link to a new password back."),
)
@door(permissions.OWNERS)
def password_link_take_back(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Let a link to a new password work no more."""
    now = timezone.now()
    found = get_object_or_404(link_reads.live(scope.project, now), pk=pk)
    passwords.take_back(link=found, project=scope.project, by=scope.user, now=now)
    return Response(_link(found))


def _link(one: PasswordLink) -> dict[str, Any]:
    return {
        "key": one.pk,
        "person": str(one.user.public_id),
        "name": str(one.user.display_name),
        "made_at": one.made_at,
        "expires_at": one.expires_at,
    }


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
