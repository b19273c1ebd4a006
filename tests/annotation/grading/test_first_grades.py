import pytest

from annotation import models
from annotation.grading import counting as first_grades
from tests import make

pytestmark = pytest.mark.django_db


class TestRows:
    def test_are_what_was_submitted_first_whatever_came_later(self):
        round_ = make.open_round(n_items=1)
        seat = make.claim(round_)
        make.submit(seat, {"A": 2, "B": 0})
        make.submit(seat, {"A": 1, "B": 0}, now=make.at(5), base_rev=1)

        found = list(first_grades.rows(round_))

        assert sorted(one.share or 0.0 for one in found) == [0.0, 1.0]
        assert {one.at for one in found} == {make.at(1)}

    def test_leave_out_what_came_late_and_what_no_annotator_gave(self):
        round_ = make.open_round(n_items=1)
        make.submit(make.claim(round_))
        models.Grade.objects.filter(slot__position=0).update(is_current=False, late=True)
        given = models.Grade.objects.get(slot__position=1)
        models.Grade.objects.create(
            round=round_,
            response=given.response,
            criterion=given.criterion,
            rater=given.rater,
            kind="REFERENCE",
            value=2,
        )

        assert [one.response for one in first_grades.rows(round_)] == [given.response_id]
