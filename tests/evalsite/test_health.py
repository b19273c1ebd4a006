import errno
import shutil
import tempfile
from collections import namedtuple

import pytest
from django.urls import reverse
from rq import SimpleWorker

from evalsite import queue
from evalsite.web import failures, health

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch):
    monkeypatch.setattr(failures, "_full_at", -failures.REMEMBERED)


@pytest.fixture
def staffed():
    """Every queue has a worker, and the sweeper has been heard of."""
    workers = [
        SimpleWorker([name], connection=queue._client(), name=f"worker-{name}")
        for name in health.QUEUES
    ]
    for worker in workers:
        worker.register_birth()
    queue.beat("sweeper")
    return workers


def ask(client):
    answer = client.get(reverse("healthz"))
    return answer.status_code, answer.json()


class TestHealthz:
    def test_is_well_where_everything_is_there(self, client, staffed):
        parts = dict.fromkeys(("database", "queue", "workers", "sweeper", "disk"), "ok")

        assert ask(client) == (200, {"status": "ok", "checks": parts})

    def test_says_which_part_is_not(self, client, staffed):
        staffed[2].register_death()

        status, said = ask(client)

        assert status == 503
        assert [name for name, word in said["checks"].items() if word != "ok"] == ["workers"]

    def test_hears_of_a_sweeper_for_a_time_only(self, client, staffed):
        queue._client().delete("evalsite:beat:sweeper")

        assert ask(client)[1]["checks"]["sweeper"] == "failing"

    def test_minds_a_queue_that_does_not_answer(self, client, settings):
        settings.QUEUE_CLIENT = "evalsite.queue.redis_client"
        settings.RQ_QUEUES = {
            name: {"URL": "unix:///nowhere/valkey.sock"} for name in health.QUEUES
        }
        settings.REDIS_URL = "unix:///nowhere/valkey.sock"

        status, said = ask(client)

        assert status == 503
        assert said["checks"]["queue"] == said["checks"]["workers"] == "failing"

    def test_minds_a_disk_that_is_nearly_full(self, client, staffed, monkeypatch):
        monkeypatch.setattr(shutil, "disk_usage", lambda _where: Usage(10**9, 10**9, 10**6))

        assert ask(client)[1]["checks"]["disk"] == "failing"

    def test_minds_less_room_than_the_operator_wants(self, client, staffed, settings):
        settings.LEAST_SPACE = 10**18

        assert ask(client)[1]["checks"]["disk"] == "failing"

    def test_minds_a_folder_that_takes_nothing_more(self, client, staffed, monkeypatch):
        def refuse(**_given):
            raise OSError(errno.EDQUOT, "Disk quota exceeded")

        monkeypatch.setattr(tempfile, "TemporaryFile", refuse)

        assert ask(client)[1]["checks"]["disk"] == "failing"

    def test_remembers_for_a_minute_that_nothing_could_be_saved(self, client, staffed, monkeypatch):
        failures.note(failures.FULL)
        assert ask(client)[1]["checks"]["disk"] == "failing"

        monkeypatch.setattr(failures, "_full_at", failures._full_at - failures.REMEMBERED)

        assert ask(client)[1]["checks"]["disk"] == "ok"

    def test_is_kept_by_nobody_and_tells_nothing_else(self, client, staffed):
        answer = client.get(reverse("healthz"))

        assert "no-store" in answer["Cache-Control"]
        assert set(answer.json()) == {"status", "checks"}
        assert client.post(reverse("healthz")).status_code == 405
