"""Domains and capabilities as JSON: the trees with what the bank holds, one node, and changes to it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation import permissions
from annotation.models import (
    Capability,
    Difficulty,
    Domain,
    Priority,
    Project,
    QuestionType,
    Rubric,
)
from annotation.operations import taxonomy as operations
from annotation.operations.taxonomy import CapabilityText, DomainText
from annotation.permissions import Scope, door
from annotation.queries import coverage
from annotation.queries.coverage import Covered
from evalsite.contract.bodies import Body, valid
from evalsite.contract.calls import contract, get, post
from evalsite.contract.shapes import partly, rows, shape

N = TypeVar("N", Capability, Domain)


class StockOut(serializers.Serializer[Any]):
    accepted = serializers.IntegerField()
    inspected = serializers.IntegerField()
    drafted = serializers.IntegerField()


class DifficultyOut(serializers.Serializer[Any]):
    difficulty = serializers.CharField(source="code")
    definition = serializers.CharField()
    example = serializers.CharField()


class DomainOut(serializers.ModelSerializer[Domain]):
    class Meta:
        model = Domain
        fields = (
            "id",
            "parent",
            "name",
            "priority",
            "in_scope",
            "definition",
            "completeness_note",
            "position",
        )


class CapabilityOut(serializers.ModelSerializer[Capability]):
    rubric = serializers.CharField(source="rubric.key", default=None)
    difficulties = DifficultyOut(source="described", many=True)

    class Meta:
        model = Capability
        fields = (
            "id",
            "parent",
            "name",
            "kind",
            "definition",
            "question_type",
            "weight",
            "rubric",
            "difficulties",
            "position",
        )


class NodeIn(Body):
    """What is common to both trees; what is left out stays as it is."""

    name = serializers.CharField(max_length=200)
    parent = serializers.IntegerField(  # type: ignore[assignment]
        required=False, allow_null=True
    )
    definition = serializers.CharField(required=False, allow_blank=True)


class DomainIn(NodeIn):
    completeness_note = serializers.CharField(required=False, allow_blank=True)
    priority = serializers.ChoiceField(choices=Priority.choices, required=False)
    in_scope = serializers.BooleanField(required=False)


class SaidIn(Body):
    definition = serializers.CharField(required=False, allow_blank=True)
    example = serializers.CharField(required=False, allow_blank=True)


class DifficultiesIn(Body):
    SIMPLE = SaidIn(required=False)
    INTERMEDIATE = SaidIn(required=False)
    DIFFICULT = SaidIn(required=False)


class CapabilityIn(NodeIn):
    kind = serializers.ChoiceField(choices=Capability.Kind.choices, required=False)
    question_type = serializers.ChoiceField(choices=QuestionType.choices, required=False)
    weight = serializers.DecimalField(max_digits=8, decimal_places=4, min_value=0, required=False)
    rubric = serializers.SlugField(required=False, allow_null=True)
    difficulties = DifficultiesIn(required=False)


COVERED: dict[str, Any] = {"stock": StockOut, "wanted": int, "overlaps": [str]}


@api_view(["GET", "POST"])
@contract(
    get(
        rows(shape("CoveredArea", DomainOut, **COVERED)),
        "Return the areas, each with its stock and plan.",
    ),
    post(DomainOut, "Add an area.", takes=DomainIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def domains(request: HttpRequest, scope: Scope) -> Response:
    """Return the tree in its order, each area with its stock and plan; or add one."""
    if request.method == "POST":
        given = valid(DomainIn, request)
        text = _domain_text(scope.project, DomainText(name=given["name"]), given)
        made = operations.save_domain(
            project=scope.project, text=text, by=scope.user, now=timezone.now()
        )
        return Response(DomainOut(made).data, status=201)
    lines = coverage.of_domains(scope.project)
    return Response({"results": [{**DomainOut(one.node).data, **_covered(one)} for one in lines]})


@api_view(["GET", "POST"])
@contract(
    get(DomainOut, "Return an area."),
    post(DomainOut, "Change an area; what is not named stays.", takes=partly(DomainIn)),
)
@door(permissions.READERS, permissions.CURATORS)
def domain(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Return an area, or change of it what is named."""
    node = get_object_or_404(Domain, project=scope.project, pk=pk)
    if request.method == "POST":
        given = valid(DomainIn, request, partial=True)
        text = _domain_text(scope.project, DomainText.of(node), given)
        node = operations.save_domain(
            project=scope.project, text=text, old=node, by=scope.user, now=timezone.now()
        )
    return Response(DomainOut(node).data)


