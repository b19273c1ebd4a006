"""What the API says of the things of a project: every field named here, and no other.

* People, what opens the project for them, and what was done, as JSON, for owners.
* Links that invite people, as JSON, for owners. A link is answered once and kept nowhere.
* What the API takes and answers, as an OpenAPI document; for everybody but those who only grade.
"""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.people import access as passwords
from annotation.people import operations, permissions
from annotation.people import queries as reads
from annotation.people.middleware import answers_a_secret
from annotation.people.models import Invitation, Membership, PasswordLink, Project, Role, User
from annotation.people.permissions import Scope, door
from evalsite.contract import document
from evalsite.contract.calls import Body, contract, get, post, valid
from evalsite.contract.shapes import ANYTHING, maybe, rows, said, shape


class ProjectName(serializers.Serializer[Any]):
    """A project somebody belongs to."""

    slug = serializers.CharField(source="project.slug")
    name = serializers.CharField(source="project.name")


class Me(serializers.Serializer[Any]):
    username = serializers.CharField()
    name = serializers.CharField(source="display_name")
    may_start_projects = serializers.SerializerMethodField()

    def get_may_start_projects(self, user: User) -> bool:
        """Say whether they may start a project, with what they are signed in by."""
        return user.confined_to is None and reads.may_start(user)


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
        members = reads.list_members(scope.project)
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
    user = get_object_or_404(reads.members_of(scope.project), public_id=person)
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
    members = reads.list_members(of)
    return PersonOut(next(one for one in members if one.user == user)).data


@api_view(["GET"])
@contract(
    get(rows(TOKEN)),
)
@door(permissions.OWNERS)
def tokens(request: HttpRequest, scope: Scope) -> Response:
    """Return the tokens that open the project to programs, the last used first."""
    found = reads.reaching(scope.project, timezone.now())[: reads.SHOWN_REACHING]
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
    found = reads.live(scope.project, timezone.now())
    return Response({"results": [_link(one) for one in found]})


@api_view(["POST"])
@contract(
    post(PASSWORD_LINK, "Take a mailed link to a new password back."),
)
@door(permissions.OWNERS)
def password_link_take_back(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Let a link to a new password work no more."""
    now = timezone.now()
    found = get_object_or_404(reads.live(scope.project, now), pk=pk)
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
    days = serializers.IntegerField(min_value=1, max_value=passwords.DAYS[-1], default=7)


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
        return Response(
            {"results": [told(one) for one in reads.live_invitations(scope.project, now)]}
        )
    given = valid(InviteIn, request)
    made, token = passwords.invite(
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
    passwords.revoke(invitation=found, by=scope.user, now=now)
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


@api_view(["GET"])
@contract(
    get({str: ANYTHING}),
)
def openapi(request: Request) -> Response:
    """Return this document (OpenAPI 3.1): every address with its parameters, bodies and answers."""
    mine = Membership.objects.active().with_role(permissions.READERS)
    if not (isinstance(request.user, User) and mine.filter(user=request.user).exists()):
        raise Http404
    return Response(document.document())
