"""Passages of a text: its paragraphs and pages, and what stands from one character up to another.

A form feed begins a page, an empty line a paragraph. Places are counted in characters of the text
as the corpus keeps it.
"""

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

#: A longer passage is no place any more, but a source.
MAX_PASSAGE = 4_000
PAGE = "\f"

_PARAGRAPH = re.compile(r"[^\s\f](?:[^\n\f]|\n(?![ \t]*(?:\n|\f|\Z)))*")


class NoPassage(ValueError):
    """These places do not hold a passage of the text; the message says why."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, counted from 1; `page` is 0 in a text without pages."""

    number: int
    start: int
    end: int
    text: str
    page: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands, as a person would say it."""

    page: int
    first: int
    last: int
    #: Whether it is nothing but whole paragraphs.
    whole: bool


def paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of a text, in order, without what is empty."""
    paged = PAGE in text
    found: list[Paragraph] = []
    page, seen = 1, 0
    for number, one in enumerate(_PARAGRAPH.finditer(text), start=1):
        page += text.count(PAGE, seen, one.start())
        seen = one.start()
        said = one.group().rstrip()
        found.append(
            Paragraph(number, one.start(), one.start() + len(said), said, page if paged else 0)
        )
    return found


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the places without the spaces at both ends.

    Raises:
        NoPassage: they lie outside the text, hold nothing, or hold too much.
    """
    if not 0 <= start < end <= len(text):
        raise NoPassage("outside")
    said = text[start:end]
    start += len(said) - len(said.lstrip())
    end -= len(said) - len(said.rstrip())
    if start >= end:
        raise NoPassage("empty")
    if end - start > MAX_PASSAGE:
        raise NoPassage("long")
    return start, end


def place(text: str, start: int, end: int) -> Place:
    """Return the page and the paragraphs in which a passage stands."""
    touched = [one for one in paragraphs(text) if one.start < end and start < one.end]
    if not touched:
        return Place(0, 0, 0, whole=False)
    first, last = touched[0], touched[-1]
    whole = start <= first.start and end >= last.end
    return Place(first.page, first.number, last.number, whole)


def pieces(paragraph: Paragraph, marks: Iterable[tuple[int, int]]) -> tuple[tuple[str, bool], ...]:
    """Return a paragraph cut where marked passages begin and end: each piece, and if it is marked."""
    inside = [
        (max(start, paragraph.start), min(end, paragraph.end))
        for start, end in marks
        if start < paragraph.end and paragraph.start < end
    ]
    cuts = sorted({paragraph.start, paragraph.end, *(one for pair in inside for one in pair)})
    found = []
    for start, end in itertools.pairwise(cuts):
        marked = any(one <= start and end <= other for one, other in inside)
        said = paragraph.text[start - paragraph.start : end - paragraph.start]
        found.append((said, marked))
    return tuple(found)


def holds(text: str, passage: str) -> bool:
    """Return whether a text has the words of a passage, however its lines are broken."""
    return _in_line(passage) in _in_line(text)


def _in_line(text: str) -> str:
    return " ".join(text.split())
