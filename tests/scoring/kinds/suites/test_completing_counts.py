"""What a release completed is what counts, and the tools that it called are kept."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection

from scoring.engine import auditing
from scoring.engine.models import Judgment, Step
from scoring.kinds.suites import exchange as suite_files
from scoring.kinds.suites import figure as suite_figures
from scoring.kinds.suites import parts as suite_parts
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation
from scoring.llm.base import Message, Reply, Role, ToolCall
from scoring.publishing import suites as suite_outputs
from tests import guarding
from tests.scoring import completed, connected, suites
from tests.scoring.completed import Answers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _endpoints(db):
    for name in ("house", "Judge"):
        connected.endpoint(name, model_name=f"{name}-1")


def worked(text=completed.FUNCTIONS, model=None, sets=()):
    run = suites.requested(
        completed.saved("{endpoint: house}", text), *(sets or (completed.brought(),))
    )
    return completed.worked(run, model or Answers())


#: A recorded system called a tool before the user's last message, and after it.
CALLED = {
    "id": "crane",
    "messages": [
        {"role": "user", "content": "Is it windy?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "function": {"name": "wind", "arguments": '{"at": "crane"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": "31 knots"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "And at the gate?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "b", "function": {"name": "wind", "arguments": '{"at": "gate"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "b", "content": "12 knots"},
        {"role": "assistant", "content": "Less."},
    ],
}
TOOLS = """\
name: Tools
completion: {completion}
metrics:
  function:
    - {{name: tool_was_called, metric_level: Thread}}
    - {{name: tool_was_called, metric_level: Turn}}
    - {{name: count_tool_calls, metric_level: Message}}
    - {{name: count_tool_calls_by_name, metric_level: ToolCall}}
