"""Does a question give its own answer away?

The standard answer, a sentence of it or a key point is looked for in every message of the question,
word by word: capitals, punctuation and spaces do not matter. What would stand there by chance is not
looked for: yes and no, small numbers, a common word, a single sign. Nor is the answer to a choice, which has to
be among what is offered.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.common import similarity as readings
from annotation.common import texts as words

#: A number of so many digits stands nowhere by chance.
TELLING_DIGITS = 4
#: A single word says something from so many letters on; Chinese from so many signs.
TELLING_LETTERS, TELLING_SIGNS = 5, 4
#: So much of a long text, in one piece, is a leak too.
MOST_OF_IT, LONG = 0.8, 8

_PIECE = re.compile(rf"\d+(?:[.,]\d+)*|[{words.SIGNS}]|(?:(?![{words.SIGNS}])[^\W\d_])+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|[。！？；\n]+")
# "… or …?", "which of", lettered or numbered options, 还是, 哪一个: the answer is among what is offered.
_CHOICE = re.compile(
    r"\b(?:or|either|which of|choose|whether|true or false)\b|还是|或者|哪一[个种项]|下列|以下哪|选择"
    r"|^\s*\(?[A-Da-d1-4][.)、．]\s",
    re.IGNORECASE | re.MULTILINE,
)
_OFTEN = frozenset(
    """yes no true false none both neither always never maybe correct wrong right left possible
    impossible buyer seller carrier shipper consignee insurer customer supplier driver goods cargo
    container contract""".split()  # noqa: SIM905
)


class LeakSource(StrEnum):
    ANSWER = "ANSWER"
    POINT = "POINT"


@dataclass(frozen=True, slots=True)
class Leak:
    """A place in a message where the answer, or key point number `point`, stands already."""

    source: LeakSource
    point: int | None
    turn: int
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class _Piece:
    name: str
    start: int
    end: int


def find(turns: Sequence[str], answer: str, points: Sequence[str] = ()) -> list[Leak]:
    """Return the places that give the answer away, at most one for each of answer and key points.

    `start` and `end` are offsets into the message as it is written; turn and point count from 0.
    """
    messages = [_pieces(text) for text in turns]
    looked_for: list[tuple[LeakSource, int | None, str]] = [(LeakSource.ANSWER, None, answer)]
    looked_for += [(LeakSource.POINT, place, point) for place, point in enumerate(points)]
    leaks = []
    for source, point, text in looked_for:
        for turn, message in enumerate(messages):
            if place := _place(text, message, turns[turn]):
                start, end = place
                leaks.append(Leak(source, point, turn, start, end, turns[turn][start:end]))
                break
    return leaks


def _place(text: str, message: list[_Piece], said: str) -> tuple[int, int] | None:
    """Return where in a message the text, or one of its sentences, stands."""
    for part in _parts(text):
        if not _tells(part, _CHOICE.search(said) is not None):
            continue
        least = len(part) if len(part) < LONG else int(MOST_OF_IT * len(part))
        start, length = _longest(part, [one.name for one in message])
        if length >= least:
            return message[start].start, message[start + length - 1].end
    return None


def _parts(text: str) -> Iterator[list[str]]:
    """Yield the whole text, then its sentences where there are several."""
    yield [one.name for one in _pieces(text)]
    sentences = [one for one in _SENTENCE.split(text.strip()) if one.strip()]
    if len(sentences) > 1:
        for one in sentences:
            names = [piece.name for piece in _pieces(one)]
            if len(names) >= LONG:
                yield names


def _tells(names: list[str], is_choice: bool) -> bool:
    """Say whether a text would not stand in a question by chance."""
    telling = [one for one in names if one not in readings.GLUE_WORDS and one not in _OFTEN]
    signs = [one for one in telling if words.is_sign(one) and one not in readings.GLUE_SIGNS]
    numbers = [one for one in telling if one[0].isdigit()]
    latin = [one for one in telling if not words.is_sign(one) and not one[0].isdigit()]
    if len(names) < LONG and is_choice:
        return False
    if signs:
        return len(signs) + 2 * len(latin) >= TELLING_SIGNS
    if len(latin) + len(numbers) >= 2:
        return True
    if numbers:
        digits = numbers[0].replace(",", "").replace(".", "")
        return len(digits) >= TELLING_DIGITS and not _is_year(digits)
    return len(latin) == 1 and len(latin[0]) >= TELLING_LETTERS


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits[:2] in {"19", "20"}


def _longest(part: list[str], message: list[str]) -> tuple[int, int]:
    """Return start and length of the longest run of the message that stands in the part."""
    best = (0, 0)
    before: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    for place, name in enumerate(part):
        places.setdefault(name, []).append(place)
    for at, name in enumerate(message):
        row = {place: before.get(place - 1, 0) + 1 for place in places.get(name, ())}
        longest = max(row.values(), default=0)
        if longest > best[1]:
            best = (at - longest + 1, longest)
        before = row
    return best


def _pieces(text: str) -> list[_Piece]:
    """Return the words, numbers and signs of a text, each with its place in it."""
    return [
        _Piece(_folded(match.group()), match.start(), match.end())
        for match in _PIECE.finditer(text)
    ]


def _folded(piece: str) -> str:
    return unicodedata.normalize("NFKC", piece).casefold().replace(",", "")
