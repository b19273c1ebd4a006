"""A server that fails in every way it can: the run finishes, and each failure is counted where it belongs."""

from collections import Counter

import pytest

from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Judgment, LLMCall, Run
from scoring.engine.pacing import Patience
from tests import make
from tests.scoring import machines, running
from tests.scoring.llm import serving

FAULTS = {
    "429": 0.2,
    "500": 0.05,
    "garbage": 0.05,
    "truncated": 0.02,
    "hang": 0.01,
    "drop": 0.03,
    "error_body": 0.02,
    "retry_after": 0.02,
    "seed": 4,
}
#: Which trouble each fault of the server is to us.
TROUBLES = {
    "429": "RATE_LIMITED",
    "500": "SERVER",
    "garbage": "GARBAGE",
    "hang": "TIMEOUT",
    "drop": "CONNECTION",
}


@pytest.mark.django_db
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_run_finishes_and_no_failure_is_a_score(settings):
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    for number in range(100):
        item = make.item(f"Q{number}")
        make.response(item, make.release("Kestrel"), f"Kestrel says {number}.")
    judge = machines.judge("a judge").rater_id
    patience = Patience(first_wait=0.01, longest_wait=0.1)
    short = {"contains": "", "reply": "A reply that no limit cuts."}
    with serving.in_thread({"latency": 5, "replies": [short]}, FAULTS) as served:
        endpoint = running.endpoint(url=served.url, model_name="scripted", timeout=1)
        run = running.requested(endpoint=endpoint.pk, judges=judge, calls=2)
        working.work(run.pk, running.clock, Means(patience=patience))
        counts = served.counts()
    run.refresh_from_db()

    faults, troubles = counts["faults"], Counter(run.calls.values_list("trouble", flat=True))
    assert run.state == Run.State.DONE
    assert counts["calls"] == run.calls.count()
    for fault in ("429", "hang"):
        assert troubles[TROUBLES[fault]] == faults[fault] > 0
    # A reply of status 200 may hold an error that is the server's own.
    assert 0 < faults["500"] <= troubles["SERVER"] <= faults["500"] + faults["error_body"]
    # A body that is cut can be the server's garbage or the line's: both are ours, neither a reply.
    cut = troubles["GARBAGE"] + troubles["CONNECTION"] + troubles["SERVER"] - faults["500"]
    assert cut == faults["garbage"] + faults["drop"] + faults["error_body"]
    shortened = LLMCall.objects.filter(run=run, reply__finish="length").count()
    assert shortened == faults["truncated"] > 0
    outcomes = running.outcomes(run)
    assert outcomes["DONE", "OK"] == Judgment.objects.filter(run=run).count() >= 98
    assert outcomes.total() == 100
    failed = run.steps.filter(state="FAILED")
    assert all(one.trouble for one in failed)
