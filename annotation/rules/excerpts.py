"""The place of a source that a question points at: what stands there, cut out of a long text."""

import re
from dataclasses import dataclass

#: So many characters are shown on each side of a place, or from the beginning.
AROUND = 400

# A word that may be cut through; where it is longer, the text has no spaces between its words.
_FIRST = re.compile(r"\A\S{0,40}\s+")
_LAST = re.compile(r"\s+\S{0,40}\Z")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a text in three parts: before the place, the place, after it."""

    before: str
    place: str
    after: str
    #: Whether something stands before and after what is shown.
    cut_before: bool
    cut_after: bool


def around(text: str, locator: str, size: int = AROUND) -> Excerpt:
    """Return what stands at a place; the beginning, if the text does not hold its words.

    Capitals and the number of spaces do not matter. A locator that only counts ("p. 3") is not
    looked for: the number would be found anywhere.
    """
    found = _find(text, locator)
    if found is None:
        shown = cut(text, 0, 0, 2 * size)
        return Excerpt(shown.after, "", "", False, shown.cut_after)
    return cut(text, *found.span(), size)


def cut(text: str, start: int, end: int, size: int = AROUND) -> Excerpt:
    """Return what stands between two places, with so much before and after it, in whole words."""
    first, last = max(0, start - size), end + size
    before, after = text[first:start], text[end:last]
    if first and not text[first - 1].isspace():
        before = _FIRST.sub("", before)
    if last < len(text) and not text[last].isspace():
        after = _LAST.sub("", after)
    return Excerpt(before, text[start:end], after, first > 0, last < len(text))


def _find(text: str, locator: str) -> re.Match[str] | None:
    words = locator.strip(" \t\n.,:;“”\"'").split()
    if not any(len(one) > 3 and one.isalpha() for one in words) and len("".join(words)) < 6:
        return None
    return re.search(r"\s+".join(re.escape(one) for one in words), text, re.IGNORECASE)
