import os
import signal
import socket
import subprocess
import sys
import time
from datetime import timedelta

import pytest
import redis
from django import conf
from django.db import transaction
from django.utils import timezone
from rq import Worker
from rq.job import Job, JobStatus
from rq.serializers import JSONSerializer

from evalsite import env, queue
from tests import servers

RAN: list[dict[str, object]] = []


def note(**kwargs):
    RAN.append(kwargs)


def fail(**kwargs):
    raise ZeroDivisionError


def broken_client(url):
    return queue.redis_client("unix:///nowhere/to/be/found.sock")


NOTE = f"{__name__}.note"


@pytest.fixture(autouse=True)
def fresh():
    RAN.clear()


@pytest.mark.django_db(transaction=True)
class TestEnqueue:
    def test_queues_the_dotted_name(self):
        queue.enqueue(NOTE, run_id=3)

        assert queue.waiting() == [(NOTE, {"run_id": 3})]

    def test_waits_for_the_commit(self):
        with transaction.atomic():
            queue.enqueue(NOTE, run_id=3)
            before = queue.waiting()

        assert before == []
        assert len(queue.waiting()) == 1

    def test_forgets_what_was_rolled_back(self):
        with transaction.atomic():
            queue.enqueue(NOTE)
            transaction.set_rollback(True)

        assert queue.waiting() == []

    def test_keeps_the_queues_apart(self):
        queue.enqueue(NOTE, queue="insight")

        assert queue.waiting("default") == []
        assert len(queue.waiting("insight")) == 1

    def test_queues_a_key_once(self):
        queue.enqueue(NOTE, key="run-3")
        queue.enqueue(NOTE, key="run-3")

        assert len(queue.waiting()) == 1

    def test_queues_a_key_again_once_it_ran(self):
        queue.enqueue(NOTE, key="run-3")
        queue.burst()
        queue.enqueue(NOTE, key="run-3")

        assert len(queue.waiting()) == 1

    def test_refuses_what_json_cannot_carry(self):
        with pytest.raises(TypeError):
            queue.enqueue(NOTE, run={3})

    def test_refuses_when_the_server_is_away(self, settings):
        settings.QUEUE_CLIENT = f"{__name__}.broken_client"

        with pytest.raises(queue.QueueDown) as refusal:
            queue.enqueue(NOTE)

        assert refusal.value.code == "queue_down"

    def test_lets_the_commit_stand_when_the_server_is_away(self, settings, caplog):
        settings.QUEUE_CLIENT = f"{__name__}.broken_client"

        with transaction.atomic():
            queue.enqueue(NOTE)

        assert "waits for the sweeper" in caplog.text

    def test_says_nothing_of_it_while_the_site_is_prepared(self, settings, caplog):
        settings.QUEUE_CLIENT = f"{__name__}.broken_client"

        with queue.not_up_yet(), transaction.atomic():
            queue.enqueue(NOTE)

        assert "waits for the sweeper" not in caplog.text

    def test_runs_at_once_when_told_so(self, settings):
        settings.QUEUE_INLINE = True

        queue.enqueue(NOTE, run_id=3)

        assert RAN == [{"run_id": 3}]


@pytest.mark.django_db(transaction=True)
class TestTurns:
    def test_let_somebody_with_little_pass_somebody_with_much(self):
        for n in range(4):
            queue.enqueue(NOTE, queue="bulk", key=f"a{n}", turn="a", n=n)
        for n in range(2):
            queue.enqueue(NOTE, queue="bulk", key=f"b{n}", turn="b", n=n)
        queue.enqueue(NOTE, queue="bulk", key="c", turn="c", n=0)
        queue.burst()

        assert [one["n"] for one in RAN] == [0, 0, 0, 1, 1, 2, 3]

    def test_come_round_again_for_a_job_that_goes_on_later(self):
        queue.enqueue(NOTE, queue="bulk", key="a0", turn="a", who="a")
        queue.burst()
        queue.enqueue(NOTE, queue="bulk", key="b0", turn="b", who="b")
        queue.enqueue(NOTE, queue="bulk", key="a0", turn="a", who="a")
        queue.burst()

        assert [one["who"] for one in RAN] == ["a", "b", "a"]

    def test_are_asked_for_only_where_others_wait(self):
        assert not queue.others_wait("bulk")
        queue.enqueue(NOTE, queue="bulk")
        assert queue.others_wait("bulk")


