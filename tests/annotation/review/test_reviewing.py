import uuid
from decimal import Decimal

import pytest

from annotation import models
from annotation.grading import facts as grade_table
from annotation.review import operations as review
from annotation.review.rules import DecisionStanding, ReviewAct
from evalsite import errors
from tests import make
from tests.annotation import reviewed
from tests.scoring import rounds

pytestmark = pytest.mark.django_db
NO_SEATS = ("REGRADE", "HAND_BACK")
NO_BANK = ("FIX_ANSWER", "REVERSE")


def standing(decision):
    return review.standing_of(review.one_of(decision.round, decision.pk))


class TestDecide:
    @pytest.mark.parametrize("act", [one for one in ReviewAct if one not in NO_BANK])
    def test_holds_at_once_where_one_reviewer_is_enough(self, act):
        round_ = rounds.graded(n_items=1, state="REVIEW")

        made = reviewed.decide(act, round_)

        assert standing(made) is DecisionStanding.HOLDS
        assert (made.effect.by, made.reason) == (reviewed.reviewer(round_), "It was so.")

    def test_is_made_once_however_often_it_is_sent(self):
        round_ = rounds.graded(n_items=1)
        key = uuid.UUID(int=7)

        made = [reviewed.decide("STRIKE_GRADE", round_, key=key) for _ in range(2)]

        assert made[0] == made[1]
        assert models.Invalidation.objects.count() == 1

    def test_makes_the_next_revision_of_a_final_result_if_figures_change(self):
        round_ = rounds.graded(n_items=1)
        before = grade_table.version(round_)

        reviewed.decide("KEEP", round_)
        kept = grade_table.version(round_)
        reviewed.decide("ADJUDICATE", round_)
        round_.refresh_from_db()

        assert (kept, round_.revision) == (before, 2)
        assert grade_table.version(round_) != before

    @pytest.mark.parametrize("reason", ["", "  ", "x" * 1001])
    def test_wants_a_reason_of_a_sensible_length(self, reason):
        with pytest.raises(errors.ReasonNeeded):
            reviewed.decide("KEEP", rounds.graded(n_items=1), reason=reason)

    @pytest.mark.parametrize(
        "more",
        [
            {"value": None},
            {"value": Decimal(7)},
            {"response": None},
            {"criterion": None},
        ],
    )
    def test_refuses_an_adjudication_without_a_fitting_grade(self, more):
        with pytest.raises(review.TargetMissing) as refusal:
            reviewed.decide("ADJUDICATE", rounds.graded(n_items=1), **more)

        assert list(refusal.value.fields) == list(more)
        assert not models.Decision.objects.exists()

    def test_refuses_what_is_not_of_the_question(self):
        round_ = rounds.graded(n_items=2)
        other = reviewed.grade(round_, 1)

        for act, more in (
            ("ADJUDICATE", {"response": other.response}),
            ("STRIKE_GRADE", {"grade": other}),
            ("STRIKE_RATER", {"rater": make.rater(make.user("elsewhere"))}),
        ):
            with pytest.raises(review.TargetMissing):
                reviewed.decide(act, round_, **more)

    def test_refuses_somebody_who_graded_in_the_round(self):
        round_ = rounds.graded(n_items=1)
        annotator = make.account(reviewed.grade(round_).rater)

        with pytest.raises(review.HasPart):
            reviewed.decide("KEEP", round_, by=annotator)

    @pytest.mark.parametrize(
        ("act", "state"), [("REGRADE", "FINAL"), ("HAND_BACK", "FINAL"), ("ADJUDICATE", "OPEN")]
    )
    def test_refuses_what_the_round_does_not_allow(self, act, state):
        with pytest.raises(errors.NotNow):
            reviewed.decide(act, rounds.graded(n_items=1, state=state))


class TestConfirm:
    def test_is_wanted_of_a_second_person_before_anything_changes(self):
        round_ = rounds.graded(n_items=1)
        reviewed.two_reviewers(round_)

        made = reviewed.decide("STRIKE_GRADE", round_)

        assert standing(made) is DecisionStanding.WAITING
        assert not models.Invalidation.objects.exists()
        with pytest.raises(review.SamePerson):
            review.confirm(decision=made, by=made.by, now=make.at(101))
        second = reviewed.reviewer(round_, "second")
        review.confirm(decision=made, by=second, now=make.at(102))
        assert standing(made) is DecisionStanding.HOLDS
        assert models.Invalidation.objects.get().by == made.by
        with pytest.raises(errors.NotNow):
            review.confirm(decision=made, by=second, now=make.at(103))

    def test_is_not_needed_to_let_go_what_only_waits(self):
        round_ = rounds.graded(n_items=1)
        reviewed.two_reviewers(round_)
        made = reviewed.decide("STRIKE_GRADE", round_)

        reviewed.take_back(made)

        assert standing(made) is DecisionStanding.TAKEN_BACK
        with pytest.raises(errors.NotNow):
            review.confirm(decision=made, by=reviewed.reviewer(round_, "second"), now=make.at(103))

    def test_is_wanted_to_take_back_what_holds(self):
        round_ = rounds.graded(n_items=1)
        made = reviewed.decide("STRIKE_GRADE", round_)
        reviewed.two_reviewers(round_)

        back = reviewed.take_back(made)

        assert (standing(back), standing(made)) == (
            DecisionStanding.WAITING,
            DecisionStanding.HOLDS,
        )
        review.confirm(decision=back, by=reviewed.reviewer(round_, "second"), now=make.at(102))
        assert standing(made) is DecisionStanding.TAKEN_BACK


class TestSetRule:
    def test_holds_from_then_on_and_keeps_what_held_before(self):
        round_ = rounds.graded(n_items=1)

        assert review.rule_of(round_.project) == review.ReviewSetting(1, hide_people=False)
        reviewed.two_reviewers(round_, hide_people=True)
        assert review.rule_of(round_.project) == review.ReviewSetting(2, hide_people=True)
