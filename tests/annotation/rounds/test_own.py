import pytest

from annotation import models
from annotation.grading import seating
from annotation.people.models import Role
from annotation.rounds import drafting, drawing, opening, readiness
from annotation.rounds import queries as own
from tests import make

pytestmark = pytest.mark.django_db


def draft(n_seats: int = 1) -> models.Round:
    """Return a draft with one question of the bank, written by ann-1 and inspected by ann-2."""
    author = make.member(Role.DESIGNER, username="ann-1")
    inspector = make.member(Role.INSPECTOR, username="ann-2")
    version = make.question_version(author=author, inspector=inspector)
    round_ = make.draft_round(n_items=1, n_seats=n_seats)
    for row in round_.systems.all():
        make.response(version.item, row.release, f"In way {row.release_id}.")
    drafting.choose_draw(round_=round_, draw=drafting.Draw(), by=round_.created_by, now=make.NOW)
    drawing.prepare(round_=round_, now=make.NOW)
    return round_


def opened(round_: models.Round) -> models.Round:
    opening.request_opening(round_=round_, by=round_.created_by, now=make.NOW)
    opening.open_round(round_=round_, now=make.NOW)
    return round_


def served(round_: models.Round, rater: models.Rater) -> list[str]:
    found = []
    while True:
        try:
            seat = make.claim(round_, rater)
        except seating.NoSeat:
            return found
        make.submit(seat)
        found.append(seat.round_item.item.external_id)


class TestClosedTo:
    def test_keeps_a_question_from_who_wrote_or_inspected_it(self):
        round_ = opened(draft())
        [banked] = round_.items.filter(item__question_version__isnull=False)

        graders = make.annotators(round_)
        closed = [own.closed_to(one, [row.pk for row in round_.items.all()]) for one in graders]

        assert closed == [{banked.pk}, {banked.pk}, set()]

    @pytest.mark.parametrize(("place", "expected"), [(0, ["Q01"]), (1, ["Q01"])])
    def test_is_asked_at_every_claim(self, place, expected):
        round_ = opened(draft())

        assert served(round_, make.annotators(round_)[place]) == expected

    def test_leaves_the_seat_to_the_others(self):
        round_ = opened(draft())
        round_.annotators.update(extra=1)  # more than a share, for the others wrote it

        assert len(served(round_, make.annotators(round_)[2])) == 2

    def test_asks_nothing_of_a_round_without_questions_of_the_bank(self):
        assert not own.is_banked(make.open_round())


class TestNShort:
    def test_counts_items_with_too_few_others(self):
        round_ = draft(n_seats=3)

        assert own.n_short(round_) == 1
        unmet = [need.key for need in readiness.needs(round_) if not need.met]
        assert unmet == ["OTHERS_WROTE_IT"]

    def test_does_not_count_whom_an_owner_let(self):
        round_ = draft(n_seats=3)

        n = drafting.allow_own(
            round_=round_, reason="Few know it.", by=round_.created_by, by_owner=True, now=make.NOW
        )

        assert n == 2
        assert own.n_short(round_) == 0
        opened(round_)
        assert sorted(served(round_, make.annotators(round_)[0])) == sorted(
            round_.items.values_list("item__external_id", flat=True)
        )


class TestInvolved:
    def test_names_who_has_a_part_in_how_many_items(self):
        found = own.involved(draft())

        assert [(one.name, one.n_items) for one in found] == [("Ann-1", 1), ("Ann-2", 1)]


class TestWhatCanBeDrawn:
    def names(self, round_) -> set[str]:
        drawing.prepare(round_=round_, now=make.NOW)
        return set(round_.items.values_list("item__external_id", flat=True))

    def test_is_no_question_that_was_retired_not_even_as_an_older_import(self):
        round_ = draft()
        question = models.Question.objects.get()
        assert question.external_id in self.names(round_)
        make.item(question.external_id, question="As it was imported once.")
        models.Question.objects.update(state="RETIRED")

        assert self.names(round_) == {"Q01"}