@pytest.mark.django_db
class TestBurst:
    def test_runs_what_waits(self):
        queue._ring(NOTE, "default", None, {"a": 1})
        queue._ring(NOTE, "insight", None, {"a": 2})

        assert queue.burst() == 2
        assert RAN == [{"a": 1}, {"a": 2}]
        assert queue.waiting() == []

    def test_runs_only_the_queues_named(self):
        queue._ring(NOTE, "insight", None, {})

        assert queue.burst("default") == 0

    def test_lets_a_failure_through(self):
        queue._ring(f"{__name__}.fail", "default", None, {})

        with pytest.raises(ZeroDivisionError):
            queue.burst()


class TestIsReachable:
    def test_says_yes_when_it_answers(self):
        assert queue.is_reachable()

    def test_says_no_when_it_does_not(self, settings):
        settings.QUEUE_CLIENT = f"{__name__}.broken_client"

        assert not queue.is_reachable()


class TestWork:
    def test_empties_the_queue(self, transactional_db):
        queue._ring(NOTE, "default", None, {"a": 1})

        queue.work("default", once=True, forking=False)

        assert RAN == [{"a": 1}]


class TestAKeyWhoseJobRuns:
    def test_gets_one_successor(self):
        queue._ring(NOTE, "default", "run-3", {})
        line = queue._queue("default")
        line.jobs[0].set_status(JobStatus.STARTED)
        line.connection.delete(line.key)  # a worker has taken it

        queue._ring(NOTE, "default", "run-3", {})
        queue._ring(NOTE, "default", "run-3", {})

        assert line.job_ids == ["run-3-next"]

    def test_replaces_one_that_failed(self):
        queue._ring(NOTE, "default", "run-3", {})
        line = queue._queue("default")
        line.jobs[0].set_status(JobStatus.FAILED)
        line.connection.delete(line.key)

        queue._ring(NOTE, "default", "run-3", {})

        assert line.job_ids == ["run-3"]

    def test_replaces_one_whose_worker_has_died(self):
        queue._ring(NOTE, "default", "run-3", {})
        line = queue._queue("default")
        job = line.jobs[0]
        job.set_status(JobStatus.STARTED)
        line.connection.delete(line.key)
        job.last_heartbeat = timezone.now() - timedelta(minutes=3)
        job.save()
        # Its record of the execution has expired, and what names it has not.
        until = timezone.now().timestamp() + 60
        line.connection.zadd(job.execution_registry.key, {"gone": until})
        line.connection.zadd(line.started_job_registry.key, {"run-3:gone": until})

        queue._ring(NOTE, "default", "run-3", {})

        assert line.job_ids == ["run-3"]
        assert line.connection.zcard(line.started_job_registry.key) == 0


class TestWhatFailsAgainAndAgain:
    def failing(self, n_times, seconds_ago=0):
        """Ring so often from the sweeper for a job that fails each time; return what waits then."""
        line = queue._queue("default")
        for _time in range(n_times):
            with queue.sweeping():
                queue.enqueue(NOTE, key="run-3")
            if line.job_ids:
                job = line.jobs[0]
                job.ended_at = timezone.now() - timedelta(seconds=seconds_ago)
                job.set_status(JobStatus.FAILED)
                job.save()
                line.connection.delete(line.key)
        return line

    def test_is_rung_for_thrice_and_then_left_alone_for_a_while(self):
        line = self.failing(3)

        with queue.sweeping():
            queue.enqueue(NOTE, key="run-3")

        assert line.job_ids == []

    def test_is_rung_for_after_that_while(self):
        line = self.failing(3, seconds_ago=61)

        with queue.sweeping():
            queue.enqueue(NOTE, key="run-3")

        assert line.job_ids == ["run-3"]

    def test_is_begun_at_once_where_a_person_asks_for_it_and_counted_anew(self):
        line = self.failing(3)

        queue.enqueue(NOTE, key="run-3")

        assert line.job_ids == ["run-3"]
        line.connection.delete(line.key, "rq:job:run-3")
        assert self.failing(1).job_ids == []
        with queue.sweeping():
            queue.enqueue(NOTE, key="run-3")
        assert line.job_ids == ["run-3"]

    @pytest.mark.parametrize("job_id", ["run-3", "run-3-next"])
    def test_is_begun_at_once_where_its_job_got_on_before_it_failed(self, monkeypatch, job_id):
        line = self.failing(3)
        monkeypatch.setattr(
            queue, "get_current_job", lambda: Job(job_id, connection=line.connection)
        )

        queue.got_on()

        with queue.sweeping():
            queue.enqueue(NOTE, key="run-3")
        assert line.job_ids == ["run-3"]

    def test_that_is_no_job_gets_on_without_words(self):
        queue.got_on()

    def test_pauses_ever_longer_up_to_an_hour(self):
        minutes = [queue.pause(n).total_seconds() / 60 for n in (1, 2, 3, 4, 5, 8, 9, 99)]

        assert minutes == [0, 0, 1, 2, 4, 32, 60, 60]


