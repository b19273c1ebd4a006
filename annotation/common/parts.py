"""Parts of conversations that are graded: turns and calls of tools, each with what went before it.

* Which result of a tool belongs to which call.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from annotation.common import texts

Message = Mapping[str, Any]
ASSISTANT: Final = "assistant"
#: Under which name the details of an item say which part of a conversation is graded on it.
PART: Final = "part"


class PartLevel(StrEnum):
    CONVERSATION = "CONVERSATION"
    TURN = "TURN"
    TOOL_CALL = "TOOL_CALL"


@dataclass(frozen=True, slots=True)
class Part:
    """Which part of a conversation is graded; turns and calls of it count from 1."""

    level: PartLevel
    turn: int | None = None
    tool_call: int | None = None
    tool: str = ""

    def as_extra(self) -> dict[str, Any]:
        """Return what the details of an item hold of it."""
        return {PART: {name: value for name, value in asdict(self).items() if value}}


def part_of(extra: Mapping[str, Any]) -> Part | None:
    """Return which part of a conversation is graded on an item; None of any other item."""
    return read_part(extra.get(PART))


def read_part(said: object) -> Part | None:
    """Read a part as details hold it; what a file calls so and is none is no part."""
    if not isinstance(said, Mapping) or said.get("level") not in set(PartLevel):
        return None
    turn, call = said.get("turn"), said.get("tool_call")
    return Part(
        PartLevel(said["level"]),
        turn if isinstance(turn, int) else None,
        call if isinstance(call, int) else None,
        str(said.get("tool") or ""),
    )


@dataclass(frozen=True, slots=True)
class CutPart:
    """A part with what went before it and what is graded."""

    part: Part
    before: list[Message]
    said: list[Message]


def tied(messages: Sequence[Message]) -> dict[tuple[int, int], int]:
    """Return by call (the message that makes it, its number in it) the message that holds its result."""
    found: dict[tuple[int, int], int] = {}
    waiting: list[tuple[int, int, texts.ToolCallText]] = []
    for at, message in enumerate(messages):
        if message.get("role") == "user":
            waiting = []
        waiting += [(at, n, call) for n, call in enumerate(texts.tool_calls(message))]
        if message.get("role") == "tool" and (call := _call_of(message, waiting)):
            found[call[:2]] = at
            waiting.remove(call)
    return found


def _call_of(
    message: Message, waiting: Iterable[tuple[int, int, texts.ToolCallText]]
) -> tuple[int, int, texts.ToolCallText] | None:
    own, name = str(message.get("tool_call_id") or ""), message.get("name")
    if own and (by_id := next((one for one in waiting if one[2].id == own), None)):
        return by_id
    unnamed = [one for one in waiting if not (own and one[2].id)]
    return next((one for one in unnamed if not name or one[2].name == name), None)


def parts_of(messages: Sequence[Message], level: PartLevel, *, start: int = 0) -> Iterator[CutPart]:
    """Yield the turns of the assistant, or the calls of tools, each with what went before it.

    A turn is all that one side says until the other speaks; prompts are no turns. Calls that were made at
    once and stand before the one that is graded are shown without their results.

    Args:
        start: the message with which the graded part of the conversation begins.
    """
    results = tied(messages)
    n_turns = n_calls = 0
    side = ""
    for at, message in enumerate(messages):
        if message["role"] == "system":
            continue
        before, side = side, _side(message)
        n_turns += side != before
        calls = texts.tool_calls(message)
        if level is PartLevel.TURN and side != before and side == ASSISTANT and at >= start:
            end = next(
                (n for n in range(at, len(messages)) if _side(messages[n]) != ASSISTANT),
                len(messages),
            )
            said = list(messages[at:end])
            if any(texts.told(one).strip() for one in said):
                yield CutPart(Part(level, n_turns), list(messages[:at]), said)
        if level is PartLevel.TOOL_CALL and at >= start:
            for n, call in enumerate(calls):
                part = Part(level, n_turns, n_calls + n + 1, call.name)
                yield CutPart(
                    part, _before(messages, at, n), _with_result(messages, at, n, results)
                )
        n_calls += len(calls)


def _side(message: Message) -> str:
    return ASSISTANT if message["role"] in {ASSISTANT, "tool"} else str(message["role"])


def _before(messages: Sequence[Message], at: int, nth: int) -> list[Message]:
    """Return what was said and called before a call."""
    message = messages[at]
    if not nth and not texts.spoken(message).strip():
        return list(messages[:at])
    rest = {name: value for name, value in message.items() if name != "tool_calls"}
    calls = {"tool_calls": message["tool_calls"][:nth]} if nth else {}
    return [*messages[:at], {**rest, **calls}]


def _with_result(
    messages: Sequence[Message], at: int, nth: int, results: Mapping[tuple[int, int], int]
) -> list[Message]:
    """Return a call alone, and what the tool gave."""
    call = {**messages[at], "content": "", "tool_calls": [messages[at]["tool_calls"][nth]]}
    given = results.get((at, nth))
    return [call] if given is None else [call, messages[given]]


def covered(value: Any, cover: Callable[[str], str]) -> Any:
    """Return messages, or what is in them, with every text of them as `cover` leaves it."""
    if isinstance(value, str):
        return cover(value)
    if isinstance(value, Mapping):
        return {cover(str(key)): covered(one, cover) for key, one in value.items()}
    return [covered(one, cover) for one in value] if isinstance(value, list) else value
