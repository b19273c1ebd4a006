"""Read the conversations of a checkpoint database of LangGraph: of each thread what its last state holds.

The file comes from elsewhere: it is opened for reading only, nothing in it is run, and no class that it
names is made. Objects are read as the plain values they were written with.

References:
    Layout as langgraph-checkpoint-sqlite 3.1 writes it, and with the values of channels in a table of
    their own as langgraph-checkpoint-postgres 3.0 does; values as their JsonPlusSerializer has them.
"""

import functools
import json
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import msgpack

from scoring.kinds.suites.protocol import conversations, flexeval_results
from scoring.kinds.suites.protocol.conversations import NoConversation

LARGEST: Final = 512 * 1024 * 1024
TABLE: Final = "checkpoints"
#: Where savers that keep the values of channels apart have them.
BLOBS: Final = "checkpoint_blobs"
COLUMNS: Final = ("thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint")
_MESSAGES: Final = "messages"
#: Roles of messages by their types, where these are none.
_ROLES: Final[Mapping[str, str]] = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
}


def is_checkpoints(chunks: Iterable[bytes]) -> bool:
    """Say whether a SQLite file is a database of checkpoints."""
    try:
        with _opened(chunks) as file:
            return TABLE in flexeval_results.tables_of(file)
    except (NoConversation, sqlite3.Error):
        return False


def objects(chunks: Iterable[bytes]) -> Iterator[dict[str, Any] | NoConversation]:
    """Yield each thread as an object with its id and messages, or what is wrong with it.

    A thread in which nothing was said yet is passed over.

    Raises:
        NoConversation: it is no database of checkpoints, or damaged.
    """
    try:
        with _opened(chunks) as file:
            _check(file)
            yield from _threads(file)
    except sqlite3.Error as problem:
        raise NoConversation(f"This database is damaged ({problem}).") from problem


@contextmanager
def _opened(chunks: Iterable[bytes]) -> Iterator[sqlite3.Connection]:
    with tempfile.NamedTemporaryFile(suffix=".db") as copy:
        size = 0
        for chunk in chunks:
            size += len(chunk)
            if size > LARGEST:
                raise NoConversation(f"A database may hold {LARGEST // 2**20} MB.")
            copy.write(chunk)
        copy.flush()
        with closing(flexeval_results.opened(Path(copy.name))) as file:
            yield file


def _check(file: sqlite3.Connection) -> None:
    if TABLE not in flexeval_results.tables_of(file):
        raise NoConversation(
            f"There is no table “{TABLE}”: this is no database of LangGraph's checkpoints. Name the file "
            "that its SqliteSaver was given."
        )
    there = {str(row[1]) for row in file.execute(f"PRAGMA table_info({TABLE})")}
    if missing := [name for name in COLUMNS if name not in there]:
        raise NoConversation(
            f"The table “{TABLE}” has no column “{missing[0]}”. Databases of "
            "langgraph-checkpoint-sqlite are read."
        )


def _threads(file: sqlite3.Connection) -> Iterator[dict[str, Any] | NoConversation]:
    # Checkpoints of subgraphs have a namespace; ids of checkpoints are ordered by time.
    rows = file.execute(
        "SELECT thread_id, type, checkpoint, max(checkpoint_id) FROM checkpoints"
        " WHERE checkpoint_ns = '' GROUP BY thread_id ORDER BY thread_id"
    )
    apart = BLOBS in flexeval_results.tables_of(file)
    for thread, kind, blob, _id in rows:
        try:
            state = _value(kind, blob)
            said = _said(_whole(file, thread, state) if apart else state)
        except (NoConversation, *_DAMAGE) as problem:
            yield NoConversation(f"Thread “{thread}”: {_words(problem)}")
            continue
        if said:
            yield {"id": str(thread), _MESSAGES: said}


