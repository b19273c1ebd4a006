"""A suite's judges, asked over real HTTP."""

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import Judgment, LLMCall, Run
from tests.scoring import connected, running, suites
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
N = 25


def judged(server, number=1, **given):
    talks = [
        {"id": f"t{one}", "messages": [{"role": "assistant", "content": f"At gate {one}."}]}
        for one in range(N)
    ]
    endpoint = connected.endpoint(
        f"Judge {number}", kind=Endpoint.Kind.SERVER, url=server.url, max_in_flight=8, **given
    )
    text = suites.JUDGED.replace("endpoint: Judge", f"endpoint: {endpoint.name}")
    run = suites.requested(suites.saved(text), suites.brought(suites.lines(talks)))
    working.work(run.pk, running.clock, Means(patience=running.QUICK))
    run.refresh_from_db()
    return run


@pytest.fixture(autouse=True)
def _near(settings):
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)


class TestOverHttp:
    def test_keeps_every_judgment_though_half_come_too_soon(self):
        with serving.in_thread(faults={"429": 0.5, "at_most": 2, "retry_after": 0}) as server:
            run = judged(server)
            counts = server.counts()

        scored = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
        assert run.state == Run.State.DONE
        assert scored.count() == N
        assert counts["faults"]["429"] > 0
        assert LLMCall.objects.filter(run=run, trouble="").count() == N
        assert set(scored.values_list("label", flat=True)) <= {"KIND", "UNKIND"}

    def test_asks_again_where_the_judge_hangs(self):
        with serving.in_thread(faults={"hang": 0.5, "at_most": 1}) as server:
            run = judged(server, timeout=1)
            counts = server.counts()

        scored = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
        assert counts["faults"]["hang"] > 0
        assert scored.count() == N
