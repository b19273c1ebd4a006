from decimal import Decimal

import pytest

from annotation import models
from annotation.grading import facts as grade_table
from annotation.review import operations as review
from evalsite import errors
from tests.annotation import reviewed
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def valid(round_):
    """Return the keys of the given grades that count."""
    rows = grade_table.rows(grade_table.facts([round_]))
    return {row.pk for row in rows if row.counts}


class TestCarryOut:
    def test_an_adjudicated_grade_stands_beside_those_that_were_given(self):
        round_ = rounds.graded(n_items=1)
        given = list(models.Grade.objects.values())

        reviewed.decide("ADJUDICATE", round_)
        reviewed.decide("ADJUDICATE", round_, value=Decimal(2))

        assert list(models.Grade.objects.filter(kind="GIVEN").values()) == given
        made = models.Grade.objects.filter(kind="ADJUDICATED").order_by("revision")
        assert [(int(one.value), one.is_current) for one in made] == [(1, False), (2, True)]

    @pytest.mark.parametrize(
        ("act", "n_struck"), [("STRIKE_GRADE", 1), ("STRIKE_RATER", 4), ("STRIKE_QUESTION", 6)]
    )
    def test_an_invalidation_leaves_grades_out_until_it_is_taken_back(self, act, n_struck):
        round_ = rounds.graded(n_items=2)
        everything = valid(round_)

        made = reviewed.decide(act, round_)
        assert len(everything - valid(round_)) == n_struck
        reviewed.take_back(made)

        assert valid(round_) == everything
        assert models.Invalidation.objects.count() == 2

    def test_an_adjudication_that_is_taken_back_is_invalid_but_there(self):
        round_ = rounds.graded(n_items=1)
        made = reviewed.decide("ADJUDICATE", round_)

        reviewed.take_back(made)

        rows = grade_table.rows(grade_table.facts([round_]))
        assert [row.valid for row in rows if row.grade_kind == "ADJUDICATED"] == [False]

    def test_one_more_annotator_gets_a_seat_that_stays(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")

        made = reviewed.decide("REGRADE", round_)

        assert made.effect.assignment.state == "FREE"
        with pytest.raises(errors.NotNow):
            reviewed.take_back(made)

    def test_grades_go_back_to_their_annotator_and_stand_when_that_is_taken_back(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        seat = reviewed.grade(round_).assignment

        made = reviewed.decide("HAND_BACK", round_)
        seat.refresh_from_db()
        assert seat.state == "CLAIMED"
        reviewed.take_back(made)

        seat.refresh_from_db()
        assert seat.state == "SUBMITTED"

    def test_a_clearer_rubric_is_its_next_version(self):
        round_ = rounds.graded(n_items=1)
        used = reviewed.place(round_).rubric_version

        reviewed.decide("CLARIFY_RUBRIC", round_)

        newest = models.RubricVersion.objects.filter(rubric=used.rubric).latest("number")
        assert newest.number == used.number + 1
        assert newest.principle.endswith("A date that is missing is no error.")

    def test_a_corrected_answer_begins_a_version_of_a_question_of_the_bank(self):
        round_ = rounds.graded(n_items=1)
        version = reviewed.banked(round_)

        reviewed.decide("FIX_ANSWER", round_, n=1)

        newest = version.question.versions.latest("number")
        assert (newest.answer, newest.state) == ("A better answer.", "DRAFT")

    def test_refuses_to_correct_what_is_not_from_the_bank(self):
        with pytest.raises(review.NotFromTheBank):
            reviewed.decide("FIX_ANSWER", rounds.graded(n_items=1))

        assert not models.Decision.objects.exists()

    def test_an_invalid_question_is_so_in_the_bank_too_and_comes_back(self):
        round_ = rounds.graded(n_items=1)
        version = reviewed.banked(round_)

        made = reviewed.decide("STRIKE_QUESTION", round_, n=1)
        version.question.refresh_from_db()
        assert version.question.state == "INVALIDATED"
        reviewed.take_back(made)

        version.question.refresh_from_db()
        assert version.question.state == "LIVE"
