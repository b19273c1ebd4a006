import pytest

from scoring.kinds.suites.protocol import catalogue, definition, running, source
from scoring.kinds.suites.protocol.definition import UnusableSuite

RUN = """\
data_sources:
  - type: file
    path: data/spring.jsonl
  - {type: file, name: Autumn, path: autumn.db, format: langgraph_sqlite, notes: by the graph}
  - {type: named, name: Winter}
database_path: results/eval.db
eval:
  name: Ferry desk
  do_completion: false
  metrics:
    function:
      - name: string_length
      - name: flesch_reading_ease
        metric_level: Turn
        depends_on: [{name: string_length, type: function, metric_min_value: 15}]
    rubric:
      - name: answers
        depends_on: [{name: is_role, kwargs: {role: assistant}, metric_name: assistant, metric_min_value: 1}]
  grader_llm:
    function_name: open_ai_completion
    kwargs: {model_name: judge-1, api_key_name: OPENAI_API_KEY, temperature: 0}
config:
  clear_tables: true
  logs_path: var/log
  env_filepath: .env
  max_workers: 4
  max_n_conversation_threads: 10
  random_seed_conversation_sampling: 7
  nb_evaluations_per_thread: 3
rubric_paths: [rubrics.yaml]
function_modules: [metrics.py]
"""
RUBRICS = 'answers: {prompt: "{completion}", choice_scores: {"YES": 1, "NO": 0}}\n'
SEVERAL = """\
# Suites of the desk.
short:
  data: [a.jsonl]
  metrics:
    function:
      - name: string_length

# The long one.
long:
  name: Long talks
  config: {nb_evaluations_per_thread: 2, max_workers: 2}
  metrics:
    function: [{name: count_turns, metric_level: Thread}]
last:
  metrics: {function: [{name: latency}]}
"""
UNDER_EVALS = (
    "data_sources: [{type: file, path: a.jsonl}]\nevals:\n"
    + "".join(f"  {line}\n" for line in SEVERAL.splitlines())
    + "config: {max_n_conversation_threads: 5}\n"
)


def read(text, name=""):
    return source.read(text, catalogue.builtin(), source.rubric_file(RUBRICS), name)


def small(*lines):
    return "\n".join([*lines, "eval: {metrics: {function: [{name: string_length}]}}"])


