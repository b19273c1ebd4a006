import pytest

from annotation import models
from annotation.grading import seating
from annotation.rounds import states as leases
from annotation.rounds.models import Assignment, ClaimEvent
from tests import make

pytestmark = pytest.mark.django_db

State = Assignment.State


def why_not(round_, rater, now=make.NOW) -> str:
    with pytest.raises(seating.NoSeat) as refusal:
        make.claim(round_, rater, now=now)
    return refusal.value.code


def kinds(seat) -> list[str]:
    return list(seat.events.order_by("pk").values_list("kind", flat=True))


class TestExtend:
    def test_renews_from_now_on(self):
        seat = make.claim(make.open_round())

        until = leases.extend(assignment=seat, now=make.at(10))

        seat.refresh_from_db()
        assert until == seat.lease_until == make.at(40)

    def test_never_shortens_a_lease(self):
        seat = make.claim(make.open_round())
        leases.extend(assignment=seat, now=make.at(10))
        seat.refresh_from_db()

        assert leases.extend(assignment=seat, now=make.at(5)) == make.at(40)

    def test_stops_at_four_times_the_first_length(self):
        seat = make.claim(make.open_round())
        for minutes in range(10, 400, 10):
            leases.extend(assignment=seat, now=make.at(minutes))
            seat.refresh_from_db()

        assert seat.lease_until == make.at(120)

    def test_does_nothing_for_a_seat_that_was_submitted(self):
        seat = make.claim(make.open_round())
        make.submit(seat)
        seat.refresh_from_db()

        assert leases.extend(assignment=seat, now=make.at(2)) is None

    def test_does_nothing_for_a_seat_that_was_given_away(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        seat, *_ = [make.claim(round_, ann) for ann in three]
        taken = make.claim(round_, fourth, now=make.at(31))

        assert leases.extend(assignment=seat, now=make.at(32)) is None
        taken.refresh_from_db()
        assert taken.lease_until == make.at(61)


class TestHandBack:
    def test_frees_the_seat_and_writes_it_down(self):
        round_ = make.open_round()
        seat = make.claim(round_)

        leases.hand_back(assignment=seat, rater=make.holder(seat), now=make.at(1))

        seat.refresh_from_db()
        assert (seat.state, seat.rater, seat.token, seat.rev) == (State.FREE, None, None, 0)
        assert kinds(seat) == ["CLAIMED", "HANDED_BACK"]

    def test_keeps_the_reason_of_a_skip_and_the_draft(self):
        seat = make.claim(make.open_round())
        models.Draft.objects.create(
            assignment=seat, rater=make.holder(seat), rev=1, marks={"A": 2}, saved_at=make.NOW
        )

        leases.hand_back(
            assignment=seat,
            rater=make.holder(seat),
            now=make.at(1),
            reason=" Too long. " * 90,
            skip=True,
        )

        event = seat.events.get(kind="DECLINED")
        assert event.reason.startswith("Too long.")
        assert len(event.reason) == 300
        assert event.kept == {"rev": 1, "marks": {"A": 2}}

    @pytest.mark.parametrize("reason", ["", "  \n"])
    def test_refuses_to_skip_without_a_reason(self, reason):
        seat = make.claim(make.open_round())

        with pytest.raises(leases.ReasonMissing):
            leases.hand_back(
                assignment=seat, rater=make.holder(seat), now=make.NOW, reason=reason, skip=True
            )

        assert kinds(seat) == ["CLAIMED"]

    def test_refuses_another_persons_seat(self):
        round_ = make.open_round()
        seat = make.claim(round_)

        with pytest.raises(leases.SeatNotYours):
            leases.hand_back(assignment=seat, rater=make.annotators(round_)[1], now=make.NOW)

        seat.refresh_from_db()
        assert seat.state == State.CLAIMED

    def test_refuses_a_seat_that_was_submitted(self):
        seat = make.claim(make.open_round())
        make.submit(seat)

        with pytest.raises(leases.SeatNotYours):
            leases.hand_back(assignment=seat, rater=make.holder(seat), now=make.NOW)

        seat.refresh_from_db()
        assert seat.state == State.SUBMITTED

    def test_refuses_a_second_time(self):
        seat = make.claim(make.open_round())
        leases.hand_back(assignment=seat, rater=make.holder(seat), now=make.NOW)

        with pytest.raises(leases.SeatNotYours):
            leases.hand_back(assignment=seat, rater=make.holder(seat), now=make.NOW)

        assert kinds(seat) == ["CLAIMED", "HANDED_BACK"]


class TestExpire:
    def test_frees_what_is_over_and_nothing_else(self):
        round_ = make.open_round()
        early, late, done = make.annotators(round_)
        over = make.claim(round_, early)
        held = make.claim(round_, late, now=make.at(20))
        make.submit(make.claim(round_, done))

        assert leases.expire(make.at(31)) == 1

        over.refresh_from_db()
        held.refresh_from_db()
        assert (over.state, held.state) == (State.FREE, State.CLAIMED)
        assert kinds(over) == ["CLAIMED", "EXPIRED"]
        assert leases.expire(make.at(31)) == 0

    def test_takes_no_more_at_once_than_it_is_told(self):
        round_ = make.open_round()
        for ann in make.annotators(round_):
            make.claim(round_, ann)

        assert [leases.expire(make.at(31), limit=2) for _ in range(3)] == [2, 1, 0]

    def test_keeps_to_one_round(self):
        first, second = make.open_round(), make.open_round()
        seats = [make.claim(round_) for round_ in (first, second)]

        assert leases.expire(make.at(31), round_=second) == 1

        for seat in seats:
            seat.refresh_from_db()
        assert [seat.state for seat in seats] == [State.CLAIMED, State.FREE]


class TestVacate:
    def test_frees_a_seat_whoever_holds_it(self):
        seat = make.claim(make.open_round())

        freed = leases.vacate(
            assignment=seat, kind=ClaimEvent.Kind.REASSIGNED, now=make.NOW, reason="Away."
        )

        assert freed
        assert kinds(seat) == ["CLAIMED", "REASSIGNED"]

    def test_says_when_there_was_nothing_to_free(self):
        seat = make.claim(make.open_round())
        make.submit(seat)

        assert not leases.vacate(assignment=seat, kind=ClaimEvent.Kind.REASSIGNED, now=make.NOW)
