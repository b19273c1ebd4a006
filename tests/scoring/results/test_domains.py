import pytest

from annotation import models
from scoring import jobs as scoring_jobs
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestTheScoresOfDomains:
    def test_count_what_stands_below_an_area(self):
        round_ = rounds.graded(n_items=2, marks=lambda system, item, rater: item)
        first, second = models.Item.objects.filter(project=round_.project).order_by("pk")
        freight = make.domain("Freight")
        air = models.Domain.objects.create(project=round_.project, name="Air", parent=freight)
        models.Item.objects.filter(pk=first.pk).update(domain=freight)
        models.Item.objects.filter(pk=second.pk).update(domain=air)

        found = scoring_jobs.compute(name="domains", round_=round_, params={})

        assert found == {
            str(freight.pk): {"score": 25.0, "n": 12},
            str(air.pk): {"score": 50.0, "n": 6},
        }

    def test_leave_out_items_of_no_area(self):
        assert scoring_jobs.compute(name="domains", round_=rounds.graded(), params={}) == {}
