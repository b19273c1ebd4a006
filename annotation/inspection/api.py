"""What inspections go by, as JSON: the checklist, and when designers are to be retrained.

* Inspection as JSON: what waits for the person who asks, one version, and a decision on it.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.response import Response

from annotation.bank import checklists, reading
from annotation.bank.checklists import Checked, ChecklistLine
from annotation.bank.models import Checklist, Inspection
from annotation.bank.records import VersionOut, WaitingOut
from annotation.inspection import operations as inspecting
from annotation.inspection import queries as figure_reads
from annotation.inspection.forms import PeriodFilter, QueueFilter
from annotation.inspection.rules import MedianSpell
from annotation.people import permissions
from annotation.people import queries as projects
from annotation.people.permissions import Scope, door
from evalsite import records
from evalsite.contract.calls import (
    AFTER,
    Body,
    contract,
    get,
    of_form,
    post,
    readable,
    taken,
    valid,
)
from evalsite.contract.shapes import DOUBLE, answer, answers, at, maybe, page, said, shape
from evalsite.kinds import Choice, Json, Text, Whole
from evalsite.records import Record
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


@dataclass(frozen=True, kw_only=True)
class ChecklistIn(Record):
    """All lines of the next version; `base` is the version that was read."""

    base: Annotated[int, Whole(1)]
    lines: tuple[ChecklistLine, ...]


class LimitIn(Body):
    """The share of returns above which a designer stands on the retraining list."""

    percent = serializers.IntegerField(min_value=1, max_value=100)


class SettledIn(Body):
    """What was done about it; it stays on record."""

    note = serializers.CharField(max_length=1000)


@contract(
    get(CHECKLIST, "Return the checklist that inspections go by now."),
    post(CHECKLIST, "Write the next version of the checklist.", takes=ChecklistIn),
)
@door(permissions.INSPECTORS, permissions.CURATORS)
def checklist(request: HttpRequest, scope: Scope) -> Response:
    now = timezone.now()
    held = inspecting.current_checklist(project=scope.project, now=now)
    if request.method == "GET":
        return Response(told(held))
    given = taken(ChecklistIn, request)
    made = inspecting.save_checklist(
        project=scope.project,
        lines=given.lines,
        base=_base(scope, given.base),
        by=scope.user,
        now=now,
    )
    return Response(told(made))


@contract(post(shape("RetrainingLimit", limit_percent=int), takes=LimitIn))
@door(permissions.CURATORS)
def limit(request: HttpRequest, scope: Scope) -> Response:
    """Set the share of returns above which a designer stands on the retraining list."""
    percent = valid(LimitIn, request)["percent"]
    made = inspecting.set_limit(percent=percent, **scope.deed())
    return Response({"limit_percent": made.percent})


@contract(post(shape("RetrainingSettled", designer=UUID, note=str), takes=SettledIn, status=201))
@door(permissions.CURATORS)
def settle(request: HttpRequest, scope: Scope, person: UUID) -> Response:
    """Take a designer off the retraining list, with a note on what was done."""
    designer = get_object_or_404(projects.members_of(scope.project), public_id=person)
    made = inspecting.settle(
        designer=designer, note=valid(SettledIn, request)["note"], **scope.deed()
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


@dataclass(frozen=True, kw_only=True)
class InspectionsDecisionIn(Record):
    """What an inspector decides, line by line."""

    verdict: Annotated[str, Choice(checklists.VERDICTS)]
    checked: tuple[Checked, ...]
    note: Annotated[str, Text()] = ""
    suggestion: Annotated[dict[str, Any], Json()] = field(default_factory=dict)
    #: The number of the checklist the lines are from; by default the newest.
    checklist: Annotated[int, Whole(1)] | None = None


class DecisionOut(serializers.ModelSerializer[Inspection]):
    state = serializers.CharField(source="version.state")

    class Meta:
        model = Inspection
        fields = ("verdict", "note", "suggestion", "at", "state")


CITED = shape(
    "CitedSource",
    title=at("source_version.source.title", str),
    version=at("source_version.number", int),
    place=at("locator", str),
    text=at("source_version.text", str),
)
TO_INSPECT = shape(
    "VersionToInspect",
    VersionOut,
    sources=[CITED],
    checklist=CHECKLIST,
)


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
    )
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


@contract(
    get(TO_INSPECT, "Return a question version to inspect, with the checklist."),
    post(
        DecisionOut, "Accept or return a question version.", takes=InspectionsDecisionIn, status=201
    ),
)
@door(permissions.INSPECTORS)
def inspection(request: Any, scope: Scope, pk: int) -> Response:
    version = reading.version_of(scope.project, pk)
    if version is None:
        raise Http404
    checklist = inspecting.current_checklist(project=scope.project, now=timezone.now())
    if request.method == "GET":
        sources = answers(CITED, reading.citations_of(version))
        return Response(answer(TO_INSPECT, version, sources=sources, checklist=told(checklist)))
    given = taken(InspectionsDecisionIn, request)
    number = given.checklist or checklist.number
    made = inspecting.inspect(
        version=version,
        verdict=given.verdict,
        checked=given.checked,
        checklist=reading.checklist_of(scope.project, number) or checklist,
        note=given.note,
        suggestion=given.suggestion,
        **scope.who(),
    )
    made.version.refresh_from_db(fields=["state"])
    return Response(DecisionOut(made).data, status=201)


def _seconds(one: MedianSpell) -> float | None:
    return None if one.median is None else one.median.total_seconds()


SPELL = shape("Spell", median_seconds=at(_seconds, maybe(DOUBLE)), n=int)


OF_DESIGNER = shape(
    "Figures",
    submitted=at("n_submitted", int),
    decided=at("n_decided", int),
    returned=at("n_returned", int),
    return_rate=maybe(DOUBLE),
    first_decisions=at("n_first", int),
    accepted_at_once=at("n_at_once", int),
    until_decided=at("inspecting", SPELL),
    until_mended=at("mending", SPELL),
)


REASON = shape("Reason", reason=str, n=int, of=int)


RETRAINING = shape(
    "Retraining",
    designer=at("designer.public_id", UUID),
    returned=at("need.n_returned", int),
    decided=at("need.n_decided", int),
    too_many=at("need.too_many", bool),
    invalidated=at("need.invalidated", [str]),
)
FIGURES = shape(
    "InspectionFigures",
    designers=[shape("DesignerFigures", OF_DESIGNER, designer=UUID)],
    reasons=[REASON],
    limit_percent=int,
    retraining=[RETRAINING],
)


@contract(get(FIGURES, query=of_form(PeriodFilter)))
@door(permissions.BANK)
def figures(request: HttpRequest, scope: Scope) -> Response:
    """Return returns and reasons by designer: everybody's for curators, your own otherwise.

    Of what was handed in the last 90 days; `?days=365` or `?days=all` for more.
    """
    whose = None if scope.may(permissions.CURATORS) else scope.user
    since = readable(PeriodFilter(request.GET)).since(timezone.now())
    lines = figure_reads.lines(scope.project, whose, since)
    designers = [
        {"designer": one.designer.public_id, **answer(OF_DESIGNER, one.figures)} for one in lines
    ]
    entries = figure_reads.retraining(scope.project) if whose is None else []
    return Response(
        {
            "designers": designers,
            "reasons": answers(REASON, figure_reads.reasons(scope.project, whose, since)),
            "limit_percent": figure_reads.limit_of(scope.project),
            "retraining": answers(RETRAINING, entries),
        }
    )
