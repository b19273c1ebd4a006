"""Collect the answer of a system to an item, version 1.

A conversation is sent as it stands, and the reply to its last message is the answer. Where users
speak several times without an answer between, their turns are a script: each is sent in order, with
the system's own replies before it, and all replies are the answer. Nothing is tried again here, and
nothing is mended: what a system says is what it said.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from scoring.llm.base import (
    ChatModel,
    Message,
    Reply,
    Request,
    Role,
    Settings,
    SystemFailed,
    Trouble,
)
from scoring.protocols import hearing

PROTOCOL: Final = "collect/v1"
USER, ASSISTANT, SYSTEM = "user", "assistant", "system"
#: The word of a server that stopped because a reply was as long as it may be.
CUT: Final = "length"


@dataclass(frozen=True, slots=True)
class Manner:
    """How a system is asked: what it is told first, and the parameters of every request."""

    system_prompt: str = ""
    settings: Settings = field(default_factory=Settings)


@dataclass(frozen=True, slots=True)
class Collected:
    """What a system answered: `messages` begin with its first reply and hold the user's turns between.

    `failed` names the Trouble in which it gave no reply; the answer then ends with an empty message.
    """

    messages: tuple[dict[str, str], ...]
    finishes: tuple[str, ...]
    truncated: bool
    failed: str = ""
    problem: str = ""
    #: What was thought aloud before each reply: kept beside the answer, and no part of it.
    reasoning: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        made = {**asdict(self), "messages": list(self.messages), "finishes": list(self.finishes)}
        thought = list(made.pop("reasoning"))
        return made | ({"reasoning": thought} if any(thought) else {})


async def collect(
    model: ChatModel, asked: Sequence[Message], manner: Manner, *, repeat: int = 0
) -> Collected:
    """Return what a system answers to a conversation.

    Args:
        model: answers the requests of role CANDIDATE.
        asked: the messages of the item.
        manner: what the release is connected with.
        repeat: which sample of the same question this is.
    """
    history = opening(asked, manner)
    said: list[Message] = []
    finishes: list[str] = []
    thought: list[str] = []
    failed: SystemFailed | None = None
    for exchange, turns in enumerate(scripted(asked), start=1):
        history = [*history, *turns]
        said += turns if finishes else ()
        try:
            reply = await _asked(model, history, manner, exchange, repeat)
        except SystemFailed as problem:
            failed = problem
            said.append(Message(ASSISTANT, ""))
            thought.append(hearing.thought_of(problem.reply))
            break
        finishes.append(reply.finish)
        thought.append(hearing.thought_of(reply))
        said.append(Message(ASSISTANT, reply.text))
        history.append(said[-1])
    return Collected(
        messages=tuple({"role": one.role, "content": one.content} for one in said),
        finishes=tuple(finishes),
        truncated=CUT in finishes,
        failed=failed.trouble.value if failed else "",
        problem=str(failed) if failed else "",
        reasoning=tuple(thought),
    )


async def _asked(
    model: ChatModel, history: Sequence[Message], manner: Manner, exchange: int, repeat: int
) -> Reply:
    request = Request(
        role=Role.CANDIDATE,
        messages=tuple(history),
        settings=manner.settings,
        part="answer",
        exchange=exchange,
        repeat=repeat,
    )
    reply = await hearing.ask(model, request)
    if not reply.text.strip():
        raise SystemFailed(Trouble.EMPTY, "The reply was empty.")
    return reply


def opening(asked: Sequence[Message], manner: Manner) -> list[Message]:
    """Return what comes first: what the release is told, then what the item says to a system."""
    told = [manner.system_prompt, *(one.content for one in asked if one.role == SYSTEM)]
    text = "\n\n".join(one for one in told if one.strip())
    return [Message(SYSTEM, text)] if text else []


def scripted(asked: Sequence[Message]) -> Iterator[list[Message]]:
    """Yield the messages that are sent before each reply: up to a user's turn nobody answered."""
    spoken = [one for one in asked if one.role != SYSTEM]
    pending: list[Message] = []
    for place, one in enumerate(spoken):
        pending.append(one)
        after = spoken[place + 1].role if place + 1 < len(spoken) else USER
        if one.role == USER and after == USER:
            yield pending
            pending = []


def unfit(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return why a conversation cannot be sent to a system: "tools", "ends" or nothing."""
    if any(
        one.get("role") not in {USER, ASSISTANT, SYSTEM} or one.get("tool_calls")
        for one in messages
    ):
        return "tools"
    return "" if messages and messages[-1].get("role") == USER else "ends"
