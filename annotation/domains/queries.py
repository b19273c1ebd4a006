"""Reads about capabilities and domains: trees with counts, and what a capability means."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db.models import Count, QuerySet

from annotation.bank.models import Question, QuestionVersion
from annotation.common.fields import path_of
from annotation.domains.models import Capability, DifficultyText, Domain
from annotation.people.models import Project
from annotation.systems.models import Item

N = TypeVar("N", Capability, Domain)


@dataclass(frozen=True)
class AreaBranch(Generic[N]):
    """A node as a line of the tree: how deep it stands, how many lines of the list of questions belong to it."""

    node: N
    depth: int
    n_items: int
    n_below: int

    @property
    def indent(self) -> int:
        return min(self.depth, 3)

    @property
    def n_all(self) -> int:
        return self.n_items + self.n_below


def capability_tree(project: Project) -> list[AreaBranch[Capability]]:
    nodes = Capability.objects.filter(project=project).select_related("rubric")
    return _tree(nodes, _counts(project, "capability"))


def domain_tree(project: Project) -> list[AreaBranch[Domain]]:
    return _tree(Domain.objects.filter(project=project), _counts(project, "domain"))


def capability_names(project: Project) -> list[AreaBranch[Capability]]:
    """Return the tree to choose from: nothing is counted."""
    return _tree(Capability.objects.filter(project=project), {})


def domain_names(project: Project) -> list[AreaBranch[Domain]]:
    """Return the tree to choose from: nothing is counted."""
    return _tree(Domain.objects.filter(project=project), {})


def capability_paths(project: Project) -> dict[int, str]:
    """Return every capability as the path that leads to it: "Parent › Name"."""
    return _paths(Capability.objects.filter(project=project))


def domain_paths(project: Project) -> dict[int, str]:
    """Return every area as the path that leads to it: "Parent › Name"."""
    return _paths(Domain.objects.filter(project=project))


def _paths(rows: Iterable[Capability | Domain]) -> dict[int, str]:
    nodes = {one.pk: one for one in rows}
    found = {}
    for node in nodes.values():
        names, above = [node.name], node.parent_id
        while above is not None:
            names.append(nodes[above].name)
            above = nodes[above].parent_id
        found[node.pk] = path_of(reversed(names))
    return found


def _counts(project: Project, field: str) -> Counter[int]:
    """Return how many questions of the bank there are by a field, and imported items that are in no bank."""
    placed = {f"{field}__isnull": False}
    items = Item.objects.seen().filter(project=project, batch__isnull=False, **placed)
    banked = items.filter(external_id__in=_ids(project))
    written = QuestionVersion.objects.newest().filter(question__project=project, **placed)
    found = Counter(_by(items, field))
    found.subtract(_by(banked, field))
    found.update(_by(written, field))
    return found


def _ids(project: Project) -> "QuerySet[Question, str]":
    return Question.objects.filter(project=project).values_list("external_id", flat=True)


def _by(rows: "QuerySet[Any]", field: str) -> dict[int, int]:
    return dict(rows.order_by().values_list(field).annotate(n=Count("pk")))


def _tree(nodes: Iterable[N], counts: Mapping[int, int]) -> list[AreaBranch[N]]:
    children: dict[int | None, list[N]] = {}
    for node in nodes:
        children.setdefault(node.parent_id, []).append(node)

    def walk(parent: int | None, depth: int) -> list[AreaBranch[N]]:
        lines: list[AreaBranch[N]] = []
        for node in children.get(parent, []):
            below: list[AreaBranch[N]] = walk(node.pk, depth + 1)
            n_items = counts.get(node.pk, 0)
            n_below = sum(one.n_items for one in below)
            lines.append(AreaBranch(node, depth, n_items, n_below))
            lines.extend(below)
        return lines

    return walk(None, 0)


@dataclass(frozen=True)
class Helped:
    """What a capability means, to somebody who must choose one."""

    pk: int
    path: str
    definition: str
    question_type: str
    difficulties: list[DifficultyText]


def helps(project: Project) -> list[Helped]:
    """Return what every capability means, in the order of the tree."""
    tree = capability_names(project)
    names = {one.node.pk: one.node for one in tree}
    return [_helped(one.node, names) for one in tree]


def help_of(project: Project, pk: str) -> Helped | None:
    """Return what one capability means; None if there is none of this id."""
    found = {str(one.pk): one for one in Capability.objects.filter(project=project)}
    node = found.get(pk)
    return _helped(node, {one.pk: one for one in found.values()}) if node else None


def _helped(node: Capability, nodes: Mapping[int, Capability]) -> Helped:
    path = [node.name]
    above = node.parent_id
    while above is not None:
        path.append(nodes[above].name)
        above = nodes[above].parent_id
    return Helped(
        pk=node.pk,
        path=path_of(reversed(path)),
        definition=node.definition,
        question_type=str(node.get_question_type_display()),
        difficulties=node.described,
    )


def capability_options(project: Project) -> list[tuple[Any, Any]]:
    """Return the capabilities as a form offers them: those below another one further in."""
    tree = capability_names(project)
    return [(one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree]


def domain_options(project: Project) -> list[tuple[Any, Any]]:
    """Return the areas likewise."""
    tree = domain_names(project)
    return [(one.node.pk, "\u2003" * one.depth + one.node.name) for one in tree]
