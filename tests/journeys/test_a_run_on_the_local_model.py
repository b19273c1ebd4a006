"""Runs and a real, weak model: what it says is worth nothing, that it arrives is what counts."""

import socket
from collections import Counter
from contextlib import closing

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine import auditing, working
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.interviews import operations as interviews
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.llm import local
from tests import make
from tests.scoring import connected, interviewed, judged, running
from tests.scoring.kinds.test_servers import KINDS

ABLE = {name: {"value": True} for name in ("json_schema", "logprobs", "seed")}


pytestmark = [
    pytest.mark.django_db,
    pytest.mark.nightly,
    pytest.mark.timeout(1500),
    pytest.mark.skipif(not local.is_installed(), reason="the local model is not installed"),
]


@pytest.fixture
def served(settings):
    """Serve the local model; give what an endpoint that asks it is set to."""
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    with local.serving(local.LocalOptions(port=port, context=4096, slots=1)) as url:
        yield {
            "kind": Endpoint.Kind.SERVER,
            "url": url,
            "model_name": local.MODEL,
            "found": ABLE,
            "timeout": 200,
            "max_in_flight": 1,
        }


@pytest.fixture
def endpoint(served):
    return connected.endpoint("Local", **served)


@pytest.mark.parametrize("kind", KINDS)
def test_of_every_kind_ends_with_readings_or_reasons_and_can_be_played_back(served, kind):
    run = KINDS[kind].request()
    Endpoint.objects.update(**served)

    for _job in range(20):  # a job leaves its worker to others after a while
        working.work(run.pk, running.clock)
        run.refresh_from_db()
        if run.state != Run.State.RUNNING:
            break

    assert (run.state, run.problem) == (Run.State.DONE, "")
    assert run.calls.filter(trouble="").exists()
    steps = run.steps.filter(state__in=(Step.State.DONE, Step.State.FAILED))
    assert steps.exists()
    assert not steps.filter(outcome="MACHINE").exists()
    for one in steps.exclude(outcome=Step.Outcome.OK):
        assert one.problem or one.trouble
    assert auditing.audit(run=run).differences == ()
    print(kind, Counter(steps.values_list("outcome", flat=True)), run.calls.count())  # noqa: T201


def test_a_judge_grades_two_answers_and_the_run_can_be_played_back(endpoint):
    round_ = make.open_round(n_items=1, n_releases=2)
    run = judged.requested(round_, judged.judge(endpoint=endpoint, max_tokens=250))

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


def test_interviews_about_three_questions_are_held_with_verdicts_by_schema(endpoint, monkeypatch):
    release = make.release("Kestrel")
    connected.connection(release, to=endpoint)
    evaluator = interviews.create(
        project=make.project(),
        name="Evaluator",
        endpoint=endpoint,
        settings=interviews.InterviewSettings(max_tokens=500),
        by=connected.owner(make.project()),
        now=make.NOW,
    )
    monkeypatch.setattr(interviews, "TALK_TOKENS", 60)
    wish = interviews.Interviews(
        **connected.head(1, "Interviews"),
        over="bank:",
        releases=(release.pk,),
        interactor=endpoint.name,
        evaluator=evaluator.rater_id,
        planned=2,
        mark_but_continue=True,
    )
    run = interviewed.asked(make.project(), wish, interviewed.questions(3), evaluator)

    for _job in range(20):  # a job leaves its worker to others after a while
        working.work(run.pk, running.clock)
        run.refresh_from_db()
        if run.state == Run.State.DONE:
            break

    assert run.state == Run.State.DONE
    assert not run.scripted
    dialogues = Dialogue.objects.filter(run=run)
    assert dialogues.count() == 3
    assert Exchange.objects.filter(dialogue__run=run).count() == 6
    asked = run.calls.filter(role="evaluator")
    assert asked.count() >= 6
    assert not asked.filter(schema_sha="").exists()
    # A verdict or none: what was cut off at its end is none, however often it was asked.
    for one in Exchange.objects.filter(dialogue__run=run):
        assert one.unscored or set(one.scores.values()) <= {1, 2, 3, 4}
    assert Exchange.objects.filter(dialogue__run=run, scores__isnull=False).exists()
    assert auditing.audit(run=run).differences == ()
