"""Multiple choice: which option a free text names, and in which orders options are put.

The reader takes a label only where it is said to be the answer or stands alone: never the "A" of
"Answer", of "A ship is …" or of a word.
"""

import hashlib
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from annotation.common import reasoning
from scoring.protocols import reading


class ChosenBy(StrEnum):
    """Where the option was found."""

    JSON = "json"
    STATED = "stated"
    LABEL = "label"
    TEXT = "text"
    NONE = "none"
    SEVERAL = "several"


@dataclass(frozen=True, slots=True)
class LabelChoice:
    """The label that a text chose; None, with `how`, if it names none or several."""

    label: str | None
    how: ChosenBy


#: Words after which a label is the answer, in the languages of the prompts.
SAID = (
    r"(?:(?:final|correct|right|best|my)\s+)*(?:answer|choice|option)\s*(?:is|would\s+be|should\s+be|:|：|=|-|–)+\s*"
    r"(?:(?:option|choice|letter)\s+)?"
    r"|(?:i\s+)?(?:choose|pick|select)\s+(?:option\s+|choice\s+)?"
    r"|(?:正确)?(?:答案|选项)\s*(?:应该|应)?\s*(?:是|为|选|:|：)*\s*|(?:应该|应)?选择?\s*(?:项)?\s*"
    r"|\\boxed\s*"
)
OPENING, CLOSING = r"[\s(（\[{<「【*_`\"'“‘$]*", r"[)）\]}>」】*_`\"'”’$]*"
#: What may follow a label: an end, a mark, or the beginning of a reason.
AFTER = r"(?=$|[\n.,;:!?。，；：！？、)）\]}]|\s*[-–—]|\s+(?:because|since|as|and\s+not|因为))"
_ANSWERS = ("answer", "choice", "option", "label")
#: Words by which a reply takes back what it said.
_TAKEN_BACK = re.compile(
    r"\b(?:no|wait|actually|rather|correction|sorry|mistaken?|i mean|on second thought|scratch that)\b"
    r"|不对|不，|等等|更正|应该是|抱歉",
    re.IGNORECASE,
)
MARKS = str.maketrans("", "", string.punctuation + "。，；：！？、“”‘’（）「」【】《》…—–")


def read(text: str, options: Mapping[str, str]) -> LabelChoice:
    """Return which option a reply chose.

    Args:
        text: the reply, as it came.
        options: label → text, such as {"A": "a dock", "B": "a quay"}.

    Raises:
        ValueError: there are no options.
    """
    if not options:
        raise ValueError("A question of multiple choice has options.")
    plain = unicodedata.normalize("NFKC", reasoning.split(text).answer).strip()
    found = _from_json(plain, options)
    if found:
        stated = _stated(reading.parted(plain)[1], options)
        return _one({*found, *stated}, ChosenBy.JSON)
    for reader, how in (
        (_stated, ChosenBy.STATED),
        (_alone, ChosenBy.LABEL),
        (_by_text, ChosenBy.TEXT),
        (_standing, ChosenBy.LABEL),
    ):
        if found := reader(plain, options):
            return _one(set(found), how)
    return LabelChoice(None, ChosenBy.NONE)


def _one(found: Set[str], how: ChosenBy) -> LabelChoice:
    return (
        LabelChoice(next(iter(found)), how)
        if len(found) == 1
        else LabelChoice(None, ChosenBy.SEVERAL)
    )


def same(text: str, other: str) -> bool:
    """Return whether two texts are equal but for case, punctuation, width and spaces."""
    return bool(_plain(text)) and _plain(text) == _plain(other)


def _from_json(text: str, options: Mapping[str, str]) -> list[str]:
    """Return what the JSON objects of a reply choose."""
    found = []
    for made in reading.objects(text):
        said = next((made[name] for name in _ANSWERS if isinstance(made.get(name), str)), "")
        if label := _label(said.strip(" ().*"), options):
            found.append(label)
    return found


def _stated(text: str, options: Mapping[str, str]) -> list[str]:
    """Return the labels that sentences call the answer; of one that takes another back, the latter."""
    labels = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    pattern = rf"(?<![^\W_])(?:{SAID}){OPENING}(?P<label>{labels})(?![^\W_]){CLOSING}{AFTER}"
    kept: list[str] = []
    last = 0
    for one in re.finditer(pattern, text, re.IGNORECASE):
        if kept and _TAKEN_BACK.search(text[last : one.start()]):
            kept = []
        kept += [label] if (label := _label(one["label"], options)) else []
        last = one.end()
    return kept


