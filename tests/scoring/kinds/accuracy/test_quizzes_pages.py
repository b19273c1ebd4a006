import re
from uuid import uuid4

import pytest

from annotation.people.models import AuditEvent
from evalsite import queue
from scoring.engine.models import LLMCall, Run
from tests import make
from tests.scoring import interviewed, quizzed, run_rows

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/accuracy/new/"


def sent(deed, **given):
    usual = {
        "deed": deed,
        "key": str(uuid4()),
        "name": "In March",
        "over": "bank:",
        "questions": 3,
        "orders": 2,
        "shots": 0,
        "language": "auto",
        "seed": 7,
    }
    if "releases" not in given:
        given["releases"] = [one.pk for one in interviewed.candidates()]
    return {**usual, **given}


def at(run, end="accuracy/"):
    return f"/p/northport/runs/{run.number}/{end}"


def opened(client, url, capture):
    with capture(execute=True):
        client.get(url)
    queue.burst("insight")
    return client.get(url).content.decode()


class TestQuizNew:
    def test_says_what_it_would_take_and_starts(self, as_curator):
        quizzed.questions(4)
        make.item("free")
        form = sent("estimate")

        counted = as_curator.post(PAGE, form).content.decode()
        started = as_curator.post(PAGE, {**form, "deed": "start"})

        assert "4 questions can be drawn" in counted
        assert "1 has no options and is left out" in counted
        assert re.search(r"Calls</dt><dd>\s*12", counted)
        run = Run.objects.get()
        assert started.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert (run.kind, len(run.config["items"]), run.config["orders"]) == ("QUIZ", 3, 2)

    def test_begins_again_like_another_run(self, as_curator):
        quizzed.questions(3)
        run = quizzed.done(orders=3, questions=2)

        page = as_curator.get(f"{PAGE}?from={run.number}")

        form = page.context["form"]
        assert (form["orders"].value(), form["questions"].value()) == (3, 2)
        assert f"{PAGE}?from={run.number}" in as_curator.get(at(run, "")).content.decode()

    def test_says_which_setting_cannot_be_used(self, as_curator):
        quizzed.questions(2)

        answer = as_curator.post(PAGE, sent("start", questions=9))

        assert answer.status_code == 422
        assert "Draw from 1 to 2 questions." in answer.content.decode()
        assert not Run.objects.exists()

    def test_tells_what_to_do_when_nobody_can_be_asked(self, as_curator):
        page = as_curator.get(PAGE).content.decode()

        assert "Nobody to ask yet" in page
        assert "/p/northport/imports/new/?kind=CHOICES" in page


class TestRunAccuracy:
    def test_shows_accuracy_orders_pairs_and_how_replies_were_read(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        quizzed.questions(6)
        quizzed.questions(2, dataset="Dock", first=6)
        run = quizzed.done(orders=2)

        page = opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        for words in (
            "Kestrel · 1",
            "Scripted, not a measurement",
            "Mean over data sets",
            "By order of the options",
            "p, Holm",
            "No option read",
            "replies without an option count as wrong",
            "zero-shot",
        ):
            assert words in page
        assert at(run) in as_analyst.get(at(run, "")).content.decode()

    def test_counts_by_another_rule_and_asks_nobody(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        quizzed.questions(3)
        run = quizzed.done(orders=2)
        n_calls = LLMCall.objects.count()

        page = opened(
            as_analyst, f"{at(run)}?rule=strict&unread=left_out", django_capture_on_commit_callbacks
        )

        assert "Right in every order; replies without an option are left out" in page
        assert LLMCall.objects.count() == n_calls

    def test_sends_files_that_are_recorded_and_leads_back_until_there_are_some(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        quizzed.questions(3)
        run = quizzed.done(orders=2)
        for name in ("accuracy.csv", "accuracy.svg"):
            assert as_analyst.get(at(run, f"accuracy/{name}")).headers["Location"] == at(run)
        opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        lines = b"".join(as_analyst.get(at(run, "accuracy/accuracy.csv"))).decode().splitlines()
        drawn = b"".join(as_analyst.get(at(run, "accuracy/accuracy.svg"))).decode()

        assert lines[0].startswith("system,dataset,order,accuracy")
        assert len(lines) == 1 + 2 * 2 + 2 * 2
        assert "<svg" in drawn
        assert AuditEvent.objects.filter(verb="run.exported").count() == 2

    def test_is_none_of_another_kind_of_run(self, as_analyst):
        run = run_rows.run()

        assert as_analyst.get(at(run)).status_code == 404
