import pytest

from annotation import models
from annotation.grading import faces, seating
from annotation.grading import worklist as workmessages
from annotation.rounds import drafting, states
from annotation.running import operations as seats
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def in_review(round_):
    states.close(round_=round_, by=round_.created_by, now=make.at(60))
    round_.refresh_from_db()
    return round_


def release(seat, at=1):
    seats.release(assignment=seat, by=seat.round.created_by, reason="On leave.", now=make.at(at))


class TestRelease:
    def test_frees_the_seat_and_keeps_what_was_drafted(self):
        seat = make.claim(make.open_round())
        models.Draft.objects.create(
            assignment=seat,
            rater=make.holder(seat),
            rev=2,
            marks={"A.grade": 1},
            saved_at=make.NOW,
        )

        release(seat)

        seat.refresh_from_db()
        event = seat.events.get(kind="REASSIGNED")
        assert seat.state == "FREE"
        assert event.reason == "On leave."
        assert event.kept == {"rev": 2, "marks": {"A.grade": 1}}

    def test_offers_the_item_to_others_but_not_to_the_same_person(self):
        round_ = make.open_round(n_items=1)
        seat = make.claim(round_)
        holder = make.holder(seat)

        release(seat)

        with pytest.raises(seating.NoSeat):
            make.claim(round_, holder, now=make.at(2))
        assert make.claim(round_, make.annotators(round_)[1], now=make.at(2)).round_item_id

    def test_wants_a_reason(self):
        seat = make.claim(make.open_round())

        with pytest.raises(errors.ReasonNeeded):
            seats.release(assignment=seat, by=seat.round.created_by, reason=" ", now=make.NOW)

    def test_refuses_a_seat_nobody_holds(self):
        seat = make.open_round().assignments.earliest("pk")

        with pytest.raises(seats.NotHeld):
            release(seat)

    def test_refuses_in_a_final_round(self):
        seat = make.claim(make.open_round())
        models.Round.objects.update(state="FINAL")

        with pytest.raises(errors.NotNow):
            release(seat)

    def test_is_written_into_the_audit_without_a_name(self):
        seat = make.claim(make.open_round())

        release(seat)

        event = models.AuditEvent.objects.get(verb="seat.released")
        assert event.data == {
            "seat": seat.ordinal,
            "holder": str(models.Rater.objects.get(pk=seat.rater_id).public_id),
        }


class TestAddSeat:
    def test_gives_an_order_that_the_item_has_not_had(self):
        round_ = in_review(make.open_round(n_releases=4))
        item = round_.items.earliest("ordinal")

        made = seats.add_seat(
            round_item=item, by=round_.created_by, reason="A dispute.", now=make.at(61)
        )

        orders = {
            tuple(seat.slots.order_by("position").values_list("round_response", flat=True))
            for seat in item.assignments.all()
        }
        assert len(orders) == 4
        assert (made.seat, made.ordinal) == (4, 6)

    def test_refuses_before_the_review(self):
        round_ = make.open_round()

        with pytest.raises(errors.NotNow):
            seats.add_seat(
                round_item=round_.items.earliest("ordinal"),
                by=round_.created_by,
                reason="A dispute.",
                now=make.at(1),
            )


