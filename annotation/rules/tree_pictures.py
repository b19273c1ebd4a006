"""The picture of a tree: a box for every node, left to right by depth, top to bottom in order."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.rules.trees import Standing

#: In the units of the drawing.
WIDTH, HEIGHT = 216, 44
ACROSS, DOWN = 40, 8
#: Beside it there is room for "32 162 of 97 200".
BAR = 84


@dataclass(frozen=True, slots=True)
class Box:
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
class Picture:
    boxes: tuple[Box, ...]
    width: int
    height: int


def draw(nodes: Sequence[Standing]) -> Picture:
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
        boxes.append(Box(one.pk, depth * (WIDTH + ACROSS), y, line))
        row += one.pk not in has_parts
    deepest = max((depth for depth, _y in places.values()), default=0)
    return Picture(
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