gates: [{{metric: tool_was_called, level: Turn, max: 0.2}}]
"""


class Calls(Answers):
    """Calls a tool first, and says then what it gave."""

    tool = ToolCall("x", "wind", '{"at":"gate"}')

    async def reply(self, request):
        self.asked[request.role] += 1
        self.last = request
        if request.messages[-1].role == "tool":
            return Reply(f"It is {request.messages[-1].content}.")
        return Reply("", "tool_calls", tool_calls=(self.tool,))


def at_the_crane(model):
    return worked(TOOLS, model, [suites.brought(suites.lines([CALLED]))])


class TestToolsOfASystem:
    def test_are_none_where_it_calls_none_whatever_was_recorded_before(self):
        run = at_the_crane(Answers())

        found = suites.stored(run)
        assert found == {
            ("crane", "tool_was_called", "RESPONSE", None): 0,
            ("crane", "tool_was_called", "TURN", 3): 0,
            ("crane", "count_tool_calls", "MESSAGE", 5): 0,
        }
        data = suite_figures.compute(run)
        means = {
            (one["name"], each["distribution"]["mean"])
            for one in data["series"]
            for each in one["releases"]
        }
        assert means == {("tool_was_called", 0.0), ("count_tool_calls", 0.0)}
        assert [one["passed"] for one in data["gates"]] == [True]
        assert data["completed"] == {"n": 1, "n_ended": 0}

    def test_are_kept_counted_and_answered_from_what_was_recorded(self):
        model = Calls()

        run = at_the_crane(model)

        row = suite_frame.conversations_of(run).select_related("response").get()
        assert row.n_before == 5
        called, gave, answered = row.response.messages[5:]
        assert called["tool_calls"] == [Calls.tool.as_dict()]
        assert gave == {
            "role": "tool",
            "tool_call_id": "x",
            "name": "wind",
            "content": "12 knots",
            "recorded": "same",
        }
        assert answered["content"] == "It is 12 knots."
        assert model.last.messages[-2:] == (
            Message("assistant", "", (Calls.tool,)),
            Message("tool", "12 knots", answers="x"),
        )
        found = suites.stored(run)
        assert found["crane", "tool_was_called", "RESPONSE", None] == 1
        assert found["crane", "count_tool_calls", "MESSAGE", 5] == 1
        assert found["crane", "wind", "TOOL_CALL", 1] == 1
        # The recorded call, and the recorded result, are not this system's.
        assert ("crane", "wind", "TOOL_CALL", 0) not in found
        assert ("crane", "count_tool_calls", "MESSAGE", 6) not in found
        assert run.steps.filter(outcome=Step.Outcome.SYSTEM_FAILED).count() == 0

    def test_end_a_conversation_where_no_result_is_recorded(self):
        class Otherwise(Calls):
            tool = ToolCall("x", "tide", "{}")

        run = at_the_crane(Otherwise())

        step = run.steps.get(spec__has_key="start")
        assert (step.outcome, step.trouble) == (Step.Outcome.OK, "")
        assert "“tide”" in step.problem
        assert suites.stored(run)["crane", "count_tool_calls", "MESSAGE", 5] == 1
        assert suite_figures.compute(run)["completed"] == {"n": 1, "n_ended": 1}

    def test_play_back_to_the_same(self):
        run = at_the_crane(Calls())

        found = auditing.audit(run=run)

        assert (found.n_same, found.differences) == (2, ())


class TestWhatCounts:
    def test_of_the_whole_is_what_was_said_since_the_start(self):
        text = completed.COMPLETED.replace("Turn", "Thread").replace(
            "\n      depends_on: [{{name: is_role, kwargs: {{role: assistant}}, metric_min_value: 1}}]",
            "",
        )

        class Keeps(Answers):
            async def reply(self, request):
                if request.role == Role.JUDGE:
                    self.told = request.messages[-1].content
                return await super().reply(request)

        model = Keeps()
        worked(text=text, model=model, sets=[suites.brought(suites.lines(completed.STARTS[:1]))])

        context, _end, completion = model.told.partition("<<<BEGIN COMPLETION")
        assert "Behind the weighbridge." in context
        assert "And gate 13: answer 1." in completion
        assert "Behind the weighbridge." not in completion

    def test_is_given_to_people_and_nothing_that_was_recorded_before(self):
        run = worked()

        units = {one.group: one for one in suite_outputs.units(run, "turns")}

        assert len(suite_outputs.units(run, "turns")) == 2
        assert [one["content"] for one in units["gate"].outputs[0].messages] == [
            "And gate 13: answer 1."
        ]
        assert "Behind the weighbridge." in str(units["gate"].messages)

    def test_stays_the_same_where_another_run_evaluates_what_was_completed(self):
        run = worked()
        home = suite_frame.conversations_of(run).first().set

        again = suites.done(suites.requested(suites.saved(suites.SUITE), home, number=2))

        assert {key[3] for key in suites.stored(again)} == {1, 3}

    def test_of_a_run_from_before_is_told_from_what_its_conversations_are(self):
        run = worked()
        suites.requested(suites.saved(suites.SUITE), completed.brought(), number=2)
        run.config.pop(suite_frame.SINCE_START)
        row = suite_frame.conversations_of(run).get(external_id="gate")
        old = Judgment.objects.filter(run=run, target_level="TURN").first()
        old.pk, old.response_id, old.target_index, old.value = None, row.response_id, 1, 99
        old.save()

        values = {one.value for one in suite_frame.Frame(run).rows()}
        shown = suite_parts.page(
            run, suite_parts.WantedParts(old.rater_id, "string_length", "Turn"), after="", down=True
        )

        assert values == {1, 22, 42}
        assert [one.judgment.value for one in shown.rows] == [42, 22]
        assert [one.role for one in shown.rows] == ["assistant", "assistant"]
        assert 99 not in {one["value"] for one in suite_files.records(run)}


class TestConversationsFromBefore:
    @pytest.mark.parametrize(
        ("completion", "n_before"),
        [("{endpoint: house}", 4), ("{endpoint: house, start: first, turns: 3}", 2)],
    )
    def test_are_told_where_their_start_ends(self, completion, n_before):
        migration = import_module("scoring.migrations.0024_starts_of_earlier_completions")
        run = suites.requested(completed.saved(completion), completed.brought())
        completed.worked(run, Answers())
        guarding.lift([migration.GUARD], connection)
        Conversation.objects.update(n_before=0)

        migration.forward(apps, SimpleNamespace(connection=connection, execute=lambda *_said: None))
        guarding.install([migration.GUARD], connection)

        mine = suite_frame.conversations_of(run)
        assert dict(mine.values_list("external_id", "n_before")) == {"gate": n_before, "wind": 1}
        assert Conversation.objects.exclude(pk__in=mine).filter(n_before__gt=0).count() == 0
