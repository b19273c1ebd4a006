from typing import Any

import pytest
from django.db import IntegrityError, transaction

from annotation import models
from annotation.grading.models import Grade, Invalidation, Remark
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def grade():
    make.submit(make.claim(make.open_round()))
    return Grade.objects.earliest("pk")


def refused(name, change):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        change()


def again(grade, **fields):
    """Return the deed of storing the grade once more, with these differences."""

    def create():
        copy = Grade.objects.get(pk=grade.pk)
        copy.pk = None
        for name, value in fields.items():
            setattr(copy, name, value)
        copy.save(force_insert=True)

    return create


def batch(of: Grade) -> models.ImportBatch:
    return models.ImportBatch.objects.create(
        project=of.round.project,
        number=1,
        kind="GRADES",
        file_name="f",
        file_sha="0",
        mapping={},
        mapping_sha="0",
        created_by=of.round.created_by,
        created_at=make.NOW,
        touched_at=make.NOW,
    )


FREE = {"slot": None, "assignment": None}


class TestGrade:
    def test_has_a_value_or_says_why_not(self, grade):
        name = "a_grade_has_a_value_or_says_why_not"
        next_one: dict[str, Any] = {"revision": 2, "is_current": False}

        refused(name, again(grade, value=None, **next_one))
        refused(name, again(grade, outcome="CANNOT_GRADE", **next_one))
        refused(name, again(grade, outcome="MAYBE", **next_one))
        again(grade, outcome="CANNOT_GRADE", value=None, **next_one)()

    def test_is_the_only_one_of_its_revision(self, grade):
        refused("UNIQUE|grade_revision_is_unique", again(grade, is_current=False))

    def test_is_the_only_current_one_of_its_slot(self, grade):
        refused("UNIQUE|one_current_grade_per_slot", again(grade, revision=2))

    def test_leaves_room_for_an_adjudication(self, grade):
        again(grade, kind="ADJUDICATED")()

        assert Grade.objects.filter(slot=grade.slot, is_current=True).count() == 2

    def test_that_is_late_counts_nowhere(self, grade):
        refused("a_late_grade_counts_nowhere", again(grade, revision=2, late=True))
        again(grade, revision=2, late=True, is_current=False)()

        assert Grade.objects.filter(slot=grade.slot).current().count() == 1

    def test_of_a_slot_belongs_to_a_seat_and_to_no_file(self, grade):
        name = "a_graded_slot_belongs_to_a_seat"
        next_one: dict[str, Any] = {"revision": 2, "is_current": False}

        refused(name, again(grade, slot=None, **next_one))
        refused(name, again(grade, assignment=None, **next_one))
        refused(name, again(grade, batch=batch(grade), line=1, **next_one))

    def test_from_a_file_has_a_line_of_its_own(self, grade):
        file = batch(grade)

        refused("an_imported_grade_has_its_line", again(grade, batch=file, **FREE))
        refused("an_imported_grade_has_its_line", again(grade, line=1, **FREE))
        again(grade, batch=file, line=1, **FREE)()
        refused("UNIQUE|imported_grade_line", again(grade, batch=file, line=1, **FREE))

    def test_of_reference_is_one_per_response_and_criterion(self, grade):
        again(grade, kind="REFERENCE", **FREE)()

        refused("UNIQUE|reference_grade", again(grade, kind="REFERENCE", **FREE))
        again(grade, kind="REFERENCE", revision=2, **FREE)()

    def test_of_a_batch_that_is_not_applied_is_not_seen(self, grade):
        again(grade, batch=batch(grade), line=1, **FREE)()
        assert Grade.objects.seen().count() == 2

        models.ImportBatch.objects.update(state="APPLIED")
        assert Grade.objects.seen().count() == 3


class TestRemark:
    def test_is_about_a_grade_a_slot_or_as_a_flag_a_round(self, grade):
        made: dict[str, Any] = {"rater": grade.rater, "kind": "COMMENT", "at": make.NOW}
        name = "a_remark_is_about_a_grade_a_slot_or_a_round"

        refused(name, lambda: Remark.objects.create(**made))
        refused(name, lambda: Remark.objects.create(grade=grade, slot=grade.slot, **made))
        Remark.objects.create(grade=grade, **made)
        Remark.objects.create(slot=grade.slot, **made)
        refused(name, lambda: Remark.objects.create(round=grade.round, **made))
        Remark.objects.create(round=grade.round, **(made | {"kind": "FLAG"}))


class TestInvalidation:
    def test_has_its_target(self, grade):
        made: dict[str, Any] = {
            "round": grade.round,
            "reason": "Swapped answers.",
            "by": grade.round.created_by,
            "at": make.NOW,
        }
        for kind in Invalidation.Kind:
            refused(
                "an_invalidation_has_its_target",
                lambda kind=kind: Invalidation.objects.create(kind=kind, **made),
            )
        first = Invalidation.objects.create(kind="GRADE", grade=grade, **made)
        taken_back: dict[str, Any] = {"kind": "GRADE", "grade": grade, "reverses": first, **made}
        Invalidation.objects.create(**taken_back)

        refused("UNIQUE|reverses", lambda: Invalidation.objects.create(**taken_back))