class TestRun:
    def test_is_taken_as_it_is(self):
        found = read(RUN)

        assert (found.name, found.graders) == ("Ferry desk", ("judge-1",))
        assert found.data == ("data/spring.jsonl", "autumn.db")
        assert (found.named, found.sets) == ({"autumn.db": "Autumn"}, ("Winter",))
        assert (found.sample, found.sample_seed, found.repeats) == (10, 7, 3)
        assert source.rubric_paths(RUN) == ["rubrics.yaml"]

    def test_names_with_its_line_what_is_not_used(self):
        told = {one.line: one.text for one in read(RUN).warnings}

        assert list(told) == [6, 23, 24, 25, 26, 31]
        assert "--out writes them" in told[6]
        assert "code is not taken from files" in told[31]

    def test_is_the_same_after_it_was_stored(self):
        found = read(RUN)

        assert definition.from_dict(found.as_dict()) == found

    def test_takes_all_conversations_where_no_number_is_said_and_tells(self):
        found = read(small("data_sources: [{type: file, path: a.jsonl}]"))

        assert found.sample is None
        assert "FlexEval draws 50" in found.warnings[0].text

    def test_draws_as_flexeval_does_where_no_seed_is_said(self):
        assert read(small("config: {max_n_conversation_threads: 5}")).sample_seed == 42

    def test_takes_what_a_suite_says_of_its_own_before_what_the_run_says(self):
        text = (
            "config: {nb_evaluations_per_thread: 2, max_n_conversation_threads: 9}\n"
            "eval: {nb_evaluations_per_thread: 5, metrics: {function: [{name: latency}]}}"
        )

        found = read(text)

        assert (found.repeats, found.sample) == (5, 9)

    @pytest.mark.parametrize(
        ("text", "line", "why"),
        [
            (small("data_sources:", "- {type: file}"), 2, "has a “path”"),
            (small("data_sources: [{type: iterable, contents: []}]"), 1, "into a JSONL file"),
            (small("data_sources: [{type: named}]"), 1, "has a “name”"),
            (small("data_sources: [{type: cloud}]"), 1, "no type of data source"),
            (small("data_sources: [{path: a, format: csv}]"), 1, "jsonl, langgraph_sqlite"),
            (small("data_sources: [{paht: a}]"), 1, "Did you mean “path”"),
            (small("config: {max_n_conversation_thread: 5}"), 1, "Did you mean “max_n_conv"),
            (small("config:", "  max_n_conversation_threads: 0"), 2, "whole number from 1"),
            (small("config: {nb_evaluations_per_thread: 21}"), 1, "from 1 to 20"),
            (small("config: {random_seed_conversation_sampling: 0.5}"), 1, "is a whole number"),
            (small("config: 5"), 1, "names and values"),
            (small("gates: []"), 1, "no “gates” beside its suite"),
            ("config: {}\neval: 5", 2, "names and values"),
            (RUN.replace("name: string_length\n", "name: own\n"), 12, "own.*Ask the operator"),
            (
                RUN.replace("temperature: 0", "temperature: 0.7"),
                21,
                "would change the verdicts",
            ),
        ],
    )
    def test_says_what_is_wrong_in_which_line(self, text, line, why):
        with pytest.raises(UnusableSuite, match=why) as refused:
            read(text)

        assert line in {one.line for one in refused.value.problems}

    def test_tells_of_arguments_of_a_grader_that_are_not_used(self):
        text = RUN.replace("temperature: 0", "response: NO")

        assert "“response” of the grader" in " ".join(one.text for one in read(text).warnings)

    def test_looks_for_the_grader_by_its_function_where_that_names_no_model(self):
        text = RUN.replace("model_name: judge-1, ", "")

        assert read(text).graders == ("open_ai_completion",)


class TestSeveral:
    @pytest.mark.parametrize("text", [SEVERAL, UNDER_EVALS])
    def test_are_told_apart_by_name(self, text):
        assert running.names(definition.read_yaml(text)) == ["short", "long", "last"]
        assert read(text, "short").name == "short"
        assert (read(text, "long").name, read(text, "long").repeats) == ("Long talks", 2)

    @pytest.mark.parametrize("text", [SEVERAL, UNDER_EVALS])
    def test_ask_which(self, text):
        with pytest.raises(UnusableSuite, match="Say which: short, long, last"):
            read(text)

    def test_know_a_name_that_is_not_there(self):
        with pytest.raises(
            UnusableSuite, match=r"no suite “first” in this file\. There are: short"
        ):
            read(SEVERAL, "first")
        with pytest.raises(UnusableSuite, match="without a name above it"):
            read(RUN, "first")

    def test_take_the_data_of_the_run_around_them(self):
        found = read(UNDER_EVALS, "last")

        assert (found.data, found.sample) == (("a.jsonl",), 5)

    @pytest.mark.parametrize("name", ["short", "long", "last"])
    @pytest.mark.parametrize(
        "text",
        [
            SEVERAL,
            SEVERAL.rstrip("\n"),
            UNDER_EVALS,
            "{short: {metrics: {function: [{name: latency}]}}, long: {metrics: {function: "
            "[{name: count_turns}]}}, last: {name: x, metrics: {function: [{name: is_refusal}]}}}",
        ],
    )
    def test_can_be_cut_down_to_one(self, text, name):
        alone = running.text_of(text, name)

        (own,) = running.names(definition.read_yaml(alone))
        kept, whole = definition.read_yaml(alone), definition.read_yaml(text)
        assert own == name
        assert running.one_of(kept).plain() == running.one_of(whole, name).plain()