class TestClaimsInReview:
    def test_are_refused_for_seats_that_were_left(self):
        round_ = in_review(make.open_round())

        with pytest.raises(seating.NoSeat, match="closed"):
            make.claim(round_, now=make.at(62))

    def test_take_a_seat_that_was_added(self):
        round_ = in_review(make.open_round())
        added = seats.add_seat(
            round_item=round_.items.earliest("ordinal"),
            by=round_.created_by,
            reason="A dispute.",
            now=make.at(61),
        )

        assert make.claim(round_, now=make.at(62)).pk == added.pk

    def test_take_a_seat_that_was_handed_on(self):
        round_ = make.open_round()
        seat = make.claim(round_, now=make.at(50))
        in_review(round_)
        release(seat, at=61)

        taken = make.claim(round_, make.annotators(round_)[1], now=make.at(62))

        assert taken.pk == seat.pk

    def test_are_graded_like_any_other(self):
        round_ = in_review(make.open_round())
        seats.add_seat(
            round_item=round_.items.earliest("ordinal"),
            by=round_.created_by,
            reason="A dispute.",
            now=make.at(61),
        )
        seat = make.claim(round_, now=make.at(62))

        make.submit(seat, now=make.at(63))

        seat.refresh_from_db()
        assert seat.state == "SUBMITTED"

    def test_are_open_to_somebody_invited_in_review(self):
        round_ = in_review(make.open_round())
        fresh = make.member(models.Role.ANNOTATOR, username="fresh")
        users = [make.account(one) for one in make.annotators(round_)]

        drafting.invite(
            round_=round_,
            users=[*users, fresh],
            by=round_.created_by,
            by_owner=True,
            now=make.at(61),
            override="",
        )

        assert round_.annotators.count() == 4


class TestReopen:
    def reopened(self, at=61):
        round_ = make.open_round(n_items=1)
        seat = make.claim(round_)
        make.submit(seat, {"A": 2, "B": 0})
        in_review(round_)
        seat.refresh_from_db()
        seats.reopen(assignment=seat, by=round_.created_by, reason="B too?", now=make.at(at))
        seat.refresh_from_db()
        return seat

    def test_lets_its_own_annotator_change_what_was_given(self):
        seat = self.reopened()

        make.submit(seat, {"A": 2, "B": 1}, now=make.at(70), base_rev=1)

        given = models.Grade.objects.filter(assignment=seat, is_current=True)
        assert {int(one.value) for one in given} == {1, 2}
        assert models.Grade.objects.filter(assignment=seat).count() == 3
        seat.refresh_from_db()
        assert (seat.state, seat.submitted_at) == ("SUBMITTED", make.at(1))

    def test_shows_them_what_they_had_given_and_why(self):
        seat = self.reopened()

        held = make.claim(seat.round, make.holder(seat), now=make.at(62))
        page = faces.seat(held, token=seat.token, lost=False, now=make.NOW)
        [told] = [
            one
            for one in workmessages.list_messages(seat.round.project, seat.rater, make.at(62))
            if "look again" in one.title
        ]

        assert page.draft == {"mark/A/grade": "2", "mark/B/grade": "0"}
        assert (told.token, "B too?" in told.text) == (seat.token, True)

    def test_counts_as_it_was_when_its_time_is_over(self):
        seat = self.reopened()
        later = make.at(61) + seats.TO_LOOK_AGAIN * 2
        with pytest.raises(seating.NoSeat):
            make.claim(seat.round, make.annotators(seat.round)[1], now=later)

        assert states.expire(later) == 1

        seat.refresh_from_db()
        assert (seat.state, seat.rev) == ("SUBMITTED", 1)
        assert seat.grades.filter(is_current=True).count() == 2

    def test_stands_as_submitted_when_it_is_given_back(self):
        seat = self.reopened()

        states.hand_back(assignment=seat, rater=make.holder(seat), now=make.at(65))

        seat.refresh_from_db()
        assert (seat.state, seat.rater_id is not None) == ("SUBMITTED", True)

    def test_refuses_a_seat_that_was_not_submitted_and_a_missing_reason(self):
        seat = make.claim(make.open_round())

        for reason, refusal in (("Why?", seats.NotHeld), (" ", errors.ReasonNeeded)):
            with pytest.raises(refusal):
                seats.reopen(assignment=seat, by=seat.round.created_by, reason=reason, now=make.NOW)

    def test_refuses_a_reason_that_names_a_system(self):
        round_ = make.open_round(n_items=1)
        seat = make.claim(round_)
        make.submit(seat)
        seat.refresh_from_db()

        with pytest.raises(seats.TextNamesSystem, match="Kestrel"):
            seats.reopen(
                assignment=seat, by=round_.created_by, reason="Kestrel is right.", now=make.at(9)
            )
        seat.refresh_from_db()
        assert seat.state == "SUBMITTED"
