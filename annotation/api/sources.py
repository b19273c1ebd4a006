"""The corpus as JSON: sources, one with its versions, and what it says now."""

from typing import Any

from django.http import Http404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.forms.sources import SourceFilter
from annotation.models import Source, SourceVersion
from annotation.operations.bank import sources as operations
from annotation.permissions import Scope, door
from annotation.queries import sources as reads
from evalsite import keyset


class SourceOut(serializers.ModelSerializer[Source]):
    class Meta:
        model = Source
        fields = ("id", "title", "kind", "address", "publisher", "licence", "created_at")


class SourceVersionOut(serializers.ModelSerializer[SourceVersion]):
    class Meta:
        model = SourceVersion
        fields = (
            "id",
            "number",
            "sha",
            "text",
            "retrieved_on",
            "valid_from",
            "valid_until",
            "note",
            "created_at",
        )


class SaidIn(serializers.Serializer[Any]):
    text = serializers.CharField(default="", allow_blank=True)
    retrieved_on = serializers.DateField(allow_null=True, default=None)
    valid_from = serializers.DateField(allow_null=True, default=None)
    valid_until = serializers.DateField(allow_null=True, default=None)
    note = serializers.CharField(max_length=500, default="", allow_blank=True)


class SourceIn(SaidIn):
    title = serializers.CharField(max_length=300)
    kind = serializers.ChoiceField(choices=Source.Kind.choices, default=Source.Kind.DOCUMENT)
    address = serializers.CharField(max_length=1000, default="", allow_blank=True)
    publisher = serializers.CharField(max_length=200, default="", allow_blank=True)
    licence = serializers.CharField(max_length=200, default="", allow_blank=True)


@api_view(["GET", "POST"])
@door(permissions.READERS, permissions.BANK)
def sources(request: Any, scope: Scope) -> Response:
    """Return a page of the sources, or take one into the corpus."""
    if request.method == "POST":
        sent = SourceIn(data=request.data)
        sent.is_valid(raise_exception=True)
        given = dict(sent.validated_data)
        names = ("title", "kind", "address", "publisher", "licence")
        about = operations.About(**{name: given.pop(name) for name in names})
        made = operations.add_source(
            project=scope.project,
            about=about,
            said=operations.Said(**given),
            by=scope.user,
            now=timezone.now(),
        )
        return Response(_source(made.source), status=201)
    filters = SourceFilter(request.GET).filters()
    visible = reads.visible_to(scope.project, scope.user, scope.roles)
    rows = reads.filtered(visible, filters, timezone.now().date())
    page = reads.page(rows, after=request.GET.get("after", ""))
    results = SourceOut(page.rows, many=True).data
    return Response({"results": results, "next": keyset.next_url(request.GET, page)})


@api_view(["GET", "POST"])
@door(permissions.READERS, permissions.BANK)
def source(request: Any, scope: Scope, pk: int) -> Response:
    """Return a source with its versions; POST writes down what it says now."""
    found = reads.source_of(reads.visible_to(scope.project, scope.user, scope.roles), pk)
    if found is None:
        raise Http404
    if request.method == "POST":
        sent = SaidIn(data=request.data)
        sent.is_valid(raise_exception=True)
        said = operations.Said(**sent.validated_data)
        operations.add_version(source=found, said=said, by=scope.user, now=timezone.now())
    return Response(_source(found))


def _source(found: Source) -> dict[str, Any]:
    versions = SourceVersionOut(reads.versions_of(found), many=True).data
    return {**SourceOut(found).data, "versions": versions}
