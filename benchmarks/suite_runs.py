"""How fast suites go: `python -m benchmarks.suite_runs`.

Loading 200 conversations; 2,000 turns by five functions; 200 conversations by one rubric at 8 in
flight, on a scripted server at 200 ms a call. The site is one on SQLite in a throw-away folder, or
`--database postgresql://…`. Beside python-flexeval: `python -m benchmarks.peers --only runs`.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.run_engine import LATENCY, at_once, say, served, yardstick_ms

CONVERSATIONS, TURNS, SLOTS = 200, 10, 8
MOST_LOADING, MOST_FUNCTIONS, MOST_WALL, MOST_CPU = 2.0, 5.0, 5.4, 1.5
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", default="", help="a PostgreSQL server")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    with served(options.database, {"latency": LATENCY * 1000}) as url:
        measure(url, options.times)
    say(f"machine: {yardstick_ms():.0f} CPU-ms for 2,000 × json, load {os.getloadavg()[0]:.1f}")


def measure(url: str, times: int) -> None:
    import django

    django.setup()
    from scoring.engine.models import Run
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
    from scoring.engine import working as planning
    from tests.scoring import running

    planning.plan(run=run, clock=running.clock)
    return int(run.pk)


@contextmanager
def timed() -> Iterator[dict[str, float]]:
    """Fill in the seconds on the clock."""
    spent: dict[str, float] = {}
    began = time.perf_counter()
    yield spent
    spent["wall"] = time.perf_counter() - began


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
