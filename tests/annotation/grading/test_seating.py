from datetime import timedelta

import pytest

from annotation import models
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.people import operations as people
from annotation.people.models import Role
from annotation.rounds import drafting, queries, states
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


class TestClaimNext:
    def test_hands_out_a_free_seat_under_a_lease(self):
        round_ = make.open_round()
        ann = make.annotators(round_)[0]

        seat = make.claim(round_, ann)

        assert (seat.state, seat.rater, seat.claim_no, seat.rev) == (State.CLAIMED, ann, 1, 0)
        assert seat.lease_until == make.at(round_.lease_minutes)
        assert len(seat.token or "") == 26
        assert kinds(seat) == ["CLAIMED"]

    def test_gives_the_same_person_the_same_seat_until_it_is_done(self):
        round_ = make.open_round()

        first = make.claim(round_)
        again = make.claim(round_, now=make.at(5))

        assert (again.pk, again.token, again.claim_no) == (first.pk, first.token, 1)
        assert again.lease_until == make.at(35)

    def test_finds_the_seat_that_another_request_of_the_same_person_took_meanwhile(self):
        round_ = make.open_round()
        ann = make.annotators(round_)[0]
        place = round_.annotators.get(rater=ann)
        offers = list(seating.candidates(round_, ann, 0, make.NOW))
        taken = make.claim(round_, ann)
        elsewhere = next(offer for offer in offers if offer.item != taken.round_item_id)

        second = seating._take(place, elsewhere, ann, make.NOW)

        assert second == taken
        assert Assignment.objects.filter(state=State.CLAIMED).count() == 1

    def test_walks_everybody_through_the_items_in_an_order_of_their_own(self):
        round_ = make.open_round(n_items=8, n_annotators=3)
        orders: list[list[int]] = []
        for ann in make.annotators(round_):
            orders.append([])
            while True:
                try:
                    seat = make.claim(round_, ann)
                except seating.NoSeat:
                    break
                orders[-1].append(seat.round_item.ordinal)
                make.submit(seat)

        assert len({tuple(order) for order in orders}) == 3
        assert [sorted(order) for order in orders] == [list(range(8))] * 3

    def test_walks_one_of_many_through_an_equal_share(self):
        round_ = make.open_round(n_items=8, n_annotators=4)
        ann = make.annotators(round_)[0]
        for _item in range(6):
            make.submit(make.claim(round_, ann))

        assert why_not(round_, ann) == "share_done"

    def test_never_gives_one_person_two_seats_of_an_item(self):
        round_ = make.open_round(n_items=1)
        make.submit(make.claim(round_))

        assert why_not(round_, make.annotators(round_)[0]) == "all_done"

    def test_never_hands_out_more_seats_of_an_item_than_it_has(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        for ann in make.annotators(round_)[:3]:
            make.claim(round_, ann)

        assert why_not(round_, make.annotators(round_)[3]) == "waiting"

    def test_hands_out_a_seat_again_whose_lease_is_over(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        lost, *_ = [make.claim(round_, ann) for ann in three]

        taken = make.claim(round_, fourth, now=make.at(30.1))

        assert taken.pk == lost.pk
        assert (taken.rater, taken.claim_no) == (fourth, 2)
        assert taken.token != lost.token
        assert kinds(taken) == ["CLAIMED", "EXPIRED", "CLAIMED"]

    def test_leaves_a_lease_alone_that_ends_this_very_moment(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        for ann in three:
            make.claim(round_, ann)

        assert why_not(round_, fourth, now=make.at(30)) == "waiting"

    def test_keeps_what_had_been_drafted_when_a_lease_ends(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        for ann in three:
            seat = make.claim(round_, ann)
            models.Draft.objects.create(
                assignment=seat, rater=ann, rev=4, marks={"A": 1}, saved_at=make.NOW
            )

        taken = make.claim(round_, fourth, now=make.at(31))

        assert taken.events.get(kind="EXPIRED").kept == {"rev": 4, "marks": {"A": 1}}
        assert not models.Draft.objects.filter(assignment=taken).exists()

    def test_gives_the_holder_the_seat_back_whose_lease_is_over_but_which_nobody_took(self):
        round_ = make.open_round()
        seat = make.claim(round_)

        again = make.claim(round_, now=make.at(60))

        assert (again.pk, again.token) == (seat.pk, seat.token)
        assert again.lease_until == make.at(90)

    def test_gives_a_new_seat_to_somebody_who_just_lost_theirs(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        seats = [make.claim(round_, ann) for ann in three]
        stale = Assignment.objects.get(pk=seats[0].pk)
        taken = make.claim(round_, fourth, now=make.at(31))

        assert states.extend(assignment=stale, now=make.at(31)) is None
        again = make.claim(round_, three[0], now=make.at(31))

        assert again.rater == three[0]
        assert again.pk != taken.pk

    def test_does_not_offer_again_what_somebody_skipped(self):
        round_ = make.open_round(n_items=2)
        ann = make.annotators(round_)[0]
        skipped = make.claim(round_)
        states.hand_back(
            assignment=skipped, rater=ann, now=make.NOW, reason="I know it.", skip=True
        )

        other = make.claim(round_)
        make.submit(other)

        assert other.round_item_id != skipped.round_item_id
        assert why_not(round_, ann) == "all_done"

    def test_says_that_all_is_done_although_a_skipped_item_is_with_somebody(self):
        round_ = make.open_round(n_items=1, n_annotators=3)
        one, *others = make.annotators(round_)
        seat = make.claim(round_, one)
        states.hand_back(assignment=seat, rater=one, now=make.NOW, reason="No.", skip=True)
        for ann in others:
            make.claim(round_, ann)

        assert why_not(round_, one) == "all_done"

    def test_offers_a_seat_again_that_was_only_handed_back(self):
        round_ = make.open_round(n_items=1)
        ann = make.annotators(round_)[0]
        seat = make.claim(round_)
        states.hand_back(assignment=seat, rater=ann, now=make.NOW)

        again = make.claim(round_)

        assert again.pk == seat.pk
        assert again.token != seat.token

    def test_does_not_depend_on_what_has_been_claimed_before(self):
        round_ = make.open_round(n_items=42, n_annotators=3)
        ann = make.annotators(round_)[0]
        round_.annotators.filter(rater=ann).update(cursor=41)

        seats = []
        for _ in range(42):
            seats.append(make.claim(round_, ann))
            make.submit(seats[-1])

        assert len({seat.round_item_id for seat in seats}) == 42

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"state": "DRAFT"}, "not_open"),
            ({"state": "REVIEW", "review_at": make.NOW}, "closed"),
            ({"state": "FINAL"}, "closed"),
            ({"paused_at": make.NOW}, "paused"),
            ({"deadline": make.at(-1)}, "deadline_passed"),
        ],
    )
    def test_refuses_with_the_reason_of_the_round(self, change, code):
        round_ = make.open_round()
        models.Round.objects.filter(pk=round_.pk).update(**change)

        assert why_not(round_, make.annotators(round_)[0]) == code
        assert not Assignment.objects.exclude(state=State.FREE).exists()

    def test_refuses_who_was_not_invited(self):
        round_ = make.open_round()
        stranger = make.rater(make.member(Role.ANNOTATOR, username="stranger"))

        assert why_not(round_, stranger) == "not_invited"

    def test_refuses_who_was_taken_off_the_round(self):
        round_ = make.open_round()
        ann = make.annotators(round_)[0]
        round_.annotators.filter(rater=ann).update(ended_at=make.NOW)

        assert why_not(round_, ann) == "not_invited"

    def test_refuses_who_has_come_to_see_identities(self):
        round_ = make.open_round()
        ann = make.annotators(round_)[0]
        make.member(Role.ANALYST, username=make.account(ann).username)

        assert why_not(round_, ann) == "not_blind"

    def test_refuses_who_has_had_the_names_shown(self):
        round_ = make.open_round()
        ann = make.annotators(round_)[0]
        models.Unblinding.objects.create(round=round_, user=make.account(ann), at=make.NOW)

        assert why_not(round_, ann) == "not_blind"

    def test_lets_an_unblinded_person_grade_whom_an_owner_allowed(self):
        round_ = make.open_round()
        ann = make.annotators(round_)[0]
        make.member(Role.ANALYST, username=make.account(ann).username)
        drafting.invite(
            round_=round_,
            users=[make.account(one) for one in make.annotators(round_)],
            by=round_.created_by,
            by_owner=True,
            now=make.NOW,
            override="Nobody else knows the subject.",
        )

        assert make.claim(round_, ann).rater == ann

    def test_looks_again_whether_the_round_still_takes_claims(self):
        round_ = make.open_round()
        seen_before = models.Round.objects.get(pk=round_.pk)
        states.pause(round_=round_, by=round_.created_by, now=make.NOW)

        with pytest.raises(seating.NoSeat) as refusal:
            seating.claim_next(round_=seen_before, rater=make.annotators(round_)[0], now=make.NOW)

        assert refusal.value.code == "paused"
        assert not ClaimEvent.objects.exists()

    def test_lets_who_holds_a_seat_keep_it_in_a_pause_and_in_review(self):
        round_ = make.open_round()
        seat = make.claim(round_)
        states.pause(round_=round_, by=round_.created_by, now=make.NOW)
        assert make.claim(round_) == seat
        states.close(round_=round_, by=round_.created_by, now=make.NOW)

        assert make.claim(round_) == seat

    def test_asks_the_database_a_bounded_number_of_times(self, django_assert_max_num_queries):
        round_ = make.open_round(n_items=40)
        ann = make.annotators(round_)[0]

        with django_assert_max_num_queries(18):
            seating.claim_next(round_=round_, rater=ann, now=make.NOW)


class TestTokens:
    def test_differ_between_the_annotators_of_an_item_and_between_claims(self):
        round_ = make.open_round(n_items=1)
        seats = [make.claim(round_, ann) for ann in make.annotators(round_)]
        states.expire(make.at(31))
        again = [make.claim(round_, ann, now=make.at(32)) for ann in make.annotators(round_)]

        assert len({seat.token for seat in [*seats, *again]}) == 6

    def test_are_known_only_to_those_they_were_given_to(self):
        round_ = make.open_round()
        one, other, _ = make.annotators(round_)
        seat = make.claim(round_, one)

        holding = grading.find(token=seat.token or "", rater=one)
        assert holding is not None
        assert holding.assignment == seat
        assert grading.find(token=seat.token or "", rater=other) is None
        assert grading.find(token="0" * 26, rater=one) is None


class TestWhy:
    def test_has_a_title_and_a_text_for_every_refusal(self):
        for code, (title, text) in seating.WHY.items():
            assert str(seating.NoSeat(code)) == f"{title}. {text}"
            assert seating.NoSeat(code).code == code


def test_people_of_other_projects_are_other_raters():
    one = make.open_round()
    other = make.project("southport")
    user = make.account(make.annotators(one)[0])
    people.grant(project=other, user=user, role=Role.ANNOTATOR, by=user, now=make.NOW)

    assert why_not(one, make.rater(user, in_=other)) == "not_invited"


class TestClaimAhead:
    def test_holds_the_next_two_seats_ready(self):
        round_ = make.open_round(n_items=5)
        ann = make.annotators(round_)[0]
        mine = make.claim(round_, ann)

        ready = seating.claim_ahead(round_=round_, rater=ann, now=make.NOW)

        assert [seat.warm for seat in ready] == [True, True]
        assert len({mine.round_item_id, *(seat.round_item_id for seat in ready)}) == 3
        assert all(seat.lease_until - make.at(10) < timedelta(seconds=1) for seat in ready)

    def test_renews_them_no_longer_than_any_other_seat(self):
        round_ = make.open_round(n_items=5, lease_minutes=30)
        ann = make.annotators(round_)[0]
        make.claim(round_, ann)
        for minutes in range(0, 150, 9):
            ready = seating.claim_ahead(round_=round_, rater=ann, now=make.at(minutes))
            assert len(ready) == 2

        assert all(seat.lease_until <= make.at(130) for seat in ready)

    def test_changes_nothing_when_asked_again_but_the_leases(self):
        round_ = make.open_round(n_items=5)
        ann = make.annotators(round_)[0]
        make.claim(round_, ann)
        first = seating.claim_ahead(round_=round_, rater=ann, now=make.NOW)

        again = seating.claim_ahead(round_=round_, rater=ann, now=make.at(5))

        assert [seat.pk for seat in again] == [seat.pk for seat in first]
        assert Assignment.objects.filter(rater=ann).count() == 3
        assert Assignment.objects.get(pk=first[0].pk).lease_until == make.at(15)

    def test_are_what_the_next_claim_hands_out_as_work(self):
        round_ = make.open_round(n_items=5)
        ann = make.annotators(round_)[0]
        make.submit(make.claim(round_, ann))
        make.claim(round_, ann)
        ready = seating.claim_ahead(round_=round_, rater=ann, now=make.NOW)
        make.submit(make.claim(round_, ann))

        work = make.claim(round_, ann, now=make.at(1))

        assert work.pk == ready[0].pk
        assert (work.warm, work.lease_until) == (False, make.at(31))

    def test_go_back_to_the_others_when_nobody_comes(self):
        round_ = make.open_round(n_items=1, n_annotators=4)
        *three, fourth = make.annotators(round_)
        for ann in three:
            seating.claim_ahead(round_=round_, rater=ann, now=make.NOW)

        with pytest.raises(seating.NoSeat):
            make.claim(round_, fourth, now=make.at(9))
        assert make.claim(round_, fourth, now=make.at(11)).warm is False

    def test_hold_nothing_while_the_round_pauses(self):
        round_ = make.open_round(n_items=5)
        ann = make.annotators(round_)[0]
        states.pause(round_=round_, by=round_.created_by, now=make.NOW)
        round_.refresh_from_db()

        with pytest.raises(seating.NoSeat):
            seating.claim_ahead(round_=round_, rater=ann, now=make.NOW)


class TestShare:
    def grade(self, round_, rater, n, *, start=0):
        for minute in range(start, start + n):
            seat = make.claim(round_, rater, now=make.at(minute))
            make.submit(seat, now=make.at(minute))

    def test_is_the_same_for_everybody_until_somebody_asks_for_more(self):
        round_ = make.open_round(n_items=6, n_seats=3, n_annotators=6)
        one, two = make.annotators(round_)[:2]

        self.grade(round_, one, 3)  # 18 seats for 6 people

        assert why_not(round_, one) == "share_done"
        assert seating.claim_ahead(round_=round_, rater=one, now=make.at(9)) == []
        assert make.claim(round_, two, now=make.at(9)).rater == two
        seating.ask_for_more(round_=round_, rater=one, now=make.at(10))
        seating.ask_for_more(round_=round_, rater=one, now=make.at(10))  # pressed twice
        assert round_.annotators.get(rater=one).extra == seating.MORE
        self.grade(round_, one, 3, start=11)
        assert why_not(round_, one, make.at(20)) == "all_done"

    def test_leaves_nothing_over_where_everybody_does_theirs(self):
        round_ = make.open_round(n_items=7, n_seats=3, n_annotators=5)
        left = list(make.annotators(round_))
        counts = dict.fromkeys(left, 0)

        while left:
            for rater in list(left):
                try:
                    self.grade(round_, rater, 1, start=sum(counts.values()))
                    counts[rater] += 1
                except seating.NoSeat:
                    left.remove(rater)

        assert sum(counts.values()) == 21
        assert max(counts.values()) - min(counts.values()) <= 1

    def test_does_not_count_where_an_item_has_a_seat_for_everybody(self):
        round_ = make.open_round(n_items=4, n_seats=3, n_annotators=3)
        rater = make.annotators(round_)[0]

        assert queries.shares(rater, [round_]) == {}
        self.grade(round_, rater, 4)
        assert why_not(round_, rater) == "all_done"

    def test_grows_when_somebody_leaves(self):
        round_ = make.open_round(n_items=6, n_seats=1, n_annotators=3)
        one, two = make.annotators(round_)[:2]
        self.grade(round_, one, 2)
        assert why_not(round_, one) == "share_done"

        round_.annotators.filter(rater=two).update(ended_at=make.NOW)

        assert queries.shares(one, [round_])[round_.pk] == queries.AnnotatorShare(3, 2)
        assert make.claim(round_, one, now=make.at(9)).rater == one
