from io import BytesIO

import pytest

from annotation.files.models import Upload
from annotation.systems.models import Item
from evalsite import queue
from scoring.kinds.suites.models import Conversation
from tests import make
from tests.pages import squeezed
from tests.scoring import checkpoints, suites

pytestmark = pytest.mark.django_db
LIST = "/p/northport/conversations/"


def sent(content, name="talks.jsonl", **given):
    file = BytesIO(content)
    file.name = name
    return {"file": file, "set_name": "Talks", "system": "Kestrel", "release": "1", **given}


class TestConversationsNew:
    def test_brings_a_file_in(self, as_curator):
        answer = as_curator.post(f"{LIST}new/", sent(suites.lines()))

        page = as_curator.get(answer.headers["Location"]).content.decode()
        assert "2 conversations are new." in page
        assert "Where is gate 12?" in page
        # No round draws what was only recorded.
        assert not Item.objects.filter(published_at=None).exists()

    def test_knows_what_is_there_already(self, as_curator):
        for _ in range(2):
            as_curator.post(f"{LIST}new/", sent(suites.lines()))

        assert Conversation.objects.count() == 2

    def test_takes_tables(self, as_curator):
        as_curator.post(f"{LIST}new/", sent(b"conversation,role,content\na,user,hi\n", "t.csv"))

        assert Conversation.objects.get().external_id == "a"

    def test_tells_which_lines_are_bad_and_brings_nothing_in(self, as_curator):
        answer = as_curator.post(f"{LIST}new/", sent(suites.lines() + b"\n{}"))

        assert answer.status_code == 422
        assert "Line 3: There is no list of “messages”." in answer.content.decode()
        assert not Conversation.objects.exists()

    def test_leaves_a_large_file_to_a_worker_and_tells_what_came_of_it(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        large = suites.lines() + b"\n" * Upload.SMALL
        with django_capture_on_commit_callbacks(execute=True):
            answer = as_curator.post(f"{LIST}new/", sent(large))
        page = as_curator.get(answer.headers["Location"]).content.decode()
        assert "reading" in page
        assert 'hx-trigger="every 2s"' in page

        queue.burst()

        page = squeezed(as_curator.get(f"{LIST}new/").content.decode())
        assert f'<a href="{LIST}?set=1">2 conversations are new.</a>' in page
        assert "reading<" not in page

    def test_tells_what_is_wrong_with_a_large_file(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        large = suites.lines() + b"\n{}" + b"\n" * Upload.SMALL
        with django_capture_on_commit_callbacks(execute=True):
            as_curator.post(f"{LIST}new/", sent(large))
        queue.burst()

        assert "Line 3: There is no list" in as_curator.get(f"{LIST}new/").content.decode()

    def test_takes_a_million_signs_and_shows_the_beginning(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        talk = {"messages": [{"role": "user", "content": "a" * 1_000_000}]}
        with django_capture_on_commit_callbacks(execute=True):
            as_curator.post(f"{LIST}new/", sent(suites.lines([talk])))
        queue.burst()

        row = Conversation.objects.get()
        page = as_curator.get(f"{LIST}{row.pk}/").content.decode()
        whole = as_curator.get(f"{LIST}{row.pk}/?whole=1").content.decode()

        assert "990000 more characters" in page
        assert len(page) < 40_000
        assert "a" * 1_000_000 in whole


class TestConversations:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("q=weighbridge", ["gate"]),
            ("tools=on", ["crane"]),
            ("set=1", ["gate", "crane"]),
            ("q=nothing", []),
        ],
    )
    def test_are_found_by_what_was_said(self, as_curator, query, found):
        suites.brought()

        page = squeezed(as_curator.get(f"{LIST}?{query}").content.decode())

        assert [one for one in ("gate", "crane") if f"<small>{one}</small>" in page] == found

    def test_say_what_to_do_where_there_are_none(self, as_curator):
        make.project()

        assert f"{LIST}new/" in as_curator.get(LIST).content.decode()

    def test_asks_the_same_of_the_database_however_many_there_are(
        self, as_curator, django_assert_max_num_queries
    ):
        talks = [{**suites.TALKS[0], "id": f"talk {number}"} for number in range(40)]
        suites.brought(suites.lines(talks))

        with django_assert_max_num_queries(14):
            page = as_curator.get(LIST).content.decode()

        assert "40 conversations" in page


class TestConversation:
    def test_shows_what_was_found_beside_each_turn(self, as_curator):
        run = suites.done(suites.requested())
        row = Conversation.objects.get(external_id="crane")

        page = as_curator.get(f"{LIST}{row.pk}/").content.decode()

        assert f"Run {run.number}" in page
        assert "string_length" in page
        assert "knots: 31" in page
        assert 'id="turn-1"' in page

    def test_lets_one_choose_among_the_runs_the_newest_first(self, as_curator):
        text = (
            "metrics: {function: [{name: count_turns, metric_level: Thread}, "
            "{name: latency, metric_level: Message}]}"
        )
        talks = suites.brought()
        suites.done(suites.requested(suites.saved(), talks))
        suites.done(suites.requested(suites.saved(text), talks, number=2))
        at = f"{LIST}{Conversation.objects.get(external_id='gate').pk}/"

        newest, older = as_curator.get(at), as_curator.get(f"{at}?run=1")

        assert [one.number for one in newest.context["runs"]] == [2, 1]
        assert [one.context["run"].number for one in (newest, older)] == [2, 1]
        assert "Message 1, user" in newest.content.decode()
        assert "count_turns" not in older.content.decode()
        assert '<option value="1" selected>' in squeezed(older.content.decode())

    def test_says_that_nothing_was_found_yet(self, as_curator):
        suites.brought()

        page = as_curator.get(f"{LIST}{Conversation.objects.first().pk}/").content.decode()

        assert "Not evaluated yet" in page

    def test_shows_text_of_systems_as_text(self, as_curator):
        talk = {"messages": [{"role": "assistant", "content": "<script>alert(1)</script>"}]}
        suites.brought(suites.lines([talk]))

        page = as_curator.get(f"{LIST}{Conversation.objects.get().pk}/").content.decode()

        assert "&lt;script&gt;alert(1)" in page


class TestCheckpoints:
    def test_of_langgraph_come_in_as_conversations(self, as_curator, tmp_path):
        make.project()
        row = ("t1", "", "1", "msgpack", checkpoints.state())
        content = checkpoints.database(tmp_path / "graph.db", row).read_bytes()

        answer = as_curator.post(f"{LIST}new/", sent(content, "graph.db"))

        assert answer.status_code == 302
        talk = Conversation.objects.get()
        assert (talk.external_id, talk.n_tool_calls) == ("t1", 1)
