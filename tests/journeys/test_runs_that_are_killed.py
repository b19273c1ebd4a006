"""Jobs of a run are killed (−9) at every checkpoint; the run ends as if nobody had."""

import json
import subprocess
import sys

import pytest

from tests.load.site import ROOT, site
from tests.scoring.killing import SLOTS
from tests.scoring.llm import serving


@pytest.mark.parametrize(
    ("engine", "n_kills", "lease"),
    [
        pytest.param("sqlite", 6, 1, marks=[pytest.mark.timeout(240)]),
        pytest.param("sqlite", 200, 1, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)]),
        pytest.param("sqlite", 2, 60, marks=[pytest.mark.nightly, pytest.mark.timeout(600)]),
        pytest.param("postgres", 200, 1, marks=[pytest.mark.nightly, pytest.mark.timeout(1800)]),
    ],
)
def test_a_run_that_is_killed_ends_like_one_that_is_not(engine, n_kills, lease, tmp_path):
    with site(engine, tmp_path) as here, serving.as_process({"latency": 30}) as served:
        told = kill(here, lease, {"url": served.url, "kills": n_kills})

    assert told["kills"] == n_kills
    assert told["states"] == ["DONE"]
    assert told["unequal"] == 0
    assert told["most_repeated"] <= SLOTS
    assert told["repeated"] <= n_kills * SLOTS


def kill(here, lease, plan):
    environment = {
        **here.environment,
        "EVALSITE_RUN_LEASE": str(lease),
        "EVALSITE_ENDPOINT_NETWORKS": "127.0.0.0/8",
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.scoring.killing", json.dumps(plan)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout.splitlines()[-1])
