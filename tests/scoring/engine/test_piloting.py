from decimal import Decimal
from uuid import UUID

import pytest
from django.urls import reverse

from scoring.engine import progress as run_progress
from scoring.engine import requests as control
from scoring.engine import working
from scoring.engine.models import Run
from tests import make
from tests.scoring import connected, judged, run_rows

pytestmark = pytest.mark.django_db


def piloted(n_items=5):
    round_ = make.open_round(n_items=n_items, n_releases=1)
    return judged.requested(round_, judged.judge(), pilot=True)


def worked(run):
    working.work(run.pk, clock=lambda: make.at(1))
    run.refresh_from_db()
    return run


class TestAPilot:
    def test_stops_after_its_steps(self):
        run = worked(piloted())

        assert (run.state, run.pause, run.problem) == (Run.State.PAUSED, Run.Pause.PILOT, "")
        assert run.steps.filter(state="DONE").count() == control.PILOT
        assert run.steps.filter(state="FREE").count() == 2

    def test_goes_on_to_the_end_once_somebody_says_so(self):
        run = worked(piloted())

        control.resume(run=run, user=connected.owner(run.project), now=make.at(2))
        worked(run)

        assert (run.state, run.pilot) == (Run.State.DONE, 0)
        assert run.steps.filter(state="DONE").count() == 5
        assert run.calls.count() == 5

    def test_of_a_short_run_is_all_of_it(self):
        assert worked(piloted(2)).state == Run.State.DONE

    def test_is_of_answers_and_not_of_what_is_prepared_before(self):
        round_ = make.open_round(n_items=5, n_releases=1)
        run = judged.requested(round_, judged.judge(kind="geval", repeats=1), pilot=True)

        worked(worked(run))

        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.PILOT)
        assert run.steps.filter(response=None, state="DONE").count() == 1
        assert run.steps.exclude(response=None).filter(state="DONE").count() == control.PILOT

    def test_is_of_those_alone_that_ask_for_it(self):
        run = piloted()
        other = judged.requested(run.round, run.judge, 2)

        assert (run.pilot, other.pilot) == (control.PILOT, 0)

    def test_waits_for_what_is_still_in_work(self):
        run = piloted()
        run.refresh_from_db()
        working.plan(run=run, clock=lambda: make.NOW)
        run.steps.filter(ordinal__lt=3).update(state="CLAIMED", worker="other")
        run.refresh_from_db()

        worked(run)

        assert run.state == Run.State.RUNNING
        assert run.steps.filter(state="FREE").count() == 2


class TestForecast:
    def test_is_told_from_three_steps(self):
        run = run_rows.run()
        for _step in range(3):
            run_rows.call(run_rows.step(run), cost=Decimal("0.01"), seconds=4.0)
        for _step in range(9):
            run_rows.free(run)
        run_rows.endpoint().__class__.objects.update(max_in_flight=2)

        found = run_progress.progress_of(run, make.at(1))

        # 9 steps of 4 s each, two at once; 12 steps of 0.01 each.
        assert found.seconds_for_rest == pytest.approx(18.0)
        assert found.forecast == Decimal("0.12")

    def test_keeps_to_a_limit_a_minute(self):
        run = run_rows.run()
        for _step in range(3):
            run_rows.call(run_rows.step(run), seconds=1.0)
        for _step in range(9):
            run_rows.free(run)
        run_rows.endpoint().__class__.objects.update(max_in_flight=8, per_minute=3)

        # Nine calls at three a minute.
        assert run_progress.progress_of(run, make.at(1)).seconds_for_rest == pytest.approx(180.0)

    def test_is_none_where_nobody_was_asked(self):
        assert run_progress.progress_of(run_rows.run(), make.at(1)).seconds_for_rest is None


class TestPages:
    def test_begin_a_pilot_and_say_what_the_rest_will_take(self, client):
        round_ = make.open_round(n_items=5, n_releases=1)
        judge = judged.judge()
        client.force_login(connected.owner(round_.project))
        address = reverse("round_judge", args=["northport", round_.number])
        sent = {
            "judge": judge.rater_id,
            "key": str(UUID(int=5)),
            "name": "Small first",
            "seed": "7",
            "criteria": ["grade"],
        }

        shown = client.post(address, {**sent, "deed": "estimate"}).content.decode()
        assert "Try 3 steps first" in shown
        client.post(address, {**sent, "deed": "pilot"})
        run = worked(Run.objects.get(key=UUID(int=5)))

        page = client.get(reverse("run", args=["northport", run.number])).content.decode()
        assert "Pilot done." in page
        assert "3 of 5 steps done" in page
        assert "Go on" in page


class TestTheApi:
    def test_begins_a_pilot(self, client):
        round_ = make.open_round(n_items=5, n_releases=1)
        judge = judged.judge()
        client.force_login(connected.owner(round_.project))

        answer = client.post(
            reverse("api_round_judge", args=["northport", round_.number]),
            {
                "judge": judge.rater_id,
                "key": str(UUID(int=6)),
                "name": "A",
                "seed": 7,
                "pilot": True,
            },
            content_type="application/json",
        )

        assert answer.status_code == 201
        assert worked(Run.objects.get()).pause == Run.Pause.PILOT
