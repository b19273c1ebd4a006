"""Read scores from what a judge wrote, tolerantly in form and strictly in value.

Fences, text around, trailing commas, Markdown, "4/5", "4.5 (out of 5)", decimal commas and full-width
digits are accepted. What is missing, outside the scale, between its steps, or said twice in different
ways is no reading: never nought, never the middle.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from annotation.common import reasoning
from annotation.common.scales import Scale

#: Longer replies are read this far, and so many objects are looked for in them.
MOST_SIGNS: Final = 200_000
MOST_OBJECTS: Final = 20
_MOST_DIGITS: Final = 12


class Unreadable(ValueError):
    """There is no score here; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A criterion as a reply must score it. Labels are the words of values."""

    key: str
    name: str
    scale: Scale
    labels: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says of a criterion: a value with its reasons, or why there is none."""

    value: Decimal | None
    text: str = ""
    problem: str = ""


def scores(reply: str, wanted: Sequence[Wanted]) -> dict[str, Reading]:
    """Return what a reply says of each criterion, by key."""
    reply = reasoning.split(reply[:MOST_SIGNS]).answer
    found, rest = parted(reply)
    said = [made for one in found if (made := _fields(one, wanted))]
    said = [*said, *_beside(rest, wanted)] if said else [_lines(reply, wanted)]
    return {
        one.key: _reading([found[one.key] for found in said if one.key in found], one)
        for one in wanted
    }


def value(raw: object, wanted: Wanted) -> Decimal:
    """Return the value that something written stands for.

    Raises:
        Unreadable: it is none, or none of the scale.
    """
    if isinstance(raw, bool) or raw is None:
        raise Unreadable("The score is no number.")
    if isinstance(raw, int | float | Decimal):
        return _on_scale(_decimal(str(raw)), wanted.scale)
    if not isinstance(raw, str):
        raise Unreadable("The score is no number.")
    words = normalised(raw)
    labels = {normalised(label): one for label, one in wanted.labels.items()}
    if words in labels:
        return _on_scale(labels[words], wanted.scale)
    found = _NUMBER.fullmatch(words)
    if found is None:
        raise Unreadable(f"“{_short(raw)}” is no score.")
    number = _on_scale(_decimal(found["number"]), wanted.scale)
    _check_rest(found, number, wanted, labels)
    return number


def normalised(text: str) -> str:
    """Return a text without case, Markdown, and the quotation marks and stops around it."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = " ".join(_MARKUP.sub("", plain).split())
    # A stop at the beginning may be that of .25.
    return plain.rstrip(_AROUND + ".,").lstrip(_AROUND)


def objects(text: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects of a text in order; one with a key said twice is none."""
    return parted(text)[0]


def parted(text: str) -> tuple[list[dict[str, Any]], str]:
    """Return the outermost JSON objects of a text, and what stands around them."""
    made: list[dict[str, Any]] = []
    around: list[str] = []
    place, told = text.find("{"), 0
    for _try in range(MOST_OBJECTS):
        if place < 0:
            break
        end = _end(text, place)
        found = _loaded(text[place:end]) if end else None
        if isinstance(found, dict):
            made.append(found)
            around.append(text[told:place])
            told = end or place + 1
            place = text.find("{", told)
        else:
            place = text.find("{", place + 1)
    return made, "\n".join([*around, text[told:]])


# JSON -------------------------------------------------------------------------------------

_TRAILING = re.compile(r",(\s*[}\]])")
_SCORE_KEYS: Final = ("score", "value", "rating", "grade", "mark", "评分", "得分", "分数")
_TEXT_KEYS: Final = (
    "reasoning",
    "explanation",
    "reason",
    "rationale",
    "comment",
    "justification",
    "理由",
)
_NAME_KEYS: Final = ("criterion", "name", "key", "aspect")


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACE_OR_STRING = re.compile(rf"[{{}}]|{_STRING.pattern}", re.DOTALL)


def _end(text: str, start: int) -> int | None:
    """Return where the object that begins here ends; nothing if it is cut off."""
    depth = 0
    for found in _BRACE_OR_STRING.finditer(text, start):
        if found[0] in "{}":
            depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.end()
    return None


def _loaded(text: str) -> Any:
    for form in (text, _TRAILING.sub(r"\1", text)):
        try:
            return json.loads(form, object_pairs_hook=_once, parse_float=Decimal, strict=False)
        except (ValueError, RecursionError, InvalidOperation):
            continue
    return None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("A key is said twice.")
    return made


@dataclass(frozen=True, slots=True)
class _Said:
    score: object
    text: str = ""


