"""A suite's completions over real HTTP: by an application with a REST interface, and by a server."""

import pytest

from scoring.endpoints import operations as endpoints
from scoring.endpoints.models import Endpoint
from scoring.endpoints.operations import EndpointAbout
from scoring.engine import calls_read as run_calls
from scoring.engine.claims import Means
from scoring.engine.models import LLMCall, Run
from scoring.engine.queries import RunReading
from scoring.engine.working import work
from scoring.kinds.suites import queries as suite_frame
from tests import make
from tests.scoring import applications, completed, connected, running, suites
from tests.scoring.kinds.suites.test_completing_counts import CALLED, TOOLS
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _near(settings):
    settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)


def worked(run):
    for _job in range(5):
        work(run.pk, running.clock, Means(patience=running.QUICK))
        run.refresh_from_db()
        if run.state not in {Run.State.STAGED, Run.State.RUNNING}:
            break
    return run


def application(app, name="Tutor", **given):
    request = {**applications.REQUEST, **given}
    about = EndpointAbout(name=name, url=app.url, request=request, max_in_flight=4, timeout=5)
    home = make.project()
    return endpoints.create(
        project=home, about=about, by=connected.owner(home), now=make.NOW, key="a-secret-key"
    )


class TestApplications:
    def test_complete_conversations_of_several_turns_and_are_judged(self):
        connected.endpoint("Judge")
        with applications.application() as app:
            application(app)
            version = completed.saved(
                "{endpoint: Tutor, system: Tutor, release: spring, start: first, turns: 2}",
                completed.COMPLETED,
            )

            run = worked(suites.requested(version, completed.brought()))

        rows = suite_frame.conversations_of(run).select_related("response__release__system")
        found = {one.external_id: one for one in rows}
        assert run.state == Run.State.DONE
        assert str(found["gate"].response.release) == "Tutor · spring"
        said = [each["content"] for each in found["gate"].response.messages]
        assert said[2:] == [
            "You asked: Where is gate 12?",
            "And gate 13?",
            "You asked: And gate 13?",
        ]
        at_gate = [one.body for one in app.asked if "gate" in one.body["question"]]
        assert at_gate[1]["before"] == (
            "user: Where is gate 12?\nassistant: You asked: Where is gate 12?"
        )
        assert at_gate[0]["session"] == at_gate[1]["session"]
        assert len({one.body["session"] for one in app.asked}) == 2
        stored = str(list(LLMCall.objects.filter(run=run).values_list("messages", "reply")))
        assert "a-secret-key" not in stored

    def test_that_fail_now_and_then_are_asked_again(self):
        failed = []

        def answer(asked):
            if asked.body["question"] not in failed:
                failed.append(asked.body["question"])
                return 503, {"detail": "busy"}
            return applications.echo(asked)

        with applications.application(answer) as app:
            application(app)
            version = completed.saved("{endpoint: Tutor}")

            run = worked(suites.requested(version, completed.brought()))

        assert run.state == Run.State.DONE
        assert suite_frame.conversations_of(run).count() == 2
        assert LLMCall.objects.filter(run=run, trouble="SERVER").count() == 2

    def test_stand_beside_a_server_in_one_run(self):
        with serving.in_thread() as server, applications.application() as app:
            application(app)
            connected.endpoint(
                "house", kind=Endpoint.Kind.SERVER, url=server.url, model_name="house-1"
            )

            run = worked(
                suites.requested(
                    completed.saved("[{endpoint: Tutor}, {endpoint: house, n: 2}]"),
                    completed.brought(),
                )
            )

        releases = suite_frame.conversations_of(run).values_list("response__release__system__name")
        assert sorted(name for (name,) in releases) == ["Tutor", "Tutor", *["house"] * 4]


class TestTools:
    """A server that calls a tool, and answers once it has what the tool gave."""

    def answer(self, asked):
        last = asked.body["messages"][-1]
        message: dict[str, object] = {"role": "assistant", "content": f"It is {last['content']}."}
        if last["role"] == "user":
            function = {"name": "wind", "arguments": '{"at": "gate"}'}
            calls = [{"id": "x1", "type": "function", "function": function}]
            message = {"role": "assistant", "content": None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return 200, {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}

    def test_are_kept_sent_back_and_counted(self):
        with applications.application(self.answer) as app:
            url = app.url.removesuffix("/ask")
            connected.endpoint("house", kind=Endpoint.Kind.SERVER, url=url, model_name="house-1")
            home = suites.brought(suites.lines([CALLED]))

            run = worked(suites.requested(completed.saved("{endpoint: house}", TOOLS), home))

        row = suite_frame.conversations_of(run).select_related("response").get()
        called, gave, answered = row.response.messages[row.n_before :]
        assert (called["content"], gave["content"]) == ("", "12 knots")
        assert called["tool_calls"][0]["function"]["name"] == "wind"
        assert answered["content"] == "It is 12 knots."
        first, second = (one.body["messages"] for one in app.asked)
        assert second[len(first) :] == [
            {"role": "assistant", "content": None, "tool_calls": called["tool_calls"]},
            {"role": "tool", "content": "12 knots", "tool_call_id": "x1"},
        ]
        assert suites.stored(run)["crane", "count_tool_calls", "MESSAGE", 5] == 1
        calls = list(LLMCall.objects.filter(run=run).order_by("pk"))
        assert [one.trouble for one in calls] == ["", ""]
        line = run_calls.transcript(RunReading(None, run), calls[0].step, calls)
        assert line[0].tool_calls == called["tool_calls"]
        assert [bool(one.tool_calls) for one in line[1].turns[-2:]] == [True, False]
