"""Trees of areas and capabilities: where a node goes, which names beside each other overlap.

* The picture of a tree: a box for every node, left to right by depth, top to bottom in order.
"""

import difflib
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.common import texts as words

#: Words that say nothing of what an area is about.
SMALL = frozenset(
    {
        "a",
        "an",
        "and",
        "as",
        "at",
        "by",
        "for",
        "from",
        "general",
        "in",
        "into",
        "its",
        "of",
        "on",
        "or",
        "other",
        "others",
        "the",
        "their",
        "to",
        "with",
    }
)
#: Two names with so large a share of their words in common look like the same area.
SHARED = 0.5
#: Two names that differ in so few letters do, too.
ALIKE = 0.84


class TreeStep(StrEnum):
    """A move by one button or key."""

    UP = "up"
    DOWN = "down"
    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class TreePlace:
    """Below which node (None: at the top), and before which of its parts (None: as the last)."""

    parent: int | None
    before: int | None


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node with the one it stands below. A sequence of them is in the order of the tree."""

    pk: int
    parent: int | None


def place_after(nodes: Sequence[TreeNode], pk: int, step: TreeStep) -> TreePlace | None:
    """Return where a step takes a node; None if it cannot go there.

    In is below the sibling before it, out is right after what it stands below.
    """
    parents = {one.pk: one.parent for one in nodes}
    parent = parents[pk]
    siblings = [one.pk for one in nodes if one.parent == parent]
    rank = siblings.index(pk)
    if step is TreeStep.UP:
        return TreePlace(parent, siblings[rank - 1]) if rank else None
    if step is TreeStep.DOWN:
        last = rank + 1 == len(siblings)
        return None if last else TreePlace(parent, _at(siblings, rank + 2))
    if step is TreeStep.IN:
        return TreePlace(siblings[rank - 1], None) if rank else None
    if parent is None:
        return None
    above = [one.pk for one in nodes if one.parent == parents[parent]]
    return TreePlace(parents[parent], _at(above, above.index(parent) + 1))


def steps_of(nodes: Sequence[TreeNode], pk: int) -> frozenset[TreeStep]:
    """Return the steps that a node can take."""
    return frozenset(step for step in TreeStep if place_after(nodes, pk, step) is not None)


def overlaps(names: Iterable[str], above: str = "") -> list[tuple[str, str]]:
    """Return the pairs of names beside each other that seem to mean the same.

    Words that the name above them has, too, do not count: by air and by road are two things.
    """
    common = _telling(above)
    meant = [(name, _telling(name) - common or _telling(name)) for name in names]
    return [
        (one, other)
        for (one, ours), (other, theirs) in itertools.combinations(meant, 2)
        if _same(ours, theirs) or _ratio(ours, theirs) >= ALIKE
    ]


def _same(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    if not ours or not theirs:
        return False
    shared = len(ours & theirs)
    return shared / len(ours | theirs) >= SHARED or shared == min(len(ours), len(theirs))


def _ratio(ours: frozenset[str], theirs: frozenset[str]) -> float:
    one, other = (" ".join(sorted(words_)) for words_ in (ours, theirs))
    return difflib.SequenceMatcher(None, one, other).ratio()


def _telling(name: str) -> frozenset[str]:
    """Return the words that say what a name is about, without their endings."""
    pieces = [piece for piece in words.cut(name.casefold()) if piece[0].isalnum()]
    signs = [piece for piece in pieces if words.is_sign(piece)]
    pairs = {a + b for a, b in itertools.pairwise(signs)}
    return frozenset(
        pairs
        | {_stem(piece) for piece in pieces if piece not in SMALL and not words.is_sign(piece)}
    )


def _stem(word: str) -> str:
    for ending, instead in (("ies", "y"), ("ance", ""), ("ing", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word[: -len(ending)] + instead
    return word.removesuffix("e") if len(word) > 4 else word


def _at(row: Sequence[int], place: int) -> int | None:
    return row[place] if place < len(row) else None


#: In the units of the drawing.
WIDTH, HEIGHT = 216, 44
ACROSS, DOWN = 40, 8
#: Beside it there is room for "32 162 of 97 200".
BAR = 84


@dataclass(frozen=True, slots=True)
class TreeBox:
    """Where a node is drawn, and the line that leads to it (empty at the top)."""

    pk: int
    x: int
    y: int
    line: str

    @property
    def text_x(self) -> int:
        return self.x + 12

    @property
    def end_x(self) -> int:
        return self.x + WIDTH - 12

    @property
    def text_y(self) -> int:
        return self.y + 19

    @property
    def bar_y(self) -> int:
        return self.y + 30

    @property
    def count_y(self) -> int:
        return self.y + 36


@dataclass(frozen=True, slots=True)
class TreePicture:
    boxes: tuple[TreeBox, ...]
    width: int
    height: int


def draw(nodes: Sequence[TreeNode]) -> TreePicture:
    """Lay the nodes out. They come in the order of the tree, each after what it stands below.

    A node with parts stands at the height of its first; a line elbows from it to each of them.
    """
    has_parts = {one.parent for one in nodes}
    places: dict[int, tuple[int, int]] = {}
    boxes, row = [], 0
    for one in nodes:
        above = places.get(one.parent) if one.parent is not None else None
        depth = above[0] + 1 if above else 0
        y = row * (HEIGHT + DOWN)
        places[one.pk] = (depth, y)
        line = ""
        if above:
            start = (above[0] + 1) * WIDTH + above[0] * ACROSS
            line = (
                f"M{start} {above[1] + HEIGHT // 2}h{ACROSS // 2}"
                f"V{y + HEIGHT // 2}h{ACROSS - ACROSS // 2}"
            )
        boxes.append(TreeBox(one.pk, depth * (WIDTH + ACROSS), y, line))
        row += one.pk not in has_parts
    deepest = max((depth for depth, _y in places.values()), default=0)
    return TreePicture(
        boxes=tuple(boxes),
        width=(deepest + 1) * (WIDTH + ACROSS) - ACROSS,
        height=max(row * (HEIGHT + DOWN) - DOWN, 0),
    )


def bar(part: int, whole: int) -> int:
    """Return how much of the bar in a box is filled; nothing if there is no plan to fill it."""
    return min(BAR, round(BAR * part / whole)) if whole > 0 else 0


def shortened(name: str, room: int = 26) -> str:
    """Return a name that fits into a box; signs of wide scripts take two places."""
    taken = 0
    for place, sign in enumerate(name):
        taken += 2 if ord(sign) > 0x2E7F else 1
        if taken > room:
            return name[: max(place - 1, 1)].rstrip() + "…"
    return name
