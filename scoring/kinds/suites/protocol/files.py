"""Conversations in files: one JSON object a line, one JSON list, or a table with a row a message."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final

from annotation.files import messages
from annotation.files.cells import BadFile
from annotation.files.look import tables as delimited
from annotation.files.look.encodings import DecodedLines, newline_of
from annotation.files.look.encodings import recognise_encoding as recognise
from scoring.kinds.suites.protocol import conversations, langgraph
from scoring.kinds.suites.protocol.conversations import Conversation, NoConversation
from scoring.kinds.suites.protocol.flexeval_results import SIGNATURE

#: A list and a table are read whole; files of lines are not, and may be as long as they like.
MOST_WHOLE: Final = 32 * 1024 * 1024
HEAD: Final = 64 * 1024
#: Where conversations stand within one object.
_AROUND: Final = ("conversations", "dialogues", "dialogs", "data", "items", "records", "results")
#: Names of columns of a table, the usual one first.
_NAMED: Final = (
    *(
        "conversation",
        "conversation_id",
        "conv_id",
        "thread",
        "thread_id",
        "dialogue",
        "dialogue_id",
    ),
    *("dialog", "dialog_id", "chat_id", "session", "session_id", "ticket_id", "ticket", "case_id"),
    "message_tree_id",
)
_IDS: Final = (*_NAMED, "id")
_ROLES: Final = (
    *("role", "author_type", "author_role", "sender_type", "participant_type", "from", "speaker"),
    *("author", "sender", "participant", "actor"),
)
_CONTENTS: Final = (
    *("content", "text", "value", "message", "utterance", "body", "message_text", "message_body"),
    "transcript",
)
#: Columns of a table with an exchange a row: what was asked, and what was answered.
_ASKED: Final = ("question", "query", "prompt", "user", "user_message", "user_input")
_ANSWERED: Final = ("answer", "response", "reply", "completion", "assistant", "bot")
#: Columns that number the messages of a conversation.
_TURNS: Final = ("turn", "turn_id", "turn_number", "message_number", "position", "index")
_DEEPEST: Final = 60


class UnreadableTalks(ValueError):
    """The file as a whole cannot be read; says why and what to do."""


@dataclass(frozen=True, slots=True)
class FileTalk:
    """A conversation of a file as it stands there, or what is wrong with it.

    `messages` are its messages in the form of this product, `details` what else it came with, and `asked`
    who somebody was only probably: {"Agent": "assistant"}.
    """

    line: int
    conversation: Conversation | None = None
    messages: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] | None = None
    asked: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def read_talks(chunks: Iterable[bytes], *, name: str = "conversation") -> Iterator[FileTalk]:
    """Yield the conversations of a file, in whichever of the layouts it is.

    Args:
        chunks: the bytes of the file.
        name: given, with the line, to conversations that have no id of their own.

    Raises:
        UnreadableTalks: it is no text, empty, or a list or table that is too large or broken.
    """
    source = iter(chunks)
    head = _head(source)
    if not head.strip():
        raise UnreadableTalks("The file is empty.")
    if head.startswith(SIGNATURE):
        yield from _of_checkpoints(chain([head], source), name)
        return
    try:
        encoding = recognise(head, whole=len(head) < HEAD)
        lines = DecodedLines(chain([head], source), encoding, newline_of(head))
        yield from _of(lines, name)
    except BadFile:
        raise UnreadableTalks(
            "This is no text that can be read: save it as JSON Lines or CSV in UTF-8."
        ) from None


def of_object(given: object, line: int, name: str) -> FileTalk:
    """Return the conversation that an object of a file or a request holds, or what is wrong with it."""
    if not isinstance(given, Mapping):
        return FileTalk(line, problem="This is no object with “messages”.")
    try:
        _check(given)
        talk = conversations.talk_of(given)
        made = conversations.of_talk(talk, name=f"{name}-{line}")
    except NoConversation as problem:
        return FileTalk(line, problem=str(problem))
    details = {other: value for other, value in talk.details.items() if other != "id"}
    return FileTalk(line, made, tuple(talk.messages), details, talk.asked)


def _of_checkpoints(chunks: Iterable[bytes], name: str) -> Iterator[FileTalk]:
    """Yield one for each thread of a database of LangGraph's checkpoints."""
    try:
        for number, one in enumerate(langgraph.objects(chunks), start=1):
            if isinstance(one, NoConversation):
                yield FileTalk(number, problem=str(one))
            else:
                yield of_object(one, number, name)
    except NoConversation as problem:
        raise UnreadableTalks(str(problem)) from problem


def _head(source: Iterator[bytes]) -> bytes:
    head = b""
    for chunk in source:
        head += chunk
        if len(head) >= HEAD:
            break
    return head


