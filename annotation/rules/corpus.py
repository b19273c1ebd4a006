"""The corpus: who sees which sources, what a source may say, and what was found of it."""

import unicodedata
from collections.abc import Collection
from enum import StrEnum

#: Characters of one version. A longer document is taken in by its chapters.
MAX_TEXT = 2_000_000
#: Roles that read every source: whoever keeps, inspects or analyses the bank needs them.
SEE_ALL = frozenset({"OWNER", "CURATOR", "INSPECTOR", "ANALYST"})


class Standing(StrEnum):
    """What was found of a source by whoever looked at it last."""

    UNCHECKED = "UNCHECKED"
    VERIFIED = "VERIFIED"
    NOT_VERIFIED = "NOT"
    WITHDRAWN = "WITHDRAWN"


class Mark(StrEnum):
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
