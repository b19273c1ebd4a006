"""A problem nobody thought of, at every place where a run can meet one: it stops once and goes on when asked."""

import asyncio
import sqlite3

import pytest
from django import db
from django.db import connection

from annotation.people.models import AuditEvent
from evalsite import errors, queue
from scoring.engine import calls as storing
from scoring.engine import claims, kinds, requests, working
from scoring.engine.claims import Means
from scoring.engine.kinds import StepPlan
from scoring.engine.models import Run
from scoring.llm.base import SystemFailed, Trouble
from tests import fake_queue, make
from tests.scoring import running

pytestmark = pytest.mark.django_db

SECRET = "sk-do-not-tell"


def broken(*_args, **_more):
    raise ZeroDivisionError(SECRET)


def locked(*_args, **_more):
    raise db.OperationalError("database is locked")


@pytest.fixture
def meantime(settings):
    """Have the heart of a job beat a few times while a model answers."""
    settings.RUN_LEASE = 0.08

    async def slow(_request, _model):
        await asyncio.sleep(0.15)

    return slow


class Growing(running.Interviewing):
    """A kind with a second stage of one step."""

    def more(self, run):
        yield StepPlan("the last", spec={"number": 99})


@pytest.fixture
def growing(monkeypatch):
    monkeypatch.setattr(running, "KIND", kind := Growing())
    kinds._load.cache_clear()
    yield kind
    kinds._load.cache_clear()


#: Where the problem rises: an object, and the name of what breaks.
PLACES = {
    "plan": (running.KIND, "plan"),
    "what it plans for": (working, "_write"),
    "endpoints": (running.KIND, "endpoints"),
    "the first agreement": (claims, "agree"),
    "a look at the run": (claims, "look"),
    "claiming": (claims, "claim"),
    "renewing": (claims, "renew"),
    "the end": (claims, "finish"),
}


class TestStop:
    @pytest.mark.parametrize("place", PLACES)
    def test_pauses_the_run_once_and_it_goes_on_when_asked(
        self, place, monkeypatch, caplog, meantime
    ):
        run = running.requested(n=4)
        with monkeypatch.context() as patch:
            patch.setattr(*PLACES[place], broken)
            for _ in range(3):
                running.worked(run, running.Model(meantime))

        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.PROBLEM)
        assert "(ZeroDivisionError)" in run.problem
        assert SECRET not in run.problem
        assert len([one for one in caplog.records if "was stopped" in one.message]) == 1
        assert AuditEvent.objects.filter(verb="run.stopped").count() == 1
        assert not run.steps.filter(state="CLAIMED").exists()

        requests.resume(run=run, user=None, now=make.NOW)
        running.worked(run, running.Model())

        assert (run.state, run.problem) == (Run.State.DONE, "")
        assert running.outcomes(run) == {("DONE", "OK"): 4}

    def test_opening_an_endpoint(self):
        run = running.requested(n=2)

        working.work(run.pk, running.clock, Means(open_model=broken))

        run.refresh_from_db()
        assert (run.state, run.pause) == (Run.State.PAUSED, Run.Pause.PROBLEM)

    def test_a_second_stage(self, growing, monkeypatch):
        run = running.requested(n=2)
        with monkeypatch.context() as patch:
            patch.setattr(growing, "more", broken)
            running.worked(run, running.Model())
        stopped = (run.state, run.pause, running.outcomes(run))

        requests.resume(run=run, user=None, now=make.NOW)
        running.worked(run, running.Model())
        running.worked(run, running.Model())

        assert stopped == (Run.State.PAUSED, Run.Pause.PROBLEM, {("DONE", "OK"): 2})
        assert run.state == Run.State.DONE
        assert run.steps.count() == 3

    def test_two_steps_of_one_key(self, growing, monkeypatch):
        monkeypatch.setattr(growing, "plan", lambda run: iter([StepPlan("same"), StepPlan("same")]))
        first = running.requested(n=2)
        running.worked(first, running.Model())

        assert (first.pause, "IntegrityError" in first.problem) == (Run.Pause.PROBLEM, True)

    def test_a_kind_that_nobody_knows_is_called_off_before_it_begins(self):
        run = running.requested(n=2)
        Run.objects.filter(pk=run.pk).update(kind="SUITE")

        running.worked(run, running.Model())

        assert run.state in {Run.State.CANCELLED, Run.State.PAUSED}
        assert run.problem

    def test_is_not_rung_for_any_more(self, monkeypatch):
        run = running.requested(n=2)
        monkeypatch.setattr(running.KIND, "plan", broken)
        running.worked(run, running.Model())
        fake_queue.empty()

        n_rung = requests.sweep(make.NOW)

        assert (n_rung, queue.waiting("runs")) == (0, [])

    def test_leaves_alone_a_run_that_was_called_off_meanwhile(self):
        run = running.requested(n=2)
        Run.objects.filter(pk=run.pk).update(state=Run.State.CANCELLED)

        stopped = kinds.stop(run=run, problem=ValueError(), now=make.NOW)

        run.refresh_from_db()
        assert (stopped, run.state, run.problem) == (False, Run.State.CANCELLED, "")

    def test_says_a_refusal_in_its_own_words(self, growing, monkeypatch):
        def refused(_run):
            raise errors.Invalid("Its question set is gone.")

        run = running.requested(n=1)
        monkeypatch.setattr(growing, "more", refused)

        running.worked(run, running.Model())

        assert (run.state, run.problem) == (Run.State.PAUSED, "Its question set is gone.")


