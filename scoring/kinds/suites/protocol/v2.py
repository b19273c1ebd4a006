"""Rubrics over conversations, version 2: as version 1, and a single call of a tool is judged by itself.

Of a call, {content} and {completion} are the call and what it gave, {tool_calls} is the call; {context} is what
was said, called and given before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from scoring.kinds.suites.protocol import conversations as talks
from scoring.kinds.suites.protocol import v1
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.conversations import Conversation, ToolCall
from scoring.kinds.suites.protocol.definition import RUBRIC, Entry
from scoring.kinds.suites.protocol.v1 import Task
from scoring.llm.base import ChatModel, Message, Reply, Request
from scoring.protocols import untrusted

PROTOCOL: Final = "suite/v2"
#: What a judge is asked in place of what version 1 asks, by the number of the part and the request's text.
Own = Mapping[tuple[int, str], Message]


def protocol_of(entries: Sequence[Entry]) -> str:
    """Return the version by which a suite is judged: the first, unless a rubric is of calls."""
    return PROTOCOL if any(map(_is_of_calls, entries)) else v1.PROTOCOL


def _is_of_calls(entry: Entry) -> bool:
    return entry.kind == RUBRIC and entry.level == Level.TOOL_CALL


@dataclass(frozen=True, slots=True)
class _Asked:
    """The model as version 1 asks it: what is asked of a call is put in the place of what is asked of its message."""

    model: ChatModel
    own: Own

    async def reply(self, request: Request) -> Reply:
        return await self.model.reply(_replaced(request, self.own))


async def judge(
    model: ChatModel, task: Task, *, fence: untrusted.Fence, seed: int
) -> list[dict[str, Any]]:
    """Return what `v1.judge` returns.

    Raises:
        MachineryFailed: from the model.
    """
    return await v1.judge(_Asked(model, _of_calls(task, fence, seed)), task, fence=fence, seed=seed)


def requests(task: Task, *, fence: untrusted.Fence, seed: int) -> list[Request]:
    """Return the first request about every part that functions do not leave out: an estimate's count."""
    own = _of_calls(task, fence, seed)
    return [_replaced(one, own) for one in v1.requests(task, fence=fence, seed=seed)]


def _replaced(request: Request, own: Own) -> Request:
    first, asked, *more = request.messages
    made = own.get((request.exchange, asked.content), asked)
    return replace(request, messages=(first, made, *more))


def _of_calls(task: Task, fence: untrusted.Fence, seed: int) -> Own:
    found: dict[tuple[int, str], Message] = {}
    for at, entry in enumerate(task.entries):
        for call in task.conversation.tool_calls if _is_of_calls(entry) else ():
            before = v1.request(task, at, call.index, call, fence=fence, seed=seed)
            conversation, said = _alone(task.conversation, call)
            alone = replace(task, conversation=conversation)
            made = v1.request(alone, at, call.index, said, fence=fence, seed=seed)
            found[call.index, before.messages[1].content] = made.messages[1]
    return found


def _alone(whole: Conversation, call: ToolCall) -> tuple[Conversation, talks.Message]:
    """Return the conversation with a call and its result as a message of their own, and that message."""
    result = talks.results(whole).get(call.index)
    own = whole.messages[call.message]
    nth = call.index - own.tool_calls[0].index
    earlier = replace(own, tool_calls=own.tool_calls[:nth])
    later = replace(own, content="", tool_calls=own.tool_calls[nth + 1 :])
    rest = (one for one in whole.messages[call.message + 1 :] if one.index != result)
    before = [one for one in map(_told, (*whole.messages[: call.message], earlier)) if one.content]
    after = [one for one in map(_told, (later, *rest)) if one.content]
    given = "" if result is None else f"\nresult: {whole.messages[result].content}"
    said = replace(own, content=call.words + given, tool_calls=(call,), index=len(before))
    return replace(whole, messages=(*before, said, *after)), said


def _told(message: talks.Message) -> talks.Message:
    """Return a message whose calls stand among its words."""
    said = [message.content.strip(), *(call.words for call in message.tool_calls)]
    return replace(message, content="\n".join(one for one in said if one))
