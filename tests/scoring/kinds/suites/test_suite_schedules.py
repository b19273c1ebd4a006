"""Suites run by themselves over what came since, by a clock that the tests move."""

from datetime import timedelta

import pytest

from annotation.people import operations as people
from annotation.people.models import AuditEvent, Role
from evalsite import queue
from scoring.engine import requests as control
from scoring.engine.models import Judgment, Run
from scoring.kinds.suites import keeping as saving
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites import schedules
from scoring.kinds.suites.models import Conversation, ConversationBatch, ScheduledRun, SuiteSchedule
from tests import make
from tests.scoring import completed, connected, running, suites

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
GATED = suites.SUITE + "gates: [{metric: string_length, max: 100}]\n"


def talks(first, n=2, said="Behind the weighbridge."):
    return suites.lines(
        {
            "id": f"talk {number}",
            "messages": [
                {"role": "user", "content": f"Where is gate {number}?"},
                {"role": "assistant", "content": said},
            ],
        }
        for number in range(first, first + n)
    )


def came(first, n=2, **given):
    return suites.brought(talks(first, n, **given), name="Live", file_name=f"{first}.jsonl")


def scheduled(text=suites.SUITE, every="HOURLY", **given):
    home = came(0)
    version = suites.saved(text)
    return schedules.set_schedule(
        suite=version.suite, every=every, sets=[home], by=suites.owner(), now=make.NOW, **given
    )


def due(hours):
    """Let so many hours pass, and everything happen that is due then; return how many runs were asked for."""
    now = make.NOW + hours * HOUR
    n = schedules.run_due(now)
    for run in Run.objects.filter(state=Run.State.STAGED):
        suites.done(run)
    schedules.look_at_gates(now)
    return n


def names(run):
    return sorted(suite_frame.conversations_of(run).values_list("external_id", flat=True))


class TestWhoeverSetIt:
    """The runs are asked for, and paid for, in the name of a person who may ask for some."""

    def removed(self, schedule):
        people.set_roles(
            project=schedule.suite.project,
            user=schedule.by,
            roles=[],
            by=make.member(Role.OWNER, in_=schedule.suite.project, username="other"),
            now=make.NOW,
        )

    def test_takes_it_along(self):
        schedule = scheduled()
        came(10)
        self.removed(schedule)

        assert due(1) == 0
        assert due(9) == 0

        schedule.refresh_from_db()
        assert not Run.objects.exists()
        assert schedule.paused_at == make.NOW + HOUR
        assert "in your name" in schedule.problem

    def test_is_not_run_at_once_for_either(self):
        schedule = scheduled()
        came(10)
        self.removed(schedule)

        with pytest.raises(schedules.ScheduleNotNow, match="may ask for no more runs"):
            schedules.run_now(schedule=schedule, now=make.NOW)

    def test_is_whoever_lets_it_go_on(self):
        schedule = scheduled()
        came(10)
        self.removed(schedule)
        due(1)
        other = make.member(Role.OWNER, in_=schedule.suite.project, username="other")

        schedules.resume(schedule=schedule, by=other, now=make.NOW + HOUR)

        assert due(2) == 1
        assert Run.objects.get().requested_by == other


class TestSetSchedule:
    def test_runs_over_what_comes_from_then_on(self):
        schedule = scheduled()

        assert schedule.next_at == make.NOW + HOUR
        assert schedules.new_in(schedule).count() == 0
        came(10)
        assert schedules.new_in(schedule).count() == 2
        assert AuditEvent.objects.filter(verb="suite.scheduled").exists()

    def test_can_begin_with_what_is_there(self):
        schedule = scheduled(from_beginning=True)

        assert schedules.new_in(schedule).count() == 2

    def test_keeps_its_mark_when_only_the_interval_changes(self):
        schedule = scheduled()
        came(10)

        again = schedules.set_schedule(
            suite=schedule.suite,
            every="DAILY",
            sets=list(schedule.sets.all()),
            by=suites.owner(),
            now=make.NOW + HOUR,
        )

        assert again.pk == schedule.pk
        assert again.next_at == make.NOW + 25 * HOUR
        assert schedules.new_in(again).count() == 2

    def test_wants_conversations_of_this_project(self):
        with pytest.raises(schedules.NothingChosen):
            schedules.set_schedule(
                suite=suites.saved().suite, every="DAILY", sets=[], by=suites.owner(), now=make.NOW
            )


