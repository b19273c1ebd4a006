"""Judgments, functions and rubrics beside Inspect AI and python-flexeval, on one scripted server."""

import itertools
import json
import re
import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import run_engine, suite_runs
from benchmarks.peers import installed
from benchmarks.peers.installed import Failed
from benchmarks.peers.results import Row, bound

TIMES, SLOTS = 3, 8
FUNCTIONS = ("string_length", "count_emojis", "count_tool_calls", "count_messages")
#: python-flexeval wants a bare choice, where ours asks for JSON: what the server says to it.
PLAIN = {"contains": "Answer with one plain word.", "reply": "KIND"}
#: What differs on purpose: ours counts emoji as readers see them, theirs runs of them.
NAMED = {"count_emojis"}
#: Conversations that tell countings apart: repeated roles, emoji in rows, an empty message.
HARD = (
    [
        ("user", "Where is berth 4?"),
        ("user", "And who has the key?"),
        ("assistant", "By the lock."),
    ],
    [("user", "Ready? 🚢🚢⚓"), ("assistant", "Yes 🚢, at noon 🌊🌊."), ("user", "")],
    [("assistant", "Good morning."), ("user", "早上好，船几点开？"), ("assistant", "Noon.")],
)


def rows(*, small: bool = False) -> list[Row]:
    """Measure the runs by all, then hold the functions' values against each other."""
    times, n = (1, 20) if small else (TIMES, 200)
    script = {"latency": run_engine.LATENCY * 1000, "replies": [PLAIN]}
    with run_engine.served("", script) as url:
        import django

        django.setup()
        found = judgments(url, n, times, bars=not small)
        found += two_workers(url, 64 if small else 640, times, bars=not small)
        found += over_conversations(url, n, times, bars=not small)
    return found + same_values()


def judgments(url: str, n: int, times: int, *, bars: bool) -> list[Row]:
    """Measure n judgments of one call each at 8 in flight by all three."""
    ours = [
        run_engine.at_once([run_engine.requested(url, SLOTS, n=n, key=10 + number)])
        for number in range(times)
    ]
    items = [[f"Q{one}", "yes", f"Kestrel says {one}."] for one in range(n)]
    inspect = _times("inspect", {"url": url, "items": items, "slots": SLOTS}, 1)
    what = f"{n} judgments of one call at 200 ms, {SLOTS} in flight"
    note = "Inspect AI run once, without the time of loading it"
    return _both(what, ours, {"inspect": inspect}, (10, 5) if bars else None, times, note)


def two_workers(url: str, n: int, times: int, *, bars: bool) -> list[Row]:
    """Measure ours alone: calls by two worker processes beside the critical path."""
    path = n / 32 * run_engine.LATENCY
    ratios = []
    for number in range(times):
        run = run_engine.requested(url, 32, n=n, key=100 + number)
        ratios.append(run_engine.at_once([run, run])[0] / path)
    what = f"{n} calls, 32 in flight, two worker processes: of the critical path of {path:g} s"
    bar = bound("at most", 1.6, holds=bars)
    gone = {"inspect": "not offered", "flexeval": "not offered"}
    return [Row(what, "×", statistics.median(ratios), *bar, peers=gone, n=times)]


def over_conversations(url: str, n: int, times: int, *, bars: bool) -> list[Row]:
    """Measure loading, functions and a rubric over n conversations of ten turns."""
    from scoring.engine import working as planning
    from tests.scoring import running, suites

    running.endpoint(
        "Judge",
        url=url,
        model_name="scripted",
        max_in_flight=SLOTS,
        found={"json_schema": {"value": True}},
    )
    talks = list(itertools.islice(suite_runs.talks(), n))
    data = b"\n".join(json.dumps(one).encode() for one in talks)
    saved = suites.saved(suite_runs.FUNCTIONS), suites.saved(suite_runs.RUBRIC)
    loading: list[float] = []
    spent: tuple[list[tuple[float, float]], ...] = ([], [])
    for number in range(times):
        with suite_runs.timed() as took:
            found = suites.brought(data, name=f"Talks {number}", release=str(number))
        loading.append(took["wall"])
        for place, version in enumerate(saved):
            run = suites.requested(version, found, number=1_000 + 10 * number + place)
            planning.plan(run=run, clock=running.clock)
            spent[place].append(run_engine.at_once([run.pk]))
    theirs = [_flexeval(url, talks, 1, rubric=rubric) for rubric in (False, True)]
    turns = n * suite_runs.TURNS
    bar = bound("at most", 2, holds=bars)
    return [
        Row(
            f"loading {n} conversations of {suite_runs.TURNS} turns",
            "s",
            statistics.median(loading),
            *bar,
            n=times,
        ),
        *_both(
            f"{turns:,} turns × functions",
            spent[0],
            {"flexeval": theirs[0]},
            (5, None) if bars else None,
            times,
            note="ours five functions, python-flexeval four (its readability wants a download), "
            "loading within, run once",
        ),
        *_both(
            f"{n} conversations × 1 rubric at 200 ms, {SLOTS} in flight",
            spent[1],
            {"flexeval": theirs[1]},
            (10, 5) if bars else None,
            times,
            note="python-flexeval run once, loading within",
        ),
    ]


