import asyncio

import pytest

from scoring.kinds.suites.protocol import catalogue, conversations, evaluating, moderation, source
from scoring.kinds.suites.protocol.definition import Entry, UnusableSuite
from scoring.kinds.suites.protocol.functions import BadArgument
from scoring.kinds.suites.protocol.writing import EXAMPLES
from scoring.llm.base import Failed, MachineryFailed, Trouble
from scoring.llm.scripted.model import ScriptedModel

METRICS = catalogue.builtin()
SUITE = """
grader: [Judge]
metrics:
  function:
    - name: moderation
      metric_level: Turn
      depends_on: [{name: is_role, kwargs: {role: user}, metric_min_value: 1}]
"""


class Failing:
    def __init__(self, trouble):
        self.trouble = trouble

    async def reply(self, request):
        raise MachineryFailed(self.trouble, "said")


def moderated(model, talk, text=SUITE):
    suite = source.read(text, METRICS)
    _found, known = evaluating.functions(talk, suite.entries, METRICS)
    return asyncio.run(moderation.moderate(model, talk, suite.entries, [0], known))


TALK = conversations.read(
    {
        "messages": [
            {"role": "user", "content": "You idiot!"},
            {"role": "assistant", "content": "Sorry."},
        ]
    }
)


class TestModerate:
    def test_gives_what_its_example_says(self):
        example = EXAMPLES["moderation"]
        talk = conversations.read(example.conversation)
        entry = Entry("function", "moderation", example.level)

        rows = asyncio.run(moderation.moderate(ScriptedModel(), talk, [entry], [0], {}))

        assert {row[2]: row[3] for row in rows} == pytest.approx(dict(example.value), abs=0.005)

    def test_leaves_out_what_a_dependency_leaves_out(self):
        rows = moderated(ScriptedModel(), TALK)

        assert [(row[1], row[2], row[4]) for row in rows] == [
            (0, "flagged", "SCORED"),
            (0, "harassment", "SCORED"),
            (0, "violence", "SCORED"),
            (1, "moderation", "SKIPPED"),
        ]
        assert rows[0][3] == 1

    def test_has_no_value_of_nothing(self):
        silent = conversations.read({"messages": [{"role": "user", "content": " "}]})

        assert [row[5] for row in moderated(ScriptedModel(), silent)] == [evaluating.NOTHING]

    def test_keeps_why_there_is_none(self):
        row = moderated(Failing(Trouble.BAD_REQUEST), TALK)[0]

        assert row[3:] == [
            None,
            "UNSCORED",
            "The endpoint gives no moderation, or refuses this text.",
        ]

    def test_hands_on_what_says_nothing_of_the_text(self):
        with pytest.raises(Failed):
            moderated(Failing(Trouble.RATE_LIMITED), TALK)

    def test_is_not_computed_without_asking(self):
        with pytest.raises(BadArgument, match="asked of an endpoint"):
            METRICS["moderation"].measure(TALK, {})


class TestSuites:
    def test_know_it_by_the_name_it_has_in_flexeval(self):
        suite = source.read(
            SUITE.replace("name: moderation", "name: openai_moderation_api"), METRICS
        )

        assert [one.name for _at, one in suite.moderated] == ["moderation"]

    def test_take_a_model_for_its_endpoint_and_say_what_is_not_used(self):
        kwargs = "{model: omni, timeout: 5}"
        suite = source.read(
            f"metrics:\n  function:\n    - {{name: openai_moderation_api, kwargs: {kwargs}}}\n",
            METRICS,
        )

        assert [dict(one.kwargs) for _at, one in suite.moderated] == [{"endpoint": "omni"}]
        (said,) = suite.warnings
        assert str(said).startswith("Line 3: “timeout” is not used")

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            (SUITE.replace("grader: [Judge]", ""), "asks an endpoint: name one"),
            (
                "grader: [Judge]\nmetrics: {function: [{name: latency, depends_on: [{name: moderation}]}]}",
                "cannot wait for “moderation”",
            ),
        ],
    )
    def test_are_refused_where_nobody_can_be_asked(self, text, why):
        with pytest.raises(UnusableSuite, match=why):
            source.read(text, METRICS)
