from datetime import timedelta

import pytest

from annotation import models
from annotation.home import queries as attention
from annotation.rounds import states
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_():
    return make.open_round()


def titles(project: models.Project) -> list[str]:
    return [one.title for one in attention.looks(project, make.NOW)]


class TestLooks:
    def test_are_none_when_all_goes_well(self, round_):
        assert titles(round_.project) == []

    def test_name_a_round_that_closes_with_seats_left(self, round_):
        models.Round.objects.update(deadline=make.NOW + timedelta(days=1))

        [look] = attention.looks(round_.project, make.NOW)

        assert (look.title, look.text) == (f"{round_.name} closes soon", "6 seats are left.")
        assert (look.page, look.number) == ("round", round_.number)

    def test_keep_a_name_of_another_direction_from_rearranging_the_sentence(self, round_):
        models.Round.objects.update(
            deadline=make.NOW - timedelta(days=1), name="\u05d3\u05d5\u05d3 2"
        )

        assert titles(round_.project) == [
            "\u2068\u05d3\u05d5\u05d3 2\u2069 is past its closing time"
        ]

    def test_name_a_round_past_its_time(self, round_):
        models.Round.objects.update(deadline=make.NOW - timedelta(days=1))

        assert titles(round_.project) == [f"{round_.name} is past its closing time"]

    def test_count_only_seats_that_somebody_can_still_grade(self, round_):
        models.Round.objects.update(deadline=make.NOW + timedelta(days=1))
        seat = models.Assignment.objects.earliest("pk")
        models.Assignment.objects.filter(pk=seat.pk).update(state="DROPPED")

        [look] = attention.looks(round_.project, make.NOW)

        assert look.text == "5 seats are left."

    @pytest.mark.parametrize("days", [None, -1, 1, 30])
    def test_name_a_round_with_no_seat_left(self, round_, days):
        make.submit(make.claim(round_))
        models.Assignment.objects.filter(state="FREE").update(state="DROPPED")
        deadline = None if days is None else make.NOW + timedelta(days=days)
        models.Round.objects.update(deadline=deadline)

        [look] = attention.looks(round_.project, make.NOW)

        assert look.title == f"{round_.name}: everything is graded"
        assert look.text == "No seat is left. Close the round for review."
        assert (look.page, look.number) == ("round", round_.number)

    def test_ask_once_about_all_rounds_that_close(self, round_, django_assert_num_queries):
        make.open_round(in_=round_.project)
        models.Round.objects.update(deadline=make.NOW + timedelta(days=1))

        with django_assert_num_queries(2):
            assert len(attention.looks(round_.project, make.NOW)) == 2

    def test_count_flags_and_late_grades_of_rounds_that_are_not_final(self, round_):
        seat = make.claim(round_)
        make.submit(seat)
        slot = seat.slots.earliest("pk")
        models.Remark.objects.create(
            slot=slot, rater=make.holder(seat), kind="FLAG", text="Unclear.", at=make.NOW
        )
        models.Grade.objects.update(late=True, is_current=False)

        assert titles(round_.project) == [
            f"{round_.name}: flags of annotators",
            f"{round_.name}: late grades",
        ]

    def test_name_an_import_that_stopped(self, round_):
        models.ImportBatch.objects.create(
            project=round_.project,
            number=1,
            kind=models.ImportKind.ANSWERS,
            file_name="answers.csv",
            file_sha="0" * 64,
            mapping={},
            mapping_sha="0" * 64,
            stopped="The disk is full.",
            created_by=round_.created_by,
            created_at=make.NOW,
            touched_at=make.NOW,
        )

        assert titles(round_.project) == ["answers.csv stopped half-way"]


class TestWorkers:
    def test_count_the_week_and_what_is_held(self, round_):
        one, two, _three = make.annotators(round_)
        make.submit(make.claim(round_, one), now=make.NOW)
        make.claim(round_, two)

        found = attention.workers(round_.project, make.NOW)

        assert sorted((worker.n_week, worker.n_held) for worker in found) == [
            (0, 0),
            (0, 1),
            (1, 0),
        ]
        assert found[-1].last is None


class TestNews:
    def test_say_what_happened_last(self, round_):
        make.submit(make.claim(round_), now=make.NOW)
        states.close(round_=round_, by=round_.created_by, now=make.at(10))

        [news] = attention.news(round_.project, make.at(20))

        assert (news.text, news.n_day, news.n_week) == ("closed for review", 1, 1)

    def test_are_gone_after_a_week(self, round_):
        assert attention.news(round_.project, make.NOW + timedelta(days=8)) == []
