"""What assistant evaluators, version 1, ask of an endpoint.

Nothing of the material passes through string formatting. What a chat is shown stands between delimiters;
other requests hold texts alone, which nobody reads as a message.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from scoring.kinds.assistants.prompts_v1 import LANGUAGES
from scoring.llm.base import Ask, Message, Request, Role, Settings
from scoring.protocols import untrusted

KEY: Final = "entailment"


class Kind(StrEnum):
    LIKELIHOOD = "likelihood"
    ENTAILMENT = "entailment"
    SIMILARITY = "similarity"
    SERVED = "served"


@dataclass(frozen=True, slots=True)
class Pair:
    """An answer, and the texts that it is set against: its context for a likelihood."""

    answer: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Config:
    """How an assistant scores.

    `turned` asks how much of the other text follows from the answer; `low` and `high` are the declared
    range, None where it is open; `repeats` are readings of an entailment.
    """

    kind: Kind
    low: float | None = None
    high: float | None = None
    turned: bool = False
    repeats: int = 1
    temperature: float | None = 0.0
    max_tokens: int = 600
    language: str = "en"


SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        KEY: {
            "type": "object",
            "properties": {
                "reasoning": {"type": "string"},
                "score": {"type": "number", "minimum": 0, "maximum": 1},
            },
            "required": ["reasoning", "score"],
            "additionalProperties": False,
        }
    },
    "required": [KEY],
    "additionalProperties": False,
}


def weighing(place: int, pair: tuple[str, str], room: int) -> Request:
    answer, context = pair
    messages = [Message("user", context + "\n\n")] if context.strip() else []
    return Request(
        Role.ASSISTANT,
        (*messages, Message("assistant", answer)),
        Settings(max_tokens=room or None),
        part=f"likelihood {place + 1}",
        ask=Ask.WEIGH,
    )


def embedding(asked: Sequence[tuple[str, str]]) -> Request:
    texts = dict.fromkeys(text for pair in asked for text in pair)
    messages = tuple(Message("user", text) for text in texts)
    return Request(Role.ASSISTANT, messages, part="similarity", ask=Ask.EMBED)


def serving(asked: Sequence[tuple[str, str]], config: Config) -> Request:
    pairs = [(answer, text) if config.turned else (text, answer) for answer, text in asked]
    messages = tuple(
        Message("user", json.dumps({"premise": one, "hypothesis": other}, ensure_ascii=False))
        for one, other in pairs
    )
    return Request(Role.ASSISTANT, messages, part="served", ask=Ask.SCORE)


def entailing(
    place: int,
    pair: tuple[str, str],
    config: Config,
    fence: untrusted.Fence,
    seed: int,
    repeat: int,
) -> Request:
    words = LANGUAGES[config.language]
    code = fence.code(Role.ASSISTANT, exchange=place, repeat=repeat)
    answer, text = pair
    first, second = (answer, text) if config.turned else (text, answer)
    # The answer's delimiter is called so in either place.
    names = ("ANSWER", "TEXT") if config.turned else ("TEXT", "ANSWER")
    fenced = [
        untrusted.fenced(one, name=name, code=code, keys=(KEY,)).text
        for one, name in zip((first, second), names, strict=True)
    ]
    parts = [words.premise, fenced[0], words.hypothesis, fenced[1], words.form]
    return Request(
        Role.ASSISTANT,
        (Message("system", words.system), Message("user", "\n\n".join(parts))),
        Settings(temperature=config.temperature, max_tokens=config.max_tokens, seed=seed),
        schema=SCHEMA,
        part=f"entailment {place + 1}",
        exchange=place,
        repeat=repeat,
    )