def _whole(file: sqlite3.Connection, thread: Any, state: Any) -> Any:
    """Return a state with its messages, where these are kept apart, by the version that the state names."""
    values = dict(state.get("channel_values") or {})
    version = (state.get("channel_versions") or {}).get(_MESSAGES)
    if _MESSAGES in values or version is None:
        return {**state, "channel_values": values}
    found = file.execute(
        f"SELECT type, blob FROM {BLOBS} WHERE thread_id = ? AND checkpoint_ns = ''"  # noqa: S608
        " AND channel = ? AND version = ?",
        (thread, _MESSAGES, str(version)),
    ).fetchone()
    if found is None:
        raise NoConversation(
            f"its last messages (version {version}) are not in the table “{BLOBS}”."
        )
    values[_MESSAGES] = [] if found[0] == "empty" else _value(*found)
    return {**state, "channel_values": values}


#: What is raised by bytes that are no such value.
_DAMAGE: Final = (
    *(ValueError, IndexError, TypeError, KeyError, AttributeError),
    *(msgpack.UnpackException, RecursionError),
)


def _words(problem: Exception) -> str:
    return (
        str(problem) if isinstance(problem, NoConversation) else "its last checkpoint is damaged."
    )


def _value(kind: str | None, blob: Any) -> Any:
    data = blob.encode() if isinstance(blob, str) else bytes(blob)
    if kind is None:  # a column of JSON
        return json.loads(data)
    if kind == "msgpack":
        return _unpacked(data)
    if kind == "json":
        return json.loads(data)
    if "+" in kind:
        raise NoConversation("its checkpoints are encrypted. Write them without encryption.")
    raise NoConversation(f"a checkpoint of type “{kind}” is not read. There are msgpack and json.")


def _said(state: Any) -> list[dict[str, Any]]:
    """Return the messages of a state.

    Raises:
        NoConversation: it keeps them elsewhere, or in pieces.
    """
    values = state["channel_values"]
    found = values.get(_MESSAGES)
    if isinstance(found, list):
        return [made for one in found if (made := _message(_plain(one)))]
    if found is not None or _MESSAGES in (state.get("channel_versions") or {}):
        raise NoConversation(
            "its last state holds no whole list of “messages” (a DeltaChannel writes changes only)."
        )
    own = [name for name in values if not name.startswith("__") and ":" not in name]
    if own:
        raise NoConversation(f"its state has no “messages”. It has: {', '.join(sorted(own)[:10])}.")
    return []


def _plain(one: Any) -> Any:
    """Return a message as names and values, of LangChain's JSON of an object too."""
    if isinstance(one, Mapping) and one.get("type") == "constructor" and "lc" in one:
        name = str(one["id"][-1]).removesuffix("Chunk").removesuffix("Message").lower()
        return {"type": name, **one["kwargs"]}
    return one


def _message(one: Any) -> dict[str, Any]:
    if not isinstance(one, Mapping) or not {"type", "role"} & set(one):
        raise NoConversation("one of its messages is none.")
    if one.get("type") == "remove":
        return {}
    kind = str(one.get("type") or "")
    role = one.get("role") or _ROLES.get(kind, kind)
    kept = {str(key): value for key, value in one.items() if value not in (None, {}, [])}
    calls = one.get("tool_calls") or (one.get("additional_kwargs") or {}).get("tool_calls")
    made = {**kept, "role": role, "content": one.get("content") or "", "langgraph_type": kind}
    more = made.pop("additional_kwargs", None) or {}
    made |= {name: value for name, value in more.items() if name.endswith("_errors")}
    made.pop("type", None)
    made |= {"tool_calls": calls} if calls else {}
    plain: dict[str, Any] = json.loads(json.dumps(made, default=str))  # bytes, and other keys
    return plain


#: Objects within objects; more of them are an attack.
_MOST_DEPTH: Final = conversations.MOST_DEPTH * 2


def _unpacked(data: bytes, depth: int = 0) -> Any:
    if depth > _MOST_DEPTH:
        raise ValueError("it is too deep")
    within = functools.partial(_object, depth=depth + 1)
    return msgpack.unpackb(data, ext_hook=within, strict_map_key=False)


def _object(code: int, data: bytes, depth: int) -> Any:
    """Return an object as the values it was written with: module, name, values, and how it is made."""
    if code not in range(6):
        return None  # arrays of numbers, and pieces of a channel
    return _unpacked(data, depth)[2]