def _alone(text: str, options: Mapping[str, str]) -> list[str]:
    """Return the label that is the whole reply, or opens it before a mark: "C", "(C)", "**C.** A quay"."""
    labels = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    whole = re.fullmatch(rf"{OPENING}({labels}){CLOSING}[.。:：]?\s*{CLOSING}", text, re.IGNORECASE)
    opens = re.match(rf"{OPENING}({labels})(?:{CLOSING}[.):、：）]|[)）\]]|{CLOSING}\s*\n)", text)
    found = whole or opens
    return [label] if found and (label := _label(found[1], options)) else []


def _by_text(text: str, options: Mapping[str, str]) -> list[str]:
    """Return the options whose text is the reply, else those that it contains whole."""
    said = _plain(text)
    texts = {label: _plain(one) for label, one in options.items()}
    if equal := [label for label, one in texts.items() if one and one == said]:
        return equal
    inside = [label for label, one in texts.items() if one and f" {one} " in f" {said} "]
    # An option that is a part of another one is not meant when the longer one is named.
    return [
        label
        for label in inside
        if not any(
            label != other and texts[label] != texts[other] and texts[label] in texts[other]
            for other in inside
        )
    ]


def _standing(text: str, options: Mapping[str, str]) -> list[str]:
    """Return the labels that stand alone in capitals; an "A" or "I" before a word is English."""
    labels = "|".join(sorted(map(re.escape, options), key=len, reverse=True))
    found = {
        one["label"]
        for one in re.finditer(rf"(?<![^\W_'’])(?P<label>{labels})(?![^\W_'’])", text)
        if not (one["label"] in {"A", "I"} and re.match(r"\s+[a-z]", text[one.end() :]))
    }
    return sorted(found)


def _label(said: str, options: Mapping[str, str]) -> str | None:
    return next((one for one in options if one.casefold() == said.casefold()), None)


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold().translate(MARKS)
    return " ".join(text.split())


def orders(n_options: int, count: int, *, seed: int, key: str) -> list[tuple[int, ...]]:
    """Return in which orders the options of a question are put; the first is the question's own.

    Orders differ as long as there are enough of them; they depend on the seed and the question alone.

    Raises:
        ValueError: fewer than two options, or no order is asked for.
    """
    if n_options < 2 or count < 1:
        raise ValueError(
            "Options have an order if there are two, and one order at least is needed."
        )
    own = tuple(range(n_options))
    found = [own]
    at = 0
    while len(found) < count:
        drawn = tuple(sorted(own, key=lambda one: _hash(seed, key, at, one)))
        at += 1
        if drawn not in found or at > 50 * count:
            found.append(drawn)
    return found


def _hash(*parts: object) -> bytes:
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()


def put(options: Sequence[str], order: Sequence[int], labels: Sequence[str]) -> dict[str, str]:
    """Return label → text with the options in this order."""
    return {label: options[place] for label, place in zip(labels, order, strict=False)}


@dataclass(frozen=True, slots=True)
class OverOrders:
    """What replies to the same question in several orders of its options come to.

    `mean` is the share of right ones, `strict` whether all are, `vote` whether the option chosen most
    often is the right one (a tie is wrong); an unread reply is wrong, and counted in `unread`.
    """

    mean: float
    strict: bool
    vote: bool
    n: int
    unread: int


def over_orders(chosen: Sequence[int | None], right: int) -> OverOrders:
    """Return what came of the options (by their own number) that were chosen in each order.

    Raises:
        ValueError: there are no replies.
    """
    if not chosen:
        raise ValueError("There are no replies.")
    votes = Counter(one for one in chosen if one is not None).most_common(2)
    leads = bool(votes) and (len(votes) == 1 or votes[0][1] > votes[1][1])
    hits = sum(one == right for one in chosen)
    return OverOrders(
        mean=hits / len(chosen),
        strict=hits == len(chosen),
        vote=leads and votes[0][0] == right,
        n=len(chosen),
        unread=sum(one is None for one in chosen),
    )
