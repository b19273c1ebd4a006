"""The records of a bank file, part by part: what stands in them, and how they are compared."""

import hashlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from annotation.rules import contents, corpus
from annotation.rules.banks import shapes
from annotation.rules.banks.shapes import Check

Record = Mapping[str, Any]

FORMAT: Final = "evalsite-bank"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"

NAME = shapes.name(200)
TITLE = shapes.name(300)
PATH = shapes.many(NAME, least=1, most=20)
WHO = shapes.text(36, like=shapes.UUID)
WHEN = shapes.moment
SHA = shapes.text(64, like=shapes.HEX)
KEY = shapes.text(80, like=shapes.SLUG)
LONG = shapes.text()
DIFFICULTY = ("SIMPLE", "INTERMEDIATE", "DIFFICULT")
TYPES = ("FACTUAL", "OPEN")
LIVES = ("LIVE", "RETIRED", "INVALIDATED")
STATES = ("DRAFT", "SUBMITTED", "ACCEPTED", "RETURNED")

_LEVEL = shapes.record(
    {
        "value": shapes.decimal(12, 4),
        "label": shapes.name(120, empty=True),
        "description": LONG,
        "examples": shapes.anything(list),
    }
)
_CRITERION = shapes.record(
    {
        "key": KEY,
        "name": NAME,
        "description": LONG,
        "position": shapes.number(),
        "minimum": shapes.maybe(shapes.decimal(12, 4)),
        "maximum": shapes.maybe(shapes.decimal(12, 4)),
        "higher_is_better": shapes.flag,
        "step": shapes.maybe(shapes.decimal(12, 4, Decimal("0.0001"))),
        "pass_at": shapes.maybe(shapes.decimal(12, 4)),
        "weight": shapes.decimal(8, 4, Decimal(0)),
        "levels": shapes.many(_LEVEL),
    }
)
_CHECK = shapes.record(
    {
        "outcome": shapes.choice(("VERIFIED", "NOT", "WITHDRAWN")),
        "how": shapes.text(500),
        "by": WHO,
        "at": WHEN,
    }
)
_SOURCE_VERSION = shapes.record(
    {
        "number": shapes.number(1),
        "sha": SHA,
        "text": shapes.text(corpus.MAX_TEXT),
        "retrieved_on": shapes.maybe(shapes.day),
        "valid_from": shapes.maybe(shapes.day),
        "valid_until": shapes.maybe(shapes.day),
        "note": shapes.text(500),
        "file": shapes.maybe(shapes.anything(dict)),
        "by": WHO,
        "at": WHEN,
        "checks": shapes.many(_CHECK),
    }
)
_FINDING = shapes.record(
    {
        "line": shapes.text(40, empty=False),
        "outcome": shapes.choice(("PASS", "FAIL", "NOT_APPLICABLE")),
        "reason": shapes.text(40),
        "field": shapes.text(40),
        "note": shapes.text(1000),
        "position": shapes.number(0, 30_000),
    }
)
_INSPECTION = shapes.record(
    {
        "by": WHO,
        "checklist": shapes.number(1),
        "verdict": shapes.choice(("ACCEPT", "RETURN")),
        "note": LONG,
        "suggestion": shapes.anything(dict),
        "at": WHEN,
        "findings": shapes.many(_FINDING, most=200),
    }
)
_CITATION = shapes.record(
    {
        "source": TITLE,
        "sha": SHA,
        "locator": shapes.text(300),
        "start": shapes.maybe(shapes.number()),
        "end": shapes.maybe(shapes.number()),
        "position": shapes.number(0, 30_000),
    }
)
_MACHINE_DRAFT = shapes.record(
    {
        "part": shapes.choice(("QUESTION", "POINTS")),
        "endpoint": shapes.text(120),
        "protocol": shapes.text(40),
        "prompts_sha": shapes.text(64),
        "by": WHO,
        "at": WHEN,
    }
)


def _turn(value: object) -> Any:
    """Accept a message: a role, what was said (if anything), and whatever else belongs to it."""
    if not isinstance(value, dict):
        yield shapes.Fault("no_object", found=shapes.excerpt(value))
        return
    yield from shapes.anything(dict)(value)
    for fault in shapes.text(40, empty=False)(value.get("role")):
        yield fault.below("role")
    for fault in shapes.maybe(LONG)(value.get("content")):
        yield fault.below("content")