def _of(lines: DecodedLines, name: str) -> Iterator[FileTalk]:
    rest = iter(lines)
    first = next((one for one in rest if one.strip()), "")
    opens = first.lstrip()[:1]
    if opens == "[":
        yield from _of_list(_whole(first, rest), name)
    elif opens == "{":
        yield from _of_objects(lines, first, rest, name)
    else:
        yield from _of_table(_whole(first, rest), name)


def _of_objects(
    lines: DecodedLines, first: str, rest: Iterator[str], name: str
) -> Iterator[FileTalk]:
    """Yield one for each line; a single object that goes over many lines is one conversation."""
    if _parsed(first) is None and not lines.flaw(lines.number, lines.number):
        whole = _whole(first, rest)
        made = _parsed(whole)
        if isinstance(made, Mapping):
            yield from _of_values(_inside(made), name)
            return
        rest = iter(whole[len(first) :].split("\n"))
        yield from _lines(None, chain([first], rest), name)
        return
    yield from _lines(lines, chain([first], rest), name)


def _inside(made: Mapping[str, Any]) -> list[Any]:
    """Return the conversations that stand in a list within one object; else the object as the only one."""
    for key in _AROUND:
        held = made.get(key)
        if isinstance(held, list) and held and all(map(_is_conversation, held)):
            return held
    return [made]


def _is_conversation(one: object) -> bool:
    return isinstance(one, Mapping) and (
        messages.holds_messages(one) or isinstance(one.get("turns"), list)
    )


def _is_row(one: object) -> bool:
    """Say whether an object is one message of a conversation that it names, as a row of a table is."""
    if not isinstance(one, Mapping) or _is_conversation(one):
        return False
    keys = {
        str(key).strip().casefold()
        for key, value in one.items()
        if not isinstance(value, list | dict)
    }
    return all(keys & set(some) for some in (_NAMED, _ROLES, _CONTENTS))


