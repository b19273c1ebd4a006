"""Domains and capabilities as JSON: the trees with what the bank holds, one node, and changes to it.

* The question plan as JSON: every number with what there is of it, and changes to the numbers.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

from annotation.domains import coverage, operations
from annotation.domains import plan as reads
from annotation.domains.coverage import Covered
from annotation.domains.models import (
    Capability,
    Difficulty,
    Domain,
    PlanCell,
)
from annotation.domains.operations import Spot
from annotation.domains.records import (
    AreaWords,
    CapabilityBody,
    CapabilityIn,
    CapabilityOut,
    CapabilityText,
    CapabilityWords,
    DomainIn,
    DomainOut,
    DomainText,
)
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.rubrics.models import Rubric
from evalsite.contract.calls import Body, contract, get, post, taken
from evalsite.contract.shapes import partly, rows, shape
from evalsite.records import told, values

N = TypeVar("N", Capability, Domain)


class StockOut(serializers.Serializer[Any]):
    accepted = serializers.IntegerField()
    inspected = serializers.IntegerField()
    drafted = serializers.IntegerField()


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
        text = _domain_text(scope.project, taken(DomainIn, request))
        made = operations.save_domain(
            project=scope.project, text=text, by=scope.user, now=timezone.now()
        )
        return Response(told(DomainOut, made), status=201)
    lines = coverage.of_domains(scope.project)
    return Response({"results": [{**told(DomainOut, one.node), **_covered(one)} for one in lines]})


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
        given = taken(DomainIn, request, onto=told(DomainIn, node))
        text = _domain_text(scope.project, given)
        node = operations.save_domain(
            project=scope.project, text=text, old=node, by=scope.user, now=timezone.now()
        )
    return Response(told(DomainOut, node))


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
    post(CapabilityOut, "Add a capability.", takes=CapabilityBody, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def capabilities(request: HttpRequest, scope: Scope) -> Response:
    """Return the tree in its order, each capability with its stock and plan; or add one."""
    if request.method == "POST":
        text = _capability_text(scope.project, taken(CapabilityBody, request), {})
        made = operations.save_capability(
            project=scope.project, text=text, by=scope.user, now=timezone.now()
        )
        return Response(told(CapabilityOut, made), status=201)
    lines = coverage.of_capabilities(scope.project)
    results = [{**told(CapabilityOut, one.node), **_covered(one)} for one in lines]
    return Response({"results": results})


@api_view(["GET", "POST"])
@contract(
    get(CapabilityOut, "Return a capability with what its difficulties mean."),
    post(
        CapabilityOut, "Change a capability; what is not named stays.", takes=partly(CapabilityBody)
    ),
)
@door(permissions.READERS, permissions.CURATORS)
def capability(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Return a capability with what its difficulties mean, or change of it what is named."""
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    if request.method == "POST":
        given = taken(CapabilityBody, request, onto=told(CapabilityIn, node))
        text = _capability_text(scope.project, given, told(CapabilityOut, node))
        node = operations.save_capability(
            project=scope.project, text=text, old=node, by=scope.user, now=timezone.now()
        )
    return Response(told(CapabilityOut, node))


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


def _domain_text(project: Project, given: DomainIn) -> DomainText:
    parent = _parent(Domain, project, given.parent)
    return DomainText(given.name, parent, **values(given, AreaWords))


def _capability_text(
    project: Project, given: CapabilityBody, old: Mapping[str, Any]
) -> CapabilityText:
    rubric = Rubric.objects.for_people().filter(project=project, key=given.rubric).first()
    if rubric is None and given.rubric is not None:
        raise serializers.ValidationError({"rubric": ["There is no rubric with this key."]})
    said = {one["difficulty"]: one for one in old.get("difficulties", ())}
    for code in Difficulty.values:
        words = values(getattr(given.difficulties, code))
        now = {name: word for name, word in words.items() if word is not None}
        said[code] = {"definition": "", "example": "", **said.get(code, {}), **now}
        said[code].pop("difficulty", None)
    return CapabilityText(
        given.name,
        _parent(Capability, project, given.parent),
        **values(given, CapabilityWords),
        difficulties=said,
        rubric=rubric,
    )


