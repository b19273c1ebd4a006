import pytest
from django.db import IntegrityError, transaction

from annotation.qualification import operations as qualifying
from annotation.qualification.models import (
    Practice,
    Qualification,
    QualificationRule,
    TrainingExample,
)
from annotation.training import operations as training
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def refused(deed):
    with pytest.raises(IntegrityError), transaction.atomic():
        deed()


class TestQualification:
    def test_stays_as_it_was_recorded(self):
        rater = qualified.qualified(qualified.annotator())
        mine = Qualification.objects.filter(rater=rater)

        refused(lambda: mine.update(state="SUSPENDED"))
        refused(lambda: mine.delete())
        assert mine.get().state == "QUALIFIED"

    def test_says_why_where_somebody_says_it_by_hand(self):
        given = {"rater": qualified.annotator(), "capability": make.capability(), "number": 1}

        refused(
            lambda: Qualification.objects.create(
                event="ALLOWED", state="QUALIFIED", at=make.NOW, **given
            )
        )


class TestTrainingExample:
    def test_keeps_its_words_and_may_be_withdrawn(self):
        only = TrainingExample.objects.filter(pk=qualified.example().pk)

        refused(lambda: only.update(explanation="Something else."))
        refused(lambda: only.update(grades={"grade": "0"}))
        training.withdraw(example=only.get(), by=qualified.curator(make.project()), now=make.NOW)

        assert not TrainingExample.objects.in_use().exists()


class TestPractice:
    def test_stays(self):
        qualified.practise(qualified.example(), qualified.annotator())

        refused(lambda: Practice.objects.update(n_right=0))


class TestQualificationRule:
    def test_stays(self):
        home = make.project()
        qualifying.set_rule(
            project=home,
            capability=None,
            asked=qualifying.RuleAsked(),
            by=qualified.owner(home),
            now=make.NOW,
        )

        refused(lambda: QualificationRule.objects.update(n_least=1))
