import re
import uuid
from datetime import timedelta
from itertools import pairwise

import pytest
from django.urls import reverse

from annotation import models
from annotation.common import draws as seeds
from annotation.grading import faces, seating, worklist
from annotation.grading import operations as grading
from annotation.rounds import drafting, drawing, opening, repeats, states
from annotation.rounds import queries as rounds
from annotation.rounds import states as leases
from annotation.rounds.models import Assignment
from annotation.running import operations as seats
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db
State = Assignment.State


def open_round(n_items: int = 12, percent: int = 25, **more) -> models.Round:
    """Return an open round in which some items are served twice to the same people."""
    for place in range(1, 5):  # everybody's own order comes from their id
        made = make.user(f"ann-{place}")
        models.User.objects.filter(pk=made.pk).update(public_id=uuid.UUID(int=place))
    round_ = make.draft_round(n_items=n_items, **more)
    drafting.choose_draw(
        round_=round_,
        draw=drafting.Draw(repeats=percent),
        by=round_.created_by,
        now=make.NOW,
    )
    drawing.prepare(round_=round_, now=make.NOW)
    opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
    opening.open_round(round_=round_, now=make.NOW)
    return round_


def grade_on(round_, rater, most: int = 1000, start: float = 0) -> list[Assignment]:
    """Let somebody grade until nothing is left for them; return their seats as served."""
    served: list[Assignment] = []
    while len(served) < most:
        minute = start + 2 * len(served)
        try:
            seat = make.claim(round_, rater, now=make.at(minute))
        except seating.NoSeat:
            break
        make.submit(seat, now=make.at(minute + 1))
        served.append(seat)
    return served


def occasions(served) -> list[tuple[int, int]]:
    return [(seat.round_item.item_id, seat.round_item.occasion) for seat in served]


