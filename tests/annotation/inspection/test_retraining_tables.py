import pytest
from django.db import IntegrityError, transaction

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def settled(by) -> models.Retraining:
    return models.Retraining.objects.create(
        project=make.project(),
        designer=make.member(Role.DESIGNER),
        note="We talked.",
        by=by,
        at=make.NOW,
    )


class TestRetraining:
    def test_stays_on_record(self):
        made = settled(make.member(Role.CURATOR))

        with pytest.raises(IntegrityError), transaction.atomic():
            models.Retraining.objects.filter(pk=made.pk).update(note="Other.")
        with pytest.raises(IntegrityError), transaction.atomic():
            made.delete()

    def test_is_settled_by_somebody_else(self):
        with pytest.raises(IntegrityError), transaction.atomic():
            settled(make.member(Role.DESIGNER))


class TestRetrainingLimit:
    @pytest.mark.parametrize("percent", [0, 101])
    def test_is_a_percentage(self, percent):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.RetrainingLimit.objects.create(
                project=make.project(), percent=percent, by=make.member(Role.CURATOR), at=make.NOW
            )
