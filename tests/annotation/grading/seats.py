"""Seats of a round, and what is stored of their grades, for tests."""

from decimal import Decimal

from annotation.common import scales
from annotation.grading import operations as grading
from annotation.grading.models import Grade, Remark
from annotation.rounds.models import Assignment
from tests import make


def current(seat) -> dict[str, str]:
    """Return the grades that count, by letter; a reason in brackets."""
    rows = Grade.objects.filter(assignment=seat, is_current=True, kind="GIVEN").order_by("slot")
    return {
        "ABCDEFGH"[place or 0]: f"({reason})" if value is None else scales.text(value)
        for place, value, reason in rows.values_list("slot__position", "value", "reason")
    }


def history(seat, letter: str) -> list[tuple[int, str, bool]]:
    rows = Grade.objects.filter(assignment=seat, slot__position="ABCDEFGH".index(letter))
    return [
        (revision, scales.text(value or Decimal(0)), is_current)
        for revision, value, is_current in rows.order_by("revision").values_list(
            "revision", "value", "is_current"
        )
    ]


def comments(seat) -> list[tuple[int, str, bool]]:
    rows = Remark.objects.filter(slot__assignment=seat).order_by("pk")
    return [(row.revision, row.text, row.late) for row in rows]


def lost_seat(round_) -> Assignment:
    """Return a seat as its first holder saw it, which somebody else has by now."""
    *three, fourth = make.annotators(round_)
    seats = [make.claim(round_, ann) for ann in three]
    make.claim(round_, fourth, now=make.at(31))
    return seats[0]


def one_item(n_annotators: int = 4):
    return make.open_round(n_items=1, n_annotators=n_annotators)


def is_lost(seat) -> bool:
    holding = grading.find(token=seat.token, rater=make.holder(seat))
    assert holding is not None
    return holding.lost