class TestARoundWithRepeats:
    def test_serves_them_to_everybody_who_graded_the_item_later_and_never_next_to_it(self):
        round_ = open_round(n_items=20, percent=20)

        for rater in make.annotators(round_):
            served = occasions(grade_on(round_, rater))

            assert len(served) == 24
            for item in {item for item, occasion in served if occasion == 2}:
                assert served.index((item, 2)) - served.index((item, 1)) > 2
            assert all(one[0] != two[0] for one, two in pairwise(served))
        assert not Assignment.objects.exclude(state=State.SUBMITTED).exists()

    def test_mixes_them_among_the_others(self):
        round_ = open_round(n_items=40, percent=10)
        rater = make.annotators(round_)[0]

        served = occasions(grade_on(round_, rater))

        places = [place for place, (_item, occasion) in enumerate(served) if occasion == 2]
        assert places
        assert places[0] < 40

    @pytest.mark.parametrize(("n_items", "percent"), [(4, 50), (5, 10), (8, 25), (12, 10)])
    def test_serves_each_to_whoever_comes_first_and_says_so_from_the_beginning(
        self, n_items, percent
    ):
        round_ = open_round(n_items=n_items, percent=percent)
        n_repeats = round_.items.filter(occasion=2).count()

        for rater in make.annotators(round_):
            [work] = worklist.list_work(rater, make.at(0))
            served = occasions(grade_on(round_, rater))

            assert work.n_items == len(served) == n_items + n_repeats
            assert not Assignment.objects.filter(state=State.DROPPED).exists()

    @pytest.mark.parametrize("seed", range(6))
    def test_serves_each_to_whoever_works_on_in_whatever_order_they_come(self, seed):
        by_lot = seeds.generator("a walk", str(seed))
        n_items, percent = int(by_lot.integers(4, 10)), int(by_lot.choice([10, 20, 35, 50]))
        n_seats = int(by_lot.integers(1, 4))
        round_ = open_round(n_items, percent, n_seats=n_seats, n_annotators=n_seats)
        total = n_items + round_.items.filter(occasion=2).count()
        minute, left = 0, make.annotators(round_)
        while left:
            rater = left[by_lot.integers(len(left))]
            most = int(by_lot.integers(1, 5))
            if not (served := grade_on(round_, rater, most=most, start=minute)):
                left.remove(rater)
            minute += 10
            for seat in served:
                page = faces.seat(seat, token=seat.token, lost=False, now=make.at(minute))
                assert page.n_items == total

        states = set(Assignment.objects.values_list("state", flat=True))
        assert (states, Assignment.objects.count()) == ({State.SUBMITTED}, n_seats * total)

    @pytest.mark.parametrize("seed", range(4))
    def test_says_in_the_end_of_how_many_where_seats_are_shared(self, seed):
        by_lot = seeds.generator("a walk", str(seed))
        round_ = open_round(int(by_lot.integers(6, 11)), 30, n_seats=2, n_annotators=4)
        minute, left = 0, make.annotators(round_)
        done = dict.fromkeys([one.pk for one in left], 0)
        while left:
            rater = left[by_lot.integers(len(left))]
            [work] = worklist.list_work(rater, make.at(minute))
            most = int(by_lot.integers(1, 4))
            served = len(grade_on(round_, rater, most=most, start=minute))
            done[rater.pk] += served
            if served < most:
                left.remove(rater)
                assert work.n_items == done[rater.pk]
            minute += 10

        for rater in make.annotators(round_):
            [work] = worklist.list_work(rater, make.at(minute))
            assert (work.n_done, work.n_items, work.can_claim) == (done[rater.pk],) * 2 + (False,)

    def test_leaves_out_of_the_total_what_somebody_skips(self):
        round_ = open_round(n_items=12, percent=25)
        rater = make.annotators(round_)[0]
        seat = make.claim(round_, rater)
        twice = round_.items.filter(item=seat.round_item.item_id, occasion=2).count()

        leases.hand_back(assignment=seat, rater=rater, now=make.NOW, reason="No.", skip=True)

        [work] = worklist.list_work(rater, make.NOW)
        assert work.n_items == 14 - twice
        assert len(grade_on(round_, rater)) == work.n_items

    def test_never_serves_them_to_who_did_not_grade_the_item(self):
        round_ = open_round(n_items=8, n_annotators=4)
        round_.annotators.update(extra=100)  # as much as they like
        for rater in make.annotators(round_)[:3]:
            grade_on(round_, rater, most=8)

        late = make.annotators(round_)[3]
        with pytest.raises(seating.NoSeat):
            make.claim(round_, late, now=make.at(100))

        assert not worklist.list_work(late, make.at(100))[0].can_claim

    def test_deals_orders_over_all_its_seats(self):
        round_ = open_round(n_items=10, percent=20, n_releases=2)

        positions = models.Slot.objects.filter(assignment__round=round_).values_list(
            "position", "round_response__release"
        )
        counts = [list(positions).count(pair) for pair in set(positions)]
        assert max(counts) - min(counts) <= 1
        assert round_.assignments.count() == 36

    def test_is_finished_once_the_first_is_met_again(self):
        round_ = open_round(n_items=20, percent=20)
        rater = make.annotators(round_)[0]
        served = grade_on(round_, rater)
        again = next(seat for seat in served if seat.round_item.occasion == 2)
        first = next(
            seat
            for seat in served
            if seat.round_item.item_id == again.round_item.item_id and seat.round_item.occasion == 1
        )
        other = next(
            seat
            for seat in served
            if seat.round_item.item_id
            not in {one.round_item.item_id for one in served if one.round_item.occasion == 2}
        )

        make.submit(other, 2, base_rev=1, now=make.at(200))
        with pytest.raises(grading.Locked):
            make.submit(first, 2, base_rev=1, now=make.at(200))

        assert repeats.met_again([first, again, other]) == {first.pk}
        editable = {row.seat.token: row.seat.editable for row in worklist.sheet(rater, round_).rows}
        assert not editable[first.token]
        assert editable[again.token]
        assert editable[other.token]