class TestAWorkerThatForks:
    def test_imports_what_its_jobs_need_only_when_one_comes(self, monkeypatch):
        loaded = []
        monkeypatch.setattr(queue, "load", loaded.append)
        monkeypatch.setattr(Worker, "execute_job", lambda *_given: None)
        line = queue._queue("default")
        worker = queue._Forking([line], connection=line.connection)
        worker.preload = ["json"]
        before = list(loaded)

        worker.execute_job(None, line)

        assert (before, loaded) == ([], [["json"]])

    def test_tells_its_job_that_it_is_to_stop(self, monkeypatch):
        monkeypatch.setattr(queue, "_stopping", False)
        line = queue._queue("default")
        worker = queue._Forking([line], connection=line.connection)
        worker._horse_pid = os.getpid()
        before = signal.signal(signal.SIGUSR1, queue._note_stop)

        worker.handle_warm_shutdown_request()
        signal.signal(signal.SIGUSR1, before)

        assert queue.is_stopping()


class TestIsStopping:
    def test_is_true_of_a_job_whose_worker_is_no_more(self, monkeypatch):
        monkeypatch.setattr(queue, "_parent", 1_000_000)

        assert queue.is_stopping()

    def test_is_false_elsewhere(self):
        assert not queue.is_stopping()


class TestDescription:
    def test_tells_logs_nothing_of_what_a_job_is_given(self):
        queue.enqueue("annotation.jobs.send_password_links", given="lena@example.org", address="")

        (job,) = queue._queue("default").jobs
        assert "lena" not in str(job.description)


class TestAWorkerThatIsForgotten:
    """The queue's server was emptied, restarted without its data, or away: workers are known again."""

    @pytest.fixture
    def server(self, settings, tmp_path):
        with servers.redis_server(tmp_path) as url:
            settings.QUEUE_CLIENT, settings.REDIS_URL = "evalsite.queue.redis_client", url
            yield redis.Redis.from_url(url)

    def started(self, **more):
        """Start a worker in a process of its own, that is heard of every second."""
        said = (
            "import rq.worker.base as b; b.BaseWorker.dequeue_timeout = 1;"
            "from evalsite import queue; queue.work('default')"
        )
        given = {
            **{key: one for key, one in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"},
            "REDIS_URL": conf.settings.REDIS_URL,
            "EVALSITE_DATA": str(conf.settings.DATA_DIR),
            **more,
        }
        command = [sys.executable, str(env.BASE_DIR / "manage.py"), "shell", "--no-imports"]
        return subprocess.Popen([*command, "-c", said], env=given)

    def is_attended(self, within=30.0):
        until = time.monotonic() + within
        while time.monotonic() < until:
            if queue.attended() == {"default"}:
                return True
            time.sleep(0.1)
        return False

    def test_says_who_it_is_again(self, server):
        worker = self.started()
        try:
            assert self.is_attended()
            server.flushdb()
            assert queue.attended() == set()

            assert self.is_attended()
        finally:
            worker.terminate()
            worker.wait(30)
        assert queue.attended() == set()

    def test_is_heard_of_within_a_minute(self):
        worker = queue._Simple(["default"], connection=queue._client(), worker_ttl=queue.HEARD_OF)

        assert worker.dequeue_timeout < 60
        assert worker.job_monitoring_interval < 60

    def test_is_known_again_while_it_works(self, server):
        server.flushdb()
        worker = queue._Simple(["default"], connection=server, serializer=JSONSerializer)
        worker.register_birth()
        queue.enqueue(NOTE)
        (job,) = queue._queue("default").jobs
        execution = worker.prepare_execution(job)
        server.flushdb()

        worker.maintain_heartbeats(job, execution)

        assert queue.attended() == {"default"}
        assert server.ttl(worker.key) > 0
        assert not server.exists(job.key)

    def test_begins_once_its_server_is_there(self, tmp_path, settings):
        with socket.socket() as line:
            line.bind(("127.0.0.1", 0))
            port = line.getsockname()[1]
        settings.QUEUE_CLIENT = "evalsite.queue.redis_client"
        settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        worker = self.started()
        try:
            time.sleep(3)
            assert worker.poll() is None
            with servers.redis_server(tmp_path, port):
                assert self.is_attended()
        finally:
            worker.terminate()
            worker.wait(30)