def _fields(found: Mapping[str, Any], wanted: Sequence[Wanted]) -> dict[str, _Said]:
    """Return what an object says of the criteria it names, by key."""
    for one in (found, *(inner for inner in found.values() if isinstance(inner, dict | list))):
        table = _by_name(one)
        made = {
            each.key: _said(table[name])
            for each in wanted
            if (
                name := next(
                    (n for n in (normalised(each.key), normalised(each.name)) if n in table), None
                )
            )
            is not None
        }
        if made:
            return made
    if len(wanted) == 1 and any(normalised(str(key)) in _SCORE_KEYS for key in found):
        return {wanted[0].key: _said(found)}
    return {}


def _by_name(found: Any) -> dict[str, Any]:
    if isinstance(found, list):
        rows = [one for one in found if isinstance(one, dict)]
        named = [(next((row[key] for key in _NAME_KEYS if key in row), None), row) for row in rows]
        return {normalised(str(name)): row for name, row in named if name is not None}
    return {normalised(str(key)): one for key, one in found.items()}


def _said(raw: Any) -> _Said:
    if not isinstance(raw, dict):
        return _Said(raw)
    table = {normalised(str(key)): one for key, one in raw.items()}
    score = next((table[key] for key in _SCORE_KEYS if key in table), None)
    text = next((table[key] for key in _TEXT_KEYS if isinstance(table.get(key), str)), "")
    return _Said(score, str(text))


def _reading(said: Sequence[_Said], wanted: Wanted) -> Reading:
    """Return what is said of a criterion, once or several times alike."""
    if not said:
        return Reading(None, problem="The criterion is missing in the reply.")
    if any(one.score == SEVERAL for one in said):
        return Reading(None, said[-1].text, TWICE)
    try:
        values = {value(one.score, wanted) for one in said}
    except Unreadable as reason:
        return Reading(None, said[-1].text, str(reason))
    if len(values) > 1:
        return Reading(None, said[-1].text, TWICE)
    return Reading(values.pop(), next((one.text for one in said if one.text), ""))


TWICE: Final = "The reply gives two different scores: that is no score."
#: Stands for a score that is said twice in different ways; no scale has it.
SEVERAL: Final = "several scores"

# Text -------------------------------------------------------------------------------------

_SCORE_LINE = re.compile(
    r"^[\s>#*\-•]*(?:(?:final|overall|my)\s+)?(?:score|rating|grade|value|mark|评分|得分|分数)"
    r"\s*\**\s*[:：=]\s*(?P<rest>.+)$",
    re.IGNORECASE | re.MULTILINE,
)
_REASON = re.compile(
    r"^[\s>#*\-•]*(?:reasoning|explanation|reason|理由)\s*\**\s*[:：]\s*", re.IGNORECASE
)
_SPLIT = re.compile(
    r"(?:\s*[,;。，；]\s+|\s+[–—-]\s+|\.\s+|\s+(?:because|since|as)\s+|\s*因为)(?![\d０-９])"
)


def _lines(reply: str, wanted: Sequence[Wanted]) -> dict[str, _Said]:
    """Return what a reply in words says: a part for each criterion, with its score on a line."""
    parts = _parts(reply, wanted)
    if not parts and len(wanted) == 1:
        parts = {wanted[0].key: [reply]}
    made = {}
    for one in wanted:
        own = parts.get(one.key, [])
        said = {score for part in own if (score := _score_in(part, one)) is not None}
        if said:
            score = said.pop() if len(said) == 1 else SEVERAL
            made[one.key] = _Said(score, _words("\n".join(own)))
    return made


def _beside(rest: str, wanted: Sequence[Wanted]) -> list[dict[str, _Said]]:
    """Return the scores that are stated beside the objects of a reply: they may not be the same."""
    made = []
    for key, own in _parts(rest, wanted).items():
        one = next(each for each in wanted if each.key == key)
        for part in own:
            score = _score_in(part, one)
            if score is not None and (score == SEVERAL or _is_score(score, one)):
                made.append({key: _Said(score)})
    return made


def _is_score(written: str, wanted: Wanted) -> bool:
    try:
        value(written, wanted)
    except Unreadable:
        return False
    return True


