import pytest
from django.db import IntegrityError, transaction

from annotation.rounds.models import Assignment, Receipt, Slot
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def seat():
    return make.claim(make.open_round())


def refused(name, change):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        change()


def alter(one, **fields):
    return lambda: Assignment.objects.filter(pk=one.pk).update(**fields)


class TestAssignment:
    @pytest.mark.parametrize(
        "fields",
        [
            {"state": "FREE"},
            {"state": "FREE", "rater": None},
            {"rater": None},
            {"lease_until": None},
            {"state": "SUBMITTED"},
            {"state": "SUBMITTED", "submitted_at": make.NOW, "rater": None},
            {"state": "GONE"},
        ],
    )
    def test_that_is_taken_has_a_rater(self, seat, fields):
        refused("a_seat_that_is_taken_has_a_rater", alter(seat, **fields))

    def test_gives_a_rater_one_seat_of_an_item(self, seat):
        other = Assignment.objects.filter(round_item=seat.round_item).exclude(pk=seat.pk).first()
        taken = {"state": "CLAIMED", "rater": seat.rater, "lease_until": make.NOW}

        refused("UNIQUE|a_rater_has_one_seat_of_an_item", alter(other, **taken))

    def test_is_one_of_its_number_in_an_item_and_in_the_round(self, seat):
        others = Assignment.objects.filter(round_item=seat.round_item).exclude(pk=seat.pk)
        other = others.earliest("pk")

        refused("UNIQUE|seat_is_unique", alter(other, seat=seat.seat))
        refused("UNIQUE|seat_ordinal_is_unique", alter(other, ordinal=seat.ordinal))
        refused("UNIQUE|token", alter(other, token=seat.token))

    def test_is_held_by_its_rater_only(self, seat):
        one, two, _ = make.annotators(seat.round)

        assert list(Assignment.objects.held_by(one)) == [seat]
        assert not Assignment.objects.held_by(two).exists()


class TestSlot:
    def test_has_a_position_and_a_response_of_its_own(self, seat):
        first, second = seat.slots.all()

        refused(
            "UNIQUE|slot_position_is_unique",
            lambda: Slot.objects.filter(pk=second.pk).update(position=first.position),
        )
        refused(
            "UNIQUE|a_response_once_in_a_seat",
            lambda: Slot.objects.filter(pk=second.pk).update(round_response=first.round_response),
        )


class TestReceipt:
    def test_answers_a_request_once(self, seat):
        receipt = make.submit(seat)
        receipt.pk = None

        refused("UNIQUE|a_request_is_answered_once", lambda: receipt.save(force_insert=True))
        assert Receipt.objects.count() == 1
