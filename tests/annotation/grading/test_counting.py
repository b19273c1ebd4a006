"""One rule of what counts, in three tongues: of a seat, of columns, in the database."""

from itertools import product

import pytest

from annotation.grading import counting
from annotation.rounds.models import RoundItem
from scoring.stats import frame
from tests import make
from tests.scoring.ratings import frame_of, rated

Purpose = RoundItem.Purpose
SEATS = list(product(Purpose.values, (1, 2)))
ASKED = [None, [], *([purpose] for purpose in Purpose.values), list(Purpose.values)]


@pytest.mark.parametrize("purposes", ASKED, ids=str)
def test_columns_keep_the_seats_that_count(purposes):
    records = [
        rated(f"{purpose} {occasion}", 1, purpose=purpose, occasion=occasion)
        for purpose, occasion in SEATS
    ]

    kept = frame.default_filter(frame_of(records), purposes=purposes)["group"].tolist()

    assert kept == [
        f"{purpose} {occasion}"
        for purpose, occasion in SEATS
        if counting.is_seat_counted(purpose, occasion, purposes=purposes)
    ]


@pytest.mark.django_db
def test_the_database_finds_the_seats_that_do_not():
    round_ = make.open_round(n_items=1)
    (seat,) = round_.items.all()
    for purpose, occasion in SEATS:
        round_.items.filter(pk=seat.pk).update(purpose=purpose, occasion=occasion)

        found = round_.items.filter(counting.SEATS_APART).exists()

        assert found is not counting.is_seat_counted(purpose, occasion)


def test_gold_and_later_looks_count_only_where_they_are_asked_for():
    assert counting.is_seat_counted("NORMAL", 1)
    assert counting.is_seat_counted("ANCHOR", 1)
    assert not counting.is_seat_counted("GOLD", 1)
    assert not counting.is_seat_counted("NORMAL", 2)
    assert counting.is_seat_counted("GOLD", 1, purposes=["GOLD"])
    assert counting.is_seat_counted("REPEAT", 2, purposes=["REPEAT"])
    assert not counting.is_seat_counted("NORMAL", 2, purposes=["NORMAL"])
