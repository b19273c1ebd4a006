"""Draft questions from a passage, key points of an answer, or look for what is ambiguous.

The text of a source or a question is material that nobody vouches for: it stands between markers that
it cannot forge. A reply that is not in the form is asked for once more; then there is no proposal.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from scoring.kinds.drafting import prompts_v1 as prompts
from scoring.llm.base import ChatModel, Message, Request, Role, Settings
from scoring.protocols import hearing, reading, untrusted
from scoring.protocols.untrusted import Fence

PROTOCOL: Final = "drafting/v1"
QUESTIONS, POINTS, AMBIGUITY = "QUESTIONS", "POINTS", "AMBIGUITY"
DRAFTER: Final = Settings(temperature=0.2, max_tokens=2000)
MOST_QUESTIONS: Final = 5
MOST_POINTS: Final = 12
MOST_ASKED, MOST_ANSWER, MOST_POINT = 2_000, 6_000, 500
_KEYS: Final = (
    "questions", "question", "answer", "key_points", "evidence", "readings", "missing", "rewording",
)  # fmt: skip
_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT, "maxItems": MOST_POINTS}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_ONE: Final = _object({"question": _TEXT, "answer": _TEXT, "key_points": _TEXTS, "evidence": _TEXT})
SCHEMAS: Final[Mapping[str, Mapping[str, Any]]] = {
    QUESTIONS: _object({"questions": {"type": "array", "items": _ONE, "maxItems": MOST_QUESTIONS}}),
    POINTS: _object({"key_points": _TEXTS}),
    AMBIGUITY: _object({"readings": _TEXTS, "missing": _TEXTS, "rewording": _TEXT}),
}


@dataclass(frozen=True, slots=True)
class Material:
    """What a draft is made of: a passage, or a question with its answer."""

    task: str
    passage: str = ""
    question: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Drafts:
    """The proposals in a reply; `problem` says why there are none."""

    proposals: tuple[Mapping[str, Any], ...]
    problem: str = ""
    #: What was found in the material that may have been meant for the model (untrusted.Flag).
    flags: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        return {
            "proposals": [dict(one) for one in self.proposals],
            "problem": self.problem,
            "flags": list(self.flags),
        }


def prompts_sha() -> str:
    """Return the fingerprint of all that an endpoint is told."""
    said = [prompts.SYSTEM, prompts.QUESTIONS, prompts.POINTS, prompts.AMBIGUITY, prompts.REPAIR]
    return hashlib.sha256("\0".join([*said, *prompts.FORMS.values()]).encode()).hexdigest()


def request(material: Material, fence: Fence, settings: Settings = DRAFTER) -> Request:
    """Return the first request."""
    return _request(material, fence, settings)[0]


def _request(
    material: Material, fence: Fence, settings: Settings
) -> tuple[Request, tuple[str, ...]]:
    code = fence.code(Role.DRAFTER)
    given = {"source": material.passage, "question": material.question, "answer": material.answer}
    fenced = {
        name: untrusted.fenced(text, name=name.upper(), code=code, keys=_KEYS)
        for name, text in given.items()
    }
    words = {QUESTIONS: prompts.QUESTIONS, POINTS: prompts.POINTS, AMBIGUITY: prompts.AMBIGUITY}
    text = _filled(words[material.task], {name: one.text for name, one in fenced.items()})
    flags = dict.fromkeys(flag.value for name in _used(material) for flag in fenced[name].flags)
    asked = Request(
        Role.DRAFTER,
        (Message("system", prompts.SYSTEM), Message("user", text)),
        settings,
        schema=SCHEMAS[material.task],
        part=material.task.lower(),
    )
    return asked, tuple(flags)


def _used(material: Material) -> tuple[str, ...]:
    return ("source",) if material.task == QUESTIONS else ("question", "answer")


def _filled(words: str, given: Mapping[str, str]) -> str:
    """Put texts into a prompt; never by formatting, for a text may hold braces."""
    text = words.replace("{{", "{").replace("}}", "}").replace("{n}", str(MOST_QUESTIONS))
    pieces = [text]
    for name, said in given.items():
        cut = [one for piece in pieces for one in _split(piece, f"{{{name}}}", said)]
        pieces = cut
    return "".join(pieces)


def _split(piece: str, mark: str, said: str) -> list[str]:
    if mark not in piece or piece.startswith("<<<BEGIN "):
        return [piece]
    before, _mark, after = piece.partition(mark)
    return [before, said, after]


async def draft(
    model: ChatModel, material: Material, fence: Fence, settings: Settings = DRAFTER
) -> Drafts:
    """Have a model draft; what is not in the form is asked for once more.

    Raises:
        Failed: there is no reply.
    """
    first, flags = _request(material, fence, settings)
    made = await hearing.tries(
        model,
        hearing.Said(first, await hearing.ask_for_words(model, first)),
        lambda reply: read(reply.text, material),
        fails=lambda found: bool(found.problem),
        tell=lambda _found: prompts.REPAIR.replace("{form}", prompts.FORMS[material.task]),
    )
    return replace(made[-1].found, flags=flags)


def read(text: str, material: Material) -> Drafts:
    """Return the proposals in a reply; those that lack a part are left out."""
    readers: Mapping[str, Callable[[Mapping[str, Any], Material], list[dict[str, Any]]]] = {
        QUESTIONS: _questions,
        POINTS: _points,
        AMBIGUITY: _ambiguity,
    }
    made = [readers[material.task](one, material) for one in reading.objects(text)]
    found = [one for one in made if one]
    if not found:
        return Drafts((), problem="The reply holds no proposal in its form.")
    if any(one != found[0] for one in found):
        return Drafts((), problem="The reply holds several proposals that differ.")
    return Drafts(tuple(found[0]))


def _questions(said: Mapping[str, Any], material: Material) -> list[dict[str, Any]]:
    listed = said.get("questions")
    found = []
    for one in listed if isinstance(listed, list) else []:
        if not isinstance(one, Mapping):
            continue
        asked, answer = (
            _text(one.get("question"), MOST_ASKED),
            _text(one.get("answer"), MOST_ANSWER),
        )
        if not asked or not answer:
            continue
        evidence = _text(one.get("evidence"), MOST_ANSWER)
        found.append(
            {
                "question": asked,
                "answer": answer,
                "key_points": _texts(one.get("key_points")),
                "evidence": evidence,
                # Whether the words that it rests on stand in the passage at all.
                "found": bool(evidence) and _plain(evidence) in _plain(material.passage),
            }
        )
    return found[:MOST_QUESTIONS]


def _points(said: Mapping[str, Any], _material: Material) -> list[dict[str, Any]]:
    points = _texts(said.get("key_points"))
    return [{"key_points": points}] if points else []


def _ambiguity(said: Mapping[str, Any], _material: Material) -> list[dict[str, Any]]:
    if not isinstance(said.get("readings"), list):
        return []
    return [
        {
            "readings": _texts(said["readings"]),
            "missing": _texts(said.get("missing")),
            "rewording": _text(said.get("rewording"), MOST_ASKED),
        }
    ]


def _text(value: Any, most: int) -> str:
    return untrusted.without_delimiters(value)[:most] if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else []
    found = [" ".join(_text(one, MOST_POINT).split()) for one in listed]
    return list(dict.fromkeys(one for one in found if one))[:MOST_POINTS]


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
