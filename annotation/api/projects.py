"""Projects as JSON: those of the person who asks, a new one, and what one is called."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers as fields
from rest_framework.decorators import api_view
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import permissions
from annotation.api import serializers
from annotation.models import Project, User
from annotation.operations import people, templates
from annotation.permissions import Scope, door
from annotation.queries import projects as reads
from evalsite import errors
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import rows, said, shape

ABOUT = shape(
    "AboutProject",
    slug=said(str, "Stands in every address of the project and never changes."),
    name=str,
    subtitle=str,
    note=said(str, "Stands on the list of everybody who grades here."),
)


class Confined(errors.NotAllowed):
    """The token opens one project; a new one would be another."""

    code = "token_confined"


class NewProjectIn(Body):
    """A project to be started; whoever starts it owns it. Without a template it is empty."""

    slug = fields.SlugField(max_length=60)
    name = fields.CharField(max_length=200)
    subtitle = fields.CharField(max_length=200, default="", allow_blank=True)
    template = fields.CharField(max_length=60, default="", allow_blank=True)


class AboutIn(Body):
    """What is left out stays as it is. The note names no system: annotators read it."""

    name = fields.CharField(max_length=200, required=False)
    subtitle = fields.CharField(max_length=200, required=False, allow_blank=True)
    note = fields.CharField(max_length=2000, required=False, allow_blank=True)


@api_view(["GET", "POST"])
@contract(
    get(rows(serializers.ProjectName), "Return your projects."),
    post(
        ABOUT,
        "Start a project, if you may (`may_start_projects` of `/me/`); you become its owner.",
        takes=NewProjectIn,
        status=201,
    ),
)
def projects(request: Request) -> Response:
    """Return your projects; POST starts one."""
    assert isinstance(request.user, User)
    if request.method == "GET":
        mine = reads.list_of(request.user)
        return Response({"results": serializers.ProjectName(mine, many=True).data})
    templates.refuse_starter(request.user)
    given = valid(NewProjectIn, request)
    if request.user.confined_to is not None:
        raise Confined(_("This token opens one project only. Make one for all of your projects."))
    made = templates.start_project(**given, by=request.user, now=timezone.now())
    return Response(_about(made), status=201)


@api_view(["GET", "POST"])
@contract(
    get(ABOUT, "Return what the project is called, and what its annotators are told."),
    post(
        ABOUT, "Change what the project is called, and what its annotators are told.", takes=AboutIn
    ),
)
@door(permissions.OWNERS)
def about(request: HttpRequest, scope: Scope) -> Response:
    """Return what the project is called; POST changes it."""
    of = scope.project
    if request.method == "GET":
        return Response(_about(of))
    held = {"name": of.name, "subtitle": of.subtitle, "note": of.note}
    wanted = {**held, **valid(AboutIn, request)}
    people.set_up_project(project=of, **wanted, by=scope.user, now=timezone.now())
    of.refresh_from_db()
    return Response(_about(of))


def _about(of: Project) -> dict[str, Any]:
    return {"slug": of.slug, "name": of.name, "subtitle": of.subtitle, "note": of.note}
