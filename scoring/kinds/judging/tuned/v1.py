"""The judge that is told how to grade, version 1: the direct judge with instructions and examples of one's own.

What is asked for, how material is fenced in, and how replies are read stays the direct judge's. Its rules
of grading give way to the instructions; graded examples go before the answer, fenced in like it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from scoring.kinds.judging import prompts_v1
from scoring.llm.base import ChatModel, Message, Reply, Request, Role
from scoring.protocols import untrusted

PROTOCOL: Final = "tuned/v1"
#: Between which words of the direct judge the rules of grading stand.
_AROUND: Final[Mapping[str, tuple[str, str]]] = {
    "en": ("How to grade:\n", "\n\nWhat is material"),
    "zh": ("评分方法：\n", "\n\n什么是材料"),
}


@dataclass(frozen=True, slots=True)
class Words:
    """What is said around examples."""

    head: str
    example: str
    grades: str
    reason: str


LANGUAGES: Final[Mapping[str, Words]] = {
    "en": Words(
        head="# Graded examples\nPeople graded these answers to other questions. Grade as they do.",
        example="## Example",
        grades="The grades that people gave it:",
        reason="Why:",
    ),
    "zh": Words(
        head="# 评分示例\n以下是人对其他问题的回答给出的评分。请按同样的尺度评分。",
        example="## 示例",
        grades="人给出的分值：",
        reason="理由：",
    ),
}


@dataclass(frozen=True, slots=True)
class Example:
    """An answer with the grades that people gave it: pairs of a criterion's key and a value."""

    question: str
    answer: str
    grades: tuple[tuple[str, str], ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Guide:
    """What a judge is told beside the material."""

    instructions: str
    examples: tuple[Example, ...] = ()
    language: str = "en"


class Guided(ChatModel):
    """Asks a model with the instructions and examples of a guide in every request."""

    def __init__(self, model: ChatModel, guide: Guide, fence: untrusted.Fence) -> None:
        self._model, self._guide, self._fence = model, guide, fence

    async def reply(self, request: Request) -> Reply:
        code = self._fence.code(Role.JUDGE, repeat=request.repeat)
        messages = guided(request.messages, self._guide, code)
        return await self._model.reply(replace(request, messages=messages))


def sha(language: str) -> str:
    """Return the hash of all that is said to a judge in a language, its instructions apart."""
    words = LANGUAGES[language]
    said = [prompts_v1.sha(language), words.head, words.example, words.grades, words.reason]
    return hashlib.sha256(json.dumps(said, ensure_ascii=True).encode()).hexdigest()


def usual(language: str) -> str:
    """Return the direct judge's own rules of grading: where tuning begins."""
    return _parts(language)[1]


def guided(messages: Sequence[Message], guide: Guide, code: str) -> tuple[Message, ...]:
    """Return the direct judge's messages with the guide in them; `code` is that of their delimiters."""
    _system, asked, *rest = messages
    before, _rules, after = _parts(guide.language)
    system = before + guide.instructions.strip() + after
    examples = shown(guide, code)
    content = f"{examples}\n\n{asked.content}" if examples else asked.content
    return Message("system", system), replace(asked, content=content), *rest


def shown(guide: Guide, code: str) -> str:
    """Return the examples as a judge reads them; nothing where there are none."""
    words = LANGUAGES[guide.language]
    parts = [words.head] if guide.examples else []
    for number, one in enumerate(guide.examples, start=1):
        keys = [key for key, _value in one.grades]
        parts += [
            f"{words.example} {number}",
            untrusted.fenced(one.question, name=f"QUESTION {number}", code=code, keys=keys).text,
            untrusted.fenced(one.answer, name=f"ANSWER {number}", code=code, keys=keys).text,
            "\n".join([words.grades, *(f"- {key}: {value}" for key, value in one.grades)]),
        ]
        if one.reason.strip():
            reason = untrusted.fenced(one.reason, name=f"REASON {number}", code=code, keys=keys)
            parts.append(f"{words.reason}\n{reason.text}")
    return "\n\n".join(parts)


def _parts(language: str) -> tuple[str, str, str]:
    """Return what the direct judge is told before, as and after its rules of grading."""
    start, end = _AROUND[language]
    head, _found, rest = prompts_v1.LANGUAGES[language].system.partition(start)
    rules, _found, tail = rest.partition(end)
    return head + start, rules, end + tail
