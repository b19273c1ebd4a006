from scoring.protocols.suite import catalogue, source, writing
from scoring.protocols.suite.catalogue import Level
from scoring.protocols.suite.definition import Rubric
from scoring.protocols.suite.writing import Draft

METRICS = catalogue.builtin()
DRAFT = Draft(
    "Quay: “a”",
    (
        ("string_length", Level.TURN),
        ("latency", Level.MESSAGE),
        ("count_turns", Level.CONVERSATION),
    ),
    {"kind": Rubric('Kind? {content} {"x": 1}', {"YES": 1, "N/A": 0.5, "0.5": 2})},
    ("Judge", "Other"),
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


class TestChoosable:
    def test_leaves_out_what_needs_arguments(self):
        found = writing.choosable(METRICS)

        assert ("string_length", Level.MESSAGE) in found
        assert "is_role" not in {name for name, _level in found}
