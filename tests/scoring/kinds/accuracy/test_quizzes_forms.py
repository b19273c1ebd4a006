from uuid import UUID

import pytest

from scoring.kinds.accuracy.operations import KIND
from scoring.kinds.accuracy.start import QuizForm
from tests import make
from tests.scoring import interviewed, quizzed

pytestmark = pytest.mark.django_db


def form(data=None):
    return QuizForm(data, project=make.project(), key=UUID(int=1), seed=7)


class TestQuizForm:
    def test_can_start_once_somebody_can_be_asked(self):
        assert not form().can_start

        interviewed.candidates()

        assert form().can_start

    def test_says_what_is_wanted(self):
        releases = [one.pk for one in interviewed.candidates()]
        data = {
            "key": str(UUID(int=1)),
            "name": "March",
            "over": "bank:",
            "questions": 5,
            "releases": releases,
            "orders": 2,
            "shots": 1,
            "examples_over": "",
            "language": "en",
            "seed": 7,
        }

        sent = form(data)

        assert sent.is_valid(), sent.errors
        wish = sent.wish()
        assert (wish.questions, wish.orders, wish.shots, wish.releases) == (
            5,
            2,
            1,
            tuple(releases),
        )

    def test_shows_what_an_earlier_run_was_started_with(self):
        quizzed.questions(3)
        run = quizzed.requested(orders=2, questions=2)

        assert KIND.again(run)["orders"] == 2
        assert KIND.again(run)["questions"] == 2
