from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation import models
from annotation.people.models import Role
from annotation.rounds import states as leases
from annotation.running import queries as workload
from tests import make
from tests.annotation.grading.seats import lost_seat, one_item

pytestmark = pytest.mark.django_db


def line_of(rater: models.Rater, minute: float = 60) -> workload.AnnotatorLine:
    return next(
        one for one in workload.lines(make.project(), make.at(minute)) if one.rater == rater
    )


def graded(round_: models.Round, rater: models.Rater, ms: int = 90_000, minute: float = 1) -> None:
    make.submit(make.claim(round_, rater), active_ms=ms, now=make.at(minute))


class TestLines:
    def test_count_what_somebody_has_done_and_holds(self):
        round_ = make.open_round(n_items=3)
        rater = make.annotators(round_)[0]
        graded(round_, rater)
        leases.hand_back(
            assignment=make.claim(round_, rater), rater=rater, now=make.at(2), reason="x", skip=True
        )
        make.claim(round_, rater)

        line = line_of(rater)

        assert (line.n_rounds, line.n_done, line.n_held, line.n_declined) == (1, 1, 1, 1)
        assert (line.minutes, line.minutes_each) == (1.5, None)
        assert line.last == make.at(1)

    def test_add_up_every_visit_of_a_question_and_take_the_middle_of_three(self):
        round_ = make.open_round(n_items=3)
        rater = make.annotators(round_)[0]
        for ms in (60_000, 120_000, 600_000):
            graded(round_, rater, ms)

        line = line_of(rater)

        assert (line.minutes, line.minutes_each) == (13.0, 2.0)

    def test_count_late_work_for_whoever_did_it(self):
        seat = lost_seat(one_item())
        make.submit(seat, {"A": 2, "B": 2}, active_ms=60_000, now=make.at(32))
        held = models.Assignment.objects.get(pk=seat.pk)
        make.submit(held, {"A": 0, "B": 1}, active_ms=90_000, now=make.at(33))

        assert line_of(held.rater).minutes == 1.5
        assert workload._spent(make.project())[seat.rater_id] == [1.0]

    def test_are_the_same_for_seats_from_before_their_times_were_kept(self, monkeypatch):
        migration = import_module("annotation.migrations.0049_time_of_earlier_seats")
        monkeypatch.setattr(migration, "CHUNK", 2)
        round_ = make.open_round(n_items=4)
        rater = make.annotators(round_)[0]
        for ms in (60_000, 120_000, 30_000, 15_000):
            graded(round_, rater, ms)
        seat = models.Assignment.objects.filter(rater=rater).latest("pk")
        make.submit(seat, {"A": 0, "B": 1}, active_ms=45_000, now=make.at(3), base_rev=seat.rev)
        kept = dict(models.Assignment.objects.values_list("pk", "active_ms"))
        models.Assignment.objects.update(active_ms=0)

        with CaptureQueriesContext(connection) as asked:
            for _time in range(2):  # what was broken off is begun anew
                migration.forward(apps, SimpleNamespace(connection=connection))

        assert line_of(rater).minutes == 4.5
        assert dict(models.Assignment.objects.values_list("pk", "active_ms")) == kept
        told = [one["sql"] for one in asked if "UPDATE annotation_assignment" in one["sql"]]
        assert len(told) == 2 * -(-len(kept) // 2)
        assert not any("CASE" in one for one in told)
        assert migration.Migration.atomic is False

    def test_tell_what_was_done_lately(self):
        round_ = make.open_round(n_items=2)
        rater = make.annotators(round_)[0]
        graded(round_, rater)

        assert line_of(rater, minute=60).n_lately == 1
        assert line_of(rater, minute=60 * 24 * 8).n_lately == 0

    def test_leave_out_whoever_never_graded(self):
        make.member(Role.ANALYST)

        assert workload.lines(make.project(), make.NOW) == []


class TestOutlooks:
    def test_reckon_with_the_pace_of_seven_days(self):
        round_ = make.open_round(n_items=2, n_annotators=3)
        graded(round_, make.annotators(round_)[0])
        now = make.at(60)

        (outlook,) = workload.outlooks(make.project(), now)

        assert (outlook.n_left, outlook.n_lately) == (5, 1)
        assert outlook.done_on == now + timedelta(days=35)

    @pytest.mark.parametrize(("days", "late"), [(34, True), (36, False)])
    def test_say_whether_the_deadline_holds(self, days, late):
        round_ = make.open_round(n_items=2, n_annotators=3)
        graded(round_, make.annotators(round_)[0])
        models.Round.objects.update(deadline=make.at(60) + timedelta(days=days))

        (outlook,) = workload.outlooks(make.project(), make.at(60))

        assert outlook.is_late is late

    def test_are_late_with_a_deadline_and_no_pace(self):
        make.open_round()
        models.Round.objects.update(deadline=make.at(60) + timedelta(days=900))

        (outlook,) = workload.outlooks(make.project(), make.NOW)

        assert (outlook.done_on, outlook.is_late) == (None, True)


class TestShortWithout:
    def test_names_rounds_that_would_lack_annotators(self):
        round_ = make.open_round(n_annotators=3)

        assert workload.short_without(make.project(), make.annotators(round_)[0]) == [round_]

    def test_names_none_where_others_are_enough(self):
        round_ = make.open_round(n_annotators=4)

        assert workload.short_without(make.project(), make.annotators(round_)[0]) == []


class TestTimes:
    def test_hold_a_row_for_each_submission_under_a_pseudonym(self):
        round_ = make.open_round(n_items=1)
        rater = make.annotators(round_)[0]
        graded(round_, rater)

        ((who, number, _item, at, ms, n_grades),) = workload.times(make.project())

        assert (who, number, at, ms) == (str(rater.public_id), 1, make.at(1).isoformat(), 90_000)
        assert n_grades == models.Grade.objects.count()
