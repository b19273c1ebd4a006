import sqlite3
from contextlib import closing

import pytest

from scoring.kinds.suites.protocol import catalogue, files, functions, langgraph
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.files import UnreadableTalks
from tests.scoring import checkpoints
from tests.scoring.checkpoints import SAID, constructed, packed, state


@pytest.fixture
def read(tmp_path):
    def call(*rows):
        path = checkpoints.database(tmp_path / "talks.db", *rows)
        return list(files.read_talks([path.read_bytes()], name="talks"))

    return call


def told(found):
    return [(one.role, one.content[:9]) for one in found.conversation.messages]


class TestRead:
    @pytest.mark.parametrize(("kind", "value"), [("msgpack", state()), ("json", constructed())])
    def test_makes_a_conversation_of_each_thread(self, read, kind, value):
        (found,) = read(("t1", "", "1", kind, value))

        assert found.problem == ""
        assert (found.conversation.external_id, found.conversation.system) == ("t1", "Be brief.")
        assert told(found) == [
            ("user", "When is h"),
            ("assistant", ""),
            ("tool", "5 o'clock"),
            ("assistant", "At five. "),
        ]
        (call,) = found.conversation.tool_calls
        assert (call.name, call.id) == ("tide", "c1")
        assert call.arguments == {"port": "Nørth", "hours": [1, -300, 2.5]}
        assert found.conversation.messages[2].details["tool_call_id"] == "c1"
        assert found.conversation.messages[2].details["langgraph_type"] == "tool"

    def test_knows_the_roles_of_langgraph(self, read):
        (found,) = read(("t1", "", "1", "msgpack", state()))
        count = catalogue.builtin()["count_messages_per_role"]

        said = functions.count_messages_per_role(found.conversation, use_langgraph_roles=True)

        assert said == {"human": 1, "ai": 2, "tool": 1}
        count.check(Level.CONVERSATION, {"use_langgraph_roles": True})

    def test_takes_the_last_checkpoint_and_none_of_a_subgraph(self, read):
        (found,) = read(
            ("t1", "", "2", "msgpack", state(SAID[:2])),
            ("t1", "", "1", "msgpack", state(SAID[:1])),
            ("t1", "sub:1", "3", "msgpack", state()),
        )

        assert told(found) == [("user", "When is h")]

    def test_finds_messages_that_are_kept_apart(self, tmp_path):
        rows = checkpoints.apart("t1", SAID, version="3"), checkpoints.apart("t2", (), version="1")
        path = checkpoints.database_apart(tmp_path / "talks.db", *rows)

        (found,) = files.read_talks([path.read_bytes()], name="talks")

        assert found.problem == ""
        assert found.conversation.external_id == "t1"
        assert [role for role, _text in told(found)] == ["user", "assistant", "tool", "assistant"]
        assert found.conversation.system == "Be brief."

    def test_says_where_messages_that_are_kept_apart_are_missing(self, tmp_path):
        state, _blob = checkpoints.apart("t1", SAID, version="3")
        path = checkpoints.database_apart(tmp_path / "talks.db", (state, None))

        (found,) = files.read_talks([path.read_bytes()], name="talks")

        assert (
            "its last messages (version 3) are not in the table “checkpoint_blobs”" in found.problem
        )

    def test_keeps_errors_that_came_with_a_call_and_its_result(self, read):
        said = [dict(one) for one in SAID]
        said[2]["additional_kwargs"] = {"python_errors": "No port.", "x": 1, "js_errors": None}
        said[3]["status"] = "error"

        (found,) = read(("t1", "", "1", "msgpack", state(said)))

        talk = found.conversation
        (call,) = talk.tool_calls
        assert functions.count_errors(call, talk) == 1
        assert functions.count_errors(talk, talk) == 2
        assert functions.count_errors(talk.messages[0], talk) == 0

    def test_passes_over_a_thread_in_which_nothing_was_said(self, read):
        begun = packed({"channel_values": {"__start__": {"messages": ["Hi"]}}})

        found = read(("t1", "", "1", "msgpack", begun), ("t2", "", "1", "msgpack", state()))

        assert [one.conversation.external_id for one in found] == ["t2"]

    @pytest.mark.parametrize(
        ("kind", "value", "why"),
        [
            ("pickle", b"cos\nsystem\n(S'true'\ntR.", "of type “pickle” is not read"),
            ("msgpack+aes", b"x", "are encrypted"),
            ("msgpack", state()[:-3], "is damaged"),
            ("msgpack", state() + b"\x01", "is damaged"),
            ("msgpack", b"\x91" * 5_000, "is damaged"),
            ("msgpack", b"\xdd\xff\xff\xff\xff", "is damaged"),
            ("json", b"{", "is damaged"),
            ("msgpack", packed({"channel_values": {"talk": []}}), "no “messages”. It has: talk"),
            ("msgpack", packed({"channel_values": {"messages": 5}}), "no whole list"),
            (
                "msgpack",
                packed({"channel_values": {}, "channel_versions": {"messages": "1"}}),
                "no whole list",
            ),
            (
                "msgpack",
                packed({"channel_values": {"messages": ["Hi"]}}),
                "of its messages is none",
            ),
        ],
    )
    def test_says_which_thread_cannot_be_read_and_why(self, read, kind, value, why):
        good, bad = read(("t1", "", "1", "msgpack", state()), ("t2", "", "1", kind, value))

        assert good.problem == ""
        assert "Thread “t2”" in bad.problem
        assert why in bad.problem

    @pytest.mark.parametrize(
        ("tables", "why"),
        [
            ("CREATE TABLE other (id INTEGER);", "no table “checkpoints”"),
            ("CREATE TABLE checkpoints (thread_id TEXT);", "no column “checkpoint_ns”"),
        ],
    )
    def test_refuses_other_databases(self, tmp_path, tables, why):
        path = tmp_path / "other.db"
        with closing(sqlite3.connect(path)) as file, file:
            file.executescript(tables)

        with pytest.raises(UnreadableTalks, match=why):
            list(files.read_talks([path.read_bytes()]))

    def test_refuses_a_damaged_file(self):
        damaged = b"SQLite format 3\x00" + b"\x07" * 5_000

        assert not langgraph.is_checkpoints([damaged])
        with pytest.raises(UnreadableTalks, match="damaged"):
            list(files.read_talks([damaged]))
