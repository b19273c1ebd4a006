"""Runs on real workers with a real queue: what is lost on the way is not missed."""

import os
import signal
import time

import pytest

from tests.scoring import workers
from tests.scoring.llm import serving

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.timeout(300),
]

SLOTS = 6


def wait_for_calls(served, n):
    until = time.monotonic() + workers.PATIENCE
    while served.counts()["calls"] < n:
        assert time.monotonic() < until, "The workers do not ask."
        time.sleep(0.05)


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_run_finishes_though_its_queue_is_emptied_and_a_job_is_killed(engine, tmp_path):
    with (
        serving.as_process({"latency": 100}) as served,
        workers.workers(tmp_path, engine=engine) as site,
    ):
        site.do("request", url=served.url, slots=SLOTS, n=60, calls=2)
        wait_for_calls(served, 30)
        site.empty_queue()
        for worker in site.processes[:1]:
            for job in workers.jobs_of(worker):
                os.kill(job, signal.SIGKILL)
        told, counts = site.wait_until_done(), served.counts()

    assert told["state"] == "DONE", site.logs()[-6000:]
    assert told["outcomes"] == {"DONE OK": 60}
    assert told["replies"] == 120
    assert counts["calls"] <= 120 + SLOTS
    assert counts["peak"] <= SLOTS


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_two_workers_never_ask_more_at_once_than_the_endpoint_allows(engine, tmp_path):
    with (
        serving.as_process({"latency": 60}) as served,
        workers.workers(tmp_path, engine=engine, lease=15, slice_=2) as site,
    ):
        site.do("request", url=served.url, slots=5, n=120, calls=2)
        told, counts = site.wait_until_done(), served.counts()

    assert told["state"] == "DONE", site.logs()[-6000:]
    assert told["workers"] >= 2
    assert (counts["calls"], told["calls"]) == (240, 240)
    assert counts["peak"] <= 5
