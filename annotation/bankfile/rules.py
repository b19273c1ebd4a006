"""What a value of a record may be. A check yields what is wrong, where; a good value yields nothing.

* The records of a bank file, part by part: what stands in them, and how they are compared.
"""

import hashlib
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from annotation.common import names
from annotation.common import texts as contents
from annotation.files import cells as problems
from annotation.sources import rules as corpus

#: A field may hold lists and objects in each other so deep.
DEPTH = 12
MOST_NUMBER = 2_000_000_000
HEX = re.compile(r"[0-9a-f]{64}")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SLUG = re.compile(r"[-a-zA-Z0-9_]+")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a value: a code, the place within the record, what was found there."""

    code: str
    place: str = ""
    found: str = ""

    def below(self, name: str) -> "Fault":
        dot = "." if self.place and not self.place.startswith("[") else ""
        return Fault(self.code, f"{name}{dot}{self.place}", self.found)


Check = Callable[[object], Iterator[Fault]]


def excerpt(value: object) -> str:
    """Return so much of a value that one recognises it, fit for every page and to be stored."""
    return problems.excerpt(value)


def text(most: int = 0, *, empty: bool = True, like: "re.Pattern[str] | None" = None) -> Check:
    """Accept text of at most so many characters (0: as long as a line may be)."""

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, str):
            yield Fault("no_text", found=excerpt(value))
        elif not _storable(value):
            yield Fault("bad_characters", found=excerpt(value))
        elif most and len(value) > most:
            yield Fault("too_long", found=f"{len(value)} > {most}")
        elif not value.strip() and not empty:
            yield Fault("empty")
        elif like is not None and not like.fullmatch(value):
            yield Fault("not_like", found=excerpt(value))

    return check


def name(most: int, *, empty: bool = False) -> Check:
    """Accept a text that names something: nothing in it is unseen or turns the direction."""
    plain = text(most, empty=empty)

    def check(value: object) -> Iterator[Fault]:
        wrong = list(plain(value))
        yield from wrong
        if not wrong and isinstance(value, str) and names.unseen_in(value):
            yield Fault("unseen_sign", found=excerpt(value))

    return check


def maybe(check: Check) -> Check:
    """Accept what a check accepts, and null."""

    def either(value: object) -> Iterator[Fault]:
        if value is not None:
            yield from check(value)

    return either


def choice(of: Collection[str], *, empty: bool = False) -> Check:
    allowed = set(of) | ({""} if empty else set())

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, str) or value not in allowed:
            yield Fault("no_choice", found=excerpt(value))

    return check


def number(low: int = 0, high: int = MOST_NUMBER) -> Check:
    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            yield Fault("no_number", found=excerpt(value))

    return check


def decimal(digits: int, places: int, low: Decimal | None = None) -> Check:
    """Accept a number written as text, as exact as the database keeps it."""

    def check(value: object) -> Iterator[Fault]:
        try:
            found = Decimal(value) if isinstance(value, str) and len(value) < 40 else None
        except InvalidOperation:
            found = None
        if (
            found is None
            or not found.is_finite()
            or abs(found) >= 10 ** (digits - places)
            or found != round(found, places)
            or (low is not None and found < low)
        ):
            yield Fault("no_decimal", found=excerpt(value))

    return check


def flag(value: object) -> Iterator[Fault]:
    if not isinstance(value, bool):
        yield Fault("no_flag", found=excerpt(value))


def day(value: object) -> Iterator[Fault]:
    try:
        date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        yield Fault("no_day", found=excerpt(value))


def moment(value: object) -> Iterator[Fault]:
    """Accept a date and time with its distance from UTC."""
    try:
        found = datetime.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        yield Fault("no_moment", found=excerpt(value))
    else:
        if found.tzinfo is None or not 1900 <= found.year <= 9000:
            yield Fault("no_moment", found=excerpt(value))


def many(check: Check, *, least: int = 0, most: int = 5000) -> Check:
    def each(value: object) -> Iterator[Fault]:
        if not isinstance(value, list):
            yield Fault("no_list", found=excerpt(value))
        elif not least <= len(value) <= most:
            yield Fault("no_such_length", found=str(len(value)))
        else:
            for place, one in enumerate(value):
                for fault in check(one):
                    yield fault.below(f"[{place}]")

    return each


def record(fields: Mapping[str, Check]) -> Check:
    """Accept an object that has these fields and no other: what is not known would be lost."""

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, dict):
            yield Fault("no_object", found=excerpt(value))
            return
        for name, of_field in fields.items():
            if name not in value:
                yield Fault("missing", name)
            else:
                for fault in of_field(value[name]):
                    yield fault.below(name)
        for name in value:
            if name not in fields:
                yield Fault("unknown_field", found=excerpt(name))

    return check


def anything(kind: type[list[object]] | type[dict[str, object]]) -> Check:
    """Accept a list (or an object) of whatever JSON the database can keep."""

    def check(value: object) -> Iterator[Fault]:
        if not isinstance(value, kind):
            yield Fault("no_list" if kind is list else "no_object", found=excerpt(value))
        else:
            yield from _plain(value)

    return check


def _plain(value: object) -> Iterator[Fault]:
    left: list[tuple[object, int]] = [(value, 0)]
    while left:
        one, depth = left.pop()
        inner = _inside(one)
        if depth > DEPTH:
            yield Fault("too_deep")
            return
        if isinstance(one, str) and not _storable(one):
            yield Fault("bad_characters", found=excerpt(one))
            return
        if isinstance(one, float) and not math.isfinite(one):
            yield Fault("no_number", found=excerpt(one))
            return
        if isinstance(one, int) and abs(one) > 10**18:
            yield Fault("no_number", found=excerpt(one))
            return
        left += [(each, depth + 1) for each in inner]


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _storable(value: str) -> bool:
    """Return whether both databases keep a text: no null character, no half of a pair."""
    if value.isascii():
        return "\x00" not in value
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\x00" not in value


Record = Mapping[str, Any]

FORMAT: Final = "evalsite-bank"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"

NAME = name(200)
TITLE = name(300)
PATH = many(NAME, least=1, most=20)
WHO = text(36, like=UUID)
WHEN = moment
SHA = text(64, like=HEX)
KEY = text(80, like=SLUG)
LONG = text()
DIFFICULTY = ("SIMPLE", "INTERMEDIATE", "DIFFICULT")
TYPES = ("FACTUAL", "OPEN")
LIVES = ("LIVE", "RETIRED", "INVALIDATED")
STATES = ("DRAFT", "SUBMITTED", "ACCEPTED", "RETURNED")

_LEVEL = record(
    {
        "value": decimal(12, 4),
        "label": name(120, empty=True),
        "description": LONG,
        "examples": anything(list),
    }
)
_CRITERION = record(
    {
        "key": KEY,
        "name": NAME,
        "description": LONG,
        "position": number(),
        "minimum": maybe(decimal(12, 4)),
        "maximum": maybe(decimal(12, 4)),
        "higher_is_better": flag,
        "step": maybe(decimal(12, 4, Decimal("0.0001"))),
        "pass_at": maybe(decimal(12, 4)),
        "weight": decimal(8, 4, Decimal(0)),
        "levels": many(_LEVEL),
    }
)
_CHECK = record(
    {
        "outcome": choice(("VERIFIED", "NOT", "WITHDRAWN")),
        "how": text(500),
        "by": WHO,
        "at": WHEN,
    }
)
_SOURCE_VERSION = record(
    {
        "number": number(1),
        "sha": SHA,
        "text": text(corpus.MAX_TEXT),
        "retrieved_on": maybe(day),
        "valid_from": maybe(day),
        "valid_until": maybe(day),
        "note": text(500),
        "file": maybe(anything(dict)),
        "by": WHO,
        "at": WHEN,
        "checks": many(_CHECK),
    }
)
_FINDING = record(
    {
        "line": text(40, empty=False),
        "outcome": choice(("PASS", "FAIL", "NOT_APPLICABLE")),
        "reason": text(40),
        "field": text(40),
        "note": text(1000),
        "position": number(0, 30_000),
    }
)
_INSPECTION = record(
    {
        "by": WHO,
        "checklist": number(1),
        "verdict": choice(("ACCEPT", "RETURN")),
        "note": LONG,
        "suggestion": anything(dict),
        "at": WHEN,
        "findings": many(_FINDING, most=200),
    }
)
_CITATION = record(
    {
        "source": TITLE,
        "sha": SHA,
        "locator": text(300),
        "start": maybe(number()),
        "end": maybe(number()),
        "position": number(0, 30_000),
    }
)
_MACHINE_DRAFT = record(
    {
        "part": choice(("QUESTION", "POINTS")),
        "endpoint": text(120),
        "protocol": text(40),
        "prompts_sha": text(64),
        "by": WHO,
        "at": WHEN,
    }
)


def _turn(value: object) -> Any:
    """Accept a message: a role, what was said (if anything), and whatever else belongs to it."""
    if not isinstance(value, dict):
        yield Fault("no_object", found=excerpt(value))
        return
    yield from anything(dict)(value)
    for fault in text(40, empty=False)(value.get("role")):
        yield fault.below("role")
    for fault in maybe(LONG)(value.get("content")):
        yield fault.below("content")


_VERSION = record(
    {
        "number": number(1),
        "state": choice(STATES),
        "author": WHO,
        "turns": many(_turn, most=200),
        "answer": LONG,
        "key_points": anything(list),
        "capability": maybe(PATH),
        "domain": maybe(PATH),
        "difficulty": choice(DIFFICULTY, empty=True),
        "question_type": choice(TYPES, empty=True),
        "principle": LONG,
        "as_of": text(40),
        "valid_until": maybe(day),
        "tags": anything(list),
        "language": text(35),
        "meaning_changed": maybe(flag),
        "meaning_note": text(500),
        "replies": anything(dict),
        "rev": number(),
        "created_at": WHEN,
        "saved_at": WHEN,
        "submitted_at": maybe(WHEN),
        "decided_at": maybe(WHEN),
        "citations": many(_CITATION),
        "machine_drafts": many(_MACHINE_DRAFT),
        "inspections": many(_INSPECTION),
    }
)
_CHANGE = record(
    {
        "old": choice(LIVES),
        "new": choice(LIVES),
        "reason": text(500),
        "by": WHO,
        "at": WHEN,
    }
)
_COMMENT = record(
    {
        "version": maybe(number(1)),
        "field": text(40),
        "text": LONG,
        "by": WHO,
        "at": WHEN,
    }
)

#: The files of a bank in the order in which they are read: what refers to another comes later.
PARTS: Final[Mapping[str, Check]] = {
    "people": record({"id": WHO, "name": name(200, empty=True)}),
    "checklists": record(
        {
            "number": number(1),
            "lines": anything(list),
            "by": maybe(WHO),
            "at": WHEN,
        }
    ),
    "rubrics": record(
        {
            "key": KEY,
            "name": NAME,
            "at": WHEN,
            "versions": many(
                record(
                    {
                        "number": number(1),
                        "principle": LONG,
                        "by": maybe(WHO),
                        "at": WHEN,
                        "frozen_at": maybe(WHEN),
                        "criteria": many(_CRITERION, most=500),
                    }
                )
            ),
        }
    ),
    "domains": record(
        {
            "path": PATH,
            "definition": LONG,
            "completeness_note": LONG,
            "priority": choice(("P0", "P1", "P2", "P3")),
            "in_scope": flag,
            "position": number(),
        }
    ),
    "capabilities": record(
        {
            "path": PATH,
            "kind": choice(("GENERAL", "DOMAIN")),
            "definition": LONG,
            "difficulties": anything(dict),
            "question_type": choice(TYPES),
            "weight": decimal(8, 4, Decimal(0)),
            "rubric": maybe(KEY),
            "position": number(),
        }
    ),
    "collections": record({"name": name(120), "note": text(500), "by": WHO, "at": WHEN}),
    "sources": record(
        {
            "title": TITLE,
            "kind": choice(("WEB", "DOCUMENT", "DATA", "EXPERT")),
            "address": text(1000),
            "publisher": name(200, empty=True),
            "licence": name(200, empty=True),
            "collection": maybe(text(120)),
            "by": WHO,
            "at": WHEN,
            "versions": many(_SOURCE_VERSION, least=1),
        }
    ),
    "plan": record(
        {
            "capability": PATH,
            "difficulty": choice(DIFFICULTY),
            "domain": maybe(PATH),
            "wanted": number(1),
            "shares": many(record({"who": WHO, "n": number(1), "due_on": maybe(day)})),
        }
    ),
    "questions": record(
        {
            "external_id": text(200, empty=False),
            "state": choice(LIVES),
            "by": WHO,
            "at": WHEN,
            "versions": many(_VERSION, least=1),
            "changes": many(_CHANGE),
            "comments": many(_COMMENT),
        }
    ),
}

#: What never changes of a version that was handed in: by this two histories are compared.
_LASTING = (
    "number",
    "turns",
    "answer",
    "key_points",
    "capability",
    "domain",
    "difficulty",
    "question_type",
    "principle",
    "as_of",
    "valid_until",
    "tags",
    "language",
    "meaning_changed",
    "meaning_note",
    "citations",
)


def line(record: Record) -> bytes:
    """Return a record as the line of its file: the same record is the same line."""
    return contents.canonical(record) + b"\n"


def version_sha(version: Record) -> str:
    """Return the fingerprint of what a version of a question says, whoever decided on it."""
    return _sha({name: version[name] for name in _LASTING})


def rubric_sha(version: Record) -> str:
    """Return the fingerprint of a version of a rubric, whoever wrote it and when."""
    return _sha({name: version[name] for name in ("number", "principle", "criteria")})


def source_sha(version: Record) -> str:
    """Return the fingerprint that a version of a source carries in the corpus."""
    dates = [version[name] or "" for name in ("valid_from", "valid_until", "retrieved_on")]
    return _sha([version["text"], *dates, version["note"]])


def bank_sha(files: Mapping[str, str]) -> str:
    """Return the fingerprint of a bank: of its files' names and checksums."""
    return _sha(sorted(files.items()))


def _sha(value: object) -> str:
    return hashlib.sha256(contents.canonical(value)).hexdigest()