class TestRunDue:
    def test_runs_over_what_is_new_and_over_nothing_twice(self):
        scheduled()
        came(10)

        assert due(0.5) == 0
        assert due(1) == 1
        assert due(1.5) == 0
        assert due(2) == 0  # nothing came
        came(20, n=3)
        assert due(3) == 1

        first, second = Run.objects.order_by("number")
        assert names(first) == ["talk 10", "talk 11"]
        assert names(second) == ["talk 20", "talk 21", "talk 22"]
        assert list(ScheduledRun.objects.order_by("pk").values_list("n_new", flat=True)) == [2, 3]
        assert Judgment.objects.filter(run=second, criterion__name="string_length").count() == 6

    @pytest.mark.parametrize(("every", "hours"), [("HOURLY", 1), ("DAILY", 24), ("WEEKLY", 168)])
    def test_comes_every_hour_day_or_week(self, every, hours):
        scheduled(every=every)
        came(10)

        assert due(hours - 0.01) == 0
        assert due(hours) == 1
        assert SuiteSchedule.objects.get().next_at == make.NOW + 2 * hours * HOUR

    def test_makes_up_for_missed_times_once(self):
        scheduled()
        came(10)

        assert due(5.5) == 1
        assert SuiteSchedule.objects.get().next_at == make.NOW + 6 * HOUR
        assert due(5.6) == 0

    def test_asks_once_though_two_workers_come(self):
        schedule = scheduled()
        came(10)
        now = make.NOW + HOUR

        done = [schedules._run(one, now) for one in [schedule, SuiteSchedule.objects.get()]]

        assert sorted(done) == [0, 1]
        assert Run.objects.count() == 1

    def test_waits_for_the_run_before_it_and_leaves_nothing_out(self):
        scheduled()
        came(10)
        schedules.run_due(make.NOW + HOUR)
        came(20)

        assert schedules.run_due(make.NOW + 2 * HOUR) == 0
        assert "not over" in SuiteSchedule.objects.get().problem
        suites.done(Run.objects.get())
        assert due(3) == 1
        assert names(Run.objects.latest("number")) == ["talk 20", "talk 21"]

    def test_leaves_out_nothing_that_was_still_being_brought_in(self):
        schedule = scheduled()
        came(10)
        # A file that began to come in before the run, and was all there after it.
        batch = ConversationBatch.objects.latest("pk")
        staged = ConversationBatch.objects.filter(pk=batch.pk)
        staged.update(state=ConversationBatch.State.STAGED)
        came(20)
        assert due(1) == 1
        staged.update(state=ConversationBatch.State.APPLIED)

        assert due(2) == 1

        first, second = Run.objects.order_by("number")
        assert (names(first), names(second)) == (["talk 20", "talk 21"], ["talk 10", "talk 11"])
        schedule.refresh_from_db()
        assert schedules.new_in(schedule).count() == 0
        assert Conversation.objects.count() == 6

    def test_says_why_it_could_not_run_and_tries_again(self):
        connected.endpoint("Judge")
        schedule = scheduled(suites.JUDGED)
        came(10)
        judge = connected.endpoint("Judge")
        type(judge).objects.update(retired_at=make.NOW)

        assert due(1) == 0
        schedule.refresh_from_db()
        assert "names the endpoint “Judge”" in schedule.problem
        type(judge).objects.update(retired_at=None)

        assert due(2) == 1
        schedule.refresh_from_db()
        assert schedule.problem == ""

    def test_runs_the_newest_version_with_the_budget_that_was_set(self):
        schedule = scheduled()
        saving.change(
            suite=schedule.suite,
            text=f"{suites.SUITE}notes: x\n",
            by=suites.owner(),
            now=make.NOW,
        )
        came(10)

        due(1)

        assert Run.objects.get().config["version"] == 2

    def test_has_systems_complete_what_is_new(self):
        connected.endpoint("house")
        text = completed.FUNCTIONS.format(completion="{endpoint: house}")
        scheduled(text)
        came(10)

        schedules.run_due(make.NOW + HOUR)
        run = completed.worked(Run.objects.get(), completed.Answers())

        assert run.state == Run.State.DONE
        assert names(run) == ["talk 10", "talk 11"]
        assert running.outcomes(run)["DONE", "OK"] == 3


