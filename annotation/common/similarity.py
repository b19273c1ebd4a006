"""What of a text counts when questions are compared.

* Which questions ask the same in other words.
"""

import hashlib
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from annotation.common import texts as words

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
class TextFeatures:
    """What of a text counts when it is compared: its features and their own weight."""

    features: Mapping[str, float]
    numbers: tuple[str, ...]
    order: tuple[str, ...]
    last: "TextFeatures | None" = None  # what is asked last, where there are several messages

    @property
    def plain(self) -> str:
        """The text without all that does not count, numbers in their places."""
        numbers = iter(self.numbers)
        return " ".join(next(numbers) if one == "0" else one for one in self.order)


def read_features(text: str) -> TextFeatures:
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
    return TextFeatures(features, tuple(numbers), tuple(order))


def read_turns(turns: Iterable[str]) -> TextFeatures:
    """Return what counts of the messages of a question, of which the last one is what is asked."""
    texts = list(turns)
    whole = read_features("\n".join(texts))
    if len(texts) < 2:
        return whole
    return TextFeatures(whole.features, whole.numbers, whole.order, read_features(texts[-1]))


def keys(reading: TextFeatures) -> dict[int, str]:
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


#: From here on two questions are called alike.
ALIKE = 0.85
#: Where there is a pattern: how much of what tells a question from the others must be there again.
COVERED = 0.88
#: What an equal answer takes from that, and a different one adds.
SAME_ANSWER, OTHER_ANSWER = 0.15, 0.06
#: So many questions that share so much are cut to one pattern.
PATTERN_SIZE = 3
FAMILY = 0.3
#: Below this nothing is pointed out, pattern or no pattern.
LEAST = 0.5

LEAST_RARITY, LEAST_OF_PATTERN, ONLY_ADDED, ONLY_MOVED = 0.3, 0.02, 0.3, 0.25
RARITY_OF_SIGNS = 0.8  # single signs are not counted in the bank

#: One of these in place of the other makes another question, however long it is.
_OPPOSITES = tuple(
    frozenset(pair.split())
    for pair in [
        "import export",
        "buyer seller",
        "inbound outbound",
        "maximum minimum",
        "advantag disadvantag",
        "advantage disadvantage",
        "increase decrease",
        "load unload",
        "shipper consignee",
        "consignor consignee",
        "before after",
        "highest lowest",
        "incoming outgoing",
        "gross net",
        "进口 出口",
        "买方 卖方",
        "装货 卸货",
        "最大 最小",
        "最高 最低",
        "优点 缺点",
        "入库 出库",
        "发货 收货",
    ]
)
OPPOSITE = 0.8


class Likeness(StrEnum):
    """How two questions are alike."""

    SAME = "SAME"  # but for capitals, punctuation and spaces
    NUMBERS = "NUMBERS"  # but for numbers
    ORDER = "ORDER"  # but for the order of words
    WORDS = "WORDS"  # but for some words


@dataclass(frozen=True, slots=True)
class FeatureCounts:
    """How many questions there are, and in how many of them a feature stands."""

    size: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def rarity(self, feature: str) -> float:
        """Return a weight from LEAST_RARITY (everywhere) to 1 (nowhere yet)."""
        seen = self.counts.get(feature, 0)
        rarity = math.log(1 + self.size / (1 + seen)) / math.log(2 + self.size)
        return min(1.0, max(LEAST_RARITY, rarity))

    def knows(self, feature: str) -> bool:
        """Say whether a word is written like this elsewhere: then it is no slip of the pen."""
        return self.counts.get(feature, 0) >= 2


@dataclass(frozen=True, slots=True)
class LikenessVerdict:
    """How alike two questions are, 0 to 1, and in which way; `alike` says whether to point it out."""

    value: float
    kind: Likeness
    alike: bool


def judge(
    asked: TextFeatures,
    others: Sequence[TextFeatures],
    bank: FeatureCounts,
    answers: Sequence[float | None] | None = None,
    *,
    at: float = ALIKE,
) -> list[LikenessVerdict]:
    """Return a verdict on each of the others.

    The others are those of the bank that share most with what is asked: from them it is seen
    whether there is a pattern. `answers` says how alike the answers are, None where one is missing;
    `at` is from how much on they are called alike.
    """
    plain = _Plain(bank)
    shares = [_share(asked, other, plain) for other in others]
    family = [other for other, share in zip(others, shares, strict=True) if share.value >= FAMILY]
    pattern = _Pattern(family) if len({one.order for one in family}) >= PATTERN_SIZE else None
    told = answers if answers is not None else [None] * len(others)
    return [
        _verdict(asked, other, plain, pattern, answer, share.value, at)
        for other, answer, share in zip(others, told, shares, strict=True)
    ]


def alike(one: str, other: str) -> float:
    """Return how alike two texts are by themselves, numbers counted as words: for answers."""
    first, second = read_features(one), read_features(other)
    if not (first.order and second.order):
        return 1.0 if first.order == second.order else 0.0
    value = _share(first, second, _Plain(FeatureCounts())).value
    return value if sorted(first.numbers) == sorted(second.numbers) else min(value, 0.5)


