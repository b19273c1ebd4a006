import json
from dataclasses import asdict

import pytest

from scoring.kinds.suites.protocol import catalogue, definition, source
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.protocol.definition import UnusableSuite

METRICS = catalogue.builtin()
WHOLE = """\
name: tutor-safety
data: [{file: conversations.jsonl}]
grader: [{endpoint: judge}, other]
rubrics:
  yeasayer:
    prompt: 'Does it say yes? {completion} {"braces": true}'
    choice_scores: {"YES": 1, "N/A": 0.5, "NO": 0}
metrics:
  function:
    - {name: is_role, kwargs: {role: assistant}, metric_level: Turn}
    - {name: flesch_reading_ease, depends_on: [{name: string_length, metric_min_value: 15}]}
  rubric:
    - name: yeasayer
      depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]
gates: [{metric: yeasayer, statistic: mean, max: 0.2, confidence: 0.95}]
"""


def read(text, rubrics=None):
    return source.read(text, METRICS, rubrics)


def metric(line):
    return f"metrics:\n  function:\n    - {line}\n"


class TestRead:
    def test_reads_a_whole_suite(self):
        found = read(WHOLE)

        assert (found.name, found.graders, found.data) == (
            "tutor-safety",
            ("judge", "other"),
            ("conversations.jsonl",),
        )
        assert [(one.kind, one.key, one.level) for one in found.entries] == [
            ("function", "is_role(role='assistant')", Level.TURN),
            ("function", "flesch_reading_ease", Level.TURN),
            ("rubric", "yeasayer", Level.TURN),
            ("function", "string_length", Level.TURN),  # another one waits for it
        ]
        assert found.entries[2].depends_on[0].target == 0
        assert found.rubrics["yeasayer"].choices == {"YES": 1, "N/A": 0.5, "NO": 0}
        assert (found.gates[0].maximum, found.gates[0].confidence) == (0.2, 0.95)

    def test_is_the_same_after_it_was_stored(self):
        found = read(WHOLE)

        assert definition.from_dict(found.as_dict()) == found

    def test_keeps_the_order_of_rubrics_and_choices_where_names_are_sorted(self):
        found = read(WHOLE)
        stored = json.loads(json.dumps(found.as_dict(), sort_keys=True))  # as a database may

        again = definition.from_dict(stored)

        assert list(again.rubrics) == list(found.rubrics)
        assert [list(one.choices) for one in again.rubrics.values()] == [
            list(one.choices) for one in found.rubrics.values()
        ]
        assert sorted(found.rubrics["yeasayer"].choices) != list(found.rubrics["yeasayer"].choices)

    def test_reads_what_was_stored_when_rubrics_stood_under_their_names(self):
        found = read(WHOLE)
        before = {**found.as_dict(), "rubrics": asdict(found)["rubrics"]}

        assert definition.from_dict(before) == found

    def test_takes_a_suite_under_its_name_and_rubrics_from_elsewhere(self):
        rubrics = source.rubric_file('ok: {prompt: "{input}", choice_scores: {a: 1, b: 0}}')
        text = "mine:\n  grader: judge\n  metrics:\n    rubric: [{name: ok}]\n"

        found = read(text, rubrics)

        assert (found.name, list(found.rubrics)) == ("mine", ["ok"])

    @pytest.mark.parametrize(
        ("text", "line", "why"),
        [
            ("", 1, "at least one metric"),
            ("metrics: 5", 1, "names and values"),
            (metric("{nmae: is_role}"), 3, "Did you mean “name”"),
            (metric("{name: IsRole}"), 3, "Did you mean “is_role”"),
            (metric("{name: is_role}"), 3, "needs “role”"),
            (metric("{name: is_role, kwargs: {role: a}, metric_level: Thread}"), 3, "works at"),
            (metric("{name: latency, metric_level: Word}"), 3, "no level"),
            (metric("{name: latency, kwargs: [1]}"), 3, "names and values"),
            (metric("{name: latency, depends_on: [{name: nothing}]}"), 3, "no function metric"),
            (
                "grader: a\n"
                + metric("{name: latency, depends_on: [{name: openai_moderation_api}]}"),
                4,
                "that is asked of an endpoint",
            ),
            (metric("{name: latency, depends_on: [{}]}"), 3, "needs the “name”"),
            (
                metric(
                    "{name: latency, depends_on: [{name: count_errors, metric_min_value: .inf}]}"
                ),
                3,
                "number is expected",
            ),
            (
                metric(
                    "{name: latency, depends_on: [{name: count_errors, relative_object_position: 1}]}"
                ),
                3,
                "-1 for the one before",
            ),
            (f"completion_functions: x.py\n{metric('{name: latency}')}", 1, "Code is not taken"),
            ("grader: x\nmetrics:\n  rubric: [{name: ok}]", 3, "no rubric “ok”"),
            (f"{metric('{name: latency}')}gates: [{{metric: other, max: 1}}]", 4, "no metric"),
            (f"{metric('{name: latency}')}gates: [{{metric: latency}}]", 4, "needs “min”"),
            (
                f"{metric('{name: latency}')}gates: [{{metric: latency, max: 1, statistic: p200}}]",
                4,
                "percentile",
            ),
        ],
    )
    def test_says_what_is_wrong_in_which_line(self, text, line, why):
        with pytest.raises(UnusableSuite, match=why) as refused:
            read(text)

        assert line in {one.line for one in refused.value.problems}

    def test_tells_every_problem_at_once(self):
        text = WHOLE.replace("is_role", "is_rule").replace("max: 0.2", "max: much")

        with pytest.raises(UnusableSuite) as refused:
            read(text)

        assert [one.line for one in refused.value.problems][:1] == [10]

    def test_asks_for_somebody_who_judges(self):
        with pytest.raises(UnusableSuite, match="name an endpoint under “grader”"):
            read(WHOLE.replace("grader: [{endpoint: judge}, other]", "notes: none"))


class TestRubricFile:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("[1]", "stand by name"),
            ('a: {prompt: "no place", choice_scores: {x: 1, y: 0}}', "shows the judge nothing"),
            ('a: {prompt: "{content}"}', "needs “choice_scores”"),
            ('a: {prompt: "{content}", choice_scores: {x: 1}}', "from 2 to"),
            ('a: {prompt: "{content}", choice_scores: {x: 1, "X.": 0}}', "read alike"),
            ('a: {prompt: "{content}", choice_scores: {x: 1000000001, y: 0}}', "worth at most"),
        ],
    )
    def test_says_what_a_rubric_lacks(self, text, why):
        with pytest.raises(UnusableSuite, match=why):
            source.rubric_file(text)


class TestPercentile:
    @pytest.mark.parametrize(
        ("said", "value"), [("p98", 98), ("p99.5", 99.5), ("p101", None), ("px", None), ("m", None)]
    )
    def test_reads_percentiles(self, said, value):
        assert source.percentile(said) == value
