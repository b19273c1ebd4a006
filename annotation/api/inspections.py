"""Inspection as JSON: what waits for the person who asks, one version, and a decision on it."""

from typing import Any

from django.http import Http404, HttpRequest
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms.inspections import QueueFilter
from annotation.models import Inspection, QuestionVersion
from annotation.operations.bank import inspecting
from annotation.permissions import Scope, door
from annotation.queries import inspections as reads
from annotation.rules import checklists
from annotation.rules.checklists import Checked
from evalsite import keyset


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


class CheckedIn(serializers.Serializer[Any]):
    line = serializers.CharField(max_length=40)
    outcome = serializers.ChoiceField(choices=checklists.OUTCOMES)
    reason = serializers.CharField(max_length=40, default="", allow_blank=True)
    field = serializers.CharField(max_length=40, default="", allow_blank=True)
    note = serializers.CharField(max_length=1000, default="", allow_blank=True)


class DecisionIn(serializers.Serializer[Any]):
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


@api_view(["GET"])
@door(permissions.INSPECTORS)
def inspections(request: HttpRequest, scope: Scope) -> Response:
    """Return a page of what waits for the person who asks: core domains first, then the oldest."""
    filters = QueueFilter(request.GET, project=scope.project).filters()
    page = reads.page(scope.project, scope.user, filters, after=request.GET.get("after", ""))
    results = [{**WaitingOut(one).data, "inspectors": reads.line_of(one)} for one in page.rows]
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@door(permissions.INSPECTORS)
def inspection(request: Any, scope: Scope, pk: int) -> Response:
    """Return a version with the checklist, or decide on it."""
    version = reads.version_of(scope.project, pk)
    if version is None:
        raise Http404
    checklist = inspecting.current_checklist(project=scope.project, now=timezone.now())
    if request.method == "GET":
        shown = {"number": checklist.number, "lines": checklist.lines}
        sources = [
            {
                "title": one.source_version.source.title,
                "version": one.source_version.number,
                "place": one.locator,
                "text": one.source_version.text,
            }
            for one in reads.citations_of(version)
        ]
        return Response({**VersionOut(version).data, "sources": sources, "checklist": shown})
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
