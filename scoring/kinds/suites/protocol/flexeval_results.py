"""Read a results file of FlexEval: one SQLite database with conversations and what was found about them.

The file comes from elsewhere. It is opened for reading only, its tables are read by name and never
its views or triggers, and it may take no more rows, bytes or steps than the limits below.

References:
    Christie et al. (2024), FlexEval, section 3; layout of the file as python-flexeval 0.5.2 writes it.
"""

import ast
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scoring.kinds.suites.protocol import conversations
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.conversations import Conversation, NoConversation

#: What every SQLite file begins with.
SIGNATURE: Final = b"SQLite format 3\x00"
MOST_CONVERSATIONS: Final = 100_000
MOST_VALUES: Final = 5_000_000
#: Steps of SQLite's machine, in thousands, that one question may take; ten seconds or so.
MOST_STEPS: Final = 400_000
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "evalsetrun": ("id", "name", "timestamp"),
    "thread": ("id", "jsonl_thread_id", "system_prompt"),
    "message": ("id", "thread_id", "turn_id", "index_in_thread", "role", "content"),
    "toolcall": ("id", "message_id", "function_name", "args"),
    "metric": (
        "evalsetrun_id",
        "thread_id",
        "turn_id",
        "message_id",
        "toolcall_id",
        "evaluation_name",
        "evaluation_type",
        "metric_name",
        "metric_level",
        "metric_value",
        "kwargs",
        "rubric_completion",
        "rubric_model",
        "rubric_score",
    ),
}


@dataclass(frozen=True, slots=True)
class FlexevalValue:
    """What a metric gave for a part of a conversation.

    Args:
        run: number of the evaluation run in the file, as it stands there.
        conversation: place of the conversation in `Results.conversations`.
        place: the part's number at its level, within the conversation.
        is_rubric: a model judged it; else a function counted it.
        metric, name: the metric, and which of its values this is.
        value: None where it gave none.
        reason, model: what the judging model said, and which it was.
    """

    run: int
    conversation: int
    level: Level
    place: int
    is_rubric: bool
    metric: str
    name: str
    arguments: Mapping[str, Any]
    value: float | None
    reason: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """Conversations of a file, names of its runs by number, and all values.

    `lines` are the conversations as objects with "id" and "messages", in the same order.
    """

    conversations: tuple[Conversation, ...]
    lines: tuple[Mapping[str, Any], ...]
    runs: Mapping[int, str]
    values: tuple[FlexevalValue, ...]


#: What rows raise that hold something else than their columns promise.
OF_DAMAGE = (TypeError, ValueError, KeyError, OverflowError)


def read_results(path: Path) -> Results:
    """Return all that a results file holds.

    Raises:
        NoConversation: it is no results file, holds a conversation that is none, or more than it may.
    """
    try:
        with closing(opened(path)) as file:
            _check(file)
            return _read(file)
    except NoConversation:
        raise
    except (sqlite3.Error, *OF_DAMAGE) as problem:
        raise NoConversation(
            f"This is no results file of FlexEval, or it is damaged ({problem}). "
            "Choose the database that its configuration names."
        ) from problem


def opened(path: Path) -> sqlite3.Connection:
    """Open a database that came from elsewhere, for reading only."""
    file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * conversations.MOST_TEXT)
    file.execute("PRAGMA trusted_schema=OFF")
    steps = iter(range(MOST_STEPS))
    file.set_progress_handler(lambda: next(steps, None) is None, 1000)
    file.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
    return file


def tables_of(file: sqlite3.Connection) -> set[str]:
    """Return the names of the tables of a database that are no virtual ones."""
    found = file.execute("SELECT name, type, coalesce(sql, '') FROM sqlite_master")
    return {
        str(name).lower()
        for name, kind, sql in found
        if kind == "table" and not str(sql).lstrip().upper().startswith("CREATE VIRTUAL")
    }


def _check(file: sqlite3.Connection) -> None:
    """Refuse a file that lacks a table, or has something else under its name."""
    tables = tables_of(file)
    for table, columns in NEEDED.items():
        if table not in tables:
            raise NoConversation(
                f"There is no table “{table}”: this is no results file of FlexEval. "
                "Choose the database that its configuration names."
            )
        there = {str(row[1]) for row in file.execute(f"PRAGMA table_info({table})")}
        if missing := [name for name in columns if name not in there]:
            raise NoConversation(
                f"The table “{table}” has no column “{missing[0]}”. Files of python-flexeval 0.5 are "
                "read; run the evaluation again with it."
            )


def _read(file: sqlite3.Connection) -> Results:
    runs = {
        int(pk): str(name or f"Run {pk}") for pk, name in _rows(file, "evalsetrun", "id", "name")
    }
    made: list[Conversation] = []
    lines: list[Mapping[str, Any]] = []
    places: dict[int, _ThreadPlaces] = {}
    for line, there in _lines(file):
        if len(made) == MOST_CONVERSATIONS:
            raise NoConversation(f"A file has at most {MOST_CONVERSATIONS} conversations.")
        if not line["messages"]:
            continue
        try:
            one = conversations.read(line)
        except NoConversation as problem:
            raise NoConversation(f"Conversation “{line['id']}”: {problem}") from problem
        places[there.thread] = there.settled(one, len(made))
        made.append(one)
        lines.append(line)
    return Results(tuple(made), tuple(lines), runs, tuple(_values(file, places)))


