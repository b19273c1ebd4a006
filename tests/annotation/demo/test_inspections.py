import pytest

from annotation import models
from tests import loaded

pytestmark = pytest.mark.django_db


class TestPlay:
    def test_leaves_questions_in_every_state_of_inspection(self):
        loaded.load()

        newest = models.QuestionVersion.objects.newest().filter(author__username="tilde")
        states = {one.question.external_id: (one.number, one.state) for one in newest}
        assert states["NP-101"] == (2, "SUBMITTED")
        assert states["NP-105"] == (1, "RETURNED")
        assert states["NP-106"] == (1, "ACCEPTED")
        half = newest.get(question__external_id="NP-102")
        assert (half.state, half.inspections.count()) == ("SUBMITTED", 1)
