"""The corpus: who sees which sources, what a source may say, and what was found of it.

* The place of a source that a question points at: what stands there, cut out of a long text.
"""

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

#: Characters of one version. A longer document is taken in by its chapters.
MAX_TEXT = 2_000_000
#: Roles that read every source: whoever keeps, inspects or analyses the bank needs them.
SEE_ALL = frozenset({"OWNER", "CURATOR", "INSPECTOR", "ANALYST"})


class SourceStanding(StrEnum):
    """What was found of a source by whoever looked at it last."""

    UNCHECKED = "UNCHECKED"
    VERIFIED = "VERIFIED"
    NOT_VERIFIED = "NOT"
    WITHDRAWN = "WITHDRAWN"


class CitationMark(StrEnum):
    """Why a citation needs a look."""

    PAST = "PAST"  # the version that is cited is past its date
    CHANGED = "CHANGED"  # a later version does not hold the passage any more
    WITHDRAWN = "WITHDRAWN"


def sees_all(roles: Collection[str]) -> bool:
    """Return whether somebody in these roles sees every source, in whatever collection.

    Others, the designers, see those of no collection and of the collections that they are
    appointed to.
    """
    return not SEE_ALL.isdisjoint(roles)


def tidy(text: str) -> str:
    """Return a text as the corpus keeps it: one kind of line break, composed letters, no nulls."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return unicodedata.normalize("NFC", lines)


#: So many characters are shown on each side of a place, or from the beginning.
AROUND = 400

# A word that may be cut through; where it is longer, the text has no spaces between its words.
_FIRST = re.compile(r"\A\S{0,40}\s+")
_LAST = re.compile(r"\s+\S{0,40}\Z")


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """A piece of a text in three parts: before the place, the place, after it."""

    before: str
    place: str
    after: str
    #: Whether something stands before and after what is shown.
    cut_before: bool
    cut_after: bool


def around(text: str, locator: str, size: int = AROUND) -> SourceExcerpt:
    """Return what stands at a place; the beginning, if the text does not hold its words.

    Capitals and the number of spaces do not matter. A locator that only counts ("p. 3") is not
    looked for: the number would be found anywhere.
    """
    found = _find(text, locator)
    if found is None:
        shown = cut(text, 0, 0, 2 * size)
        return SourceExcerpt(shown.after, "", "", False, shown.cut_after)
    return cut(text, *found.span(), size)


def cut(text: str, start: int, end: int, size: int = AROUND) -> SourceExcerpt:
    """Return what stands between two places, with so much before and after it, in whole words."""
    first, last = max(0, start - size), end + size
    before, after = text[first:start], text[end:last]
    if first and not text[first - 1].isspace():
        before = _FIRST.sub("", before)
    if last < len(text) and not text[last].isspace():
        after = _LAST.sub("", after)
    return SourceExcerpt(before, text[start:end], after, first > 0, last < len(text))


def _find(text: str, locator: str) -> re.Match[str] | None:
    words = locator.strip(" \t\n.,:;“”\"'").split()
    if not any(len(one) > 3 and one.isalpha() for one in words) and len("".join(words)) < 6:
        return None
    return re.search(r"\s+".join(re.escape(one) for one in words), text, re.IGNORECASE)
