"""Domains and capabilities as JSON: the trees with what the bank holds, one node, and changes to it.

* The question plan as JSON: every number with what there is of it, and changes to the numbers.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework import serializers
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
    PlanCellsIn,
    PlanLineOut,
    PlanSpot,
    ShareIn,
    StockOut,
)
from annotation.people import permissions
from annotation.people.models import Project
from annotation.people.permissions import Scope, door
from annotation.rubrics.models import Rubric
from evalsite.contract.calls import contract, get, post, taken
from evalsite.contract.shapes import partly, rows, shape
from evalsite.records import told, values

N = TypeVar("N", Capability, Domain)


COVERED: dict[str, Any] = {"stock": StockOut, "wanted": int, "overlaps": [str]}


@contract(
    get(
        rows(shape("CoveredArea", DomainOut, **COVERED)),
        "Return the areas, each with its stock and plan.",
    ),
    post(DomainOut, "Add an area.", takes=DomainIn, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def domains(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        text = _domain_text(scope.project, taken(DomainIn, request))
        made = operations.save_domain(text=text, **scope.deed())
        return Response(told(DomainOut, made), status=201)
    lines = coverage.of_domains(scope.project)
    return Response({"results": [{**told(DomainOut, one.node), **_covered(one)} for one in lines]})


@contract(
    get(DomainOut, "Return an area."),
    post(DomainOut, "Change an area; what is not named stays.", takes=partly(DomainIn)),
)
@door(permissions.READERS, permissions.CURATORS)
def domain(request: HttpRequest, scope: Scope, pk: int) -> Response:
    node = get_object_or_404(Domain, project=scope.project, pk=pk)
    if request.method == "POST":
        given = taken(DomainIn, request, onto=DomainIn.of(node))
        text = _domain_text(scope.project, given)
        node = operations.save_domain(text=text, old=node, **scope.deed())
    return Response(told(DomainOut, node))


@contract(post(None, status=204))
@door(permissions.READERS, permissions.CURATORS)
def domain_remove(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Remove an area that nothing uses."""
    node = get_object_or_404(Domain, project=scope.project, pk=pk)
    operations.remove_domain(domain=node, **scope.who())
    return Response(status=204)


@contract(
    get(
        rows(shape("CoveredCapability", CapabilityOut, **COVERED)),
        "Return the tree in its order, each capability with its stock and plan.",
    ),
    post(CapabilityOut, "Add a capability.", takes=CapabilityBody, status=201),
)
@door(permissions.READERS, permissions.CURATORS)
def capabilities(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        text = _capability_text(scope.project, taken(CapabilityBody, request), {})
        made = operations.save_capability(text=text, **scope.deed())
        return Response(told(CapabilityOut, made), status=201)
    lines = coverage.of_capabilities(scope.project)
    results = [{**told(CapabilityOut, one.node), **_covered(one)} for one in lines]
    return Response({"results": results})


@contract(
    get(CapabilityOut, "Return a capability with what its difficulties mean."),
    post(
        CapabilityOut, "Change a capability; what is not named stays.", takes=partly(CapabilityBody)
    ),
)
@door(permissions.READERS, permissions.CURATORS)
def capability(request: HttpRequest, scope: Scope, pk: int) -> Response:
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    if request.method == "POST":
        given = taken(CapabilityBody, request, onto=CapabilityIn.of(node))
        text = _capability_text(scope.project, given, told(CapabilityOut, node))
        node = operations.save_capability(text=text, old=node, **scope.deed())
    return Response(told(CapabilityOut, node))


@contract(post(None, status=204))
@door(permissions.READERS, permissions.CURATORS)
def capability_remove(request: HttpRequest, scope: Scope, pk: int) -> Response:
    """Remove a capability that nothing uses."""
    node = get_object_or_404(Capability, project=scope.project, pk=pk)
    operations.remove_capability(capability=node, **scope.who())
    return Response(status=204)


def _covered(line: Covered[N]) -> dict[str, Any]:
    return {
        "stock": told(StockOut, line.stock),
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


@contract(
    get(rows(PlanLineOut), "Return the plan, the largest gaps first."),
    post(rows(PlanLineOut), "Set the numbers of some cells (0: none).", takes=PlanCellsIn),
)
@door(permissions.READERS, permissions.CURATORS)
def plan(request: HttpRequest, scope: Scope) -> Response:
    if request.method == "POST":
        cells = taken(PlanCellsIn, request).cells
        wanted = {PlanSpot(**values(one, PlanSpot)): one.wanted for one in cells}
        operations.set_wanted(wanted=wanted, **scope.deed())
    return Response({"results": [told(PlanLineOut, one) for one in reads.lines(scope.project)]})


@contract(
    get(PlanLineOut, "Return one cell of the plan."),
    post(PlanLineOut, "Ask a designer for questions of a cell.", takes=ShareIn),
)
@door(permissions.READERS, permissions.CURATORS)
def cell(request: HttpRequest, scope: Scope, pk: int) -> Response:
    found = get_object_or_404(
        PlanCell.objects.select_related("project", "capability", "domain"),
        project=scope.project,
        pk=pk,
    )
    if request.method == "POST":
        given = taken(ShareIn, request)
        people = {one.public_id: one for one in reads.writers(scope.project)}
        designer = people.get(given.designer)
        if designer is None:
            raise serializers.ValidationError({"designer": ["They do not write questions here."]})
        operations.assign(
            cell=found, designer=designer, n=given.n, due_on=given.due_on, **scope.who()
        )
    return Response(told(PlanLineOut, reads.line_of(found)))
