"""What of a text counts when questions are compared.

Capitals, widths, punctuation and spaces do not; numbers do by themselves. A word weighs 1, an
abbreviation 2, a word that only holds a sentence together next to nothing. Scripts without spaces
are read sign by sign and in pairs of signs.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.rules import words

#: Raise this when keys change: what is stored is made anew (operations/similarity.py).
METHOD = 1
#: So many keys of a text are stored; of a longer one those with the smallest hash.
MOST_KEYS = 48

CONTENT, ABBREVIATION, GLUE, NUMBER = 1.0, 2.0, 0.08, 0.08
PAIR_OF_SIGNS, SIGN = 0.4, 0.2  # a Chinese word has about one and a half signs

_NUMERALS = "〇零一二两三四五六七八九十百千万亿"
_PIECE = re.compile(
    rf"(?P<number>\d+(?:[.,]\d+)*|[{_NUMERALS}]+)|(?P<sign>[{words.SIGNS}])"
    rf"|(?P<word>(?:(?![{words.SIGNS}])[^\W\d_])+)|(?P<stop>\S)"
)
GLUE_WORDS = frozenset(
    """a about according against all also am an and any are as at be been being briefly but by
    calculate calculated can could compute computed describe did do does each either exactly explain
    for from give had has have he her his how i if in into is it its just let list may me mean means
    might must my name of on one only onto or our per please provide s said say shall she should so
    some state such t tell than that the their them then there these they this those to under us
    versus was we were what whats when where which while who whom whose why will with would you
    your""".split()  # noqa: SIM905
)
_NUMBER_WORDS = frozenset(
    """two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
    sixty seventy eighty ninety hundred thousand million""".split()  # noqa: SIM905
)
GLUE_SIGNS = frozenset(
    "的了吗呢吧啊是在和与及或有为对把被从由其这那哪个些什么怎样如何请问谁多少几应该需要可以会能将则并且也还就都之于所我你他们该各"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What of a text counts when it is compared: its features and their own weight."""

    features: Mapping[str, float]
    numbers: tuple[str, ...]
    order: tuple[str, ...]
    last: "Reading | None" = None  # what is asked last, where there are several messages

    @property
    def plain(self) -> str:
        """The text without all that does not count, numbers in their places."""
        numbers = iter(self.numbers)
        return " ".join(next(numbers) if one == "0" else one for one in self.order)


def read(text: str) -> Reading:
    """Return what counts of one text."""
    plain = unicodedata.normalize("NFKC", text)
    shouted = plain.isupper()
    features: dict[str, float] = {}
    order: list[str] = []
    numbers: list[str] = []
    before = ""
    for match in _PIECE.finditer(plain):
        piece, kind = match.group(), match.lastgroup
        if kind == "word":
            name, weight = _word(piece, shouted)
        elif kind == "sign":
            name, weight = piece, SIGN * (0.25 if piece in GLUE_SIGNS else 1)
        else:
            name, weight = "0", NUMBER
        joined = kind == "sign" and before
        if joined:
            pair = before + piece
            features[pair] = PAIR_OF_SIGNS * (1.0, 0.5, 0.1)[len(GLUE_SIGNS.intersection(pair))]
        before = piece if kind == "sign" else ""
        if kind == "stop":
            continue
        if name == "0":
            numbers.append(piece.replace(",", "").casefold())
        order.append(name)
        features[name] = max(weight, features.get(name, 0))
    return Reading(features, tuple(numbers), tuple(order))


def read_turns(turns: Iterable[str]) -> Reading:
    """Return what counts of the messages of a question, of which the last one is what is asked."""
    texts = list(turns)
    whole = read("\n".join(texts))
    if len(texts) < 2:
        return whole
    return Reading(whole.features, whole.numbers, whole.order, read(texts[-1]))


def keys(reading: Reading) -> dict[int, str]:
    """Return what is stored of a text: small numbers, and the features that they stand for.

    One of them stands for the whole text, so that a copy is found whatever it is made of.
    """
    kept = sorted(numbered(reading.features).items())[: MOST_KEYS - 1]
    whole = "=" + reading.plain
    return {**dict(kept), _hash(whole): whole}


def numbered(names: Iterable[str]) -> dict[int, str]:
    """Return the key of every feature that can be one."""
    return {_hash(name): name for name in names if _is_telling(name)}


def _word(piece: str, shouted: bool) -> tuple[str, float]:
    name = piece.casefold()
    if name in _NUMBER_WORDS:
        return "0", NUMBER
    if piece.isupper() and 2 <= len(piece) <= 6 and not shouted:
        return name, ABBREVIATION
    if name in GLUE_WORDS or len(name) < 2:
        return name, GLUE
    return _stem(name), CONTENT


def _stem(name: str) -> str:
    """Return an English word without the endings of number and tense, roughly."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", "")):
        if name.endswith(ending) and len(name) - len(ending) >= 4 and not name.endswith("ss"):
            return name.removesuffix(ending) + instead
    return name


def _is_telling(name: str) -> bool:
    if name == "0" or name in GLUE_WORDS:
        return False
    if words.is_sign(name):
        return len(name) == 2 and not GLUE_SIGNS.issuperset(name)
    return len(name) > 1


def _hash(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4).digest()) >> 1
