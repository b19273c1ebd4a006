import csv
import json
import sqlite3
from contextlib import closing
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from scoring.engine.models import Run
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import ConversationSet, Suite
from tests import make
from tests.scoring import checkpoints, connected, suites

pytestmark = pytest.mark.django_db
GATE = "gates: [{{metric: string_length, max: {}}}]\n"


@pytest.fixture
def said(tmp_path):
    make.project()
    (tmp_path / "talks.jsonl").write_bytes(suites.lines())

    def call(text=suites.SUITE, **given):
        (tmp_path / "suite.yaml").write_text(text)
        out = StringIO()
        usual = {"data": [tmp_path / "talks.jsonl"], "seed": 7}
        call_command("run_suite", tmp_path / "suite.yaml", stdout=out, **{**usual, **given})
        return out.getvalue()

    return call


class TestRunSuite:
    def test_evaluates_and_ends_with_a_table(self, said):
        text = said()

        assert "talks.jsonl: 2 conversations new, 0 were there already." in text
        assert Run.objects.get().state == Run.State.DONE
        (line,) = [one for one in text.splitlines() if one.startswith("string_length")]
        # Turns of 17, 23, 7, 32 and 8 + 30 signs; two conversations are too few for an interval.
        assert line.split()[-6:] == ["5", "23.4", "–", "23", "37.52", "0"]

    def test_asks_judges_whom_the_suite_names(self, said):
        connected.endpoint("Judge", script={"seed": 3})

        text = said(suites.JUDGED)

        assert "scripted, not a measurement" in text
        assert any(one.startswith("kind ") for one in text.splitlines())

    def test_writes_csv_json_lines_and_one_sqlite_file(self, said, tmp_path):
        said(out=tmp_path / "out")

        folder = tmp_path / "out"
        rows = list(csv.DictReader((folder / "results.csv").read_text().splitlines()))
        objects = [json.loads(one) for one in (folder / "results.jsonl").read_text().splitlines()]
        with closing(sqlite3.connect(folder / "results.sqlite")) as file:
            values = file.execute("select conversation, role, value from metric").fetchall()
            counts = [
                file.execute(f"select count(*) from {table}").fetchone()[0]  # noqa: S608
                for table in ("conversation", "message", "tool_call")
            ]
        assert len(rows) == len(objects) == len(values) == 10
        assert ("gate", "user", 17.0) in values
        assert (objects[0]["conversation"], objects[0]["turn"]) == ("gate", 0)
        assert counts == [2, 7, 1]

    def test_saves_a_changed_suite_as_another_version(self, said):
        said()
        said()

        assert "version 2" in said(f"{suites.SUITE}notes: new\n")

    def test_fails_where_a_gate_is_not_kept(self, said):
        with pytest.raises(CommandError, match="1 of 1 gates failed") as failed:
            said(suites.SUITE + GATE.format(10))

        assert failed.value.returncode == 1
        assert "kept   mean of string_length ≤ 99" in said(suites.SUITE + GATE.format(99))

    def test_compares_with_a_baseline(self, said):
        said()
        gate = "gates: [{metric: string_length, max_drop: 1}]\n"

        text = said(suites.SUITE + gate, baseline="1")

        assert "less the baseline: +0" in text
        assert "kept   mean of string_length at most 1 below the baseline" in text

    def test_takes_what_is_stored(self, said):
        suites.brought(name="Stored")

        said(data=[], set=["Stored"])

        assert Run.objects.get().state == Run.State.DONE

    def test_takes_rubrics_from_the_file_beside(self, said, tmp_path):
        connected.endpoint("Judge")
        (tmp_path / "rubric_metrics.yaml").write_text(
            'good:\n  prompt: "{completion}"\n  choice_scores: {A: 1, B: 0}\n'
        )

        text = said("grader: Judge\nmetrics: {rubric: [{name: good}]}\n")

        assert "good · Turn" in text

    @pytest.mark.parametrize(
        ("given", "why"),
        [
            ({"text": "metrics:\n  function: [{name: nothing}]\n"}, "Line 2: There is no function"),
            ({"data": []}, "There are no conversations"),
            ({"project": "nowhere"}, "no project nowhere"),
            ({"baseline": 9}, "no run 9"),
            ({"data": [], "set": ["Nobody"]}, "no conversations called Nobody"),
            ({"text": suites.JUDGED}, "endpoint “Judge”"),
        ],
    )
    def test_says_what_cannot_be_used(self, said, given, why):
        with pytest.raises(CommandError, match=why) as refused:
            said(**given)

        assert refused.value.returncode == 2
        assert not Run.objects.exists()

    def test_brings_nothing_in_of_a_file_with_a_bad_line(self, said, tmp_path):
        (tmp_path / "bad.jsonl").write_bytes(suites.lines() + b'\n{"messages": 1}\n')

        with pytest.raises(CommandError, match="1 of 3 conversations cannot be used"):
            said(data=[tmp_path / "bad.jsonl"])

        assert not make.project().conversation_sets.exists()