_VERSION = shapes.record(
    {
        "number": shapes.number(1),
        "state": shapes.choice(STATES),
        "author": WHO,
        "turns": shapes.many(_turn, most=200),
        "answer": LONG,
        "key_points": shapes.anything(list),
        "capability": shapes.maybe(PATH),
        "domain": shapes.maybe(PATH),
        "difficulty": shapes.choice(DIFFICULTY, empty=True),
        "question_type": shapes.choice(TYPES, empty=True),
        "principle": LONG,
        "as_of": shapes.text(40),
        "valid_until": shapes.maybe(shapes.day),
        "tags": shapes.anything(list),
        "language": shapes.text(35),
        "meaning_changed": shapes.maybe(shapes.flag),
        "meaning_note": shapes.text(500),
        "replies": shapes.anything(dict),
        "rev": shapes.number(),
        "created_at": WHEN,
        "saved_at": WHEN,
        "submitted_at": shapes.maybe(WHEN),
        "decided_at": shapes.maybe(WHEN),
        "citations": shapes.many(_CITATION),
        "machine_drafts": shapes.many(_MACHINE_DRAFT),
        "inspections": shapes.many(_INSPECTION),
    }
)
_CHANGE = shapes.record(
    {
        "old": shapes.choice(LIVES),
        "new": shapes.choice(LIVES),
        "reason": shapes.text(500),
        "by": WHO,
        "at": WHEN,
    }
)
_COMMENT = shapes.record(
    {
        "version": shapes.maybe(shapes.number(1)),
        "field": shapes.text(40),
        "text": LONG,
        "by": WHO,
        "at": WHEN,
    }
)

#: The files of a bank in the order in which they are read: what refers to another comes later.
PARTS: Final[Mapping[str, Check]] = {
    "people": shapes.record({"id": WHO, "name": shapes.name(200, empty=True)}),
    "checklists": shapes.record(
        {
            "number": shapes.number(1),
            "lines": shapes.anything(list),
            "by": shapes.maybe(WHO),
            "at": WHEN,
        }
    ),
    "rubrics": shapes.record(
        {
            "key": KEY,
            "name": NAME,
            "at": WHEN,
            "versions": shapes.many(
                shapes.record(
                    {
                        "number": shapes.number(1),
                        "principle": LONG,
                        "by": shapes.maybe(WHO),
                        "at": WHEN,
                        "frozen_at": shapes.maybe(WHEN),
                        "criteria": shapes.many(_CRITERION, most=500),
                    }
                )
            ),
        }
    ),
    "domains": shapes.record(
        {
            "path": PATH,
            "definition": LONG,
            "completeness_note": LONG,
            "priority": shapes.choice(("P0", "P1", "P2", "P3")),
            "in_scope": shapes.flag,
            "position": shapes.number(),
        }
    ),
    "capabilities": shapes.record(
        {
            "path": PATH,
            "kind": shapes.choice(("GENERAL", "DOMAIN")),
            "definition": LONG,
            "difficulties": shapes.anything(dict),
            "question_type": shapes.choice(TYPES),
            "weight": shapes.decimal(8, 4, Decimal(0)),
            "rubric": shapes.maybe(KEY),
            "position": shapes.number(),
        }
    ),
    "collections": shapes.record(
        {"name": shapes.name(120), "note": shapes.text(500), "by": WHO, "at": WHEN}
    ),
    "sources": shapes.record(
        {
            "title": TITLE,
            "kind": shapes.choice(("WEB", "DOCUMENT", "DATA", "EXPERT")),
            "address": shapes.text(1000),
            "publisher": shapes.name(200, empty=True),
            "licence": shapes.name(200, empty=True),
            "collection": shapes.maybe(shapes.text(120)),
            "by": WHO,
            "at": WHEN,
            "versions": shapes.many(_SOURCE_VERSION, least=1),
        }
    ),
    "plan": shapes.record(
        {
            "capability": PATH,
            "difficulty": shapes.choice(DIFFICULTY),
            "domain": shapes.maybe(PATH),
            "wanted": shapes.number(1),
            "shares": shapes.many(
                shapes.record(
                    {"who": WHO, "n": shapes.number(1), "due_on": shapes.maybe(shapes.day)}
                )
            ),
        }
    ),
    "questions": shapes.record(
        {
            "external_id": shapes.text(200, empty=False),
            "state": shapes.choice(LIVES),
            "by": WHO,
            "at": WHEN,
            "versions": shapes.many(_VERSION, least=1),
            "changes": shapes.many(_CHANGE),
            "comments": shapes.many(_COMMENT),
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
