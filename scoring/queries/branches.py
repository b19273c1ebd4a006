"""The trees that results are read along: capabilities with their groups, and subject areas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import gettext as _

from annotation.models import Capability, Criterion, Domain, Round, RoundItem

#: Stands in addresses and figures for what has no capability, area or difficulty.
NONE = "none"
ALL = "all"


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of a tree: "all", a kind (g-), a node with all below it (t-), or itself (c-)."""

    key: str
    below: str
    depth: int
    title: str
    #: The weight that is stored; None for a group, which multiplies by 1.
    weight: str | None = None


@dataclass(frozen=True)
class Capabilities:
    """The capabilities that the items of a round are about, and what stands above them."""

    nodes: Sequence[Capability]
    drawn: frozenset[int]
    with_none: bool

    @cached_property
    def _children(self) -> dict[int | None, list[Capability]]:
        found: dict[int | None, list[Capability]] = {}
        for node in self.nodes:
            found.setdefault(node.parent_id, []).append(node)
        return found

    @cached_property
    def members(self) -> dict[int, tuple[int, ...]]:
        """Return of every node the capabilities of the round at it and below, in tree order."""

        def walk(node: Capability) -> tuple[int, ...]:
            own = (node.pk,) if node.pk in self.drawn else ()
            below = [one for child in self._children.get(node.pk, []) for one in walk(child)]
            found[node.pk] = (*own, *below)
            return found[node.pk]

        found: dict[int, tuple[int, ...]] = {}
        for root in self._children.get(None, []):
            walk(root)
        return found

    @cached_property
    def order(self) -> list[int]:
        """Return the capabilities of the round in the order of the tree."""
        roots = self._children.get(None, [])
        return [pk for root in roots for pk in self.members[root.pk]]

    @cached_property
    def by_key(self) -> dict[int, Capability]:
        return {node.pk: node for node in self.nodes}

    @cached_property
    def kinds(self) -> dict[str, tuple[int, ...]]:
        """Return the capabilities of each kind, if there are some of both."""
        found = {
            kind: tuple(pk for pk in self.order if self.by_key[pk].kind == kind)
            for kind in Capability.Kind.values
        }
        return found if all(found.values()) else {}

    @cached_property
    def groups(self) -> dict[str, tuple[int, ...]]:
        """Return what each group row spans: kinds, and nodes with something below them."""
        made = {f"g-{kind}": pks for kind, pks in self.kinds.items()}
        for pk, members in self.members.items():
            if self._is_group(pk):
                made[f"t-{pk}"] = members
        return made

    def _is_group(self, pk: int) -> bool:
        return bool(set(self.members[pk]) - {pk})

    def above(self, pk: int) -> list[str]:
        """Return the groups that a capability belongs to."""
        return [key for key, members in self.groups.items() if pk in members]

    @cached_property
    def branches(self) -> list[Branch]:
        """Return the lines of the tree, groups before what they hold."""
        made = [Branch(ALL, "", 0, _("Overall"))]
        for kind in Capability.Kind.values if self.kinds else [""]:
            if kind:
                title = kind_title(kind)
                made.append(Branch(f"g-{kind}", ALL, 1, title))
            for root in self._children.get(None, []):
                if not kind or root.kind == kind:
                    made += self._walk(root, f"g-{kind}" if kind else ALL, 2 if kind else 1)
        if self.with_none:
            made.append(Branch(f"c-{NONE}", ALL, 1, _("Without a capability"), "1"))
        return made

    def _walk(self, node: Capability, below: str, depth: int) -> list[Branch]:
        if not self.members[node.pk]:
            return []
        made = []
        if self._is_group(node.pk):
            made.append(Branch(f"t-{node.pk}", below, depth, node.name))
            below, depth = f"t-{node.pk}", depth + 1
        if node.pk in self.drawn:
            weight = f"{node.weight.normalize():f}"
            made.append(Branch(f"c-{node.pk}", below, depth, node.name, weight))
        for child in self._children.get(node.pk, []):
            made += self._walk(child, below, depth)
        return made


def kind_title(kind: str) -> str:
    """Return what the group of a kind of capabilities is called."""
    return _("General") if kind == Capability.Kind.GENERAL else _("Domain")


def capabilities(round_: Round) -> Capabilities:
    """Return the capabilities of a round as a tree. Two queries."""
    drawn = RoundItem.objects.filter(round=round_).order_by()
    found = set(drawn.values_list("item__capability_id", flat=True).distinct())
    nodes = list(Capability.objects.filter(project_id=round_.project_id))
    return Capabilities(nodes, frozenset(found - {None}), None in found)


def criteria(round_: Round) -> dict[int | None, list[Criterion]]:
    """Return the criteria each capability of a round is graded on, each key once."""
    pairs = RoundItem.objects.filter(round=round_).order_by()
    rubrics: dict[int | None, list[int]] = {}
    for capability, version in pairs.values_list(
        "item__capability_id", "rubric_version_id"
    ).distinct():
        if version is not None:
            rubrics.setdefault(capability, []).append(version)
    rows: dict[int, list[Criterion]] = {}
    versions = {one for some in rubrics.values() for one in some}
    for row in Criterion.objects.filter(rubric_version__in=versions):
        rows.setdefault(row.rubric_version_id, []).append(row)
    return {
        capability: list(
            {row.key: row for version in sorted(some) for row in rows.get(version, [])}.values()
        )
        for capability, some in rubrics.items()
    }


@dataclass(frozen=True)
class Domains:
    """The subject areas of a round's items, in tree order, with those above them."""

    branches: Sequence[Branch]
    #: Of every area of the tree itself and what stands above it, the top first.
    lines: Mapping[int, tuple[int, ...]]

    def below(self, pk: int) -> list[int]:
        """Return an area and all below it."""
        return [one for one, line in self.lines.items() if pk in line]


def domains(round_: Round) -> Domains:
    """Return the areas of a round. Two queries."""
    drawn = RoundItem.objects.filter(round=round_).order_by()
    found = set(drawn.values_list("item__domain_id", flat=True).distinct())
    nodes = list(Domain.objects.filter(project_id=round_.project_id))
    children: dict[int | None, list[Domain]] = {}
    for node in nodes:
        children.setdefault(node.parent_id, []).append(node)
    lines: dict[int, tuple[int, ...]] = {}

    def walk(node: Domain, above: tuple[int, ...]) -> list[Branch]:
        line = (*above, node.pk)
        lines[node.pk] = line
        below = [branch for child in children.get(node.pk, []) for branch in walk(child, line)]
        if node.pk not in found and not below:
            del lines[node.pk]
            return []
        mine = Branch(str(node.pk), str(above[-1]) if above else ALL, len(line), node.name)
        return [mine, *below]

    branches = [branch for root in children.get(None, []) for branch in walk(root, ())]
    if None in found and branches:
        branches.append(Branch(NONE, ALL, 1, _("Without an area")))
    return Domains(branches, lines)
