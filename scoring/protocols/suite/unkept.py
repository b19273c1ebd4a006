"""What of a conversation would be lost if it were taken: such a line is refused, never cut down in silence."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from annotation.rules import reasoning
from scoring.protocols.suite.conversations import Unfit, role_of

#: Parts of a content of which the text is all there is.
_TEXTS: Final = frozenset({"", "text", "input_text", "output_text"})
#: What a message may carry beside its content that is not read.
_BESIDE: Final = (
    "function_call",
    "audio",
    "refusal",
    "images",
    "image",
    "image_url",
    "attachments",
    "experimental_attachments",
    "files",
    "toolInvocations",
    "invalid_tool_calls",
)
#: Where other layouts have the text of a message.
_ELSEWHERE: Final = ("data", "parts", "text", "message", "body", "kwargs", "utterance", "thinking")
#: Roles of other tools for what is no message: a call, its result, a thought.
_NO_ROLES: Final = frozenset(
    {"tool_use", "function_response", "observation", "tool_result", "tool_response"}
    | {"reasoning", "thinking", "image", "item_reference"}
)
_NO_ROLES_END: Final = ("_call", "_output")
#: How long the name of a system is at most, and what a prompt ends with instead.
_NAME: Final = 60
_ENDS: Final = (".", "!", "?", ":", "。", "！", "？", "：")
#: What a line may hold of the conversation outside its messages.
_OUTSIDE: Final = {
    "system": "Write it as the first message, with the role “system”.",
    "output": "Write its messages behind the others.",
    "contents": "Write them as messages with role and content.",
}


def check(line: Mapping[str, Any], said: list[Any]) -> None:
    """Refuse a line of which something would be lost.

    Args:
        line: the object of a file.
        said: the messages that are read of it.

    Raises:
        Unfit: says what would be lost and where.
    """
    for name, remedy in _OUTSIDE.items():
        if line.get(name) and line[name] is not said and not _is_name(name, line[name]):
            raise Unfit(f"“{name}” beside the messages is not kept. {remedy}")
    for number, message in enumerate(said, start=1):
        if isinstance(message, Mapping):
            lost = next(_lost(message), "")
            if lost:
                raise Unfit(f"Message {number} has {lost}, which is not kept yet.")


def _is_name(key: str, said: Any) -> bool:
    """Return whether “system” says which system took part: a short name, no sentence and no list."""
    if key != "system" or not isinstance(said, str):
        return False
    plain = said.strip()
    return len(plain) <= _NAME and "\n" not in plain and not plain.endswith(_ENDS)


def _lost(message: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"“{name}”" for name in _BESIDE if message.get(name))
    role = role_of(message)
    if role in _NO_ROLES or role.endswith(_NO_ROLES_END):
        yield f"the role “{role}”"
    yield from _of_calls(message)
    content = message.get("content", message.get("value"))
    if not content and not message.get("tool_calls"):
        yield from (f"its text under “{name}”" for name in _ELSEWHERE if message.get(name))
    if isinstance(content, list):
        yield from (lost for part in content if (lost := _of_part(part)))


def _of_calls(message: Mapping[str, Any]) -> Iterator[str]:
    calls, more = message.get("tool_calls"), message.get("additional_kwargs")
    if not calls and isinstance(more, Mapping) and more.keys() & {"tool_calls", "function_call"}:
        yield "tool calls under “additional_kwargs”"
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping) and not isinstance(call.get("function"), Mapping):
            given = call.get("input") or call.get("parameters")
            if given and not call.keys() & {"arguments", "args"}:
                yield "a tool call without “arguments”"


def _of_part(part: Any) -> str:
    if isinstance(part, str):
        return ""
    if not isinstance(part, Mapping):
        return "a part that is neither text nor an object"
    if reasoning.is_reasoning(part):
        return ""  # kept beside what is said
    kind = str(part.get("type") or "")
    if kind in _TEXTS and isinstance(part.get("text"), str):
        return ""
    return f"a part of the kind “{kind}”" if kind else "a part without text"