def same_values() -> list[Row]:
    """Hold the values of each function, turn by turn, against python-flexeval's."""
    talks = [
        {"id": f"talk-{place}", "messages": [{"role": a, "content": b} for a, b in said]}
        for place, said in enumerate(HARD)
    ]
    theirs = _flexeval("http://127.0.0.1:9", talks, 1, rubric=False, values=True)
    if isinstance(theirs, str):
        return [
            Row(f"{name}, turn by turn: values that differ", "", None, peers={"flexeval": theirs})
            for name in FUNCTIONS
        ]
    return compared(ours_of(talks), by_function(theirs[0]["values"]))


def ours_of(talks: Iterable[Mapping[str, Any]]) -> dict[str, list[float]]:
    """Return our values, by function, in the order of the turns."""
    from scoring.kinds.suites.protocol import catalogue, conversations

    metrics, found = catalogue.builtin(), defaultdict(list)
    for talk in map(conversations.read, talks):
        for turn in catalogue.parts(talk, catalogue.Level.TURN):
            for name in FUNCTIONS:
                found[name].append(float(metrics[name].measure(turn, {})[name]))  # type: ignore[arg-type]
    return found


def by_function(values: Iterable[Sequence[Any]]) -> dict[str, list[float]]:
    """Sort (conversation, turn, function, value) into functions, in the order of the turns."""
    found: dict[str, list[float]] = defaultdict(list)
    for _talk, _turn, name, value in values:
        found[name].append(value)
    return found


def compared(
    ours: Mapping[str, Sequence[float]], theirs: Mapping[str, Sequence[float]]
) -> list[Row]:
    """Count the values that differ; none may, but for the deviations that are named."""
    found = []
    for name in FUNCTIONS:
        mine, other = ours[name], theirs.get(name, [])
        apart = sum(a != b for a, b in zip(mine, other, strict=False)) + abs(len(mine) - len(other))
        bar = bound("at most", 0, holds=name not in NAMED)
        note = "on purpose: ours counts emoji as readers see them" if name in NAMED else ""
        what = f"{name}, turn by turn: values that differ"
        said = {"flexeval": f"{len(other)} values"}
        found.append(Row(what, "", apart, *bar, peers=said, note=note))
    return found


def _both(
    what: str,
    ours: Sequence[tuple[float, float]],
    theirs: Mapping[str, Any],
    most: tuple[float, float | None] | None,
    n: int,
    note: str = "",
) -> list[Row]:
    """Make a row of the clock and one of the processor."""
    found = []
    for place, (unit, key) in enumerate((("s", "wall"), ("CPU-s", "cpu"))):
        bar = most[place] if most else None
        peers = {
            name: one if isinstance(one, str) else statistics.median(run[key] for run in one)
            for name, one in theirs.items()
        }
        found.append(
            Row(
                what if unit == "s" else f"{what}, processor time",
                unit,
                statistics.median(run[place] for run in ours),
                "at most" if bar is not None else "",
                bar,
                peers,
                n,
                note if unit == "s" else "",
            )
        )
    return found


def _times(key: str, given: Mapping[str, Any], times: int) -> list[Any] | str:
    """Let a peer work so often; returns what it found, or in words why not."""
    try:
        return [installed.ask(key, given, seconds=300) for _run in range(times)]
    except Failed as why:
        return str(why)


def _flexeval(
    url: str,
    talks: Sequence[Mapping[str, Any]],
    times: int,
    *,
    rubric: bool,
    values: bool = False,
) -> list[Any] | str:
    """Send conversations through python-flexeval; in words why not, or that it did not do all."""
    [prompt] = re.findall(r'prompt: "(.*)"', suite_runs.RUBRIC)
    prompt += f"\\n{PLAIN['contains']}"
    with tempfile.TemporaryDirectory() as folder:
        data, rubrics = Path(folder, "talks.jsonl"), Path(folder, "rubric_metrics.yaml")
        lines = (json.dumps({"input": one["messages"]}) for one in talks)
        data.write_text("\n".join(lines))
        rubrics.write_text(
            f'kind:\n  prompt: "{prompt}"\n  choice_scores: {{KIND: 1, UNKIND: 0}}\n'
        )
        given = {
            "url": url,
            "data": str(data),
            "functions": FUNCTIONS,
            "rubrics": str(rubrics) if rubric else "",
            "workers": SLOTS,
            "talks": len(talks),
            "values": values,
        }
        found = _times("flexeval", given, times)
    if isinstance(found, str):
        return found
    turns = sum(len(one["messages"]) for one in talks)
    done, due = ("judged", len(talks)) if rubric else ("n", turns * len(FUNCTIONS))
    if not values and any(one[done] != due for one in found):
        return f"failed: {found[0][done]:,} of {due:,} values"
    return found
