"""A judge run and a real, weak model: what it says is worth nothing, that it arrives is what counts."""

import socket
from contextlib import closing

import pytest

from scoring.llm import local
from scoring.models import Endpoint, Judgment, Run
from scoring.operations.runs import auditing, working
from tests import make
from tests.scoring import connected, judged, running

ABLE = {name: {"value": True} for name in ("json_schema", "logprobs", "seed")}


@pytest.mark.django_db
@pytest.mark.nightly
@pytest.mark.timeout(500)
@pytest.mark.skipif(not local.is_installed(), reason="the local model is not installed")
def test_a_judge_grades_two_answers_and_the_run_can_be_played_back(settings):
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    round_ = make.open_round(n_items=1, n_releases=2)
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with local.serving(local.Options(port=port, context=4096, slots=1)) as url:
        endpoint = connected.endpoint(
            "Local",
            kind=Endpoint.Kind.SERVER,
            url=url,
            model_name=local.MODEL,
            found=ABLE,
            timeout=200,
            max_in_flight=1,
        )
        judge = judged.judge(endpoint=endpoint, max_tokens=250)
        run = judged.requested(round_, judge)
        working.work(run.pk, running.clock)
        run.refresh_from_db()

    assert run.state == Run.State.DONE
    assert not run.scripted
    assert not run.calls.exclude(trouble="").exists()
    assert Judgment.objects.filter(run=run, repeat=0).count() > 0
    # A reading or none: the model may not find the end of its reasons, and that is no score.
    for one in Judgment.objects.filter(run=run, outcome="SCORED"):
        assert one.criterion.minimum <= one.value <= one.criterion.maximum
    assert auditing.audit(run=run).differences == ()
