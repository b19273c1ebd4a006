import csv
import io
import re

import pytest
from django.urls import reverse

from annotation.grading.models import Grade, Remark
from annotation.people.models import AuditEvent
from scoring.comments import queries as comments
from tests import make
from tests.scoring import rounds, worker

pytestmark = pytest.mark.django_db


def at(query="", name="results_comments"):
    return reverse(name, args=["northport", 1]) + query


def world(**settings):
    """A round of four answers by two annotators: system A gets 2 and system B 1, of 2."""
    return rounds.graded(
        n_items=2, n_raters=2, marks=lambda system, item, rater: 2 - system, **settings
    )


def say(text, *, grade, **more):
    return Remark.objects.create(
        slot=grade.slot,
        rater=grade.rater,
        kind=Remark.Kind.COMMENT,
        text=text,
        at=make.NOW,
        **more,
    )


def of_value(value, n=0):
    return Grade.objects.filter(value=value).order_by("pk")[n]


def texts(client, query=""):
    return [one.text for one in client.get(at(query)).context["lines"]]


class TestComments:
    def test_stand_beside_the_grades_they_go_with(self, client, analyst):
        world()
        say("Names the wrong port.", grade=of_value(1))

        page = client.get(at())

        [line] = page.context["lines"]
        assert line.text == "Names the wrong port."
        assert line.annotator.startswith("Annotator ")
        assert line.system.startswith("System ")
        assert [mark.value for mark in line.marks] == ["1"]
        text = page.content.decode()
        assert "1 comment" in text
        assert "northport-annotator" not in text
        assert "Kestrel" not in text

    def test_are_the_last_word_of_each_annotator(self, client, analyst):
        world()
        say("First.", grade=of_value(1))
        say("Second.", grade=of_value(1), revision=2)
        say("Gone.", grade=of_value(2))
        say("", grade=of_value(2), revision=2)
        say("Too late.", grade=of_value(2, 1), late=True)

        assert texts(client) == ["Second."]

    def test_are_found_by_level_criterion_system_and_text(self, client, analyst):
        world()
        say("Names the wrong port.", grade=of_value(1))
        say("Right and short.", grade=of_value(2))

        assert texts(client, "?level=1") == ["Names the wrong port."]
        assert texts(client, "?level=2&criterion=grade") == ["Right and short."]
        assert texts(client, "?q=SHORT") == ["Right and short."]
        by_system = [texts(client, f"?system={n}") for n in (1, 2)]
        assert sorted(by_system) == [["Names the wrong port."], ["Right and short."]]

    def test_take_a_filter_away(self, client, analyst):
        world()
        say("Right and short.", grade=of_value(2))

        chips = client.get(at("?level=1&q=short")).context["comments"].chips

        assert [(title, without) for title, _value, without in chips] == [
            ("Level", "q=short"),
            ("Text", "level=1"),
        ]

    @pytest.mark.parametrize("query", ["?system=9", "?criterion=tone", "?level=high", "?level=nan"])
    def test_refuse_what_the_round_does_not_have(self, client, analyst, query):
        world()
        say("Right and short.", grade=of_value(2))

        page = client.get(at(query))

        assert page.context["problem"]
        assert len(page.context["lines"]) == 1

    def test_come_page_by_page_and_as_often_for_many(self, client, analyst):
        made = rounds.graded(n_items=30, n_raters=2, marks=rounds.steady)
        for n, grade in enumerate(Grade.objects.filter(round=made).order_by("pk")[:60]):
            say(f"Comment {n}", grade=grade)

        first = client.get(at())
        after = client.get(at(first.context["next_url"]))

        assert [len(page.context["lines"]) for page in (first, after)] == [50, 10]
        assert first.context["lines"][0].text == "Comment 59"

    def test_stand_in_a_file_that_is_recorded(self, client, analyst):
        world()
        say("=1+1", grade=of_value(2))

        text = b"".join(client.get(at("?level=2", "results_comments_csv"))).decode()

        [row] = csv.DictReader(io.StringIO(text))
        assert row["comment"] == "'=1+1"
        assert row["grades"].endswith(": 2")
        assert AuditEvent.objects.filter(verb="round.exported", data__form="comments.csv").exists()

    def test_are_read_by_programs(self, client, analyst):
        world()
        say("Right and short.", grade=of_value(2))

        told = client.get(at("?level=2", "api_comments")).json()
        refused = client.get(at("?system=9", "api_comments"))

        assert told["n_comments"] == 1
        assert told["comments"][0]["comment"] == "Right and short."
        assert told["comments"][0]["grades"][0]["value"] == "2"
        assert refused.status_code == 422
        assert refused.json()["code"] == comments.BadCommentFilter.code

    def test_of_a_grade_that_was_brought_in_count_too(self, client, analyst):
        world()
        grade = of_value(2)
        Remark.objects.create(
            grade=grade, rater=grade.rater, kind="COMMENT", text="From a file.", at=make.NOW
        )

        assert texts(client, "?level=2") == ["From a file."]

    def test_say_that_there_are_none(self, client, analyst):
        world()

        assert "Annotators have written none" in client.get(at()).content.decode()


class TestReports:
    def test_show_comments_where_one_chooses_so(self, client, analyst):
        made = rounds.graded(n_items=9)
        say("Names the wrong port.", grade=Grade.objects.filter(round=made)[0])
        client.get(at(name="results_report"))
        worker.compute()

        without = client.get(at(name="results_report")).content.decode()
        shown = client.get(at("?comments=shown", "results_report")).content.decode()
        nobody = client.get(at("?comments=shown&annotators=none", "results_report_html"))
        api = "/api/v1/projects/northport/rounds/1/report/"
        plain, said, less = (
            client.get(api + query).json()["comments"]
            for query in ("", "?comments=shown", "?comments=shown&annotators=none")
        )

        assert "Names the wrong port." not in without
        assert "Names the wrong port." in shown
        text = b"".join(nobody).decode()
        assert "Names the wrong port." in text
        assert not re.search(r"Annotator \d", text)
        assert plain == []
        assert "Names the wrong port." in [one["comment"] for one in said]
        assert said[0]["annotator"].startswith("Annotator ")
        assert "annotator" not in less[0]
