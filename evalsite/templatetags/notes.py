"""Notes to a table: each reason why a figure is missing is said once, below it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from django import template

register = template.Library()


class Reasoned(Protocol):
    """A cell that says why it is not whole; nothing where it is."""

    @property
    def why(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Noted:
    """The rows with each cell beside the number of its note from 1, or None; and the notes."""

    rows: list[tuple[str, list[tuple[Reasoned, int | None]]]]
    texts: list[str]


@register.filter
def noted(rows: Iterable[tuple[str, Iterable[Reasoned]]]) -> Noted:
    """Number the reasons in rows of a name and cells, by their first appearance."""
    read = [(name, list(cells)) for name, cells in rows]
    texts = list(dict.fromkeys(one.why for _name, cells in read for one in cells if one.why))
    return Noted(
        [
            (name, [(one, texts.index(one.why) + 1 if one.why else None) for one in cells])
            for name, cells in read
        ],
        texts,
    )