class TestPause:
    def test_stops_and_goes_on_with_all_that_came_meanwhile(self):
        schedule = scheduled()
        came(10)
        schedules.pause(schedule=schedule, by=suites.owner(), now=make.NOW)

        assert due(5) == 0
        schedules.resume(schedule=schedule, by=suites.owner(), now=make.NOW + 6 * HOUR)
        assert due(6) == 1
        assert names(Run.objects.get()) == ["talk 10", "talk 11"]

    def test_says_that_it_is_done_already(self):
        schedule = scheduled()
        schedules.pause(schedule=schedule, by=suites.owner(), now=make.NOW)

        with pytest.raises(schedules.ScheduleNotNow):
            schedules.pause(schedule=schedule, by=suites.owner(), now=make.NOW)

    def test_does_not_keep_a_person_from_running_it_now(self):
        schedule = scheduled()
        came(10)
        schedules.pause(schedule=schedule, by=suites.owner(), now=make.NOW)

        assert schedules.run_now(schedule=schedule, now=make.NOW)
        with pytest.raises(schedules.ScheduleNotNow):
            schedules.run_now(schedule=schedule, now=make.NOW)


class TestGates:
    def test_that_are_kept_tell_nobody(self):
        scheduled(GATED)
        came(10)

        due(1)

        assert ScheduledRun.objects.get().gates == "KEPT"
        assert schedules.notices(project=make.project(), now=make.NOW) == []

    def test_that_are_not_kept_are_told_until_somebody_knows(self):
        scheduled(GATED)
        came(10, said="x" * 300)

        due(1)

        one = ScheduledRun.objects.get()
        assert one.gates == "FAILED"
        assert "is above 100" in one.said[0]
        ((title, text, path),) = schedules.notices(project=make.project(), now=make.NOW)
        assert (title, path) == (
            "“Drivers” failed gates",
            f"/p/northport/runs/{one.run.number}/suite/",
        )
        assert "is above 100" in text
        schedules.note(one=one, by=suites.owner(), now=make.NOW)
        assert schedules.notices(project=make.project(), now=make.NOW) == []

    def test_hold_a_run_against_the_one_before_it(self):
        scheduled(suites.SUITE + "gates: [{metric: string_length, max_drop: 1}]\n")
        came(10, said="A long answer about the gate and the way to it.")
        due(1)
        came(20, said="There.")
        due(2)

        first, second = ScheduledRun.objects.order_by("pk")
        assert (first.gates, second.gates) == ("KEPT", "FAILED")
        assert "of the baseline" in second.said[0]

    def test_of_a_run_that_was_called_off_are_not_kept(self):
        scheduled(GATED)
        came(10)
        schedules.run_due(make.NOW + HOUR)
        control.cancel(run=Run.objects.get(), user=None, now=make.NOW)

        schedules.look_at_gates(make.NOW)

        assert ScheduledRun.objects.get().said == ["The run was cancelled."]

    def test_are_none_where_the_suite_has_none(self):
        scheduled()
        came(10)
        due(1)

        assert ScheduledRun.objects.get().gates == "NONE"


class TestSweep:
    def test_rings_for_what_is_due_and_for_gates_that_are_open(
        self, django_capture_on_commit_callbacks
    ):
        scheduled(GATED)
        came(10)
        with django_capture_on_commit_callbacks(execute=True):
            schedules.sweep(make.NOW)
        assert schedules.RUN_JOB not in [name for name, _ in queue.waiting()]

        with django_capture_on_commit_callbacks(execute=True):
            assert schedules.sweep(make.NOW + HOUR) == 1
        assert schedules.RUN_JOB in [name for name, _given in queue.waiting()]
        schedules.run_due(make.NOW + HOUR)
        suites.done(Run.objects.get())
        with django_capture_on_commit_callbacks(execute=True):
            schedules.sweep(make.NOW + HOUR)

        assert [name for name, _given in queue.waiting("insight")] == [schedules.GATES_JOB]
