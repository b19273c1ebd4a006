"""The recorder tells what differs, and nothing else."""

import io
import zipfile
from dataclasses import replace

from tests.recorder import masks, recording
from tests.recorder.cells import Cell, linked
from tests.recorder.recording import Answer

HOME = "northport OWNER GET home /p/northport/"
ANSWER = Answer(200, 3, {"Content-Type": "text/html"}, "<p>\nGood\n</p>")


def archive(text):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("a.csv", text)
    return file.getvalue()


class TestDifferences:
    def test_are_none_where_all_is_as_it_was(self):
        assert recording.differences({HOME: ANSWER}, {HOME: ANSWER}) == []

    def test_name_what_is_otherwise(self):
        after = replace(ANSWER, body="<p>\nBad\n</p>", queries=4)

        body, queries = recording.differences({HOME: ANSWER}, {HOME: after})

        assert (body.what, body.lines[1:]) == ("body", (" <p>", "-Good", "+Bad", " </p>"))
        assert (queries.what, queries.lines) == ("queries", ("-3", "+4"))

    def test_name_what_is_gone_and_what_is_new(self):
        found = recording.differences({HOME: ANSWER}, {"another": ANSWER})

        assert [(one.what, one.key) for one in found] == [("gone", HOME), ("new", "another")]

    def test_are_told_in_one_line_each_kind(self):
        found = recording.differences({HOME: ANSWER}, {HOME: replace(ANSWER, status=500)})

        told = recording.told(found, 1)
        assert told.splitlines()[0] == "1 answers compared: 1 differ in status"
        assert told.endswith(f"== status: {HOME}\n-200\n+500")


class TestBodies:
    def test_of_pages_do_not_depend_on_white_space(self):
        one = recording.body_of(b"<p>\n  Good <b>day</b></p>", "text/html; charset=utf-8")

        assert one == recording.body_of(b"<p> Good <b>day</b> </p>\n", "text/html")

    def test_of_archives_are_their_files(self):
        one, same, other = (recording.body_of(archive(text), "") for text in ("a", "a", "b"))

        assert one == same != other
        assert one.startswith("a.csv ")

    def test_hold_nothing_random(self):
        page = '<input name="csrfmiddlewaretoken" value="Abc123"><script nonce="x9+/=">'

        assert masks.masked(page) == (
            '<input name="csrfmiddlewaretoken" value="*"><script nonce="*">'
        )


class TestLinked:
    def test_follows_what_a_page_leads_to_in_its_world_by_page_and_by_api(self):
        at = Cell("northport", "OWNER", "GET", "home", "/p/northport/")
        page = (
            '<a href="/p/northport/insight/movement/?before=1&amp;after=2">x</a>'
            '<a href="/p/elsewhere/">y</a><a href="/p/northport/rubrics/">z</a><a href="#a">a</a>'
        )

        found = {(one.name, one.path) for one in linked(page, at)}

        assert ("movement", "/p/northport/insight/movement/?before=1&after=2") in found
        assert ("rubrics", "/p/northport/rubrics/") in found
        assert ("api_rubrics", "/api/v1/projects/northport/rubrics/") in found
        assert not any("elsewhere" in path for _name, path in found)

    def test_leaves_out_what_is_no_route(self):
        at = Cell("northport", "OWNER", "GET", "home", "/p/northport/")

        assert linked('<a href="/p/northport/nowhere/at/all/x">x</a>', at) == []