class TestDropStranded:
    def test_drops_what_nobody_can_take_when_the_last_has_nothing_left(self):
        round_ = open_round(n_items=8, n_annotators=4)
        round_.annotators.update(extra=100)  # as much as they like
        graders = make.annotators(round_)
        for rater in graders[:3]:
            grade_on(round_, rater, most=8)
        round_.annotators.filter(rater=graders[0]).update(ended_at=make.at(50))

        with pytest.raises(seating.NoSeat):
            make.claim(round_, graders[3], now=make.at(100))

        dropped = Assignment.objects.filter(state=State.DROPPED)
        assert dropped.count() == 2  # one seat of each of the two repeats
        assert set(dropped.values_list("dropped_why", flat=True)) == {
            "Nobody is left who graded this item before."
        }
        assert rounds.seats(round_).n == 28
        assert models.AuditEvent.objects.filter(verb="repeats.dropped").count() == 1

    @pytest.mark.parametrize("n_seats", [1, 3])
    def test_leaves_what_somebody_comes_to_after_the_seats_they_hold(self, n_seats):
        round_ = open_round(n_items=8, n_seats=n_seats, n_annotators=4)
        round_.annotators.update(extra=100)  # as much as they like
        rater = make.annotators(round_)[0]
        grade_on(round_, rater, most=7)
        mine = round_.assignments.filter(rater=rater)
        twice = round_.items.filter(occasion=2).values("item")
        for place, one in enumerate(mine.filter(round_item__item__in=twice)):  # graded last
            Assignment.objects.filter(pk=one.pk).update(submitted_at=make.at(40 + place))
        seat = make.claim(round_, rater, now=make.at(50))

        ahead = seating.claim_ahead(round_=round_, rater=rater, now=make.at(50))

        assert ahead == []  # too little lies between, until the seat is submitted
        assert not Assignment.objects.filter(state=State.DROPPED).exists()
        make.submit(seat, now=make.at(51))
        assert [one for _item, one in occasions(grade_on(round_, rater, start=52))] == [2, 2]

    def test_leaves_what_somebody_else_comes_to_after_the_repeat_they_hold(self):
        round_ = open_round(n_items=8, n_seats=1, n_annotators=2)
        round_.annotators.update(extra=100)  # as much as they like
        one, two = make.annotators(round_)
        grade_on(round_, one, most=8)
        seat = make.claim(round_, one, now=make.at(50))
        firsts = round_.assignments.filter(round_item__occasion=1)
        other = firsts.get(
            round_item__item__in=round_.items.filter(occasion=2)
            .exclude(pk=seat.round_item_id)
            .values("item")
        )
        # Graded last: nothing lies between yet.
        Assignment.objects.filter(pk=other.pk).update(submitted_at=make.at(49))

        with pytest.raises(seating.NoSeat):
            make.claim(round_, two, now=make.at(51))

        assert seat.round_item.occasion == 2
        assert not Assignment.objects.filter(state=State.DROPPED).exists()

    def test_leaves_what_somebody_can_still_come_to(self):
        round_ = open_round(n_items=8)
        one, two, _three = make.annotators(round_)
        grade_on(round_, one)
        grade_on(round_, two)

        waiting = Assignment.objects.filter(state=State.FREE, round_item__occasion=2)
        assert set(waiting.values_list("round_item", flat=True)) == set(
            round_.items.filter(occasion=2).values_list("pk", flat=True)
        )

    def test_says_where_too_little_lies_between_for_whoever_graded_it(self):
        round_ = open_round(n_items=8, n_seats=1, n_annotators=2)
        one, two = make.annotators(round_)
        twice = round_.items.filter(occasion=2).values("item")
        firsts = round_.assignments.filter(round_item__occasion=1)
        late = firsts.filter(round_item__item__in=twice)[0]
        others = firsts.exclude(pk=late.pk)
        taken = {"state": State.SUBMITTED, "rater": two, "submitted_at": make.at(0)}
        others.update(**taken)  # others have the rest

        [work] = worklist.list_work(one, make.at(1))
        grade_on(round_, one, start=2)

        again = round_.assignments.get(
            round_item__item=late.round_item.item_id, round_item__occasion=2
        )
        assert work.n_items == 1
        assert (again.state, again.dropped_why) == (State.DROPPED, repeats.TOO_CLOSE)

    def test_drops_the_repeat_that_its_only_taker_gave_up(self):
        round_ = open_round(n_items=8, n_annotators=3)
        for rater in make.annotators(round_)[:2]:
            grade_on(round_, rater)
        last = make.annotators(round_)[2]
        grade_on(round_, last, most=8)
        seat = make.claim(round_, last, now=make.at(100))
        leases.hand_back(assignment=seat, rater=last, now=make.at(100), reason="No.", skip=True)
        grade_on(round_, last, start=110)

        seat.refresh_from_db()
        assert seat.state == State.DROPPED
        assert not Assignment.objects.filter(state=State.FREE).exists()


