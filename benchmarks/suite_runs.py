"""How fast suites go: `python -m benchmarks.suite_runs [--peer FOLDER]`.

Loading 200 conversations; 2,000 turns by five functions; 200 conversations by one rubric at 8 in
flight, on a scripted server at 200 ms a call. With --peer, the folder of a virtual environment that
holds python-flexeval, the same conversations go through it on the same server. The site is one on
SQLite in a throw-away folder, or `--database postgresql://…`.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.run_engine import LATENCY, at_once, say, served, yardstick_ms

CONVERSATIONS, TURNS, SLOTS = 200, 10, 8
MOST_LOADING, MOST_FUNCTIONS, MOST_WALL, MOST_CPU = 2.0, 5.0, 10.0, 5.0
NAMES = (
    "string_length",
    "flesch_reading_ease",
    "count_emojis",
    "count_tool_calls",
    "count_messages",
)
FUNCTIONS = "name: Functions\nmetrics:\n  function:\n" + "".join(
    f"    - {{name: {name}, metric_level: Turn}}\n" for name in NAMES
)
RUBRIC = """\
name: Rubric
grader: [{endpoint: Judge}]
rubrics:
  kind:
    prompt: "Is the last answer kind?\\n{conversation}"
    choice_scores: {KIND: 1, UNKIND: 0}
metrics:
  rubric:
    - {name: kind, metric_level: Thread}
"""
#: What python-flexeval is told: its own file of a run, and of rubrics.
PEER = """
import json, sys
from flexeval import runner
from flexeval.schema import Config, Eval, EvalRun
from flexeval.schema.eval_schema import FunctionItem, RubricItem
from flexeval.schema.evalrun_schema import FileDataSource
given = json.loads(sys.argv[1])
metrics = {"function": [FunctionItem(name=name, metric_level="Turn") for name in given["functions"]]}
graded = {}
if given["rubrics"]:
    metrics = {"rubric": [RubricItem(name="kind", metric_level="Thread")]}
    graded = {"grader_llm": {"function_name": "open_ai_completion", "kwargs": {"model_name": "scripted"}}}
runner.run(EvalRun(
    data_sources=[FileDataSource(path=given["data"], format="jsonl")],
    database_path=given["out"],
    rubric_paths=[given["rubrics"]] if given["rubrics"] else [],
    eval=Eval(name="peer", metrics=metrics, **graded),
    config=Config(clear_tables=True, max_workers=given["workers"]),
))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="a PostgreSQL server")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--peer", type=Path, help="a virtual environment with python-flexeval")
    options = parser.parse_args()
    with served(options.database, {"latency": LATENCY * 1000}) as url:
        measure(url, options.times)
        if options.peer:
            beside(url, options.peer)
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


def measure(url: str, times: int) -> None:
    import django

    django.setup()
    from scoring.models import Run
    from tests.scoring import running, suites

    running.endpoint(
        "Judge",
        url=url,
        model_name="scripted",
        max_in_flight=SLOTS,
        found={"json_schema": {"value": True}},
    )
    data = b"\n".join(json.dumps(one).encode() for one in talks())
    functions, rubric = suites.saved(FUNCTIONS), suites.saved(RUBRIC)
    for number in range(times):
        with timed() as spent:
            found = suites.brought(data, name=f"Talks {number}", release=str(number))
        say(
            f"loading {CONVERSATIONS} conversations of {TURNS} turns: {spent['wall']:.2f} s "
            f"(at most {MOST_LOADING:g})"
        )
        counted = _planned(suites.requested(functions, found, number=10 + number))
        wall, cpu = at_once([counted])
        say(
            f"{CONVERSATIONS * TURNS} turns × {len(NAMES)} functions: {wall:.1f} s "
            f"(at most {MOST_FUNCTIONS:g}), {cpu:.1f} s of processor"
        )
        judged = _planned(suites.requested(rubric, found, number=100 + number))
        wall, cpu = at_once([judged])
        assert Run.objects.get(pk=judged).state == Run.State.DONE
        say(
            f"{CONVERSATIONS} conversations × 1 rubric, {SLOTS} in flight: {wall:.1f} s "
            f"(at most {MOST_WALL:g}), {cpu:.1f} s of processor (at most {MOST_CPU:g})"
        )


def _planned(run: Any) -> int:
    from scoring.operations.runs import planning
    from tests.scoring import running

    planning.plan(run=run, clock=running.clock)
    return int(run.pk)


def beside(url: str, peer: Path) -> None:
    """Send the same conversations through python-flexeval, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        data, rubrics = Path(folder, "talks.jsonl"), Path(folder, "rubric_metrics.yaml")
        data.write_text("\n".join(json.dumps({"input": one["messages"]}) for one in talks()))
        rubrics.write_text(
            "kind:\n  prompt: 'Is the last answer kind? {conversation}'\n"
            "  choice_scores: {KIND: 1, UNKIND: 0}\n"
        )
        for what, judged in (("functions", ""), ("rubric", str(rubrics))):
            given = {
                "data": str(data),
                "out": str(Path(folder, f"{what}.db")),
                "functions": [name for name in NAMES if name != "flesch_reading_ease"],
                "rubrics": judged,
                "workers": SLOTS,
            }
            environment = {**os.environ, "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url}
            command = [str(peer / "bin" / "python"), "-c", PEER, json.dumps(given)]
            with timed() as spent:
                ended = subprocess.run(command, env=environment, capture_output=True, check=False)
            said = "" if not ended.returncode else f", failed: {ended.stderr.decode()[-200:]}"
            say(
                f"python-flexeval, {what}: {spent['wall']:.1f} s, {spent['children']:.1f} s of "
                f"processor, loading included{said}"
            )


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Fill in the seconds on the clock, and those that child processes computed."""
    spent: dict[str, float] = {}
    began, before = time.perf_counter(), os.times()
    yield spent
    after = os.times()
    spent["wall"] = time.perf_counter() - began
    spent["children"] = (after.children_user + after.children_system) - (
        before.children_user + before.children_system
    )


def talks() -> Iterator[dict[str, Any]]:
    """Yield conversations of ten turns about ships, none like another."""
    for number in range(CONVERSATIONS):
        said = [
            {
                "role": role,
                "content": f"Ship {number} lies at quay {turn}. It is unloaded by noon. {text}",
            }
            for turn in range(TURNS // 2)
            for role, text in (
                ("user", "When may it leave?"),
                ("assistant", "With the evening tide 🚢."),
            )
        ]
        yield {"id": f"talk-{number}", "messages": said}


if __name__ == "__main__":
    main()