class TestCompletions:
    def test_are_made_by_the_systems_that_the_suite_names_and_evaluated(self, said):
        connected.endpoint("house", model_name="house-1", script={"seed": 3})
        text = "completion: {endpoint: house, start: first, turns: 2}\n" + suites.SUITE

        out = said(text)

        run = Run.objects.get()
        assert run.state == Run.State.DONE
        assert any(
            line.startswith("string_length · Turn · house · house-1") for line in out.splitlines()
        )
        made = suite_frame.conversations_of(run).select_related("response")
        assert {one.external_id: one.n_turns for one in made} == {"gate": 4, "crane": 2}

    def test_end_with_2_where_nobody_can_be_asked(self, said):
        with pytest.raises(CommandError, match="none of this name") as stopped:
            said("completion: {endpoint: nobody}\n" + suites.SUITE)

        assert stopped.value.returncode == 2
        assert not ConversationSet.objects.exists()
        assert not Suite.objects.exists()


RUN = """\
data_sources:
  - {type: file, path: said/talks.jsonl, name: Spring talks}
database_path: results.db
eval:
  name: Drivers
  metrics:
    function: [{name: string_length}]
    rubric:
      - name: good
        depends_on: [{name: is_role, kwargs: {role: assistant}, metric_min_value: 1}]
  grader_llm: {function_name: echo_completion, kwargs: {response: "YES"}}
config:
  max_n_conversation_threads: 4
  random_seed_conversation_sampling: 7
  nb_evaluations_per_thread: 3
rubric_paths: [more.yaml, rubrics.yaml]
"""
GOOD = 'good: {prompt: "%s {completion}", choice_scores: {"YES": 1, "NO": 0}}\n'


class TestRunOfFlexEval:
    @pytest.fixture
    def beside(self, tmp_path):
        (tmp_path / "said").mkdir()
        talks = [{"id": str(number), "input": suites.TALKS[0]["messages"]} for number in range(9)]
        (tmp_path / "said/talks.jsonl").write_bytes(suites.lines(talks))
        (tmp_path / "more.yaml").write_text(GOOD % "First?")
        (tmp_path / "rubrics.yaml").write_text(GOOD % "Second?")

    @pytest.mark.usefixtures("beside")
    def test_is_run_as_it_is(self, said):
        connected.endpoint("echo_completion", script={"seed": 3})

        text = said(RUN, data=[])

        assert "Note: Line 3: “database_path” is not used" in text
        assert "Note: Line 11: “response” of the grader is not used" in text
        (run,) = Run.objects.all()
        assert run.state == Run.State.DONE
        assert ConversationSet.objects.get().name == "Spring talks"
        assert (
            Suite.objects.get().versions.get().definition["rubrics"][0]["prompt"].startswith("Fi")
        )
        # random.seed(7); random.sample(range(9), 4), as FlexEval draws.
        drawn = suite_frame.conversations_of(run).values_list("external_id", flat=True)
        assert sorted(drawn) == ["2", "3", "5", "8"]
        judged = run.judgments.filter(criterion__name="good", value__isnull=False)
        n_once = judged.filter(repeat=0).count()
        assert n_once > 0
        assert judged.count() == 3 * n_once

    def test_takes_stored_conversations_by_their_name(self, said):
        suites.brought(name="Winter")

        said(
            "data_sources: [{type: named, name: Winter}]\n"
            "eval: {metrics: {function: [{name: string_length}]}}\n",
            data=[],
        )

        assert suite_frame.conversations_of(Run.objects.get()).count() == 2

    @pytest.mark.usefixtures("beside")
    def test_says_which_files_are_missing(self, said, tmp_path):
        connected.endpoint("echo_completion")
        (tmp_path / "said/talks.jsonl").unlink()

        with pytest.raises(CommandError, match=r"talks\.jsonl cannot be read"):
            said(RUN, data=[])

    def test_runs_one_of_several_suites_by_name(self, said):
        text = suites.SUITE.replace("name: Drivers\n", "")
        inner = "".join(f"  {line}\n" for line in text.splitlines())
        several = f"long:\n{inner}short:\n{inner}"

        with pytest.raises(CommandError, match="Say which: long, short") as refused:
            said(several)
        out = said(several, eval="short")

        assert refused.value.returncode == 2
        assert "of “short”, version 1" in out
        assert "long" not in Suite.objects.get().versions.get().text
        assert "version 1" in said(several, eval="short")

    def test_evaluates_checkpoints_of_langgraph(self, said, tmp_path):
        rows = [(name, "", "1", "msgpack", checkpoints.state()) for name in ("t1", "t2")]
        checkpoints.database(tmp_path / "graph.db", *rows)
        text = (
            "data_sources: [{type: file, path: graph.db, format: langgraph_sqlite}]\n"
            "eval: {metrics: {function: [{name: count_tool_calls}, "
            "{name: is_langgraph_type, kwargs: {type: tool}, metric_level: Message}]}}\n"
        )

        out = said(text, data=[])

        assert "graph.db: 2 conversations new" in out
        of_tools = Run.objects.get().judgments.filter(target_level="MESSAGE", value=1)
        assert of_tools.count() == 2

    def test_takes_no_database_of_which_a_part_is_not_written_yet(self, said, tmp_path):
        path = checkpoints.database(tmp_path / "graph.db", ("t", "", "1", "msgpack", b""))
        (tmp_path / "graph.db-wal").write_bytes(b"x")

        with pytest.raises(CommandError, match="wal_checkpoint") as refused:
            said(data=[path])

        assert refused.value.returncode == 2
