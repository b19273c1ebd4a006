import pytest

from scoring.engine.models import Step
from scoring.figures.models import Figure
from scoring.kinds.accuracy import operations as quiz_figuring
from scoring.kinds.accuracy.queries import Options
from tests import make
from tests.scoring import quizzed

pytestmark = pytest.mark.django_db


def figure(run):
    return quiz_figuring.figure_of(run=run, options=Options(), now=make.NOW)


class TestFigureOf:
    def test_is_another_one_when_more_questions_are_answered(self):
        quizzed.questions(2)
        run = quizzed.requested()
        before = figure(run)

        Step.objects.create(run=run, ordinal=99, key="more", state=Step.State.DONE)

        assert figure(run) != before
        assert figure(run) == figure(run)
        assert Figure.objects.count() == 2
