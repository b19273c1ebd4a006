"""How well the bank covers the trees: accepted questions and the plan, of a node and all below it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from annotation.common import trees
from annotation.common.trees import TreeBox, TreeNode, TreePicture
from annotation.domains import plan
from annotation.domains import queries as taxonomy
from annotation.domains.models import Capability, Difficulty, Domain, PlanCell
from annotation.domains.plan import Kinds, Stock
from annotation.domains.queries import AreaBranch
from annotation.people.models import Project

N = TypeVar("N", Capability, Domain)


@dataclass(frozen=True)
class Covered(Generic[N]):
    """A line of the tree. `stock` and `wanted` count what stands below it, too."""

    branch: AreaBranch[N]
    stock: Stock
    wanted: int
    longest: int
    steps: frozenset[trees.TreeStep]
    overlaps: tuple[str, ...]

    @property
    def node(self) -> N:
        return self.branch.node

    @property
    def missing(self) -> int:
        return max(self.wanted - self.stock.accepted, 0)

    @property
    def fill(self) -> str:
        return self._percent(self.stock.accepted)

    @property
    def goal(self) -> str:
        return self._percent(self.wanted)

    def _percent(self, n: int) -> str:
        return f"{100 * n / max(self.longest, 1):.1f}%"


@dataclass(frozen=True)
class CoverageBox:
    """A box of the picture with what stands in it."""

    box: TreeBox
    line: Covered[Domain]
    name: str
    fill: int
    score: str


@dataclass(frozen=True)
class Missing:
    """What an area lacks of a difficulty."""

    difficulty: Difficulty
    n: int
    query: str


def of_domains(project: Project, kinds: Kinds | None = None) -> list[Covered[Domain]]:
    """Return the lines of the tree; `kinds` are the questions, where they were counted already."""
    tree = taxonomy.domain_tree(project)
    own: dict[int, Stock] = {}
    for kind, stock in (plan.by_kind(project) if kinds is None else kinds).items():
        if kind.domain is not None:
            own[kind.domain] = own.get(kind.domain, Stock()) + stock
    wanted: dict[int, int] = {}
    for cell in PlanCell.objects.filter(project=project, domain__isnull=False):
        wanted[cell.domain_id or 0] = wanted.get(cell.domain_id or 0, 0) + cell.wanted
    return _covered(tree, own, wanted)


def of_capabilities(project: Project) -> list[Covered[Capability]]:
    rows = plan.matrix(project, domain=None, gaps_first=False).rows
    own = {row.capability.pk: row.stock for row in rows}
    wanted = {row.capability.pk: row.wanted for row in rows}
    return _covered(taxonomy.capability_tree(project), own, wanted)


def picture(
    lines: list[Covered[Domain]], scores: Mapping[int, str]
) -> tuple[TreePicture, list[CoverageBox]]:
    """Lay the tree out, each box with its name, its bar and its score where there is one."""
    laid = trees.draw([TreeNode(one.node.pk, one.node.parent_id) for one in lines])
    drawn = [
        CoverageBox(
            box=box,
            line=line,
            name=trees.shortened(line.node.name),
            fill=trees.bar(line.stock.accepted, line.wanted),
            score=scores.get(line.node.pk, ""),
        )
        for box, line in zip(laid.boxes, lines, strict=True)
    ]
    return laid, drawn


def missing_in(domain: Domain, kinds: Kinds | None = None) -> list[Missing]:
    """Return what the plan still wants of an area itself, by difficulty."""
    rows = plan.matrix(domain.project, domain=domain, kinds=kinds).rows
    found = []
    for code in Difficulty:
        boxes = [box for row in rows for box in row.boxes if box.difficulty == code]
        n = sum(box.missing for box in boxes)
        if n:
            found.append(Missing(code, n, f"domain={domain.pk}&difficulty={code}"))
    return found


def _covered(
    tree: list[AreaBranch[N]], own: Mapping[int, Stock], wanted: Mapping[int, int]
) -> list[Covered[N]]:
    standing = [TreeNode(one.node.pk, one.node.parent_id) for one in tree]
    below = _below(standing)
    stock: dict[int, Stock] = {
        pk: plan.total(own.get(one, Stock()) for one in pks) for pk, pks in below.items()
    }
    goals: dict[int, int] = {
        pk: sum(wanted.get(one, 0) for one in pks) for pk, pks in below.items()
    }
    longest = max([*goals.values(), *(one.accepted for one in stock.values())], default=0)
    alike = _alike(tree)
    return [
        Covered(
            branch=one,
            stock=stock[one.node.pk],
            wanted=goals[one.node.pk],
            longest=longest,
            steps=trees.steps_of(standing, one.node.pk),
            overlaps=alike.get(one.node.pk, ()),
        )
        for one in tree
    ]


def _below(standing: list[TreeNode]) -> dict[int, list[int]]:
    """Return of every node itself and all nodes below it."""
    parents = {one.pk: one.parent for one in standing}
    found: dict[int, list[int]] = {one.pk: [] for one in standing}
    for one in standing:
        above: int | None = one.pk
        while above is not None:
            found[above].append(one.pk)
            above = parents[above]
    return found


def _alike(tree: list[AreaBranch[N]]) -> dict[int, tuple[str, ...]]:
    """Return of every node the names beside it that seem to mean the same."""
    names = {one.node.pk: one.node.name for one in tree}
    families: dict[int | None, list[N]] = {}
    for one in tree:
        families.setdefault(one.node.parent_id, []).append(one.node)
    found: dict[int, tuple[str, ...]] = {}
    for parent, nodes in families.items():
        pairs = trees.overlaps([one.name for one in nodes], names.get(parent or 0, ""))
        for node in nodes:
            others = [b if a == node.name else a for a, b in pairs if node.name in {a, b}]
            if others:
                found[node.pk] = tuple(others)
    return found
