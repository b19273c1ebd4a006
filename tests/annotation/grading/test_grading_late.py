import uuid

import pytest

from annotation import models
from annotation.grading.models import Grade
from annotation.rounds import states
from annotation.rounds import states as leases
from annotation.rounds.models import Assignment, ClaimEvent
from tests import make
from tests.annotation.grading.seats import current, history, lost_seat, one_item

pytestmark = pytest.mark.django_db

State = Assignment.State


class TestLateGrades:
    def test_are_stored_and_count_nowhere(self):
        seat = lost_seat(one_item())

        receipt = make.submit(seat, {"A": 2, "B": 2}, now=make.at(32))

        assert receipt.late
        rows = Grade.objects.filter(assignment=seat)
        assert {(row.late, row.is_current, row.rater_id) for row in rows} == {
            (True, False, seat.rater_id)
        }
        assert current(seat) == {}

    def test_leave_the_new_holder_alone(self):
        seat = lost_seat(one_item())
        make.submit(seat, {"A": 2, "B": 2}, now=make.at(32))
        now_held = Assignment.objects.get(pk=seat.pk)

        receipt = make.submit(now_held, {"A": 0, "B": 1}, now=make.at(33))

        assert (receipt.late, receipt.rev) == (False, 1)
        assert current(seat) == {"A": "0", "B": "1"}
        assert history(seat, "A") == [(1, "2", False), (2, "0", True)]
        assert Grade.objects.current().get(slot__position=0, assignment=seat).rater == (
            now_held.rater
        )

    def test_come_after_the_new_holder_submitted(self):
        seat = lost_seat(one_item())
        make.submit(Assignment.objects.get(pk=seat.pk), {"A": 0, "B": 1}, now=make.at(33))

        assert make.submit(seat, {"A": 2, "B": 2}, now=make.at(40)).late
        assert current(seat) == {"A": "0", "B": "1"}
        seat.refresh_from_db()
        assert seat.rev == 1

    def test_are_stored_once_per_request(self):
        seat = lost_seat(one_item())
        op_id = uuid.uuid4()
        first = make.submit(seat, now=make.at(32), op_id=op_id)

        assert make.submit(seat, now=make.at(33), op_id=op_id) == first
        assert Grade.objects.filter(late=True).count() == 2

    def test_are_refused_off_the_scale_like_any_other(self):
        seat = lost_seat(one_item())

        with pytest.raises(states.OffScale):
            make.submit(seat, 3, now=make.at(32))

    def test_take_a_page_without_a_revision(self):
        seat = lost_seat(one_item())

        assert make.submit(seat, now=make.at(32), base_rev=-1).rev == 0

    def test_come_of_a_seat_that_was_handed_back_too(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        leases.hand_back(assignment=seat, rater=make.holder(seat), now=make.NOW)

        assert make.submit(seat).late
        assert Assignment.objects.get(pk=seat.pk).state == State.FREE

    def test_come_of_a_seat_that_a_reviewer_took_away(self):
        seat = make.claim(make.open_round())
        leases.vacate(assignment=seat, kind=ClaimEvent.Kind.REASSIGNED, now=make.NOW)

        assert make.submit(seat).late


class TestTakingASeatBack:
    def test_counts_the_grades_if_nobody_has_taken_it(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        leases.expire(make.at(31))

        receipt = make.submit(seat, {"A": 2, "B": 1}, now=make.at(40))

        seat.refresh_from_db()
        assert (receipt.late, receipt.rev) == (False, 1)
        assert (seat.state, seat.rater_id) == (State.SUBMITTED, make.annotators(round_)[0].pk)
        assert current(seat) == {"A": "2", "B": "1"}

    @pytest.mark.parametrize("change", [{"paused_at": make.NOW}, {"state": "REVIEW"}])
    def test_counts_them_too_while_the_round_takes_no_claims(self, change):
        round_ = make.open_round()
        seat = make.claim(round_)
        leases.expire(make.at(31))
        models.Round.objects.filter(pk=round_.pk).update(**change)

        assert not make.submit(seat, now=make.at(40)).late

    def test_is_refused_once_somebody_else_had_it_in_between(self):
        round_ = one_item()
        seat = lost_seat(round_)
        leases.expire(make.at(70))

        assert make.submit(seat, now=make.at(71)).late

    def test_is_refused_to_who_sits_on_the_same_item_by_now(self):
        round_ = one_item()
        *three, _fourth = make.annotators(round_)
        seats = [make.claim(round_, ann) for ann in three]
        leases.expire(make.at(31))
        elsewhere = make.claim(round_, three[1], now=make.at(32))  # the first free seat
        assert elsewhere.pk != seats[1].pk

        assert make.submit(seats[1], now=make.at(33), by=three[1]).late

    def test_lets_a_correction_follow(self):
        seat = make.claim(make.open_round())
        leases.expire(make.at(31))
        make.submit(seat, {"A": 2, "B": 1}, now=make.at(40))

        make.submit(seat, {"A": 1, "B": 1}, base_rev=1, now=make.at(41))

        assert current(seat) == {"A": "1", "B": "1"}


class TestASeatThatChangesHands:
    def test_counts_the_new_holders_grade_as_theirs_even_if_it_is_the_same(self):
        round_ = one_item()
        *_, fourth = make.annotators(round_)
        seat = make.claim(round_)
        make.submit(seat, {"A": 2, "B": 1})
        # What a reviewer's hand-over of a submitted seat comes to:
        Assignment.objects.filter(pk=seat.pk).update(**leases._EMPTY)
        again = make.claim(round_, fourth, now=make.at(5))
        assert again.pk == seat.pk

        make.submit(again, {"A": 2, "B": 0}, now=make.at(6))

        counted = Grade.objects.filter(assignment=seat, is_current=True)
        assert set(counted.values_list("rater", flat=True)) == {fourth.pk}
        assert current(seat) == {"A": "2", "B": "0"}
        assert Assignment.objects.get(pk=seat.pk).submitted_at == make.at(6)
