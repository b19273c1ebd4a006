"""Inspection as JSON: what waits for the person who asks, one version, and a decision on it."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.api.inspection_rules import CHECKLIST, told
from annotation.forms.checklists import PeriodFilter
from annotation.forms.inspections import QueueFilter
from annotation.models import Inspection, QuestionVersion
from annotation.operations.bank import inspecting
from annotation.permissions import Scope, door
from annotation.queries import inspection_figures as figure_reads
from annotation.queries import inspections as reads
from annotation.rules import checklists
from annotation.rules.checklists import Checked
from annotation.rules.inspections import Spell
from evalsite import keyset
from evalsite.contract.bodies import Body
from evalsite.contract.calls import AFTER, contract, get, of_form, post
from evalsite.contract.filters import readable
from evalsite.contract.shapes import page, shape


class WaitingOut(serializers.ModelSerializer[QuestionVersion]):
    """A version that waits; who else has inspected it, and how, is not said."""

    external_id = serializers.CharField(source="question.external_id")
    capability = serializers.CharField(source="capability.name", default=None)
    domain = serializers.CharField(source="domain.name", default=None)
    priority = serializers.CharField(source="domain.priority", default=None)
    designer = serializers.UUIDField(source="author.public_id")

    class Meta:
        model = QuestionVersion
        fields: tuple[str, ...] = (
            "id",
            "external_id",
            "number",
            "state",
            "capability",
            "domain",
            "priority",
            "difficulty",
            "designer",
            "submitted_at",
        )


class VersionOut(WaitingOut):
    class Meta(WaitingOut.Meta):
        fields = (
            *WaitingOut.Meta.fields,
            "turns",
            "answer",
            "key_points",
            "question_type",
            "principle",
            "as_of",
            "valid_until",
            "tags",
            "language",
            "meaning_changed",
            "meaning_note",
            "replies",
            "decided_at",
        )


class CheckedIn(Body):
    line = serializers.CharField(max_length=40)
    outcome = serializers.ChoiceField(choices=checklists.OUTCOMES)
    reason = serializers.CharField(max_length=40, default="", allow_blank=True)
    field = serializers.CharField(max_length=40, default="", allow_blank=True)
    note = serializers.CharField(max_length=1000, default="", allow_blank=True)


class DecisionIn(Body):
    """What an inspector decides, line by line."""

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
    page = reads.page(scope.project, scope.user, filters, after=request.GET.get("after", ""))
    results = [{**WaitingOut(one).data, "inspectors": reads.line_of(one)} for one in page.rows]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@contract(
    get(TO_INSPECT, "Return a question version to inspect, with the checklist."),
    post(DecisionOut, "Accept or return a question version.", takes=DecisionIn, status=201),
)
@door(permissions.INSPECTORS)
def inspection(request: Any, scope: Scope, pk: int) -> Response:
    """Return a version with the checklist, or decide on it."""
    version = reads.version_of(scope.project, pk)
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
            for one in reads.citations_of(version)
        ]
        return Response(
            {**VersionOut(version).data, "sources": sources, "checklist": told(checklist)}
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
        checklist=reads.checklist_of(scope.project, number) or checklist,
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