def _parts(reply: str, wanted: Sequence[Wanted]) -> dict[str, list[str]]:
    """Return the texts that belong to each criterion: from its name at a line's start to the next."""
    starts = []
    for one in wanted:
        names = "|".join(
            re.escape(name) for name in sorted({one.key, one.name}, key=len, reverse=True)
        )
        pattern = re.compile(
            rf"^[\s>#*\-•\d.]*(?:{names})\s*\**\s*(?:[:：=–—-]|$)\s*\**",
            re.IGNORECASE | re.MULTILINE,
        )
        starts += [(found.start(), found.end(), one.key) for found in pattern.finditer(reply)]
    starts.sort()
    made: dict[str, list[str]] = {}
    for number, (_start, begin, key) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(reply)
        made.setdefault(key, []).append(reply[begin:end].strip())
    return made


def _score_in(part: str, wanted: Wanted) -> str | None:
    """Return what stands where a score should; nothing where there is no such place."""
    lines = [found["rest"] for found in _SCORE_LINE.finditer(part)]
    if not lines:
        first = part.strip().partition("\n")[0]
        lines = [first] if first else []
    said = {_leading(one, wanted) for one in lines}
    return said.pop() if len(said) == 1 else (SEVERAL if said else None)


def _leading(line: str, wanted: Wanted) -> str:
    """Return the score of a line without the reason that follows it."""
    for form in (line, _SPLIT.split(line, maxsplit=1)[0]):
        try:
            return format(value(form, wanted), "f")
        except Unreadable:
            continue
    return line


def _words(part: str) -> str:
    kept = [line for line in part.splitlines() if not _SCORE_LINE.match(line)]
    return _REASON.sub("", "\n".join(kept).strip())


# Numbers ----------------------------------------------------------------------------------

_AROUND: Final = " \t\n\"'“”‘’。;；:：，!"
_MARKUP = re.compile(r"[*_`#~]+")
_DIGITS: Final = r"[+-]?(?:[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)"
_NUMBER = re.compile(
    r"(?:(?:score|rating|grade|value|mark|评分|得分|分数)\s*(?:is|of|=|:)?\s*)?"
    rf"[\[(]{{0,2}}(?P<number>{_DIGITS})[\])]{{0,2}}\s*(?:points?|marks?|分)?"
    rf"(?:\s*\(?\s*(?:/|out of|of|von|sur|满分)\s*(?P<out>{_DIGITS})\s*(?:points?|分)?\s*\)?)?"
    r"(?P<percent>\s*%)?"
    r"(?:\s*[-–—:(]\s*(?P<label>[^()0-9]+)\)?)?"
)


def _decimal(written: str) -> Decimal:
    whole, comma, after = written.partition(",")
    thousands: Final = 3
    if comma and len(after) == thousands:
        raise Unreadable(f"“{_short(written)}” may be a thousand or a decimal.")
    try:
        number = Decimal(f"{whole}.{after}" if comma else written)
    except InvalidOperation:
        raise Unreadable(f"“{_short(written)}” is no number.") from None
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise Unreadable(f"“{_short(written)}” is no score.")
    return number


def _on_scale(number: Decimal, scale: Scale) -> Decimal:
    try:
        return scale.check(number)
    except (ValueError, InvalidOperation):
        raise Unreadable(f"{_short(str(number))} is not on the scale. {scale.allowed()}") from None


def _check_rest(
    found: re.Match[str], number: Decimal, wanted: Wanted, labels: Mapping[str, Decimal]
) -> None:
    """Refuse a score out of another number than the top of the scale, or with another value's word."""
    out = _decimal(found["out"]) if found["out"] else Decimal(100) if found["percent"] else None
    if out is not None and out != wanted.scale.maximum:
        raise Unreadable(
            f"The score is out of {_short(str(out))}, not of {wanted.scale.maximum.normalize():f}."
        )
    label = found["label"]
    if label is not None and labels.get(normalised(label)) != number:
        raise Unreadable(f"“{_short(found[0])}” is no score.")


def _short(text: str) -> str:
    most: Final = 40
    return text if len(text) <= most else f"{text[: most - 1]}…"


# Refusals ---------------------------------------------------------------------------------

_DECLINES = re.compile(
    r"\bI\s*(?:am|'m|’m)\s+(?:sorry|unable|not able)"
    r"|\bI\s+(?:cannot|can\s*not|can['’]t|won['’]t|will not|must decline|decline)"
    r"|\bas an AI\b.{0,40}\b(?:cannot|can't|unable)"
    r"|(?:无法|不能)(?:为|对|给|协助|评)|抱歉|对不起",
    re.IGNORECASE | re.DOTALL,
)
_SHORT_ENOUGH: Final = 600


def declines(reply: str) -> bool:
    """Return whether a reply without any score says that it will not judge."""
    beginning = reply.strip()[:_SHORT_ENOUGH]
    return "{" not in beginning[:1] and _DECLINES.search(beginning[:200]) is not None
