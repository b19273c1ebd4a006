"""A judge of pairs, version 1: which of two answers is better, asked in both orders.

References:
    Zheng et al. (2023), Judging LLM-as-a-judge with MT-bench and chatbot arena, sections 3.1 and 3.4.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from annotation.common.scales import Scale
from scoring.kinds.pairs.prompts_v1 import LANGUAGES, PairWords
from scoring.llm import base
from scoring.llm.base import ChatModel, Message, Reply, Request, Role, Settings
from scoring.protocols import hearing, reading, samples, untrusted
from scoring.protocols.reading import Wanted
from scoring.protocols.samples import Mark
from scoring.protocols.untrusted import Flag

PROTOCOL: Final = "pairs/v1"
NO_ANSWER: Final = "One of the two answers is empty."
NO_CHOICE: Final = "The reply makes no choice."
TWO_CHOICES: Final = "The reply makes two different choices: that is none."
#: What a judge writes for each value of a choice (annotation.rubrics.rules.CHOICES).
LABELS: Final[Mapping[int, str]] = {
    1: "A much",
    2: "A",
    3: "tie",
    4: "B",
    5: "B much",
    6: "both bad",
}
#: As published: a C is a tie.
ALSO: Final[Mapping[str, int]] = {"c": 3}
#: A choice as it reads from the other side.
TURNED: Final[Mapping[int, int]] = {1: 5, 2: 4, 3: 3, 4: 2, 5: 1, 6: 6}
KEY: Final = "choice"
_KEYS: Final = (KEY, "verdict", "winner", "better", "answer", "preference")
_TEXT_KEYS: Final = ("reasoning", "explanation", "reason", "rationale", "justification", "理由")
_WANTED: Final = Wanted(KEY, KEY, Scale(Decimal(1), Decimal(6)))
_VERDICT = re.compile(r"\[\[\s*([^\[\]\n]{1,20}?)\s*\]\]")


class PairVerdict(StrEnum):
    """What both orders come to; `LEFT` and `RIGHT` are those of the pair, wherever they stood."""

    LEFT = "LEFT"
    RIGHT = "RIGHT"
    TIE = "TIE"
    BOTH_BAD = "BOTH_BAD"
    INCONSISTENT = "INCONSISTENT"


@dataclass(frozen=True, slots=True)
class PairTask:
    """Two answers and what is asked of them. Nothing in it says whose answers they are.

    `choices` are the values that are offered, with the words that the rubric has for them.
    """

    question: tuple[Message, ...]
    left: tuple[Message, ...]
    right: tuple[Message, ...]
    choices: Mapping[int, str]
    asked: str
    description: str = ""
    reference: str = ""
    key_points: tuple[str, ...] = ()
    principle: str = ""
    language: str = "en"
    #: The texts as the systems wrote them, looked at for flags only.
    stored: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class PairConfig:
    """How a judge compares; with `reasons` it writes them before it chooses."""

    reasons: bool = True
    temperature: float | None = 0.0
    max_tokens: int = 1500


async def compare(
    model: ChatModel, task: PairTask, config: PairConfig, *, fence: untrusted.Fence, seed: int
) -> dict[str, Any]:
    """Ask which of two answers is better, in both orders, and return it as plain data.

    Returns:
        orders: what was read in each order, a choice as the judge saw it; chosen: what both come to,
            None where one could not be read; skipped: why nothing was asked; flags.

    Raises:
        Failed: a request got no reply for a reason that is not the judge's own.
    """
    flags = _flags(task)
    if not (_holds_text(task.left) and _holds_text(task.right)):
        return {"skipped": NO_ANSWER, "orders": [], "chosen": None, "flags": flags}
    marks = [await _mark(model, one, task, config) for one in requests(task, config, fence, seed)]
    first, second = (None if one.value is None else int(one.value) for one in marks)
    return {
        "skipped": "",
        "orders": [
            {"turned": turned, **one.plain()}
            for turned, one in zip((False, True), marks, strict=True)
        ],
        "chosen": settled(first, second),
        "flags": flags,
    }


def requests(
    task: PairTask, config: PairConfig, fence: untrusted.Fence, seed: int
) -> list[Request]:
    """Return what is asked first in each of the two orders."""
    return [
        Request(
            role=Role.JUDGE,
            messages=messages(task, config, fence.code(Role.JUDGE, repeat=repeat), turned=turned),
            settings=Settings(
                temperature=config.temperature, max_tokens=config.max_tokens, seed=seed
            ),
            schema=schema(task, config),
            part="turned" if turned else "",
            repeat=repeat,
        )
        for repeat, turned in ((1, False), (2, True))
    ]


def settled(first: int | None, second: int | None) -> PairVerdict | None:
    """Return what two choices come to, the second made with the answers in the opposite order.

    A winner is one in both orders; where they contradict each other there is none (Zheng et al. 2023,
    section 3.4). A tie and *both bad* do not.
    """
    if first is None or second is None:
        return None
    sides = {_side(first), _side(TURNED[second])}
    if len(sides) == 1:
        return sides.pop()
    if sides == {PairVerdict.TIE, PairVerdict.BOTH_BAD}:
        return PairVerdict.TIE
    return PairVerdict.INCONSISTENT


def _side(value: int) -> PairVerdict:
    if value == 3:
        return PairVerdict.TIE
    if value == 6:
        return PairVerdict.BOTH_BAD
    return PairVerdict.LEFT if value < 3 else PairVerdict.RIGHT


# Asking -----------------------------------------------------------------------------------


def messages(task: PairTask, config: PairConfig, code: str, *, turned: bool) -> tuple[Message, ...]:
    """Return the prompt; turned round, the right answer stands at A."""
    words = LANGUAGES[task.language]
    at_a, at_b = (task.right, task.left) if turned else (task.left, task.right)
    principle = [words.shared.principle, task.principle] if task.principle.strip() else []
    parts = [
        *_question(task, words, code),
        *_reference(task, words, code),
        words.asked,
        "\n".join(filter(None, (task.asked.strip(), task.description.strip()))),
        _choices(task, words),
        *principle,
        *_answer(at_a, words.first, "ANSWER A", words, code),
        *_answer(at_b, words.second, "ANSWER B", words, code),
        "\n".join(
            [words.form, _form(task, config, words), *([words.reasons] if config.reasons else [])]
        ),
    ]
    return Message("system", words.system), Message("user", "\n\n".join(parts))


def schema(task: PairTask, config: PairConfig) -> Mapping[str, Any]:
    """Return the JSON schema of the reply: reasons, where they are wanted, then the choice."""
    reasons = {"reasoning": {"type": "string"}} if config.reasons else {}
    choice = {"type": "string", "enum": [LABELS[one] for one in sorted(task.choices)]}
    return {
        "type": "object",
        "properties": {**reasons, KEY: choice},
        "required": [*reasons, KEY],
        "additionalProperties": False,
    }


def _question(task: PairTask, words: PairWords, code: str) -> list[str]:
    heading = words.shared.question
    if len(task.question) == 1:
        return [heading, _fenced(task.question[0].content, "QUESTION", code)]
    return [heading, words.shared.turns, *_turns(task.question, "", words, code)]


def _reference(task: PairTask, words: PairWords, code: str) -> list[str]:
    made: list[str] = []
    if task.reference.strip():
        made += [words.shared.reference, _fenced(task.reference, "REFERENCE", code)]
    if task.key_points:
        points = "\n".join("- " + one for one in task.key_points)
        made += [words.shared.key_points, _fenced(points, "POINTS", code)]
    return made


def _answer(
    said: Sequence[Message], heading: str, name: str, words: PairWords, code: str
) -> list[str]:
    if len(said) == 1:
        return [heading, _fenced(said[0].content, name, code)]
    return [heading, words.turns, *_turns(said, name + " ", words, code)]


def _turns(said: Sequence[Message], before: str, words: PairWords, code: str) -> list[str]:
    names = words.shared.turn_names
    return [
        _fenced(one.content, f"{before}{names.get(one.role, 'ASSISTANT')} {number}", code)
        for number, one in enumerate(said, start=1)
    ]


def _fenced(text: str, name: str, code: str) -> str:
    """Return material between delimiters, with verdicts in it made harmless."""
    inner = _VERDICT.sub(lambda found: f"{untrusted.QUOTED}[{found[1]}]", text)
    return untrusted.fenced(inner, name=name, code=code, keys=_KEYS).text


def _choices(task: PairTask, words: PairWords) -> str:
    lines = [
        f"- {LABELS[value]}: {label.strip()}" if label.strip() else f"- {LABELS[value]}"
        for value, label in sorted(task.choices.items())
    ]
    return "\n".join([words.choices, *lines])


def _form(task: PairTask, config: PairConfig, words: PairWords) -> str:
    """Return the object that is asked for, as a pattern to follow."""
    offered = words.shared.comma.join(f'"{LABELS[one]}"' for one in sorted(task.choices))
    reasons = [f'  "reasoning": "<{words.form_reasoning}>"'] if config.reasons else []
    rows = [*reasons, f'  "{KEY}": <{words.form_choice} {offered}>']
    return "{\n" + ",\n".join(rows) + "\n}"


# Reading ----------------------------------------------------------------------------------


async def _mark(model: ChatModel, request: Request, task: PairTask, config: PairConfig) -> Mark:
    try:
        said = await hearing.ask_with_room(model, request)
        made = await hearing.tries(
            model,
            said,
            lambda reply: read(reply, task.choices),
            fails=lambda mark: mark.outcome == "UNSCORED",
            tell=_repair(task, config),
        )
        return made[-1].found
    except base.Failed as failed:
        return samples.of_failure(failed, [_WANTED])[KEY]


def _repair(task: PairTask, config: PairConfig) -> Callable[[Mark], str]:
    words = LANGUAGES[task.language]

    def said(mark: Mark) -> str:
        why = untrusted.neutral(mark.reason).text
        return "\n".join([words.repair, f"- {why}", words.repair_form, _form(task, config, words)])

    return said


def read(reply: Reply, offered: Mapping[int, str]) -> Mark:
    """Return the choice that a reply makes, as its value, or why it makes none.

    It stands in a JSON object, or as [[A]], or is the whole reply; an object that cannot be read, and
    choices that differ, are none.
    """
    if why := hearing.why_unread(reply):
        return Mark("UNSCORED", reason=why, text=reply.text[: samples.MOST_TEXT])
    text = reply.text[: reading.MOST_SIGNS]
    objects, rest = reading.parted(text)
    said = [one for made in objects if (one := _of_object(made)) is not None]
    if objects or "{" not in text:
        said += _VERDICT.findall(rest)
    if not said and reading.normalised(text) in _values(offered):
        said = [text]
    words = _reasons(objects, rest)
    found = {_values(offered).get(reading.normalised(one)) for one in said}
    value = found.pop() if len(found) == 1 else None
    if value is not None:
        return Mark("SCORED", Decimal(value), text=words)
    if not said and (reply.notes.get("refusal") or reading.declines(text)):
        return Mark("REFUSED", reason=samples.DECLINED, text=text.strip()[: samples.MOST_TEXT])
    return Mark("UNSCORED", reason=TWO_CHOICES if found else NO_CHOICE, text=words)


def _values(offered: Mapping[int, str]) -> dict[str, int]:
    """Return the value of every word that is taken for a choice."""
    made = {name: value for name, value in ALSO.items() if value in offered}
    return made | {reading.normalised(LABELS[value]): value for value in offered}


def _of_object(found: Mapping[str, Any]) -> str | None:
    """Return what an object chooses; "" where it names the choice and says nothing of use."""
    table = {reading.normalised(str(key)): one for key, one in found.items()}
    name = next((one for one in _KEYS if one in table), None)
    if name is None:
        return None
    raw = table[name]
    inner = _VERDICT.fullmatch(raw.strip()) if isinstance(raw, str) else None
    return (inner[1] if inner else raw) if isinstance(raw, str) else ""


def _reasons(objects: Sequence[Mapping[str, Any]], rest: str) -> str:
    texts = [one[key] for one in objects for key in _TEXT_KEYS if isinstance(one.get(key), str)]
    said = texts[0] if texts else ("" if objects else _VERDICT.sub("", rest))
    return said.strip()[: samples.MOST_TEXT]


def _holds_text(said: Sequence[Message]) -> bool:
    own = [one.content for one in said if one.role not in {"user", "system"}]
    return any(one.strip() for one in own or [one.content for one in said])


def _flags(task: PairTask) -> list[str]:
    texts = [one.content for one in (*task.left, *task.right)] + list(task.stored)
    found = set(untrusted.flags_of(texts, keys=_KEYS))
    if any(_VERDICT.search(one) for one in texts):
        found.add(Flag.VERDICT)
    return [one.value for one in Flag if one in found]
