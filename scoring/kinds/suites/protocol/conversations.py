"""Conversations as metrics see them: messages, turns of one side, tool calls, and a system prompt.

A turn is a maximal run of messages of one side; assistants and their tools are one side.

References:
    Christie et al. (2024), FlexEval: a customizable tool for chatbot performance evaluation and dialogue
    analysis, section 3.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from annotation.common import parts as cuts
from annotation.common import texts
from annotation.common.texts import arguments_of as arguments_of
from annotation.files import messages
from annotation.files.cells import Unfit as BadMessage
from annotation.files.parts import LIKELY, SpeakerRoles

#: Roles of the side that answers, and of prompts that belong to the conversation as a whole.
ASSISTANTS: Final = frozenset({"assistant", "ai", "tool", "function"})
PROMPTS: Final = frozenset({"system", "developer"})
MOST_MESSAGES: Final = 10_000
MOST_TEXT: Final = 2_000_000
MOST_DEPTH: Final = 40
#: What messages that came after a start say of themselves: a model played the user, a tool's result was
#: the recorded one (of the "same" call, or of an "other" call of this tool).
PLAYED, RECORDED = "played", "recorded"
#: What of a message people read; what else came with it (a model, a time) may tell a system.
READ: Final = ("tool_call_id", "name")


class NoConversation(ValueError):
    """This is no conversation; the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    arguments: Mapping[str, Any]
    #: Its number within the conversation, and the message that made it.
    index: int
    message: int
    id: str = ""

    @property
    def words(self) -> str:
        return f"{self.name}({json.dumps(dict(self.arguments), ensure_ascii=False)})"


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    content: str
    index: int
    turn: int
    tool_calls: tuple[ToolCall, ...] = ()
    #: What else came with it: model, latency, tokens, errors.
    details: Mapping[str, Any] = field(default_factory=dict)
    #: Whether it is evaluated; what was recorded before a system completed a conversation is not.
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Turn:
    """Messages of one side, one after the other."""

    messages: tuple[Message, ...]
    index: int
    is_last: bool

    @property
    def role(self) -> str:
        """Return "assistant" for the side that answers, else the role of the turn's messages."""
        return "assistant" if self.messages[0].role in ASSISTANTS else self.messages[0].role

    @property
    def counts(self) -> bool:
        return any(one.counts for one in self.messages)

    def counted(self) -> "Turn":
        """Return it without recorded results of tools, if it is evaluated; else as it is."""
        mine = tuple(one for one in self.messages if one.counts)
        return replace(self, messages=mine) if mine else self

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(call for one in self.messages for call in one.tool_calls)


@dataclass(frozen=True, slots=True)
class Conversation:
    external_id: str
    system: str
    messages: tuple[Message, ...]
    turns: tuple[Turn, ...]
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        return tuple(call for one in self.messages for call in one.tool_calls)

    def counted(self) -> "Conversation":
        """Return what of it is evaluated: of one that a system completed, what was said since its start."""
        if all(one.counts for one in self.messages):
            return self
        turns = [one.counted() for one in self.turns if one.counts]
        messages = tuple(one for one in self.messages if one.counts)
        return replace(self, messages=messages, turns=tuple(turns))

    @property
    def n_before(self) -> int:
        """Return how many messages stand before the first that is evaluated."""
        return next((one.index for one in self.messages if one.counts), 0)

    def has(self, part: "Part") -> bool:
        """Return whether a part of it is evaluated."""
        if isinstance(part, Conversation):
            return True
        return self.messages[part.message].counts if isinstance(part, ToolCall) else part.counts


Part = Conversation | Turn | Message | ToolCall


def text_of(part: Conversation | Turn | Message) -> str:
    """Return what is said in a part, a line for each message."""
    return (
        part.content
        if isinstance(part, Message)
        else "\n".join(one.content for one in part.messages)
    )


def stored(one: Message) -> dict[str, Any]:
    """Return a message as it is stored with its calls, without what only its maker knows."""
    made: dict[str, Any] = {"role": side(one.role), "content": one.content.strip()}
    if one.tool_calls:
        made["tool_calls"] = [_written(call) for call in one.tool_calls]
    made |= {name: one.details[name] for name in READ if one.details.get(name)}
    return made | ({"error": True} if made["role"] == "tool" and texts.failed(one.details) else {})


