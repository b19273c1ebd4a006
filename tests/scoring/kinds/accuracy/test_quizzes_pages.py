import re
from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests import make
from tests.scoring import interviewed, quizzed

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


class TestQuizNew:
    def test_says_what_it_would_take_and_starts(self, as_curator):
        quizzed.questions(4)
        make.item("free")
        form = sent("estimate")

        counted = as_curator.post(PAGE, form).content.decode()
        started = as_curator.post(PAGE, {**form, "deed": "start"})

        assert "4 questions can be drawn" in counted
        assert "1 has no options" in counted
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
        there = f"/p/northport/runs/{run.number}/"
        assert f"{PAGE}?from={run.number}" in as_curator.get(there).content.decode()

    def test_says_which_setting_cannot_be_used(self, as_curator):
        quizzed.questions(2)

        answer = as_curator.post(PAGE, sent("start", questions=9))

        assert answer.status_code == 422
        assert "Draw from 1 to 2 questions." in answer.content.decode()
        assert not Run.objects.exists()

    def test_tells_what_to_do_when_nobody_can_be_asked(self, as_curator):
        page = as_curator.get(PAGE).content.decode()

        assert "Nobody to ask" in page
        assert "/p/northport/imports/new/?kind=CHOICES" in page
