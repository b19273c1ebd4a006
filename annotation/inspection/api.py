"""What inspections go by, as JSON: the checklist, and when designers are to be retrained.

* Inspection as JSON: what waits for the person who asks, one version, and a decision on it.
"""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.bank import checklists, reading
from annotation.bank.checklists import Checked, Line
from annotation.bank.models import Checklist, Inspection
from annotation.bank.records import VersionOut, WaitingOut
from annotation.inspection import operations as inspecting
from annotation.inspection import queries as figure_reads
from annotation.inspection.forms import PeriodFilter, QueueFilter
from annotation.inspection.rules import Spell
from annotation.people import permissions
from annotation.people import queries as projects
from annotation.people.permissions import Scope, door
from evalsite import records
from evalsite.contract.calls import AFTER, Body, contract, get, of_form, post, readable, valid
from evalsite.contract.shapes import page, said, shape
from evalsite.web import keyset

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
    made = inspecting.set_limit(
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
    made = inspecting.settle(
        project=scope.project,
        designer=designer,
        note=valid(SettledIn, request)["note"],
        by=scope.user,
        now=timezone.now(),
    )
    return Response({"designer": str(person), "note": made.note}, status=201)


def _base(scope: Scope, number: int) -> Checklist:
    base = reading.checklist_of(scope.project, number)
    if base is None:
        message = _("There is no version %(n)d of the checklist. Read it again.") % {"n": number}
        raise serializers.ValidationError({"base": [message]})
    return base


def told(of: Checklist) -> dict[str, Any]:
    """Return a version of the checklist as it is answered."""
    return {"number": of.number, "lines": checklists.rows(checklists.from_rows(of.lines))}


class CheckedIn(Body):
    line = serializers.CharField(max_length=40)
    outcome = serializers.ChoiceField(choices=checklists.OUTCOMES)
    reason = serializers.CharField(max_length=40, default="", allow_blank=True)
    field = serializers.CharField(max_length=40, default="", allow_blank=True)
    note = serializers.CharField(max_length=1000, default="", allow_blank=True)


class DecisionIn(Body):
    """What an inspector decides, line by line."""

    component = "InspectionsDecisionIn"

    verdict = serializers.ChoiceField(choices=checklists.VERDICTS)
    checked = CheckedIn(many=True)
    note = serializers.CharField(default="", allow_blank=True)
    suggestion = serializers.DictField(default=dict)
    #: The number of the checklist the lines are from; by default the newest.
    checklist = serializers.IntegerField(required=False, min_value=1)


class DecisionOut(serializers.ModelSerializer[Inspection]):
    state = serializers.CharField(source="version.state")

    class Meta:
        model = Inspection
        fields = ("verdict", "note", "suggestion", "at", "state")


TO_INSPECT = shape(
    "VersionToInspect",
    VersionOut,
    sources=[shape("CitedSource", title=str, version=int, place=str, text=str)],
    checklist=CHECKLIST,
)


@api_view(["GET"])
@contract(
    get(
        page(
            shape(
                "WaitingWithInspectors",
                WaitingOut,
                inspectors=shape("Inspectors", wanted=int, done=int),
            )
        ),
        query=[*of_form(QueueFilter), AFTER],
    ),
)
@door(permissions.INSPECTORS)
def inspections(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of what waits for you to inspect: core areas first, then the oldest."""
    filters = readable(QueueFilter(request.GET, project=scope.project)).filters()
    page = reading.page(scope.project, scope.user, filters, after=request.GET.get("after", ""))
    results = [
        {**records.told(WaitingOut, one), "inspectors": reading.line_of(one)} for one in page.rows
    ]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@contract(
    get(TO_INSPECT, "Return a question version to inspect, with the checklist."),
    post(DecisionOut, "Accept or return a question version.", takes=DecisionIn, status=201),
)
@door(permissions.INSPECTORS)
def inspection(request: Any, scope: Scope, pk: int) -> Response:
    """Return a version with the checklist, or decide on it."""
    version = reading.version_of(scope.project, pk)
    if version is None:
        raise Http404
    checklist = inspecting.current_checklist(project=scope.project, now=timezone.now())
    if request.method == "GET":
        sources = [
            {
                "title": one.source_version.source.title,
                "version": one.source_version.number,
                "place": one.locator,
                "text": one.source_version.text,
            }
            for one in reading.citations_of(version)
        ]
        return Response(
            {**records.told(VersionOut, version), "sources": sources, "checklist": told(checklist)}
        )
    sent = DecisionIn(data=request.data)
    sent.is_valid(raise_exception=True)
    given = sent.validated_data
    number = given.get("checklist", checklist.number)
    made = inspecting.inspect(
        version=version,
        verdict=given["verdict"],
        checked=[Checked(**one) for one in given["checked"]],
        by=scope.user,
        now=timezone.now(),
        checklist=reading.checklist_of(scope.project, number) or checklist,
        note=given["note"],
        suggestion=given["suggestion"],
    )
    made.version.refresh_from_db(fields=["state"])
    return Response(DecisionOut(made).data, status=201)


class SpellOut(serializers.Serializer[Any]):
    median_seconds = serializers.SerializerMethodField()
    n = serializers.IntegerField()

    def get_median_seconds(self, spell: Spell) -> float | None:
        return None if spell.median is None else spell.median.total_seconds()


class FiguresOut(serializers.Serializer[Any]):
    submitted = serializers.IntegerField(source="n_submitted")
    decided = serializers.IntegerField(source="n_decided")
    returned = serializers.IntegerField(source="n_returned")
    return_rate = serializers.FloatField(allow_null=True)
    first_decisions = serializers.IntegerField(source="n_first")
    accepted_at_once = serializers.IntegerField(source="n_at_once")
    until_decided = SpellOut(source="inspecting")
    until_mended = SpellOut(source="mending")


class ReasonOut(serializers.Serializer[Any]):
    reason = serializers.CharField()
    n = serializers.IntegerField()
    of = serializers.IntegerField()


FIGURES = shape(
    "InspectionFigures",
    designers=[shape("DesignerFigures", FiguresOut, designer=UUID)],
    reasons=[ReasonOut],
    limit_percent=int,
    retraining=[
        shape(
            "Retraining",
            designer=UUID,
            returned=int,
            decided=int,
            too_many=bool,
            invalidated=[str],
        )
    ],
)


@api_view(["GET"])
@contract(
    get(FIGURES, query=of_form(PeriodFilter)),
)
@door(permissions.BANK)
def figures(request: HttpRequest, scope: Scope) -> Response:
    """Return returns and reasons by designer: everybody's for curators, your own otherwise.

    Of what was handed in the last 90 days; `?days=365` or `?days=all` for more.
    """
    whose = None if scope.may(permissions.CURATORS) else scope.user
    since = readable(PeriodFilter(request.GET)).since(timezone.now())
    lines = figure_reads.lines(scope.project, whose, since)
    designers = [
        {"designer": str(one.designer.public_id), **FiguresOut(one.figures).data} for one in lines
    ]
    entries = figure_reads.retraining(scope.project) if whose is None else []
    return Response(
        {
            "designers": designers,
            "reasons": ReasonOut(figure_reads.reasons(scope.project, whose, since), many=True).data,
            "limit_percent": figure_reads.limit_of(scope.project),
            "retraining": [
                {
                    "designer": str(one.designer.public_id),
                    "returned": one.need.n_returned,
                    "decided": one.need.n_decided,
                    "too_many": one.need.too_many,
                    "invalidated": list(one.need.invalidated),
                }
                for one in entries
            ],
        }
    )
