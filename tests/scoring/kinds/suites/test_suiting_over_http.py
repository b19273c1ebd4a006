"""A suite's judges, asked over real HTTP."""

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine import working
from scoring.engine.claims import Means
from scoring.engine.models import CallText, Judgment, LLMCall, Run
from tests.scoring import connected, running, suites
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db
N = 25


GATES = [
    {"id": f"t{one}", "messages": [{"role": "assistant", "content": f"At gate {one}."}]}
    for one in range(N)
]


def judged(server, number=1, *, talks=GATES, suite=suites.JUDGED, **given):
    endpoint = connected.endpoint(
        f"Judge {number}", kind=Endpoint.Kind.SERVER, url=server.url, max_in_flight=8, **given
    )
    text = suite.replace("endpoint: Judge", f"endpoint: {endpoint.name}")
    run = suites.requested(suites.saved(text), suites.brought(suites.lines(talks)))
    working.work(run.pk, running.clock, Means(patience=running.QUICK))
    run.refresh_from_db()
    return run


def called(name, key, **arguments):
    return {"id": key, "function": {"name": name, "arguments": arguments}}


TRACE = {
    "id": "berth",
    "messages": [
        {"role": "user", "content": "Which berth is free, and is there wind?"},
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [called("berths", "a", side="east"), called("wind", "b", unit="knots")],
        },
        {"role": "tool", "tool_call_id": "b", "content": "31 knots"},
        {"role": "tool", "tool_call_id": "a", "content": "berth 4"},
        {"role": "assistant", "content": "Berth 4, but there is wind."},
    ],
}
OF_CALLS = (
    suites.JUDGED.split("metrics:")[0]
    + """\
metrics:
  rubric:
    - {name: kind, metric_level: ToolCall}
    - {name: kind, metric_level: Message, depends_on: [{name: is_role, kwargs: {role: user}, metric_min_value: 1}]}
"""
)


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

    def test_judges_every_call_of_a_tool_by_itself_and_messages_beside(self):
        with serving.in_thread() as server:
            run = judged(server, talks=[TRACE], suite=OF_CALLS)

        found = Judgment.objects.filter(run=run, rater__kind="JUDGE", outcome="SCORED")
        assert [(one.target_level, one.target_index) for one in found.order_by("pk")] == [
            ("TOOL_CALL", 0),
            ("TOOL_CALL", 1),
            ("MESSAGE", 0),
        ]
        assert run.protocol == "suite/v2"
        asked = CallText.objects.filter(run=run, text__contains="Is the answer kind?")
        berths, wind, message = asked.order_by("pk").values_list("text", flat=True)
        of_berths = 'berths({"side": "east"})\nresult: berth 4'
        assert of_berths in berths
        assert "assistant: I look it up." in berths  # what went before it
        assert "wind(" not in berths
        assert 'wind({"unit": "knots"})\nresult: 31 knots' in wind
        assert 'assistant: I look it up.\nberths({"side": "east"})' in wind
        assert "result: berth 4" not in wind
        assert "user: " not in message  # nothing went before the first message
        assert "Which berth is free" in message
