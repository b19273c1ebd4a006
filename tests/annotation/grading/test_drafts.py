import uuid
from decimal import Decimal

import pytest

from annotation.common import texts as digests
from annotation.grading import operations as grading
from annotation.rounds import rules as entries
from annotation.rounds import states
from annotation.rounds.models import Draft
from annotation.running import operations as seats
from tests import make

pytestmark = pytest.mark.django_db


def desk(seat) -> entries.SeatDesk:
    version = seat.round_item.rubric_version
    return entries.SeatDesk(
        letters="AB",
        criteria={one.key: one.scale for one in version.criteria.all()},
        reasons={"no_answer"},
    )


def save(seat, patch, *, base_rev=0, op=90_001, now=None, by=None):
    return grading.save_draft(
        token=seat.token,
        rater=by or make.holder(seat),
        patch=patch,
        base_rev=base_rev,
        op_id=uuid.UUID(int=op),
        reasons={"no_answer"},
        now=now or make.at(1),
    )


class TestSaveDraft:
    def test_keeps_every_change_and_says_what_it_has(self):
        seat = make.claim(make.open_round())

        save(seat, {"mark/A/grade": "2", "comment/A": "good"})
        receipt = save(seat, {"mark/B/grade": "0", "comment/A": None}, base_rev=1, op=90_002)

        draft = Draft.objects.get(assignment=seat)
        assert draft.marks == {"mark/A/grade": "2", "mark/B/grade": "0"}
        assert (draft.rev, receipt.rev, draft.saved_at) == (2, 2, make.at(1))
        assert receipt.digest == digests.grades_digest(
            [("A", "grade", Decimal(2)), ("B", "grade", Decimal(0))]
        )

    def test_counts_a_repeated_request_once(self):
        seat = make.claim(make.open_round())

        first = save(seat, {"mark/A/grade": "2"})
        again = save(seat, {"mark/A/grade": "2"})

        assert again == first
        assert Draft.objects.get(assignment=seat).rev == 1

    def test_refuses_the_name_of_another_request(self):
        seat = make.claim(make.open_round())
        make.submit(seat, op_id=uuid.UUID(int=90_001))

        with pytest.raises(grading.RequestReused):
            save(seat, {"mark/A/grade": "2"})

    def test_refuses_to_write_over_a_newer_draft_and_hands_it_out(self):
        seat = make.claim(make.open_round())
        save(seat, {"mark/A/grade": "2"})

        with pytest.raises(grading.NewerDraft) as refused:
            save(seat, {"mark/A/grade": "0"}, op=90_002)

        assert (refused.value.rev, refused.value.stored) == (1, {"mark/A/grade": "2"})
        assert Draft.objects.get(assignment=seat).marks == {"mark/A/grade": "2"}

    def test_renews_the_lease(self):
        seat = make.claim(make.open_round(lease_minutes=30))

        save(seat, {"mark/A/grade": "2"}, now=make.at(20))

        seat.refresh_from_db()
        assert seat.lease_until == make.at(50)

    def test_refuses_what_the_page_does_not_have(self):
        seat = make.claim(make.open_round())

        with pytest.raises(grading.UnfitGrade) as refused:
            save(seat, {"mark/A/grade": "9"})

        assert list(refused.value.fields) == ["mark/A/grade"]
        assert not Draft.objects.exists()

    def test_says_that_the_seat_is_somebody_elses(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        seats = [make.claim(round_, one) for one in three]
        holder = make.holder(seats[0])
        make.claim(round_, fourth, now=make.at(31))

        with pytest.raises(grading.LeaseLost):
            save(seats[0], {"mark/A/grade": "2"}, by=holder, now=make.at(32))

    def test_says_that_a_curator_took_the_seat_back(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        holder = make.holder(seat)
        seats.release(assignment=seat, by=round_.created_by, reason="Ill.", now=make.at(1))

        with pytest.raises(grading.Withdrawn):
            save(seat, {"mark/A/grade": "2"}, by=holder, now=make.at(2))

    def test_refuses_a_seat_that_was_submitted(self):
        seat = make.claim(make.open_round())
        make.submit(seat)

        with pytest.raises(grading.LeaseLost):
            save(seat, {"mark/A/grade": "2"})

    def test_refuses_when_the_round_is_final(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        owner = round_.created_by
        states.close(round_=round_, by=owner, now=make.at(1))
        states.finish(round_=round_, by=owner, now=make.at(40))

        with pytest.raises((grading.Locked, grading.LeaseLost)):
            save(seat, {"mark/A/grade": "2"}, now=make.at(41))

    def test_refuses_a_token_of_somebody_else(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        other = make.annotators(round_)[1]

        with pytest.raises(states.SeatNotYours):
            save(seat, {"mark/A/grade": "2"}, by=other)
