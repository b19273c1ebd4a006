import pytest

from annotation.grading import seating
from annotation.people import operations as people
from annotation.people.models import AuditEvent, Membership, Role
from annotation.rounds import drafting
from annotation.rounds.models import Unblinding
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def show(round_, user):
    drafting.show_names(round_=round_, by=user, now=make.NOW)


class TestShowNames:
    def test_is_recorded_once(self):
        round_ = rounds.graded()
        analyst = make.member(Role.ANALYST)

        show(round_, analyst)
        show(round_, analyst)

        assert Unblinding.objects.filter(round=round_, user=analyst).count() == 1
        assert AuditEvent.objects.filter(verb="round.unblinded").count() == 1

    def test_refuses_an_annotator_of_a_round_that_is_not_final(self):
        round_ = rounds.graded(state="REVIEW")
        annotator = round_.annotators.first().rater.user

        with pytest.raises(drafting.StillBlind):
            show(round_, annotator)

        assert not Unblinding.objects.exists()

    def test_lets_annotators_see_a_final_round(self):
        round_ = rounds.graded()

        show(round_, round_.annotators.first().rater.user)

        assert Unblinding.objects.count() == 1


class TestWhoHasSeen:
    def test_cannot_be_invited_any_more_even_after_leaving_the_role(self):
        round_ = rounds.graded(state="OPEN")
        former = make.member(Role.ANALYST, username="former")
        show(round_, former)
        Membership.objects.filter(user=former).update(ended_at=make.NOW)
        make.member(Role.ANNOTATOR, username="former")
        owner = make.user("northport-owner")
        invited = {"round_": round_, "users": [former], "by": owner, "now": make.NOW}

        with pytest.raises(drafting.OverrideNeeded):
            drafting.invite(**invited, by_owner=False, override="")

        drafting.invite(**invited, by_owner=True, override="Nobody else knows customs law.")
        assert round_.annotators.filter(rater__user=former, ended_at=None).exists()

    def test_cannot_claim_a_seat_any_more(self):
        round_ = rounds.graded(state="OPEN")
        annotator = make.member(Role.ANNOTATOR, username="curious")
        rater = people.rater_of(project=round_.project, user=annotator, now=make.NOW)
        show(round_, annotator)
        round_.annotators.create(rater=rater)

        with pytest.raises(seating.NoSeat) as refusal:
            seating.claim_next(round_=round_, rater=rater, now=make.NOW)

        assert refusal.value.code == "not_blind"
