"""What of a conversation would be lost if it were taken: such a line is refused, never cut down in silence.

* Conversations in files: one JSON object a line, one JSON list, or a table with a row a message.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from annotation.common import reasoning
from annotation.files.cells import Unreadable
from annotation.files.look import tables as delimited
from annotation.files.look.encodings import Lines, newline_of
from annotation.files.look.encodings import recognise_encoding as recognise
from scoring.kinds.suites.protocol import conversations
from scoring.kinds.suites.protocol.conversations import Conversation, Unfit, role_of

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


#: A list and a table are read whole; files of lines are not, and may be as long as they like.
MOST_WHOLE: Final = 32 * 1024 * 1024
HEAD: Final = 64 * 1024
#: Names of columns of a table, the usual one first.
_IDS: Final = ("conversation", "conversation_id", "thread", "thread_id", "dialogue", "id")
_ROLES: Final = ("role", "from", "speaker", "author")
_CONTENTS: Final = ("content", "text", "value", "message")
#: Columns that number the messages of a conversation: their rows must stand in that order.
_TURNS: Final = ("turn", "turn_id", "turn_number", "message_number", "position", "index")
_DEEPEST: Final = 60


class UnreadableFile(ValueError):
    """The file as a whole cannot be read; says why and what to do."""


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation of a file as it stands there, or what is wrong with it.

    `messages` are the messages as they came, `details` what else the conversation came with.
    """

    line: int
    conversation: Conversation | None = None
    messages: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] | None = None
    problem: str = ""


def read(chunks: Iterable[bytes], *, name: str = "conversation") -> Iterator[Found]:
    """Yield the conversations of a file, in whichever of the layouts it is.

    Args:
        chunks: the bytes of the file.
        name: given, with the line, to conversations that have no id of their own.

    Raises:
        UnreadableFile: it is no text, empty, or a list or table that is too large or broken.
    """
    source = iter(chunks)
    head = _head(source)
    if not head.strip():
        raise UnreadableFile("The file is empty.")
    try:
        encoding = recognise(head, whole=len(head) < HEAD)
        lines = Lines(chain([head], source), encoding, newline_of(head))
        yield from _of(lines, name)
    except Unreadable:
        raise UnreadableFile(
            "This is no text that can be read: save it as JSON Lines or CSV in UTF-8."
        ) from None


def of_object(given: object, line: int, name: str) -> Found:
    """Return the conversation that an object of a file or a request holds, or what is wrong with it."""
    if not isinstance(given, Mapping):
        return Found(line, problem="This is no object with “messages”.")
    try:
        _check(given)
        made = conversations.read(given, name=f"{name}-{line}")
        key = next(one for one in ("messages", "input", "conversations") if one in given)
        check(given, given[key])
    except Unfit as problem:
        return Found(line, problem=str(problem))
    details = {other: value for other, value in given.items() if other not in {key, "id"}}
    return Found(line, made, tuple(given[key]), details)


def _head(source: Iterator[bytes]) -> bytes:
    head = b""
    for chunk in source:
        head += chunk
        if len(head) >= HEAD:
            break
    return head


def _of(lines: Lines, name: str) -> Iterator[Found]:
    rest = iter(lines)
    first = next((one for one in rest if one.strip()), "")
    opens = first.lstrip()[:1]
    if opens == "[":
        yield from _of_list(_whole(first, rest), name)
    elif opens == "{":
        yield from _of_objects(lines, first, rest, name)
    else:
        yield from _of_table(_whole(first, rest), name)


def _of_objects(lines: Lines, first: str, rest: Iterator[str], name: str) -> Iterator[Found]:
    """Yield one for each line; a single object that goes over many lines is one conversation."""
    if _parsed(first) is None and not lines.flaw(lines.number, lines.number):
        whole = _whole(first, rest)
        made = _parsed(whole)
        if isinstance(made, Mapping):
            yield of_object(made, 1, name)
            return
        rest = iter(whole[len(first) :].split("\n"))
        yield from _lines(None, chain([first], rest), name)
        return
    yield from _lines(lines, chain([first], rest), name)