def _written(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": dict(call.arguments)}
    return {"type": "function", "function": function, **({"id": call.id} if call.id else {})}


def side(role: str) -> str:
    """Return the role of a message as it is stored: whatever an assistant is called is one."""
    if role in ASSISTANTS:
        return "tool" if role in {"tool", "function"} else "assistant"
    return role


def results(conversation: Conversation) -> dict[int, int]:
    """Return the message that holds its result, by the number of the call."""
    given = cuts.tied([stored(one) for one in conversation.messages])
    every = (
        (one.index, n, call)
        for one in conversation.messages
        for n, call in enumerate(one.tool_calls)
    )
    return {call.index: given[at, n] for at, n, call in every if (at, n) in given}


def read(line: Mapping[str, Any], *, name: str = "", n_before: int = 0) -> Conversation:
    """Return the conversation that an object of a file holds.

    Args:
        line: with messages as any known maker writes them; what else it has goes into `details`.
        name: of the conversation, where it has no "id".
        n_before: how many messages were recorded before a system completed it; none where it is as recorded.

    Raises:
        NoConversation: it holds none.
    """
    return of_talk(talk_of(line), name=name, n_before=n_before)


def of_talk(talk: messages.Talk, *, name: str = "", n_before: int = 0) -> Conversation:
    """Return the conversation of messages in the form of this product.

    Raises:
        NoConversation: nobody says anything, or too much.
    """
    if len(talk.messages) > MOST_MESSAGES:
        raise NoConversation(f"A conversation has at most {MOST_MESSAGES} messages.")
    prompts: list[str] = []
    kept: list[Message] = []
    n_calls = 0
    for number, one in enumerate(talk.messages, start=1):
        role, content, calls, details = _message(one, number)
        if role in PROMPTS:
            prompts.append(content)
            continue
        index = len(kept)
        turn = kept[-1].turn + (_side(kept[-1].role) != _side(role)) if kept else 0
        made = tuple(
            ToolCall(called, given, n_calls + at, index, own)
            for at, (called, given, own) in enumerate(calls)
        )
        n_calls += len(made)
        counts = not n_before or (number > n_before and _is_new(role, details))
        kept.append(Message(role, content, index, turn, made, details, counts))
    if not kept:
        raise NoConversation("The conversation has a system prompt and no messages.")
    own = str(talk.details.get("id") or name)
    details = {name: value for name, value in talk.details.items() if name != "id"}
    return Conversation(own, "\n\n".join(prompts), tuple(kept), _turns(kept), details)


def _is_new(role: str, details: Mapping[str, Any]) -> bool:
    """Return whether a message after a start was made then: by the system, or by who played the user."""
    side = _side(role) == "assistant"
    return not details.get(RECORDED) if side else bool(details.get(PLAYED))


def _side(role: str) -> str:
    return "assistant" if role in ASSISTANTS else role


def _turns(messages: Sequence[Message]) -> tuple[Turn, ...]:
    last = messages[-1].turn
    grouped: list[list[Message]] = [[] for _ in range(last + 1)]
    for one in messages:
        grouped[one.turn].append(one)
    return tuple(Turn(tuple(some), index, index == last) for index, some in enumerate(grouped))


#: A side that nobody knows stays a side of its own.
ROLES: Final = SpeakerRoles(told=LIKELY, others=True)


def talk_of(line: Mapping[str, Any]) -> messages.Talk:
    """Return the messages that an object of a file holds, as any known maker writes them.

    Raises:
        NoConversation: it holds none, or something of them cannot be kept.
    """
    try:
        return messages.read_object(line, roles=ROLES, more=True)
    except BadMessage as problem:
        raise NoConversation(_why(problem)) from problem


def _why(problem: BadMessage) -> str:
    """Return what is wrong with a conversation or one message of it, in words."""
    number, key = problem.facts.get("number"), problem.facts.get("key")
    where = f"message {number}" if number else "the conversation"
    if problem.code == "no_conversation" and not number:
        return f"“{key}” is not a list of messages." if key else "There is no list of “messages”."
    if problem.code == "not_kept" and not number:
        return f"“{problem.found}” beside the messages is not kept. Write it as messages with the others."
    words = {
        "no_conversation": f"Message {number} is not an object with role and content.",
        "no_role": f"Message {number} has no role.",
        "not_kept": f"Message {number} has “{problem.found}”, which cannot be kept.",
        "bad_calls": f"The tool calls of {where} are not a list, or one is not an object.",
        "half_character": f"The content of {where} holds half a character.",
        "zero_byte": f"The content of {where} holds a sign with the number 0, which cannot be kept.",
        "text_too_long": f"The content of {where} is longer than {MOST_TEXT} characters.",
    }
    other = f"The content of {where} is neither text nor a list of parts."
    return words.get(problem.code, other)


def _message(
    one: Mapping[str, Any], number: int
) -> tuple[str, str, list[tuple[str, Mapping[str, Any], str]], Mapping[str, Any]]:
    if len(one["content"]) > MOST_TEXT:
        raise NoConversation(
            f"The content of message {number} is longer than {MOST_TEXT} characters."
        )
    known = {"role", "content", "tool_calls"}
    details = {name: value for name, value in one.items() if name not in known}
    if "reasoning" in details:
        details["reasoning"] = [details["reasoning"]]
    calls = [_call(each, number) for each in one.get("tool_calls", ())]
    return one["role"], one["content"], calls, details


def role_of(message: Mapping[str, Any]) -> str:
    """Return the role of a message of a file, in the words used here; nothing where it has none."""
    written = ROLES.written(message)
    return ROLES.find(message) if written else ""


def _call(said: Mapping[str, Any], number: int) -> tuple[str, Mapping[str, Any], str]:
    """Return a tool call's name, arguments and id, in either of the usual layouts."""
    call = texts.tool_call(said)
    if not call.name:
        raise NoConversation(f"A tool call of message {number} has no name.")
    return call.name, call.arguments, call.id


def leaves(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the values of nested arguments with their dotted names."""
    waiting: list[tuple[str, Any, int]] = [
        (str(name), value, 1) for name, value in reversed(list(arguments.items()))
    ]
    while waiting:
        name, value, depth = waiting.pop()
        if depth > MOST_DEPTH or not isinstance(value, Mapping | list):
            yield name, value
            continue
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
        waiting += [(f"{name}.{inner}", one, depth + 1) for inner, one in reversed(list(pairs))]
