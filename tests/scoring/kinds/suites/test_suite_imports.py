import sqlite3
from contextlib import closing

import pytest

from annotation.common.pace import Batches
from annotation.people.models import Rater
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites.conversations import results as suite_imports
from scoring.kinds.suites.conversations.operations import BadConversations, SetWish
from scoring.kinds.suites.models import Conversation
from tests import make
from tests.scoring import suites
from tests.scoring.kinds.suites.test_flexeval_results import TABLES

pytestmark = pytest.mark.django_db

WISH = SetWish("Nightly", "Kestrel", "2", "results.db")


@pytest.fixture
def file(tmp_path):
    """Return the bytes of a results file, with more statements after the tables."""

    def made(more: str = "") -> bytes:
        path = tmp_path / "results.db"
        path.unlink(missing_ok=True)
        with closing(sqlite3.connect(path)) as database:
            database.executescript(TABLES + more)
        return path.read_bytes()

    return made


def brought(data: bytes) -> suite_imports.Imported:
    home = make.project()
    return suite_imports.bring(
        project=home, wish=WISH, chunks=[data], user=suites.owner(home), now=make.NOW
    )


class TestBring:
    def test_keeps_conversations_and_every_value_as_it_stands(self, file):
        found = brought(file())

        (run,) = found.runs
        assert (found.brought.n, found.n_values) == (2, 4)
        assert (run.state, run.name, run.protocol) == (Run.State.DONE, "nightly", "flexeval/file")
        assert suites.stored(run) == {
            ("talk-1", "string_length", "TURN", 1): 19.0,
            ("talk-1", "assistant", "MESSAGE", 3): 1.0,
            ("talk-1", "cost", "TOOL_CALL", 0): 2.5,
            ("talk-2", "kind", "RESPONSE", None): f"UNSCORED: {suite_imports.NO_VALUE}",
        }

    def test_tells_whom_a_value_is_from_and_what_was_said(self, file):
        brought(file())

        raters = dict(Rater.objects.exclude(kind="PERSON").values_list("ref", "kind"))
        assert raters == {
            "string_length · FlexEval": "METRIC",
            "is_role(role='assistant') · FlexEval": "METRIC",
            "cost · FlexEval": "METRIC",
            "kind, judged by a judge · FlexEval": "JUDGE",
        }
        judged = Judgment.objects.get(outcome="UNSCORED")
        assert judged.text == "It greets. Choice: ?"

    def test_changes_nothing_the_second_time(self, file):
        data = file()
        first = brought(data)

        again = brought(data)

        assert again.runs == first.runs
        assert again.brought.n == 0
        assert (Run.objects.count(), Judgment.objects.count()) == (1, 4)
        assert Conversation.objects.count() == 2

    def test_goes_on_where_it_was_stopped(self, file, monkeypatch):
        data = file()
        monkeypatch.setattr(suite_imports, "Batches", lambda **_pace: Batches(start=2, most=2))
        with monkeypatch.context() as broken:
            write, calls = Judgment.objects.bulk_create, []

            def once(rows, **given):
                calls.append(1)
                if len(calls) > 1:
                    raise ConnectionError
                return write(rows, **given)

            broken.setattr(Judgment.objects, "bulk_create", once)
            with pytest.raises(ConnectionError):
                brought(data)
        stopped = Run.objects.get()
        n_then = Judgment.objects.count()

        (run,) = brought(data).runs

        assert (stopped.state, n_then) == (Run.State.CANCELLED, 2)
        assert "once more" in stopped.problem
        assert (run.state, run.problem) == (Run.State.DONE, "")
        assert list(suites.stored(run).values())[:3] == [19.0, 1.0, 2.5]
        assert Judgment.objects.count() == 4

    def test_makes_a_run_of_each_evaluation(self, file):
        more = """
            INSERT INTO evalsetrun VALUES (4, 'weekly', '2026-03-09');
            INSERT INTO metric SELECT 9, 4, thread_id, turn_id, message_id, toolcall_id, evaluation_name,
              evaluation_type, metric_name, metric_level, 20, kwargs, NULL, NULL, NULL FROM metric WHERE id = 1;
        """

        first, second = brought(file(more)).runs

        assert (first.name, second.name) == ("nightly", "weekly")
        assert list(suites.stored(second).values()) == [20.0]

    def test_loses_no_value_that_stands_there_twice(self, file):
        more = """
            INSERT INTO metric SELECT 9, evalsetrun_id, thread_id, turn_id, message_id, toolcall_id,
              evaluation_name, evaluation_type, metric_name, metric_level, 7, kwargs, NULL, NULL, NULL
              FROM metric WHERE id = 1;
        """

        brought(file(more))

        rows = Judgment.objects.filter(criterion__name="string_length").order_by("repeat")
        assert list(rows.values_list("repeat", "value")) == [(0, 19.0), (1, 7.0)]

    @pytest.mark.parametrize("data", [b"SQLite format 3\x00" + b"\0" * 200, b"{}"])
    def test_refuses_what_is_no_results_file_and_keeps_nothing(self, data):
        with pytest.raises(BadConversations, match="FlexEval"):
            brought(data)

        assert Run.objects.count() == Conversation.objects.count() == 0

    def test_refuses_a_file_that_is_too_large(self, file, monkeypatch):
        monkeypatch.setattr(suite_imports, "LARGEST", 1000)

        with pytest.raises(BadConversations, match="may hold"):
            brought(file())
