"""A table of shades: rows by columns, each place with its value and what it rests on."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.charts import svg
from scoring.charts.svg import Drawing

NAMES, CELL, ROW, HEAD = 168, 78, 40, 52
#: How much of the accent each shade has; on the last one letters are light.
SHADES = (0.05, 0.14, 0.25, 0.38, 0.88)


@dataclass(frozen=True, slots=True)
class Square:
    """A place: what is written in it, n below, and a shade from 0 to 4; None is not judged."""

    said: str
    n: int | None
    shade: int | None


def heat(
    columns: Sequence[str], rows: Sequence[tuple[str, Sequence[Square | None]]], *, label: str
) -> Drawing:
    """Draw the table; None leaves a place empty."""
    made = Drawing(NAMES + CELL * max(len(columns), 1), HEAD + ROW * len(rows) + 8, label)
    for n, head in enumerate(columns):
        x = NAMES + CELL * n + CELL / 2
        for line, words in enumerate(_lines(head)):
            made.text(x, HEAD - 20 + 13 * line, words, anchor="middle", size=10)
    for n, (name, squares) in enumerate(rows):
        y = HEAD + ROW * n
        made.text(0, y + ROW / 2 + 4, svg.shortened(name, NAMES - 10), ink="text")
        for place, square in enumerate(squares):
            if square is not None:
                _square(made, NAMES + CELL * place, y, square)
    return made


def _lines(head: str) -> list[str]:
    """Return a title in at most two lines."""
    first, _space, rest = head.partition(" ")
    words = [head] if svg.width_of(head, 10) <= CELL - 4 else [first, rest]
    return [svg.shortened(one, CELL - 4, 10) for one in words if one]


def _square(made: Drawing, x: float, y: float, square: Square) -> None:
    if square.shade is None:
        made.rect(x + 1, y + 1, CELL - 2, ROW - 2, "sunk")
        ink = "muted"
    else:
        opacity = SHADES[square.shade]
        made.rect(x + 1, y + 1, CELL - 2, ROW - 2, "accent", opacity=opacity)
        ink = "on-accent" if square.shade == len(SHADES) - 1 else "text"
    made.text(x + CELL / 2, y + 18, square.said, anchor="middle", ink=ink)
    if square.n is not None:
        made.text(x + CELL / 2, y + 32, f"n {square.n}", anchor="middle", ink=ink, size=10)
