import pytest

from scoring.kinds.suites.protocol import catalogue, source, writing
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.definition import Rubric, SuiteGate, UnusableSuite
from scoring.kinds.suites.protocol.writing import SuiteDraft

METRICS = catalogue.builtin()
DRAFT = SuiteDraft(
    "Quay: “a”",
    (
        ("string_length", Level.TURN),
        ("latency", Level.MESSAGE),
        ("count_turns", Level.CONVERSATION),
    ),
    rubrics={"kind": Rubric('Kind? {content} {"x": 1}', {"YES": 1, "N/A": 0.5, "0.5": 2})},
    graders=("Judge", "Other"),
    answers_only=True,
)


class TestWrite:
    def test_makes_what_reads_as_the_same_suite(self):
        first = source.read(writing.write(DRAFT), METRICS)
        again = source.read(writing.write(writing.draft_of(first)), METRICS)

        assert writing.plain(first) == writing.plain(again)
        assert first.rubrics == DRAFT.rubrics
        assert all(one.depends_on for one in first.entries[:2])
        assert not first.entries[2].depends_on

    def test_keeps_arguments_gates_and_notes(self):
        draft = SuiteDraft(
            "Quay",
            (
                ("is_role", Level.TURN),
                ("tool_was_called", Level.TURN),
                ("tool_was_called", Level.MESSAGE),
            ),
            {"is_role": {"role": "user"}, "tool_was_called": {"name": "locate"}},
            (
                SuiteGate("is_role", "p98", role="user", minimum=0.5),
                SuiteGate("is_role", maximum=1, confidence=0.9),
            ),
            "Why it is there.",
        )

        suite = source.read(writing.write(draft), METRICS)

        assert [one.key for one in suite.entries] == [
            "is_role(role='user')",
            "tool_was_called(name='locate')",
            "tool_was_called(name='locate')",
        ]
        again = source.read(writing.write(writing.draft_of(suite)), METRICS)
        assert writing.plain(suite) == writing.plain(again)
        assert suite.notes == "Why it is there."
        assert [one.words for one in suite.gates] == [
            "p98 of is_role of user ≥ 0.5",
            "mean of is_role ≤ 1 at 90%",
        ]


class TestDraftOf:
    def test_says_less_where_one_function_has_two_arguments(self):
        text = """
metrics:
  function:
    - {name: is_role, kwargs: {role: user}}
    - {name: is_role, kwargs: {role: assistant}}
"""
        suite = source.read(text, METRICS)

        made = writing.write(writing.draft_of(suite))

        with pytest.raises(UnusableSuite, match="twice"):
            source.read(made, METRICS)