class _Plain:
    """Words weigh by their rarity in the bank."""

    def __init__(self, bank: FeatureCounts) -> None:
        self.bank = bank
        self._weights: dict[str, float] = {}

    def of(self, name: str) -> float:
        weight = self._weights.get(name)
        if weight is None:  # the candidates share most of their words
            weight = RARITY_OF_SIGNS if len(name) == 1 else self.bank.rarity(name)
            self._weights[name] = weight
        return weight


class _Pattern:
    """Words weigh by how well they tell questions of one pattern apart."""

    def __init__(self, family: Sequence[TextFeatures]) -> None:
        self.size = len(family)
        self.counts = Counter(name for one in family for name in one.features)

    def of(self, name: str) -> float:
        return max(LEAST_OF_PATTERN, 1 - self.counts.get(name, 0) / self.size)


@dataclass(frozen=True, slots=True)
class _Share:
    """The weight of what two texts share, of what only one says, of what only the other says."""

    shared: float
    here: float
    there: float
    opposite: bool = False

    @property
    def value(self) -> float:
        apart = min(self.here, self.there) + ONLY_ADDED * abs(self.here - self.there)
        return self._of_all(apart)

    @property
    def covered(self) -> float:
        return self._of_all(self.there)

    def _of_all(self, apart: float) -> float:
        whole = self.shared / (self.shared + apart) if self.shared else 0.0
        return whole * OPPOSITE if self.opposite else whole


def _verdict(
    asked: TextFeatures,
    other: TextFeatures,
    plain: _Plain,
    pattern: _Pattern | None,
    answer: float | None,
    value: float,
    at: float,
) -> LikenessVerdict:
    """Return the verdict on one; `value` is what the two share in all."""
    kind = _kind(asked, other)
    if kind != Likeness.WORDS:
        return LikenessVerdict(1.0, kind, alike=True)
    if asked.last or other.last:
        value = min(value, _share(asked.last or asked, other.last or other, plain).value)
    shift = at - ALIKE
    if answer is not None:
        shift += OTHER_ANSWER if answer < 0.5 else -SAME_ANSWER * (answer - 0.5) / 0.5
    if pattern is None:
        return LikenessVerdict(value, kind, alike=value >= ALIKE + shift)
    if value < LEAST:
        return LikenessVerdict(value, kind, alike=False)
    covered = _share(asked, other, pattern, plain.bank).covered
    return LikenessVerdict(value, kind, alike=covered >= COVERED + shift / 2)


def _kind(asked: TextFeatures, other: TextFeatures) -> Likeness:
    if asked.order == other.order:
        return Likeness.SAME if asked.numbers == other.numbers else Likeness.NUMBERS
    same_words = sorted(asked.order) == sorted(other.order)
    if same_words and not (asked.last or other.last):
        return Likeness.ORDER
    return Likeness.WORDS


def _share(
    asked: TextFeatures,
    other: TextFeatures,
    weights: _Plain | _Pattern,
    bank: FeatureCounts | None = None,
) -> _Share:
    shared = sum(
        weights.of(name) * max(own, other.features[name])
        for name, own in asked.features.items()
        if name in other.features
    )
    mine = {name: own for name, own in asked.features.items() if name not in other.features}
    theirs = {name: own for name, own in other.features.items() if name not in asked.features}
    known = bank or (weights.bank if isinstance(weights, _Plain) else FeatureCounts())
    for name, twin in _slips(mine, theirs, known):
        own, its = mine.pop(name), theirs.pop(twin)
        shared += 0.9 * max(weights.of(name) * own, weights.of(twin) * its)
    opposite = any(pair & mine.keys() and pair & theirs.keys() for pair in _OPPOSITES)
    return _Share(shared, _weight(mine, weights), _weight(theirs, weights), opposite)


def _weight(names: Mapping[str, float], weights: _Plain | _Pattern) -> float:
    """Return the weight of what only one text says.

    A pair of signs both of which the other has too was only moved; else it weighs no more than
    the sign that is missing, as one changed sign breaks a pair with each of its neighbours.
    """
    total = 0.0
    for name, own in names.items():
        weight = weights.of(name)
        if len(name) == 2 and words.is_sign(name):
            missing = [weights.of(sign) for sign in name if sign in names]
            weight = min(weight, max(missing)) if missing else weight * ONLY_MOVED
        total += own * weight
    return total


def _slips(
    mine: Mapping[str, float], theirs: Mapping[str, float], bank: FeatureCounts
) -> list[tuple[str, str]]:
    """Return pairs of words of which one is the other with a slip of the pen."""
    pairs = []
    free = [name for name in theirs if len(name) > 3]
    for name in [name for name in mine if len(name) > 3]:
        for twin in free:
            if not (bank.knows(name) and bank.knows(twin)) and _is_slip(name, twin):
                pairs.append((name, twin))
                free.remove(twin)
                break
    return pairs


def _is_slip(one: str, other: str) -> bool:
    """Say whether words differ by a letter, two in longer ones: missing, other or swapped.

    First and last letter are the same: consignor and consignee, import and export are no slips.
    """
    allowed = 2 if min(len(one), len(other)) > 7 else 1
    if abs(len(one) - len(other)) > allowed or (one[0], one[-1]) != (other[0], other[-1]):
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        two_before, before, row = before, row, [i]
        for j, twin in enumerate(other, 1):
            cost = min(before[j] + 1, row[-1] + 1, before[j - 1] + (letter != twin))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == twin:
                cost = min(cost, two_before[j - 2] + 1)
            row.append(cost)
    return row[-1] <= allowed
