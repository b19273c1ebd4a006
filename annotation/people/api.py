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
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.people import access as passwords
from annotation.people import inviting, operations, permissions
from annotation.people import queries as reads
from annotation.people.middleware import answers_a_secret
from annotation.people.models import Invitation, Membership, Project, Role, User
from annotation.people.permissions import Scope, door
from annotation.people.records import InviteIn, MemberIn, RolesIn
from evalsite.contract import document
from evalsite.contract.calls import contract, get, post, taken
from evalsite.contract.shapes import ANYTHING, answer, answers, at, maybe, rows, said, shape
from evalsite.web import addresses

PROJECT_NAME = shape(
    "ProjectName",
    _text="A project somebody belongs to.",
    slug=at("project.slug", str),
    name=at("project.name", str),
)


ME = shape(
    "Me",
    username=str,
    name=at("display_name", str),
    may_start_projects=at(
        lambda user: user.confined_to is None and reads.may_start(user),
        said(bool, "Say whether they may start a project, with what they are signed in by."),
    ),
)


PERSON = shape(
    "Person",
    person=at("user.public_id", UUID),
    username=at("user.username", str),
    name=str,
    roles=[str],
    ended=[str],
    since=datetime,
)


EVENT = shape(
    "Event",
    at=at(lambda line: line.event.at.isoformat().replace("+00:00", "Z"), str),
    verb=at("event.verb", str),
    subject=at("event.subject", str),
    actor=at("event.actor", maybe(str)),
    name=at("actor", said(str, "What whoever did it is called now.")),
    note=at("event.note", str),
    data=at("event.data", {str: ANYTHING}),
)


TOKEN = shape(
    "TokenOfMember",
    person=at("user.public_id", UUID),
    name=at("user.display_name", str),
    what_for=at("name", str),
    start=said(str, "The first characters, by which its person knows it again."),
    scopes=[str],
    all_projects=at(
        lambda token: token.project_id is None,
        said(bool, "Whether it opens every project of its person, or this one only."),
    ),
    last_used_at=maybe(datetime),
    expires_at=datetime,
)


PASSWORD_LINK = shape(
    "PasswordLink",
    key=at("pk", int),
    person=at("user.public_id", UUID),
    name=at("user.display_name", str),
    made_at=datetime,
    expires_at=datetime,
)


@contract(
    get(
        rows(PERSON),
        "Return everybody who belongs or belonged to the project, with their roles.",
    ),
    post(PERSON, "Give roles to somebody who has an account.", takes=MemberIn, status=201),
)
@door(permissions.OWNERS)
def people(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "GET":
        members = reads.list_members(scope.project)
        return Response({"results": answers(PERSON, members)})
    given = taken(MemberIn, request)
    user = operations.add_member(
        username=given.username, roles={Role(one) for one in given.roles}, **scope.deed()
    )
    return Response(_member(scope.project, user), status=201)


@contract(
    get(PERSON, "Return a person of the project, with roles held and ended."),
    post(PERSON, "Set which roles a person holds from now on.", takes=RolesIn),
)
@door(permissions.OWNERS)
def person(request: HttpRequest, scope: Scope, person: UUID) -> Response:
    user = get_object_or_404(reads.members_of(scope.project), public_id=person)
    if request.method == "POST":
        operations.set_roles(
            user=user, roles={Role(one) for one in taken(RolesIn, request).roles}, **scope.deed()
        )
    return Response(_member(scope.project, user))


def _member(of: Project, user: User) -> Any:
    members = reads.list_members(of)
    return answer(PERSON, next(one for one in members if one.user == user))


@contract(get(rows(TOKEN)))
@door(permissions.OWNERS)
def tokens(request: HttpRequest, scope: Scope) -> Response:
    """Return the tokens that open the project to programs, the last used first."""
    found = reads.reaching(scope.project, timezone.now())[: reads.SHOWN_REACHING]
    return Response({"results": answers(TOKEN, found)})


@contract(
    get(
        rows(PASSWORD_LINK),
        "Return the mailed links to a new password that work, of people of this project alone.",
    )
)
@door(permissions.OWNERS)
def password_links(request: HttpRequest, scope: Scope) -> Response:
    found = reads.live(scope.project, timezone.now())
    return Response({"results": answers(PASSWORD_LINK, found)})


@contract(post(PASSWORD_LINK, "Take a mailed link to a new password back."))
@door(permissions.OWNERS)
def password_link_take_back(request: HttpRequest, scope: Scope, pk: int) -> Response:
    now = timezone.now()
    found = get_object_or_404(reads.live(scope.project, now), pk=pk)
    passwords.take_back(link=found, project=scope.project, by=scope.user, now=now)
    return Response(answer(PASSWORD_LINK, found))


INVITATION = shape(
    "Invitation",
    key=at("invitation.pk", int),
    whom=at(
        "invitation.whom",
        said(str, "For this list only: a name, or what you know the person by."),
    ),
    roles=at(lambda line: [role.value for role in line.roles], [str]),
    state=said(str, "open, used, revoked or over"),
    made_by=said(str, "What whoever made it is called now."),
    used_by=said(str, "What whoever came in with it is called now; empty: nobody did."),
    created_at=at("invitation.created_at", datetime),
    expires_at=at("invitation.expires_at", datetime),
)
INVITED = shape(
    "Invited",
    INVITATION,
    link=said(str, "To be sent to one person; shown this once."),
    is_mailed=said(bool, "Whether the mail server took it; the address is read from `whom`."),
)


@answers_a_secret
@contract(
    get(rows(INVITATION), "Return every link that works, and what became of the newest others."),
    post(INVITED, "Make a link for one person.", takes=InviteIn, status=201),
)
@door(permissions.OWNERS)
def invitations(request: HttpRequest, scope: Scope) -> Response:
    now = timezone.now()
    if request.method == "GET":
        found = reads.live_invitations(scope.project, now)
        return Response({"results": answers(INVITATION, found)})
    given = taken(InviteIn, request)
    ((made, token),) = inviting.invite_all(
        project=scope.project,
        whom=[given.whom],
        mail=given.mail,
        roles={Role(one) for one in given.roles},
        days=given.days,
        by=scope.user,
        now=now,
    )
    link = addresses.of_site(request) + reverse("join", args=[token])
    one = inviting.Invited(made, link)
    is_mailed = given.mail and not inviting.send(invited=[one], by=scope.user)
    said = {**_line(scope, made, now), "link": link, "is_mailed": is_mailed}
    return Response(said, status=201)


@contract(post(INVITATION))
@door(permissions.OWNERS)
def revoke(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Revoke a link."""
    found = get_object_or_404(Invitation, project=scope.project, pk=pk)
    now = timezone.now()
    inviting.revoke(invitation=found, by=scope.user, now=now)
    return Response(_line(scope, found, now))


def _line(scope: Scope, of: Invitation, now: datetime) -> dict[str, Any]:
    return answer(INVITATION, reads.line_of(scope.project, of.pk, now))


@contract(get({str: ANYTHING}))
def openapi(request: Request) -> Response:
    """Return this document (OpenAPI 3.1): every address with its parameters, bodies and answers."""
    mine = Membership.objects.active().with_role(permissions.READERS)
    if not (isinstance(request.user, User) and mine.filter(user=request.user).exists()):
        raise Http404
    return Response(document.document())
