"""The place of a source that a question points at: what stands there, cut out of a long text."""

import re
from dataclasses import dataclass

#: So many characters are shown on each side of a place, or from the beginning.
AROUND = 400


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
        return Excerpt(text[: 2 * size], "", "", False, len(text) > 2 * size)
    start, end = found.span()
    first, last = max(0, start - size), end + size
    return Excerpt(text[first:start], text[start:end], text[end:last], first > 0, last < len(text))


def _find(text: str, locator: str) -> re.Match[str] | None:
    words = locator.strip(" \t\n.,:;“”\"'").split()
    if not any(len(one) > 3 and one.isalpha() for one in words) and len("".join(words)) < 6:
        return None
    return re.search(r"\s+".join(re.escape(one) for one in words), text, re.IGNORECASE)