def _parent(model: type[N], project: Project, pk: int | None) -> N | None:
    if pk is None:
        return None
    found = model._default_manager.filter(project=project, pk=pk).first()
    if found is None:
        raise serializers.ValidationError({"parent": ["There is none with this id."]})
    return found


class ShareOut(serializers.Serializer[Any]):
    designer = serializers.UUIDField(source="designer.public_id")
    name = serializers.CharField(source="designer.display_name")
    n = serializers.IntegerField(min_value=1, max_value=operations.MOST_WANTED)
    due_on = serializers.DateField(allow_null=True)


class LineOut(serializers.Serializer[Any]):
    component = "PlanLine"
    id = serializers.IntegerField(source="cell.pk")
    capability = serializers.IntegerField(source="cell.capability_id")
    difficulty = serializers.CharField(source="cell.difficulty")
    domain = serializers.IntegerField(source="cell.domain_id", allow_null=True)
    wanted = serializers.IntegerField(source="cell.wanted")
    stock = StockOut()
    missing = serializers.IntegerField()
    shares = ShareOut(many=True)


class CellIn(Body):
    capability = serializers.IntegerField()
    difficulty = serializers.ChoiceField(choices=Difficulty.choices)
    domain = serializers.IntegerField(required=False, allow_null=True, default=None)
    wanted = serializers.IntegerField(min_value=0, max_value=operations.MOST_WANTED)


class PlanIn(Body):
    component = "PlanPlanIn"
    cells = CellIn(many=True)


class ShareIn(Body):
    designer = serializers.UUIDField()
    n = serializers.IntegerField(min_value=1, max_value=operations.MOST_WANTED)
    due_on = serializers.DateField(required=False, allow_null=True, default=None)


@api_view(["GET", "POST"])
@contract(
    get(rows(LineOut), "Return the plan, the largest gaps first."),
    post(rows(LineOut), "Set the numbers of some cells (0: none).", takes=PlanIn),
)
@door(permissions.READERS, permissions.CURATORS)
def plan(request: HttpRequest, scope: Scope) -> Response:
    """Return the plan, what is missing most first; or write the numbers of some cells (0: none)."""
    if request.method == "POST":
        given = PlanIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        wanted = {
            Spot(one["capability"], one["difficulty"], one["domain"]): one["wanted"]
            for one in given.validated_data["cells"]
        }
        operations.set_wanted(
            project=scope.project, wanted=wanted, by=scope.user, now=timezone.now()
        )
    return Response({"results": LineOut(reads.lines(scope.project), many=True).data})


@api_view(["GET", "POST"])
@contract(
    get(LineOut, "Return one cell of the plan."),
    post(LineOut, "Ask a designer for questions of a cell.", takes=ShareIn),
)
@door(permissions.READERS, permissions.CURATORS)
def cell(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Return one number of the plan, or ask somebody for questions of it."""
    found = get_object_or_404(
        PlanCell.objects.select_related("project", "capability", "domain"),
        project=scope.project,
        pk=pk,
    )
    if request.method == "POST":
        given = ShareIn(data=getattr(request, "data", None))
        given.is_valid(raise_exception=True)
        people = {one.public_id: one for one in reads.writers(scope.project)}
        designer = people.get(given.validated_data["designer"])
        if designer is None:
            raise serializers.ValidationError({"designer": ["They do not write questions here."]})
        operations.assign(
            cell=found,
            designer=designer,
            n=given.validated_data["n"],
            due_on=given.validated_data["due_on"],
            by=scope.user,
            now=timezone.now(),
        )
    return Response(LineOut(reads.line_of(found)).data)