@dataclass(slots=True)
class _ThreadPlaces:
    """Where the rows of a thread went: ids of messages, turns and tool calls."""

    thread: int
    messages: list[int]
    turn_of: dict[int, int]
    calls: list[int]
    conversation: int = 0
    at: Mapping[tuple[Level, int], int] | None = None

    def settled(self, made: Conversation, conversation: int) -> "_ThreadPlaces":
        """Number the rows as the conversation does; a system message has no place of its own."""
        self.conversation = conversation
        found: dict[tuple[Level, int], int] = {(Level.CONVERSATION, self.thread): 0}
        kept = self.messages[-len(made.messages) :] if made.messages else []
        for row, message in zip(kept, made.messages, strict=True):
            found[Level.MESSAGE, row] = message.index
            found.setdefault((Level.TURN, self.turn_of[row]), message.turn)
        for row, call in zip(self.calls, made.tool_calls, strict=True):
            found[Level.TOOL_CALL, row] = call.index
        self.at = found
        return self


def _lines(file: sqlite3.Connection) -> Iterator[tuple[dict[str, Any], _ThreadPlaces]]:
    """Yield the conversations of the file as lines of data, with where their rows stand."""
    calls: dict[int, list[tuple[int, str, Any]]] = {}
    for row, message, name, given in _rows(
        file, "toolcall", "id", "message_id", "function_name", "args"
    ):
        calls.setdefault(int(message), []).append((int(row), str(name), _plain(given)))
    said: dict[int, list[tuple[int, int, str, str]]] = {}
    rows = _rows(
        file, "message", "thread_id", "id", "turn_id", "role", "content", by="index_in_thread, id"
    )
    for thread, row, turn, role, content in rows:
        said.setdefault(int(thread), []).append(
            (int(row), int(turn or 0), str(role), str(content or ""))
        )
    for thread, own, prompt in _rows(file, "thread", "id", "jsonl_thread_id", "system_prompt"):
        # A system message among the others would not get a turn: it belongs to the whole.
        rows_ = [one for one in said.get(thread, []) if one[2] not in conversations.PROMPTS]
        messages: list[dict[str, Any]] = [{"role": "system", "content": prompt}] if prompt else []
        there = _ThreadPlaces(int(thread), [], {}, [])
        for row, turn, role, content in rows_:
            there.messages.append(row)
            there.turn_of[row] = turn
            made = calls.get(row, [])
            there.calls += [call for call, _name, _given in made]
            given = [{"name": name, "arguments": args} for _call, name, args in made]
            messages.append({"role": role, "content": content, "tool_calls": given})
        yield {"id": str(own if own is not None else thread), "messages": messages}, there


def _values(
    file: sqlite3.Connection, places: Mapping[int, _ThreadPlaces]
) -> Iterator[FlexevalValue]:
    names = [*NEEDED["metric"]]
    for number, row in enumerate(_rows(file, "metric", *names), start=1):
        if number > MOST_VALUES:
            raise NoConversation(f"A file has at most {MOST_VALUES} values.")
        one = dict(zip(names, row, strict=True))
        there = places.get(one["thread_id"])
        if there is None or there.at is None:
            continue
        level = _level(str(one["metric_level"]))
        target = {
            Level.CONVERSATION: one["thread_id"],
            Level.TURN: one["turn_id"],
            Level.MESSAGE: one["message_id"],
            Level.TOOL_CALL: one["toolcall_id"],
        }[level]
        place = there.at.get((level, target))
        if place is None:
            continue
        value = one["metric_value"]
        given = _plain(one["kwargs"])
        yield FlexevalValue(
            run=int(one["evalsetrun_id"]),
            conversation=there.conversation,
            level=level,
            place=place,
            is_rubric=str(one["evaluation_type"]) == "rubric",
            metric=str(one["evaluation_name"]),
            name=str(one["metric_name"]),
            arguments=given if isinstance(given, Mapping) else {},
            value=float(value) if isinstance(value, int | float) else None,
            reason=str(one["rubric_completion"] or ""),
            model=str(one["rubric_model"] or ""),
        )


def _level(name: str) -> Level:
    try:
        return Level(name)
    except ValueError:
        raise NoConversation(
            f"There is no level “{name}”. There are {', '.join(one.value for one in Level)}."
        ) from None


def _plain(text: Any) -> Any:
    """Return a stored object: JSON, or as Python writes it; text that is neither stays text."""
    if not isinstance(text, str) or not text.strip():
        return {}
    for reader in (json.loads, ast.literal_eval):
        try:
            return reader(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return text


def _rows(file: sqlite3.Connection, table: str, *columns: str, by: str = "id") -> sqlite3.Cursor:
    return file.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {by}")  # noqa: S608  own names
