import json

import pytest

from annotation import models
from evalsite import env
from tests import kept, loaded

pytestmark = pytest.mark.django_db
FIXTURES = env.BASE_DIR / "fixtures"


@pytest.fixture(scope="module", autouse=True)
def stocked(django_db_setup, django_db_blocker):
    with kept.for_a_module(django_db_blocker):
        loaded.load()
        yield


@pytest.fixture
def questions():
    """Return the demo's accepted versions that hold an item."""
    ids = [
        json.loads(line)["external_id"]
        for line in (FIXTURES / "demo/questions.jsonl").read_text().splitlines()
    ]
    return models.QuestionVersion.objects.filter(question__external_id__in=ids)


class TestStock:
    def test_has_every_question_accepted_with_its_sources(self, questions):
        assert questions.count() == 24
        assert {one.state for one in questions} == {"ACCEPTED"}
        assert all(one.citations.exists() for one in questions)

    def test_has_two_inspectors_in_core_domains(self, questions):
        for one in questions:
            wanted = 2 if one.domain.priority == "P0" else 1
            assert one.inspections.count() == wanted

    def test_gives_rounds_answers_and_grades_to_the_items_of_the_bank(self, questions):
        made = models.Item.objects.filter(question_version__in=questions)

        assert made.count() == 24
        # What is in no bank are the notices that were brought in to be summarised, the starts of
        # conversations, and what was said in interviews.
        beside = models.Item.objects.filter(question_version=None)
        rest = beside.exclude(external_id__startswith="NB-").filter(conversations=None)
        assert not rest.exclude(responses__origin="DIALOGUE").exists()
        answers = models.Response.objects.filter(item__in=made)
        # Four systems answered each question; what interviews recorded stands beside.
        assert answers.exclude(origin="DIALOGUE").count() == 96
        assert models.Grade.objects.filter(round__number=1, response__item__in=made).exists()

    def test_is_accepted_before_the_first_round_begins(self, questions):
        first = models.Round.objects.get(number=1)
        assert max(one.decided_at for one in questions) < first.created_at
        answers = models.ImportBatch.objects.get(file_name="demo-answers.jsonl")
        assert answers.created_at < first.created_at
