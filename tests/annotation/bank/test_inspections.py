import pytest
from django.db import IntegrityError, transaction

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def inspection():
    return make.question_version("RETURNED").inspections.get()


class TestInspection:
    def test_is_one_a_version_and_inspector(self, inspection):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.Inspection.objects.create(
                version=inspection.version,
                inspector=inspection.inspector,
                author=inspection.author,
                checklist=inspection.checklist,
                verdict="ACCEPT",
                at=make.NOW,
            )

    def test_is_never_of_ones_own(self, inspection):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.Inspection.objects.create(
                version=inspection.version,
                inspector=inspection.author,
                author=inspection.author,
                checklist=inspection.checklist,
                verdict="ACCEPT",
                at=make.NOW,
            )


class TestFinding:
    def test_says_why_where_it_failed(self, inspection):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.Finding.objects.create(inspection=inspection, line="more", outcome="FAIL")

    def test_is_one_a_line(self, inspection):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.Finding.objects.create(inspection=inspection, line="correct", outcome="PASS")


class TestChecklist:
    def test_has_one_version_of_a_number(self, inspection):
        with pytest.raises(IntegrityError), transaction.atomic():
            models.Checklist.objects.create(
                project=make.project(),
                number=1,
                created_by=make.member(Role.CURATOR),
                created_at=make.NOW,
            )
