"""What inspections go by, as JSON: the checklist, and when designers are to be retrained."""

from typing import Any
from uuid import UUID

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import Checklist
from annotation.operations.bank import inspecting, retraining
from annotation.permissions import Scope, door
from annotation.queries import inspections, projects
from annotation.rules import checklists
from annotation.rules.checklists import Line
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import said, shape

CHECKLIST = shape(
    "Checklist",
    number=said(int, "The version. A change names it as `base`."),
    lines=[
        shape(
            "ChecklistLine",
            key=str,
            text=str,
            field=said(str, "The field of a question that it is about; empty for none."),
            reason=said(str, "The usual one when the line fails."),
        )
    ],
)


class LineIn(Body):
    """A line; how long its texts may be is checked with the whole list."""

    key = serializers.CharField()
    text = serializers.CharField()
    field = serializers.ChoiceField(choices=checklists.FIELDS, default="", allow_blank=True)
    reason = serializers.ChoiceField(choices=tuple(checklists.REASONS), default="other")


class ChecklistIn(Body):
    """All lines of the next version; `base` is the version that was read."""

    base = serializers.IntegerField(min_value=1)
    lines = LineIn(many=True)


class LimitIn(Body):
    """The share of returns above which a designer stands on the retraining list."""

    percent = serializers.IntegerField(min_value=1, max_value=100)


class SettledIn(Body):
    """What was done about it; it stays on record."""

    note = serializers.CharField(max_length=1000)


@api_view(["GET", "POST"])
@contract(
    get(CHECKLIST, "Return the checklist that inspections go by now."),
    post(CHECKLIST, "Write the next version of the checklist.", takes=ChecklistIn),
)
@door(permissions.INSPECTORS, permissions.CURATORS)
def checklist(request: HttpRequest, scope: Scope) -> Response:
    """Return the checklist that holds; POST writes its next version."""
    now = timezone.now()
    held = inspecting.current_checklist(project=scope.project, now=now)
    if request.method == "GET":
        return Response(told(held))
    given = valid(ChecklistIn, request)
    made = inspecting.save_checklist(
        project=scope.project,
        lines=[Line(**one) for one in given["lines"]],
        base=_base(scope, given["base"]),
        by=scope.user,
        now=now,
    )
    return Response(told(made))


@api_view(["POST"])
@contract(
    post(shape("RetrainingLimit", limit_percent=int), takes=LimitIn),
)
@door(permissions.CURATORS)
def limit(request: HttpRequest, scope: Scope) -> Response:
    """Set the share of returns above which a designer stands on the retraining list."""
    percent = valid(LimitIn, request)["percent"]
    made = retraining.set_limit(
        project=scope.project, percent=percent, by=scope.user, now=timezone.now()
    )
    return Response({"limit_percent": made.percent})


@api_view(["POST"])
@contract(
    post(shape("RetrainingSettled", designer=UUID, note=str), takes=SettledIn, status=201),
)
@door(permissions.CURATORS)
def settle(request: HttpRequest, scope: Scope, person: UUID) -> Response:
    """Take a designer off the retraining list, with a note on what was done."""
    designer = get_object_or_404(projects.members_of(scope.project), public_id=person)
    made = retraining.settle(
        project=scope.project,
        designer=designer,
        note=valid(SettledIn, request)["note"],
        by=scope.user,
        now=timezone.now(),
    )
    return Response({"designer": str(person), "note": made.note}, status=201)


def _base(scope: Scope, number: int) -> Checklist:
    base = inspections.checklist_of(scope.project, number)
    if base is None:
        message = _("There is no version %(n)d of the checklist. Read it again.") % {"n": number}
        raise serializers.ValidationError({"base": [message]})
    return base


def told(of: Checklist) -> dict[str, Any]:
    """Return a version of the checklist as it is answered."""
    return {"number": of.number, "lines": checklists.rows(checklists.from_rows(of.lines))}