@api_view(["POST"])
@contract(
    post(None, status=204),
)
@door(permissions.READERS, permissions.CURATORS)
def domain_remove(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Remove an area that nothing uses."""
    node = get_object_or_404(Domain, project=scope.project, pk=pk)
    operations.remove_domain(domain=node, by=scope.user, now=timezone.now())
    return Response(status=204)


@api_view(["GET", "POST"])
@contract(
    get(
        rows(shape("CoveredCapability", CapabilityOut, **COVERED)),
        "Return the tree in its order, each capability with its stock and plan.",
    ),
    post(CapabilityOut, "Add a capability.", takes=CapabilityIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def capabilities(request: HttpRequest, scope: Scope) -> Response:
    """Return the tree in its order, each capability with its stock and plan; or add one."""
    if request.method == "POST":
        given = valid(CapabilityIn, request)
        text = _capability_text(scope.project, CapabilityText(name=given["name"]), given)
        made = operations.save_capability(
            project=scope.project, text=text, by=scope.user, now=timezone.now()
        )
        return Response(CapabilityOut(made).data, status=201)
    lines = coverage.of_capabilities(scope.project)
    results = [{**CapabilityOut(one.node).data, **_covered(one)} for one in lines]
    return Response({"results": results})


@api_view(["GET", "POST"])
@contract(
    get(CapabilityOut, "Return a capability with what its difficulties mean."),
    post(
        CapabilityOut, "Change a capability; what is not named stays.", takes=partly(CapabilityIn)
    ),
)
@door(permissions.READERS, permissions.CURATORS)
def capability(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Return a capability with what its difficulties mean, or change of it what is named."""
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    if request.method == "POST":
        given = valid(CapabilityIn, request, partial=True)
        text = _capability_text(scope.project, CapabilityText.of(node), given)
        node = operations.save_capability(
            project=scope.project, text=text, old=node, by=scope.user, now=timezone.now()
        )
    return Response(CapabilityOut(node).data)


@api_view(["POST"])
@contract(
    post(None, status=204),
)
@door(permissions.READERS, permissions.CURATORS)
def capability_remove(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Remove a capability that nothing uses."""
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    operations.remove_capability(capability=node, by=scope.user, now=timezone.now())
    return Response(status=204)


def _covered(line: Covered[N]) -> dict[str, Any]:
    return {
        "stock": StockOut(line.stock).data,
        "wanted": line.wanted,
        "overlaps": list(line.overlaps),
    }


def _domain_text(project: Project, text: DomainText, given: Mapping[str, Any]) -> DomainText:
    values = dict(given)
    if "parent" in values:
        values["parent"] = _parent(Domain, project, values["parent"])
    return replace(text, **values)


def _capability_text(
    project: Project, text: CapabilityText, given: Mapping[str, Any]
) -> CapabilityText:
    values = dict(given)
    if "parent" in values:
        values["parent"] = _parent(Capability, project, values["parent"])
    if values.get("rubric") is not None:
        rubrics = Rubric.objects.for_people()
        found = rubrics.filter(project=project, key=values["rubric"]).first()
        if found is None:
            raise serializers.ValidationError({"rubric": ["There is no rubric with this key."]})
        values["rubric"] = found
    if "difficulties" in values:
        old = {one: dict(_said(text.difficulties.get(one, {}))) for one in Difficulty.values}
        named = values["difficulties"]
        values["difficulties"] = {one: {**old[one], **named.get(one, {})} for one in old}
    return replace(text, **values)


def _said(words: Mapping[str, str] | str) -> Mapping[str, str]:
    return {"definition": words} if isinstance(words, str) else words


def _parent(model: type[N], project: Project, pk: int | None) -> N | None:
    if pk is None:
        return None
    found = model._default_manager.filter(project=project, pk=pk).first()
    if found is None:
        raise serializers.ValidationError({"parent": ["There is none with this id."]})
    return found
