"""What a name may hold: of people, projects, systems, rubrics, criteria, areas, tags, files.

A name stands in sentences beside other names. A sign in it that nobody sees lets two names look the
same; one that turns the direction of writing rearranges what stands around it.
"""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from annotation.common import texts as display
from evalsite import kinds

#: Scripts from right to left, and the signs that turn the direction.
_TURNING: Final = re.compile(
    "[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefe"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
#: Begins what stands apart; a name holds no such sign.
APART: Final = "\u2068"
#: Stands between the names of a path.
STEP: Final = " › "
_BREAKS: Final = re.compile("[\t-\r\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class NameKind(kinds.Text):
    """A text of one line that names something: nothing in it is unseen or turns the direction."""

    empty: bool = False

    def read(self, value: Any, *, sent: bool) -> str:
        read = kinds.Text.read(self, value, sent=sent)
        # What is sent is refused where it is written: 422 `bad_name`.
        if not sent and (sign := unseen_in(read)):
            raise kinds.Wrong("unseen_sign", called(sign))
        return read


def unseen_in(name: str) -> str:
    """Return the first sign of a name that no reader sees, that turns the direction or ends the line; "" if none.

    Joiners between letters that they shape, and signs that shape an emoji, belong to what is seen.
    """
    if name.isascii() and name.isprintable():
        return ""
    found = [one for one in (_BREAKS.search(name), display.first_hidden(name)) if one]
    return min(found, key=lambda one: one.start())[0] if found else ""


def called(sign: str) -> str:
    """Return a sign that nobody sees by its number, as in U+202E."""
    return f"U+{ord(sign):04X}"


def of_file(path: str, most: int = 255) -> str:
    """Return what a file is called that somebody sends, without such signs: nobody has to rename it for that."""
    name = PurePath(path).name
    while sign := unseen_in(name):
        name = name.replace(sign, "")
    return name[-most:]


def is_to_be_isolated(name: str) -> bool:
    """Say whether a name could rearrange what stands around it: it is written from right to left, or says so."""
    return not name.isascii() and _TURNING.search(name) is not None


def isolated(name: str) -> str:
    """Return a name for a sentence: whatever is in it, what stands around it keeps its place."""
    if not is_to_be_isolated(name):
        return name
    return f"{APART}{display.without_hidden(name)}\u2069"
