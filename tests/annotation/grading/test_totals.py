import pytest

from annotation import models
from annotation.grading import counting as totals
from annotation.grading import seating
from annotation.rounds import states as leases
from tests import make
from tests.annotation import qualified

pytestmark = pytest.mark.django_db


def told(round_, rater, minute: float = 1) -> int:
    round_.refresh_from_db()
    one = totals.total(rater, round_, make.at(minute))
    assert totals.totals(rater, [round_], make.at(minute))[round_.pk] == one
    return one


class TestTotal:
    def test_is_every_item_where_everybody_has_a_seat_of_each(self):
        round_ = make.open_round(n_items=5)
        rater = make.annotators(round_)[0]

        counts = [told(round_, rater)]
        for minute in range(5):
            make.submit(make.claim(round_, rater, now=make.at(minute)), now=make.at(minute))
            counts.append(told(round_, rater))

        assert counts == [5] * 6

    def test_leaves_out_what_others_have_taken(self):
        round_ = make.open_round(n_items=4, n_seats=1, n_annotators=2)
        one, two = make.annotators(round_)
        round_.annotators.update(extra=4)  # beyond their shares
        make.submit(make.claim(round_, one))
        held = make.claim(round_, one, now=make.at(1))

        assert (told(round_, one), told(round_, two)) == (4, 2)
        assert told(round_, two, minute=60) == 3  # what the other holds is over
        leases.hand_back(assignment=held, rater=one, now=make.at(2))
        assert told(round_, two) == 3

    def test_is_ones_share_where_others_grade_as_well(self):
        round_ = make.open_round(n_items=10, n_seats=3, n_annotators=4)
        one, two = make.annotators(round_)[:2]

        assert (told(round_, one), told(round_, two)) == (8, 8)  # 30 seats, 4 people
        for minute in range(8):
            make.submit(make.claim(round_, one, now=make.at(minute)), now=make.at(minute))
        assert (told(round_, one), told(round_, two)) == (8, 8)
        seating.ask_for_more(round_=round_, rater=one, now=make.at(9))
        assert (told(round_, one), told(round_, two)) == (10, 8)

    def test_leaves_out_what_was_skipped(self):
        round_ = make.open_round(n_items=4)
        rater = make.annotators(round_)[0]
        seat = make.claim(round_, rater)
        leases.hand_back(assignment=seat, rater=rater, now=make.NOW, reason="No.", skip=True)

        assert told(round_, rater) == 3

    def test_is_what_was_done_once_the_round_is_closed(self):
        round_ = make.open_round(n_items=4)
        rater = make.annotators(round_)[0]
        make.submit(make.claim(round_, rater))
        models.Round.objects.update(state="REVIEW")

        assert told(round_, rater) == 1

    def test_leaves_out_what_somebody_has_not_qualified_for(self):
        round_ = make.open_round(n_items=4)
        rater = make.annotators(round_)[0]
        models.Item.objects.filter(external_id="Q01").update(capability=make.capability())
        models.Round.objects.update(qualified_only_since=make.NOW)

        assert told(round_, rater) == 3
        qualified.qualified(rater)
        assert told(round_, rater) == 4

    def test_of_few_seats_left_is_exact_in_a_round_of_many(self, monkeypatch):
        round_ = make.open_round(n_items=4, n_seats=1, n_annotators=2)
        one, two = make.annotators(round_)
        round_.annotators.update(extra=4)  # beyond their shares
        make.submit(make.claim(round_, one))

        monkeypatch.setattr(totals, "_MANY_FREE", _Many())

        assert told(round_, two) == 4  # many are free: nobody looks what others took


class _Many:
    def first(self, **_given: int) -> int:
        return 1