def _row(one: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a row with the usual names for what makes a message, however this one calls them."""
    names = {str(key).strip().casefold(): key for key in reversed(one)}
    usual = {
        next(names[each] for each in some if each in names): some[0]
        for some in (_NAMED, _ROLES, _CONTENTS)
    }
    return {usual.get(key, key): value for key, value in one.items()}


def _of_values(values: Sequence[Any], name: str) -> Iterator[FileTalk]:
    """Yield one for each value of a list; of rows that are messages, one for each conversation."""
    if values and all(map(_is_row, values)):
        yield from _grouped([(n, _row(one)) for n, one in enumerate(values, start=1)], name)
        return
    for number, one in enumerate(values, start=1):
        yield of_object(one, number, name)


def _lines(lines: DecodedLines | None, texts: Iterable[str], name: str) -> Iterator[FileTalk]:
    source = iter(texts)
    first = next(source, "")
    texts = chain([first], source)
    rows: list[tuple[int, Mapping[Any, Any]]] | None = [] if _is_row(_parsed(first)) else None
    size = 0
    for number, text, made in _numbered(lines, texts):
        if isinstance(made, FileTalk):
            yield made
        elif rows is not None and _is_row(made):
            size += len(text)
            if size > MOST_WHOLE:
                raise UnreadableTalks(
                    f"Messages on lines of their own may come to {MOST_WHOLE // 2**20} MB. Write a whole "
                    "conversation on each line instead: such a file may be as long as you like."
                )
            rows.append((number, _row(made)))
        elif isinstance(made, Mapping) and (inside := _inside(made)) != [made]:
            yield from _of_values(inside, f"{name}-{number}")
        else:
            yield of_object(made, number, name)
    if rows:
        yield from _grouped(rows, name)


def _numbered(lines: DecodedLines | None, texts: Iterable[str]) -> Iterator[tuple[int, str, Any]]:
    """Yield the lines that hold something with their numbers, and what is on them or wrong with them."""
    for number, text in enumerate(texts, start=lines.number if lines else 1):
        if lines and lines.flaw(number, number):
            said = "The line is too long, or holds signs that cannot be read."
            yield number, text, FileTalk(number, problem=said)
        elif text.strip():
            said = "The line is no JSON object. Write one on each line."
            made = _parsed(text)
            yield number, text, FileTalk(number, problem=said) if made is None else made


def _of_list(text: str, name: str) -> Iterator[FileTalk]:
    made = _parsed(text)
    if not isinstance(made, list):
        raise UnreadableTalks("The list is broken: it is no JSON.")
    yield from _of_values(made, name)


def _of_table(text: str, name: str) -> Iterator[FileTalk]:
    """Yield one for each id of a table whose rows are messages, in the order in which they begin."""
    delimiter = delimited.delimiter_of(text.splitlines()[:20])
    csv.field_size_limit(conversations.MOST_TEXT * 4)
    try:
        rows = list(csv.DictReader(io.StringIO(text), delimiter=delimiter, strict=True))
    except csv.Error:
        raise UnreadableTalks("The table is broken: look at its quotation marks.") from None
    yield from _grouped(list(enumerate(rows, start=2)), name)


def _grouped(rows: Sequence[tuple[int, Mapping[Any, Any]]], name: str) -> Iterator[FileTalk]:
    """Yield a conversation for each id, of rows that are messages with their lines."""
    names = {str(one).strip().casefold(): one for one in (rows[0][1] if rows else {})}
    key, turn = (next((names[one] for one in some if one in names), "") for some in (_IDS, _TURNS))
    says = _what_rows_say(names, key)
    grouped: dict[str, _Group] = {}
    for line, row in rows:
        group = grouped.setdefault(str(row.get(key) or f"{name}-{line}"), _Group(line))
        group.add(row, line, turn)
        try:
            group.messages.append(says(row))
        except NoConversation as problem:
            group.problem = group.problem or f"The {problem} in line {line} are no JSON."
    for own, group in grouped.items():
        if group.problem:
            yield FileTalk(group.line, problem=group.problem)
        else:
            yield of_object({"id": own, "messages": group.ordered()}, group.line, name)


def _what_rows_say(
    names: Mapping[str, str], key: str
) -> Callable[[Mapping[Any, Any]], list[Mapping[str, Any]]]:
    """Return what reads the messages of a row: one, or a question and its answer.

    Raises:
        UnreadableTalks: the columns that are needed are not there.
    """
    role, content, asked, answered = (
        next((names[one] for one in wanted if one in names), "")
        for wanted in (_ROLES, _CONTENTS, _ASKED, _ANSWERED)
    )
    calls = names.get("tool_calls", "")

    def message(row: Mapping[Any, Any]) -> list[Mapping[str, Any]]:
        # What else a row says stays with its message, as in files of JSON.
        more = {
            one: row[one] for one in row if one and row[one] and one not in {key, role, content}
        }
        said = {**more, "role": row[role], "content": row[content] or ""}
        if row.get(calls):
            given = row[calls]
            said["tool_calls"] = _parsed(given) if isinstance(given, str) else given
            if said["tool_calls"] is None:
                raise NoConversation("tool calls")
        return [said]

    def exchange(row: Mapping[Any, Any]) -> list[Mapping[str, Any]]:
        both = (("user", row[asked]), ("assistant", row[answered]))
        return [{"role": who, "content": text} for who, text in both if text]

    if key and role and content:
        return message
    if asked and answered:
        return exchange
    raise UnreadableTalks(
        "A table of conversations needs the columns conversation, role and content, or question and "
        "answer; a file of JSON needs “messages”."
    )


@dataclass(slots=True)
class _Group:
    """The rows of one conversation of a table, the line of the first, and what is wrong with them."""

    line: int
    messages: list[list[Mapping[str, Any]]] = field(default_factory=list)
    problem: str = ""
    turns: list[float] = field(default_factory=list)

    def add(self, row: Mapping[Any, Any], line: int, turn: str) -> None:
        if None in row:
            self.problem = f"Line {line} has more cells than the head."
        try:
            self.turns.append(float(row.get(turn) or "nan"))
        except ValueError:
            self.turns.append(float("nan"))

    def ordered(self) -> list[Mapping[str, Any]]:
        """Return the messages by the numbers of their turns; as they stand where one has none."""
        places: Sequence[int] = range(len(self.messages))
        if all(one == one for one in self.turns):
            places = sorted(places, key=lambda place: self.turns[place])
        return [one for place in places for one in self.messages[place]]


def _whole(first: str, rest: Iterator[str]) -> str:
    parts, size = [first], len(first)
    for one in rest:
        parts.append(one)
        size += len(one)
        if size > MOST_WHOLE:
            raise UnreadableTalks(
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
        NoConversation: says what it is.
    """
    waiting: list[tuple[Any, int]] = [(given, 1)]
    while waiting:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise NoConversation(f"The conversation is nested deeper than {_DEEPEST} levels.")
        if isinstance(one, Mapping):
            waiting += [(inner, depth + 1) for pair in one.items() for inner in pair]
        elif isinstance(one, list):
            waiting += [(inner, depth + 1) for inner in one]
        elif isinstance(one, str):
            _check_text(one)
        elif isinstance(one, float) and (one != one or abs(one) == float("inf")):
            raise NoConversation("The conversation holds a number that is none (NaN or Infinity).")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise NoConversation(
            "The conversation holds a sign with the number 0, which cannot be kept."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NoConversation(
            "The conversation holds half a character (a lone surrogate)."
        ) from None
