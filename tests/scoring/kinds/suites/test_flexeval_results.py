import sqlite3
from contextlib import closing

import pytest

from scoring.kinds.suites.protocol import flexeval_results
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.conversations import NoConversation

TABLES = """
CREATE TABLE evalsetrun (id INTEGER PRIMARY KEY, name TEXT, timestamp TEXT);
CREATE TABLE thread (id INTEGER PRIMARY KEY, jsonl_thread_id TEXT, system_prompt TEXT);
CREATE TABLE message (id INTEGER PRIMARY KEY, thread_id INTEGER, turn_id INTEGER, index_in_thread INTEGER,
  role TEXT, content TEXT);
CREATE TABLE toolcall (id INTEGER PRIMARY KEY, message_id INTEGER, function_name TEXT, args TEXT);
CREATE TABLE metric (id INTEGER PRIMARY KEY, evalsetrun_id INTEGER, thread_id INTEGER, turn_id INTEGER,
  message_id INTEGER, toolcall_id INTEGER, evaluation_name TEXT, evaluation_type TEXT, metric_name TEXT,
  metric_level TEXT, metric_value REAL, kwargs TEXT, rubric_completion TEXT, rubric_model TEXT, rubric_score TEXT);
INSERT INTO evalsetrun VALUES (3, 'nightly', '2026-03-02');
INSERT INTO thread VALUES (1, 'talk-1', 'Be kind.'), (2, 'talk-2', '');
INSERT INTO message VALUES (1, 1, 1, 0, 'user', 'Where is quay 4?'),
  (2, 1, 2, 1, 'assistant', ''), (3, 1, 2, 2, 'tool', 'north'), (4, 1, 2, 3, 'assistant', 'In the north.'),
  (5, 2, 3, 0, 'user', 'Hello');
INSERT INTO toolcall VALUES (1, 2, 'find', '{"quay": 4}');
INSERT INTO metric VALUES
  (1, 3, 1, 2, NULL, NULL, 'string_length', 'function', 'string_length', 'Turn', 19, '{}', NULL, NULL, NULL),
  (2, 3, 1, NULL, 4, NULL, 'is_role', 'function', 'assistant', 'Message', 1, '{''role'': ''assistant''}',
    NULL, NULL, NULL),
  (3, 3, 1, NULL, NULL, 1, 'cost', 'function', 'cost', 'ToolCall', 2.5, '{}', NULL, NULL, NULL),
  (4, 3, 2, NULL, NULL, NULL, 'kind', 'rubric', 'kind', 'Thread', NULL, '{}', 'It greets. Choice: ?', 'a judge', NULL);
"""


@pytest.fixture
def write(tmp_path):
    """Write a results file, with more statements after the tables; return its path."""

    def written(more: str = "", tables: str = TABLES):
        path = tmp_path / "results.db"
        with closing(sqlite3.connect(path)) as file:
            file.executescript(tables + more)
        return path

    return written


class TestRead:
    def test_gives_conversations_as_they_were(self, write):
        found = flexeval_results.read_results(write())

        first, second = found.conversations
        assert (first.external_id, first.system) == ("talk-1", "Be kind.")
        assert [one.content for one in first.messages] == [
            "Where is quay 4?",
            "",
            "north",
            "In the north.",
        ]
        assert [one.role for one in first.turns] == ["user", "assistant"]
        assert [(one.name, one.arguments) for one in first.tool_calls] == [("find", {"quay": 4})]
        assert second.messages[0].content == "Hello"
        assert found.runs == {3: "nightly"}

    def test_gives_each_value_at_its_part(self, write):
        found = flexeval_results.read_results(write())

        assert [
            (one.conversation, one.level, one.place, one.name, one.value) for one in found.values
        ] == [
            (0, Level.TURN, 1, "string_length", 19.0),
            (0, Level.MESSAGE, 3, "assistant", 1.0),
            (0, Level.TOOL_CALL, 0, "cost", 2.5),
            (1, Level.CONVERSATION, 0, "kind", None),
        ]
        assert found.values[1].arguments == {"role": "assistant"}

    def test_keeps_what_the_judge_said(self, write):
        judged = flexeval_results.read_results(write()).values[3]

        assert judged.is_rubric
        assert (judged.reason, judged.model) == ("It greets. Choice: ?", "a judge")

    def test_takes_a_system_message_among_the_others_for_the_prompt(self, write):
        more = "INSERT INTO message VALUES (6, 2, NULL, -1, 'system', 'Be kind.');"

        _first, second = flexeval_results.read_results(write(more)).conversations

        assert [one.role for one in second.messages] == ["user"]

    def test_changes_nothing_in_the_file(self, write):
        path = write()
        before = path.read_bytes()

        flexeval_results.read_results(path)

        assert path.read_bytes() == before
        assert [one.name for one in path.parent.iterdir()] == ["results.db"]


class TestReadRefuses:
    def test_what_is_no_database(self, tmp_path):
        path = tmp_path / "results.db"
        path.write_text("conversation,metric\n1,2\n" * 60)

        with pytest.raises(NoConversation, match="no results file of FlexEval"):
            flexeval_results.read_results(path)

    def test_a_database_without_a_table_by_its_name(self, write):
        with pytest.raises(NoConversation, match="no table “metric”"):
            flexeval_results.read_results(write("DROP TABLE metric;"))

    def test_a_view_in_place_of_a_table(self, write):
        more = "DROP TABLE thread; CREATE VIEW thread AS SELECT 1 AS id;"

        with pytest.raises(NoConversation, match="no table “thread”"):
            flexeval_results.read_results(write(more))

    def test_a_table_without_a_column_by_its_name(self, write):
        with pytest.raises(NoConversation, match="“metric” has no column “rubric_model”"):
            flexeval_results.read_results(write("ALTER TABLE metric DROP COLUMN rubric_model;"))

    def test_a_level_that_there_is_not(self, write):
        with pytest.raises(NoConversation, match="no level “Word”"):
            flexeval_results.read_results(
                write("UPDATE metric SET metric_level = 'Word' WHERE id = 1;")
            )

    def test_more_work_than_a_file_is_worth(self, write, monkeypatch):
        monkeypatch.setattr(flexeval_results, "MOST_STEPS", 1)
        more = """
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO metric SELECT i, 3, 1, 2, NULL, NULL, 'a', 'function', 'a', 'Turn', 1, '{}',
              NULL, NULL, NULL FROM n;
        """

        with pytest.raises(NoConversation, match="interrupted"):
            flexeval_results.read_results(write(more))
