import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import models
from annotation.files import wording
from annotation.imports import places as waiting
from tests import make

pytestmark = pytest.mark.django_db


class TestCodes:
    def test_are_of_the_newest_version_of_live_questions(self):
        make.question_version("RETURNED", external_id="R")
        make.question_version("ACCEPTED", external_id="A")
        gone = make.question_version("DRAFT", external_id="G").question
        models.Question.objects.filter(pk=gone.pk).update(state="RETIRED")

        assert waiting.codes(make.project(), ["R", "A", "G", "X"]) == {"R": "question_returned"}

    def test_ask_once_for_all_and_not_at_all_for_none(self):
        home = make.project()
        for place in range(3):
            make.question_version("DRAFT", external_id=f"D-{place}")

        with CaptureQueriesContext(connection) as asked:
            found = waiting.codes(home, [f"D-{place}" for place in range(3)])
            waiting.codes(home, [])

        assert set(found.values()) == {"question_is_draft"}
        assert len(asked) == 1

    def test_have_words(self):
        assert set(waiting.CODES.values()) <= wording.TEXTS.keys()
