"""Runs of suites are killed (−9); what was judged or completed is not asked for again."""

import json
import subprocess
import sys

import pytest

from tests.load.site import ROOT, site
from tests.scoring.killing_suites import KILLED_AFTER, SLOTS, N
from tests.scoring.llm import serving


def told(folder, plan, engine="sqlite"):
    """Return what became of the runs of a plan, on a site of their own."""
    with site(engine, folder) as here, serving.as_process({"latency": 30}) as served:
        environment = {
            **here.environment,
            "EVALSITE_RUN_LEASE": "4",
            "EVALSITE_ENDPOINT_NETWORKS": "127.0.0.0/8",
        }
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.scoring.killing_suites",
                json.dumps({**plan, "url": served.url}),
            ],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.timeout(240)
class TestJudgments:
    @pytest.mark.nightly
    def test_with_one_call_in_flight_leave_103_calls_after_97(self, tmp_path):
        found = told(tmp_path, {"slots": 1})

        assert (found["kept"], found["first"]) == (KILLED_AFTER, KILLED_AFTER + 1)
        assert found["second"] == N - KILLED_AFTER == 103
        assert (found["state"], found["scored"]) == ("DONE", N)

    @pytest.mark.parametrize(
        ("slots", "engine"),
        [
            pytest.param(8, "sqlite", marks=pytest.mark.nightly),
            pytest.param(32, "sqlite", marks=pytest.mark.nightly),
            pytest.param(8, "postgres", marks=pytest.mark.nightly),
        ],
    )
    def test_repeat_at_most_the_calls_in_flight(self, slots, engine, tmp_path):
        found = told(tmp_path, {"slots": slots}, engine)

        # What came back and was not written down yet is in flight as well.
        assert found["kept"] > KILLED_AFTER - slots
        assert found["second"] == N - found["kept"]
        assert 0 < found["first"] - found["kept"] <= slots
        assert (found["state"], found["scored"]) == ("DONE", N)


class TestCompletions:
    @pytest.mark.parametrize(
        ("engine", "n_kills"),
        [
            pytest.param("sqlite", 3, marks=[pytest.mark.nightly, pytest.mark.timeout(240)]),
            pytest.param("sqlite", 60, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)]),
            pytest.param("postgres", 60, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)]),
        ],
    )
    def test_come_to_the_same_however_often_the_run_is_killed(self, engine, n_kills, tmp_path):
        found = told(tmp_path, {"kills": n_kills}, engine)

        assert found["kills"] == n_kills
        assert found["states"] == ["DONE"]
        assert found["unequal"] == 0
        assert found["lines"] == 18  # three answers, twice, with three figures each
        assert found["most_repeated"] <= SLOTS
        assert found["repeated"] <= n_kills * SLOTS