class TestDropRest:
    def test_drops_what_is_left_when_the_round_closes(self):
        round_ = open_round(n_items=8)

        states.close(round_=round_, by=round_.created_by, now=make.at(5))

        assert Assignment.objects.filter(state=State.DROPPED, round_item__occasion=2).count() == 6
        assert Assignment.objects.filter(state=State.FREE, round_item__occasion=1).count() == 24

    def test_no_seat_is_added_to_a_repeat(self):
        round_ = open_round(n_items=8)
        states.close(round_=round_, by=round_.created_by, now=make.at(5))

        with pytest.raises(errors.NotNow, match="repeat"):
            seats.add_seat(
                round_item=round_.items.filter(occasion=2)[0],
                by=round_.created_by,
                reason="One more.",
                now=make.at(6),
            )


class TestBlindness:
    """What an annotator is shown of a repeat or an anchor is what they are shown of any item."""

    @pytest.mark.parametrize("wanted", ["REPEAT", "ANCHOR"])
    def test_tells_nothing_of_the_purpose(self, client, wanted):
        round_ = open_round(n_items=20, percent=20)
        rater = make.annotators(round_)[0]
        client.force_login(make.account(rater))
        seat = make.claim(round_, rater, now=make.at(0))
        while seat.round_item.occasion == 1 and wanted == "REPEAT":
            make.submit(seat, now=seat.claimed_at)
            seat = make.claim(round_, rater, now=seat.claimed_at + timedelta(minutes=1))
        addresses = [
            reverse(name, args=["northport", seat.token]) for name in ("grade", "grade_state")
        ]
        work = [reverse("grading", args=["northport"])]

        pages = []
        for purpose in ("NORMAL", wanted):
            models.RoundItem.objects.filter(pk=seat.round_item_id).update(purpose=purpose)
            pages.append([plain(client.get(url)) for url in addresses + work])

        assert pages[0] == pages[1]
        assert all(b"repeat" not in page.lower() for page in pages[0])

    def test_counts_repeats_in_what_a_round_is_about_as_in_its_total(self):
        round_ = open_round(n_items=20, percent=20)
        models.Item.objects.update(capability=make.capability())

        [work] = worklist.list_work(make.annotators(round_)[0], make.at(1))

        assert work.n_items == 24
        assert [n for _name, n in work.mix] == [24]

    def test_addresses_a_repeat_like_any_seat(self):
        round_ = open_round(n_items=20, percent=20)
        served = grade_on(round_, make.annotators(round_)[0])

        lengths = {len(seat.token or "") for seat in served}
        assert len(lengths) == 1
        assert len({seat.token for seat in served}) == len(served)


def plain(response) -> bytes:
    """Return a page without what differs each time it is drawn."""
    return re.sub(rb'(csrfmiddlewaretoken" value=|"csrf": )"[^"]*"', b"", response.content)