class TestSteps:
    @pytest.mark.parametrize(
        "place",
        [(running.KIND, "prepare"), (storing, "past"), (running.KIND, "record")],
        ids=["prepare", "past", "record"],
    )
    def test_fail_alone_and_can_be_tried_again(self, place, monkeypatch):
        run = running.requested(n=2)
        with monkeypatch.context() as patch:
            patch.setattr(*place, broken)
            running.worked(run, running.Model())
        failed = (run.state, running.outcomes(run))

        requests.retry_failed(run=run, user=None, now=make.NOW)
        running.worked(run, running.Model())

        assert failed == (Run.State.DONE, {("FAILED", "MACHINE"): 2})
        assert running.outcomes(run) == {("DONE", "OK"): 2}

    def test_fail_when_the_failure_of_a_system_cannot_be_stored(self, monkeypatch):
        run = running.requested(n=1, role="candidate")
        monkeypatch.setattr(running.KIND, "record_failure", broken)

        async def filtered(_request, _model):
            raise SystemFailed(Trouble.FILTERED, "No.")

        running.worked(run, running.Model(filtered))

        assert running.outcomes(run) == {("FAILED", "MACHINE"): 1}


class TestPassing:
    @pytest.mark.parametrize("place", ["plan", "claiming", "a look at the run", "the end"])
    def test_leaves_the_run_to_the_next_ring(self, place, monkeypatch, meantime):
        run = running.requested(n=3)
        with monkeypatch.context() as patch:
            patch.setattr(*PLACES[place], locked)
            with pytest.raises((db.OperationalError, ExceptionGroup)):
                running.worked(run, running.Model(meantime))
        run.refresh_from_db()
        left = run.state

        running.worked(run, running.Model())

        assert left in {Run.State.STAGED, Run.State.RUNNING}
        assert run.state == Run.State.DONE

    @pytest.mark.parametrize("name", ["prepare", "record"])
    def test_leaves_the_step_to_the_next_job(self, name, monkeypatch):
        run = running.requested(n=3, calls=2)
        model = running.Model()
        with monkeypatch.context() as patch:
            patch.setattr(running.KIND, name, locked)
            with pytest.raises(ExceptionGroup):
                running.worked(run, model)

        running.worked(run, model)

        assert running.outcomes(run) == {("DONE", "OK"): 3}
        assert set(model.asked.values()) == {1}

    @pytest.mark.parametrize(
        ("problem", "does"),
        [
            (db.OperationalError("server closed the connection"), True),
            (db.InterfaceError("connection already closed"), True),
            (db.DatabaseError("malformed"), True),
            (ExceptionGroup("", [ValueError(), db.OperationalError()]), True),
            (queue.TimeIsUp("3600 s"), True),
            (KeyboardInterrupt(), True),
            (db.IntegrityError(), False),
            (db.DataError(), False),
            (db.ProgrammingError(), False),
            (ExceptionGroup("", [ValueError()]), False),
            (MemoryError(), False),
            (errors.Invalid("No."), False),
        ],
    )
    def test_is_told_by_what_was_raised(self, problem, does):
        assert kinds.passes(problem) is does

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's own codes.")
    def test_does_not_hold_for_a_query_that_sqlite_cannot_run(self):
        with pytest.raises(db.OperationalError) as raised, connection.cursor() as cursor:
            cursor.execute("SELECT nothing FROM nowhere")

        assert raised.value.__cause__.sqlite_errorcode == sqlite3.SQLITE_ERROR
        assert not kinds.passes(raised.value)
