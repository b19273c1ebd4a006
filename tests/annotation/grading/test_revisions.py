import uuid

import pytest

from annotation.grading import operations as grading
from annotation.grading.models import Remark
from tests import make

pytestmark = pytest.mark.django_db


def submit(seat, base_rev, *, evidence=None, flag=None, comments=None):
    return grading.submit_grades(
        token=seat.token,
        rater=make.holder(seat),
        marks=make.marks(seat, {"A": 2, "B": 1}),
        comments=comments or {},
        evidence=evidence,
        flag=flag,
        base_rev=base_rev,
        op_id=uuid.UUID(int=70_000 + base_rev),
        now=make.at(1),
    )


def kept(kind) -> list[tuple[int, int | None, int | None, str]]:
    rows = Remark.objects.filter(kind=kind).order_by("revision", "start")
    return [(row.revision, row.start, row.end, row.text) for row in rows]


class TestWriteRemarks:
    def test_keeps_marked_places_of_the_display(self):
        seat = make.claim(make.open_round())

        submit(seat, 0, evidence={"A": [(0, 4), (6, 9)]})

        assert kept("EVIDENCE") == [(1, 0, 4, ""), (1, 6, 9, "")]
        slot = seat.slots.get(position=0)
        assert {row.display for row in Remark.objects.all()} == {slot.round_response.display}

    def test_gives_changed_places_a_new_revision_and_unchanged_ones_none(self):
        seat = make.claim(make.open_round())

        submit(seat, 0, evidence={"A": [(0, 4)]})
        submit(seat, 1, evidence={"A": [(0, 4)]})
        submit(seat, 2, evidence={"A": [(2, 8)]})

        assert kept("EVIDENCE") == [(1, 0, 4, ""), (2, 2, 8, "")]

    def test_takes_places_back_by_an_empty_revision(self):
        seat = make.claim(make.open_round())

        submit(seat, 0, evidence={"A": [(0, 4)]})
        submit(seat, 1, evidence={"A": []})
        submit(seat, 2, evidence={"A": []})

        assert kept("EVIDENCE") == [(1, 0, 4, ""), (2, None, None, "")]

    def test_leaves_alone_what_is_not_mentioned(self):
        seat = make.claim(make.open_round())

        submit(seat, 0, evidence={"A": [(0, 4)]}, flag="The year is missing.")
        submit(seat, 1)

        assert kept("EVIDENCE") == [(1, 0, 4, "")]
        assert kept("FLAG") == [(1, None, None, "The year is missing.")]

    def test_ignores_letters_the_seat_does_not_have(self):
        seat = make.claim(make.open_round())

        submit(seat, 0, evidence={"H": [(0, 4)]}, comments={"H": "who?"})

        assert not Remark.objects.exists()
