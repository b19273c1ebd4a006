import shutil
from collections import namedtuple

import pytest
from django.urls import reverse
from rq import SimpleWorker

from evalsite import health, queue

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


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

    def test_is_kept_by_nobody_and_tells_nothing_else(self, client, staffed):
        answer = client.get(reverse("healthz"))

        assert "no-store" in answer["Cache-Control"]
        assert set(answer.json()) == {"status", "checks"}
        assert client.post(reverse("healthz")).status_code == 405
