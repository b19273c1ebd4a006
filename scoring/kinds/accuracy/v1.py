"""Multiple choice, version 1: one question, asked in one or several orders of its options.

Examples, where there are any, go before it as turns of a conversation, each with its right answer: the
usual few-shot form, with the examples of the question's own subject.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from scoring.llm.base import ChatModel, Message, Request, Role, Settings
from scoring.protocols import choices, hearing

PROTOCOL: Final = "accuracy/v1"
BRIEF: Final = Settings(temperature=0.0, max_tokens=400)
#: What is said to the system, by language. Never edited once released.
TELLS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "system": "Choose the one option that is right. You may think first, briefly. End with a line of the "
        "form “Answer: ” and the letter of the option.",
        "answer": "Answer: ",
        "repair": "Your reply names several options. Reply with a line of the form “Answer: ” and the "
        "letter of one option, and nothing else.",
    },
    "zh": {
        "system": "请选出唯一正确的选项。可以先简短地思考。最后一行写“答案：”和选项的字母。",
        "answer": "答案：",
        "repair": "你的回复选了多个选项。请只回复一行“答案：”和一个选项的字母。",
    },
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its options in their own order; `right` is the place of the right one."""

    key: str
    text: str
    options: tuple[str, ...]
    right: int
    labels: tuple[str, ...] = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True, slots=True)
class Config:
    """`orders` of the options are tried, the first being the question's own.

    `system` is what the system is always told; what it has to do here comes after it.
    """

    orders: int = 1
    language: str = "en"
    settings: Settings = BRIEF
    system: str = ""


def sha() -> str:
    """Return the hash of all that is said to the system."""
    return hashlib.sha256(json.dumps(TELLS, sort_keys=True).encode()).hexdigest()


def requests(
    question: Question, examples: Sequence[Question], config: Config, *, seed: int
) -> list[Request]:
    """Return one request for each order of the options."""
    orders = choices.orders(len(question.options), config.orders, seed=seed, key=question.key)
    return [
        Request(
            role=Role.CANDIDATE,
            messages=_messages(question, examples, order, config),
            settings=replace(config.settings, seed=seed % 2**31),
            part="accuracy",
            exchange=number,
        )
        for number, order in enumerate(orders)
    ]


async def answer(
    model: ChatModel,
    question: Question,
    examples: Sequence[Question],
    config: Config,
    *,
    seed: int,
) -> dict[str, Any]:
    """Ask a question in each order and return what was chosen, as plain data.

    A reply that names several options is asked for once more.

    Returns:
        asked: per order the reply, the place of the option it chose (None: none was read) and how it was
        found; mean, strict, vote, n, unread: over the orders.

    Raises:
        SystemFailed, MachineryFailed: from the model.
    """
    orders = choices.orders(len(question.options), config.orders, seed=seed, key=question.key)
    asked: list[dict[str, Any]] = []
    for request, order in zip(requests(question, examples, config, seed=seed), orders, strict=True):
        options = choices.put(question.options, order, question.labels)
        said = await hearing.ask_with_room(model, request)
        made = await hearing.choice(model, said, options, TELLS[config.language]["repair"])
        label, how = made.found.label, made.found.how.value
        chosen = None if label is None else order[question.labels.index(label)]
        asked.append({"reply": made.reply.text, "order": list(order), "chosen": chosen, "how": how})
    over = choices.over_orders([one["chosen"] for one in asked], question.right)
    return {"asked": asked} | asdict(over)


def _messages(
    question: Question, examples: Sequence[Question], order: Sequence[int], config: Config
) -> tuple[Message, ...]:
    tells = TELLS[config.language]
    made = [Message("system", "\n\n".join(filter(None, (config.system, tells["system"]))))]
    for one in examples:
        made += [
            Message("user", _put(one, range(len(one.options)))),
            Message("assistant", tells["answer"] + one.labels[one.right]),
        ]
    return (*made, Message("user", _put(question, order)))


def _put(question: Question, order: Sequence[int]) -> str:
    put = choices.put(question.options, order, question.labels)
    return "\n".join([question.text, "", *(f"{label}. {text}" for label, text in put.items())])
