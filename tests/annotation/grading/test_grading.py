import hashlib
import uuid
from decimal import Decimal

import pytest

from annotation import models
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.grading.models import Grade, Remark
from annotation.grading.operations import EnteredMark
from annotation.rounds import states
from annotation.rounds.models import Assignment, Receipt
from evalsite import errors
from tests import make
from tests.annotation.grading.seats import comments, current, history, is_lost, lost_seat, one_item

pytestmark = pytest.mark.django_db

State = Assignment.State


class TestSubmitGrades:
    def test_stores_every_mark_and_hands_out_a_receipt(self):
        seat = make.claim(make.open_round())
        op_id = uuid.UUID(int=77)

        receipt = make.submit(seat, {"A": 2, "B": 0}, op_id=op_id)

        seat.refresh_from_db()
        assert (seat.state, seat.rev, seat.lease_until) == (State.SUBMITTED, 1, None)
        assert seat.submitted_at == make.at(1)
        assert current(seat) == {"A": "2", "B": "0"}
        assert (receipt.op_id, receipt.rev, receipt.late) == (op_id, 1, False)
        assert (
            receipt.digest == hashlib.sha256(b'[["A","grade","2"],["B","grade","0"]]').hexdigest()
        )

    def test_writes_down_whose_grade_of_which_response_it_is(self):
        seat = make.claim(make.open_round())
        make.submit(seat, {"A": 2, "B": 0})

        for slot in seat.slots.all():
            grade = Grade.objects.get(slot=slot)
            assert grade.response_id == slot.round_response.response_id
            assert (grade.rater, grade.assignment, grade.round_id) == (
                seat.rater,
                seat,
                seat.round_id,
            )
            assert (grade.given_at, grade.revision, grade.late) == (make.at(1), 1, False)

    def test_is_written_down_once_for_the_audit(self):
        seat = make.claim(make.open_round())
        first = make.submit(seat, {"A": 2, "B": 0}, op_id=uuid.UUID(int=78))
        make.submit(seat, {"A": 2, "B": 0}, op_id=uuid.UUID(int=78))

        [event] = models.AuditEvent.objects.filter(verb="grades.submitted")
        assert event.actor == make.holder(seat).user.public_id
        assert event.data == {
            "seat": seat.ordinal,
            "rev": 1,
            "digest": first.digest,
            "late": False,
        }

    def test_grades_every_criterion(self):
        seat = make.claim(make.open_round(criteria=("truth", "style")))

        make.submit(seat, {"A": 2, "B": 1})

        assert Grade.objects.filter(assignment=seat, is_current=True).count() == 4

    def test_removes_the_draft(self):
        seat = make.claim(make.open_round())
        models.Draft.objects.create(assignment=seat, rater=make.holder(seat), saved_at=make.NOW)

        make.submit(seat)

        assert not models.Draft.objects.exists()

    def test_gives_the_first_receipt_for_a_request_that_comes_again(self):
        seat = make.claim(make.open_round())
        op_id = uuid.uuid4()
        first = make.submit(seat, op_id=op_id, comments={"A": "Well."})

        again = make.submit(seat, op_id=op_id, comments={"A": "Well."}, now=make.at(9))

        assert again == first
        assert Grade.objects.count() == 2
        assert Remark.objects.count() == 1

    def test_gives_that_receipt_although_the_round_is_final_by_now(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        op_id = uuid.uuid4()
        first = make.submit(seat, op_id=op_id)
        models.Round.objects.filter(pk=round_.pk).update(state="FINAL")

        assert make.submit(seat, op_id=op_id) == first

    def test_refuses_other_grades_under_the_same_request_id(self):
        seat = make.claim(make.open_round())
        op_id = uuid.uuid4()
        make.submit(seat, 1, op_id=op_id)

        with pytest.raises(grading.StaleTab):
            make.submit(seat, 2, op_id=op_id)

        assert current(seat) == {"A": "1", "B": "1"}

    def test_refuses_another_seat_under_the_same_request_id(self):
        round_ = make.open_round()
        op_id = uuid.uuid4()
        make.submit(make.claim(round_), op_id=op_id)
        other = make.claim(round_)

        with pytest.raises(grading.StaleTab):
            make.submit(other, op_id=op_id)

        assert current(other) == {}

    def test_refuses_a_stale_tab(self):
        seat = make.claim(make.open_round())
        make.submit(seat, {"A": 2, "B": 0})

        with pytest.raises(grading.StaleTab):
            make.submit(seat, {"A": 1, "B": 1}, base_rev=0)

        assert current(seat) == {"A": "2", "B": "0"}
        assert Receipt.objects.count() == 1

    @pytest.mark.parametrize("base_rev", [-1, 1, 99])
    def test_refuses_a_revision_that_never_was(self, base_rev):
        seat = make.claim(make.open_round())

        with pytest.raises(grading.StaleTab):
            make.submit(seat, base_rev=base_rev)

        assert current(seat) == {}

    def test_keeps_the_earlier_grade_of_a_correction(self):
        seat = make.claim(make.open_round())
        make.submit(seat, {"A": 2, "B": 0})

        receipt = make.submit(seat, {"A": 1, "B": 0}, base_rev=1, now=make.at(5))

        seat.refresh_from_db()
        assert (receipt.rev, seat.rev, seat.submitted_at) == (2, 2, make.at(1))
        assert history(seat, "A") == [(1, "2", False), (2, "1", True)]
        assert history(seat, "B") == [(1, "0", True)]

    def test_corrects_a_grade_to_a_reason_and_back(self):
        seat = make.claim(make.open_round())
        make.submit(seat, {"A": 2, "B": 0})

        make.submit(seat, {"A": "unreadable", "B": 0}, base_rev=1)
        assert current(seat) == {"A": "(unreadable)", "B": "0"}
        make.submit(seat, {"A": "no answer", "B": 0}, base_rev=2)
        assert current(seat) == {"A": "(no answer)", "B": "0"}
        make.submit(seat, {"A": 2, "B": 0}, base_rev=3)

        assert current(seat) == {"A": "2", "B": "0"}
        assert Grade.objects.filter(assignment=seat).count() == 5

    def test_refuses_a_correction_once_the_round_is_closed(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        make.submit(seat)
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        with pytest.raises(grading.Locked):
            make.submit(seat, 2, base_rev=1)

        assert current(seat) == {"A": "1", "B": "1"}

    def test_takes_the_grades_of_a_seat_that_is_held_when_the_round_is_closed(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        assert not make.submit(seat).late

    def test_takes_the_grades_of_a_seat_that_is_held_in_a_pause_and_after_the_deadline(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        models.Round.objects.filter(pk=round_.pk).update(paused_at=make.NOW, deadline=make.at(-1))

        assert not make.submit(seat).late

    def test_refuses_everything_once_the_round_is_final(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        models.Round.objects.filter(pk=round_.pk).update(state="FINAL")

        with pytest.raises(grading.Locked):
            make.submit(seat)

        assert not Grade.objects.exists()

    def test_refuses_a_token_that_is_somebody_elses(self):
        round_ = make.open_round()
        one, other, _ = make.annotators(round_)
        seat = make.claim(round_, one)

        with pytest.raises(states.SeatNotYours):
            make.submit(seat, by=other)

        assert not Grade.objects.exists()

    def test_takes_the_grades_of_a_lease_that_is_over_while_the_seat_is_still_held(self):
        seat = make.claim(make.open_round())

        assert not make.submit(seat, now=make.at(300)).late

    @pytest.mark.parametrize("active_ms", [None, 0, 4_000, -5, 10**12])
    def test_takes_any_time_that_a_page_claims_to_have_measured(self, active_ms):
        seat = make.claim(make.open_round())

        grading.submit_grades(
            token=seat.token or "",
            rater=make.holder(seat),
            marks=make.marks(seat),
            comments={},
            base_rev=0,
            op_id=uuid.uuid4(),
            now=make.at(1),
            active_ms=active_ms,
            view="a view with a very long name",
        )

        grade = Grade.objects.filter(assignment=seat).earliest("pk")
        assert grade.view == "a view wit"
        assert grade.active_ms == {-5: 0, 10**12: 2**31 - 1}.get(active_ms, active_ms)

    def test_is_not_served_again_by_a_claim(self):
        round_ = make.open_round(n_items=1)
        make.submit(make.claim(round_))

        with pytest.raises(seating.NoSeat):
            make.claim(round_)


class TestCheck:
    def test_refuses_a_missing_mark_and_says_which(self):
        seat = make.claim(make.open_round(n_releases=3))

        with pytest.raises(errors.Incomplete) as refusal:
            make.submit(seat, {"B": 2})

        assert sorted(refusal.value.fields) == ["A.grade", "C.grade"]
        assert "A, C" in refusal.value.message
        seat.refresh_from_db()
        assert (seat.state, seat.rev) == (State.CLAIMED, 0)
        assert not Grade.objects.exists()

    def test_refuses_half_of_the_criteria(self):
        make.open_round(criteria=("truth", "style"), n_releases=1)

        with pytest.raises(errors.Incomplete) as refusal:
            grading.check(
                [EnteredMark("A", "truth", Decimal(1))],
                ["A"],
                {one.key: one for one in models.Criterion.objects.all()},
            )

        assert list(refusal.value.fields) == ["A.style"]

    @pytest.mark.parametrize(
        "value", [Decimal(3), Decimal(-1), Decimal("0.5"), Decimal("NaN"), Decimal("Infinity")]
    )
    def test_refuses_a_value_off_the_scale(self, value):
        seat = make.claim(make.open_round())
        marks = [EnteredMark("A", "grade", value), EnteredMark("B", "grade", Decimal(1))]

        with pytest.raises(states.OffScale) as refusal:
            self.submit(seat, marks)

        assert list(refusal.value.fields) == ["A.grade"]
        assert not Grade.objects.exists()

    @pytest.mark.parametrize("reason", ["", "   "])
    def test_refuses_cannot_grade_without_a_reason(self, reason):
        seat = make.claim(make.open_round())
        marks = [EnteredMark("A", "grade", cannot=reason), EnteredMark("B", "grade", Decimal(1))]

        with pytest.raises(states.OffScale) as refusal:
            self.submit(seat, marks)

        assert list(refusal.value.fields) == ["A.grade"]
        assert not Grade.objects.exists()

    @pytest.mark.parametrize(
        "stray",
        [
            EnteredMark("C", "grade", Decimal(1)),
            EnteredMark("A", "style", Decimal(1)),
            EnteredMark("A", "grade", Decimal(2)),
            EnteredMark("", "", Decimal(1)),
        ],
    )
    def test_refuses_a_mark_that_the_page_does_not_have_or_has_twice(self, stray):
        seat = make.claim(make.open_round())

        with pytest.raises(states.OffScale):
            self.submit(seat, [*make.marks(seat), stray])

        assert not Grade.objects.exists()

    def test_stores_a_value_in_its_plain_form(self):
        seat = make.claim(make.open_round())
        marks = [
            EnteredMark("A", "grade", Decimal("2.000")),
            EnteredMark("B", "grade", Decimal("1E0")),
        ]

        receipt = self.submit(seat, marks)

        assert current(seat) == {"A": "2", "B": "1"}
        assert receipt.digest == grading.digest([*make.marks(seat, {"A": 2, "B": 1})])

    def test_stores_a_reason_instead_of_a_value(self):
        seat = make.claim(make.open_round())

        make.submit(seat, {"A": "r" * 400, "B": 1})

        grade = Grade.objects.get(assignment=seat, outcome="CANNOT_GRADE")
        assert (grade.value, grade.reason) == (None, "r" * 300)

    def submit(self, seat, marks):
        return grading.submit_grades(
            token=seat.token or "",
            rater=make.holder(seat),
            marks=marks,
            comments={},
            base_rev=0,
            op_id=uuid.uuid4(),
            now=make.at(1),
        )


class TestComments:
    def test_are_stored_by_slot(self):
        seat = make.claim(make.open_round())

        make.submit(seat, comments={"A": " Good. ", "B": "", "H": "nowhere"})

        rows = Remark.objects.values_list("text", "slot__position", "kind")
        assert list(rows) == [("Good.", 0, "COMMENT")]

    def test_get_a_revision_when_they_change_and_none_when_they_do_not(self):
        seat = make.claim(make.open_round())
        make.submit(seat, comments={"A": "Good."})
        make.submit(seat, base_rev=1, comments={"A": "Good."})
        make.submit(seat, base_rev=2, comments={"A": "Better."})
        make.submit(seat, base_rev=3, comments={"A": " "})

        assert comments(seat) == [(1, "Good.", False), (2, "Better.", False), (3, "", False)]

    def test_are_cut_at_five_thousand_signs_and_then_left_alone(self):
        seat = make.claim(make.open_round())
        make.submit(seat, comments={"A": "x" * 6000})
        make.submit(seat, base_rev=1, comments={"A": "x" * 6000})

        assert comments(seat) == [(1, "x" * 5000, False)]

    def test_hold_nothing_a_database_refuses(self):
        seat = make.claim(make.open_round())

        make.submit(seat, comments={"A": "a\x00b \ud800"})

        assert comments(seat) == [(1, "ab ?", False)]

    def test_of_a_late_page_are_late_and_said_anew_once_they_count(self):
        round_ = one_item()
        seat = lost_seat(round_)
        make.submit(seat, now=make.at(32), comments={"A": "Mine."})
        states.expire(make.at(100))
        again = make.claim(round_, make.annotators(round_)[0], now=make.at(101))
        assert again.pk == seat.pk

        make.submit(again, now=make.at(102), comments={"A": "Mine."})

        assert comments(seat) == [(1, "Mine.", True), (2, "Mine.", False)]


class TestFind:
    def test_knows_a_seat_that_is_held_submitted_or_lost(self):
        round_ = one_item()
        seat = lost_seat(round_)
        held = Assignment.objects.get(pk=seat.pk)

        assert is_lost(seat)
        assert not is_lost(held)
        make.submit(held, now=make.at(32))
        assert not is_lost(held)
