"""Databases of checkpoints, as LangGraph's SqliteSaver lays them out."""

import json
import sqlite3
import struct
from contextlib import closing

import msgpack

TABLES = """
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL,
  type TEXT, value BLOB, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));
"""
CALL = {"name": "tide", "args": {"port": "Nørth", "hours": [1, -300, 2.5]}, "id": "c1"}
SAID = (
    {"type": "system", "content": "Be brief."},
    {"type": "human", "content": "When is high tide?", "id": "m1", "additional_kwargs": {}},
    {"type": "ai", "content": "", "tool_calls": [CALL],
     "response_metadata": {"model_name": "m", "token_usage": {"prompt_tokens": 70_000}}},
    {"type": "tool", "content": "5 o'clock", "tool_call_id": "c1", "name": "tide", "artifact": b"x"},
    {"type": "ai", "content": [{"type": "text", "text": "At five. " * 40}]},
)  # fmt: skip


packed = msgpack.packb


def made(value):
    """Return a message as an object of LangChain's in MessagePack."""
    whole = packed(["langchain_core.messages", "X", value, "model_validate_json"])
    return struct.pack(">BIb", 0xC9, len(whole), 5) + whole


def state(said=SAID):
    """Return a checkpoint with these messages."""
    values = packed("messages") + struct.pack(">BH", 0xDC, len(said)) + b"".join(map(made, said))
    return b"\x82" + packed("v") + packed(4) + packed("channel_values") + b"\x81" + values


def constructed(said=SAID):
    """Return a checkpoint as former releases wrote it: JSON that names its classes."""
    names = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}
    rows = [
        {"lc": 1, "type": "constructor", "kwargs": {**one, "artifact": None},
         "id": ["langchain", "schema", "messages", names.get(one["type"], "SystemMessage")]}
        for one in said
    ]  # fmt: skip
    return json.dumps({"v": 1, "channel_values": {"messages": rows}}).encode()


#: As LangGraph's PostgresSaver lays them out, in SQLite.
APART = """
CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
  checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint TEXT NOT NULL,
  metadata TEXT, PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
CREATE TABLE checkpoint_blobs (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '',
  channel TEXT NOT NULL, version TEXT NOT NULL, type TEXT NOT NULL, blob BLOB,
  PRIMARY KEY (thread_id, checkpoint_ns, channel, version));
"""


def apart(thread, said, *, version):
    """Return a checkpoint and, beside it, the messages of the version that it names."""
    state = {"v": 4, "channel_values": {"step": 2}, "channel_versions": {"messages": version}}
    blob = struct.pack(">BH", 0xDC, len(said)) + b"".join(map(made, said))
    kind = "msgpack" if said else "empty"
    return (thread, "9", json.dumps(state)), (thread, "messages", version, kind, blob)


def database_apart(path, *rows):
    """Write a database that keeps messages apart from checkpoints."""
    with closing(sqlite3.connect(path)) as file, file:
        file.executescript(APART)
        for state, blob in rows:
            file.execute(
                "INSERT INTO checkpoints (thread_id, checkpoint_id, checkpoint) VALUES (?, ?, ?)",
                state,
            )
            if blob is not None:
                file.execute(
                    "INSERT INTO checkpoint_blobs (thread_id, channel, version, type, blob)"
                    " VALUES (?, ?, ?, ?, ?)",
                    blob,
                )
    return path


def database(path, *rows, tables=TABLES):
    """Write a database of checkpoints; a row is thread, namespace, checkpoint, type and value."""
    with closing(sqlite3.connect(path)) as file, file:
        file.executescript(tables)
        file.executemany(
            "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, type, checkpoint)"
            " VALUES (?, ?, ?, ?, ?)",
            rows,
        )
    return path