def _lines(lines: Lines | None, texts: Iterable[str], name: str) -> Iterator[Found]:
    number = 0
    for number, text in enumerate(texts, start=lines.number if lines else 1):
        flaw = lines.flaw(number, number) if lines else ""
        if flaw:
            yield Found(number, problem="The line is too long, or holds signs that cannot be read.")
            continue
        if not text.strip():
            continue
        made = _parsed(text)
        if made is None:
            yield Found(number, problem="The line is no JSON object. Write one on each line.")
        else:
            yield of_object(made, number, name)


def _of_list(text: str, name: str) -> Iterator[Found]:
    made = _parsed(text)
    if not isinstance(made, list):
        raise UnreadableFile("The list is broken: it is no JSON.")
    for number, one in enumerate(made, start=1):
        yield of_object(one, number, name)


def _of_table(text: str, name: str) -> Iterator[Found]:
    """Yield one for each id of a table whose rows are messages, in the order in which they begin."""
    delimiter = delimited.delimiter_of(text.splitlines()[:20])
    csv.field_size_limit(conversations.MOST_TEXT * 4)
    try:
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error:
        raise UnreadableFile("The table is broken: look at its quotation marks.") from None
    names = {str(one).strip().casefold(): one for one in (rows[0] if rows else {})}
    key, role, content = (
        next((names[one] for one in wanted if one in names), None)
        for wanted in (_IDS, _ROLES, _CONTENTS)
    )
    if key is None or role is None or content is None:
        raise UnreadableFile(
            "A table of conversations needs the columns conversation, role and content; a file of "
            "JSON needs “messages”."
        )
    turn = next((names[one] for one in _TURNS if one in names), "")
    calls = names.get("tool_calls", "")
    grouped: dict[str, _Group] = {}
    for line, row in enumerate(rows, start=2):
        group = grouped.setdefault(row[key] or f"{name}-{line}", _Group(line))
        group.add(row, line, turn)
        # What else a row says stays with its message, as in files of JSON.
        more = {
            one: row[one] for one in row if one and row[one] and one not in {key, role, content}
        }
        message = {**more, "role": row[role], "content": row[content] or ""}
        if row.get(calls):
            message["tool_calls"] = _parsed(row[calls])
            if message["tool_calls"] is None:
                group.problem = group.problem or f"The tool calls in line {line} are no JSON."
        group.messages.append(message)
    for own, group in grouped.items():
        if group.problem:
            yield Found(group.line, problem=group.problem)
        else:
            yield of_object({"id": own, "messages": group.messages}, group.line, name)


@dataclass(slots=True)
class _Group:
    """The rows of one conversation of a table, the line of the first, and what is wrong with them."""

    line: int
    messages: list[Mapping[str, Any]] = field(default_factory=list)
    problem: str = ""
    turn: float = float("-inf")

    def add(self, row: Mapping[Any, Any], line: int, turn: str) -> None:
        if None in row:
            self.problem = f"Line {line} has more cells than the head."
        try:
            number = float(row.get(turn) or "nan")
        except ValueError:
            return
        if number < self.turn:
            self.problem = self.problem or (
                f"Line {line} has a smaller “{turn}” than the line before it in this conversation: "
                "sort the rows first."
            )
        self.turn = number


def _whole(first: str, rest: Iterator[str]) -> str:
    parts, size = [first], len(first)
    for one in rest:
        parts.append(one)
        size += len(one)
        if size > MOST_WHOLE:
            raise UnreadableFile(
                f"A list or a table may hold {MOST_WHOLE // 2**20} MB. Write one JSON object on each "
                "line instead: such a file may be as long as you like."
            )
    return "".join(parts)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _check(given: Mapping[str, Any]) -> None:
    """Refuse what a database cannot keep, wherever it stands: too deep, half characters, no numbers.

    Raises:
        Unfit: says what it is.
    """
    waiting: list[tuple[Any, int]] = [(given, 1)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise Unfit(f"The conversation is nested deeper than {_DEEPEST} levels.")
        if isinstance(one, Mapping):
            waiting += [(inner, depth + 1) for pair in one.items() for inner in pair]
        elif isinstance(one, list):
            waiting += [(inner, depth + 1) for inner in one]
        elif isinstance(one, str):
            _check_text(one)
        elif isinstance(one, float) and (one != one or abs(one) == float("inf")):
            raise Unfit("The conversation holds a number that is none (NaN or Infinity).")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise Unfit("The conversation holds a sign with the number 0, which cannot be kept.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Unfit("The conversation holds half a character (a lone surrogate).") from None
