"""Every measure beside those of other programs: `python -m benchmarks.peers`, or `make peers`.

    --install      make the environments of the other programs first (all, or those named)
    --only         parts to measure; what was measured before of the others stays in the table
    --long         the parts that take many minutes as well
    --small        a quick look at small sizes and without bars, printed and not kept
    --keep         keep that look in the table all the same, marked as small
    --table        measure nothing, write the table of what was measured before

What was measured is kept in measured.json beside this, and goes into the repository with the table
(docs/peers.md) that is made of it; the environments are in EVALSITE_PEERS, else var/peers.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers import installed, machine, offered, own, results, table
from benchmarks.peers.installed import PEERS, ROOT, Failed, say
from benchmarks.peers.results import Part, Row

PAGE = ROOT / "docs" / "peers.md"
MEASURED = Path(__file__).parent / "measured.json"
#: What a part that took too long has to end its servers.
ENDING_S = 60


@dataclass(frozen=True)
class Topic:
    """A part of the table: how it is measured, and whether it is only done with --long."""

    title: str
    measure: Callable[..., list[Row]]
    long: bool = False
    seconds: float = 600


def _agreement(*, small: bool) -> list[Row]:
    from benchmarks.peers import agreement

    return agreement.rows(small=small)


def _correlations(*, small: bool) -> list[Row]:
    from benchmarks.peers import correlations

    return correlations.rows(small=small)


def _runs(*, small: bool) -> list[Row]:
    from benchmarks.peers import runs

    return runs.rows(small=small)


def _tools(*, small: bool) -> list[Row]:
    from benchmarks.peers import tools

    return tools.rows(small=small)


def _hands(*, small: bool) -> list[Row]:
    from benchmarks.peers import hands

    return hands.rows(small=small)


def _commands(*names: str) -> Callable[..., list[Row]]:
    """Measure several commands; one that fails becomes rows that say so."""

    def measure(*, small: bool) -> list[Row]:
        found = []
        for name in names:
            try:
                found += own.measured(name, small=small)
            except Failed as why:
                found += [
                    Row(one.what, one.unit, None, one.way, one.bar, note=str(why))
                    for one in own.COMMANDS[name].readings
                ]
        return found

    return measure


TOPICS = {
    "agreement": Topic("Agreement, beside krippendorff", _agreement),
    "correlations": Topic("Judges beside people, beside nlpstats", _correlations, seconds=1_200),
    "runs": Topic("Runs and suites, beside Inspect AI and python-flexeval", _runs, seconds=1_500),
    "tools": Topic("Grading, beside Label Studio and Potato", _tools, seconds=1_800),
    "hands": Topic("A hand at the desk, beside Label Studio and Potato", _hands, seconds=1_800),
    "statistics": Topic("Statistics and metrics", _commands("movement", "lexical_metrics")),
    "rounds": Topic(
        "Rounds and the grading page", _commands("open_round", "draw", "page_weight", "desk_effort")
    ),
    "site": Topic("A web process", _commands("web_memory")),
    "interviews": Topic("Interviews", _commands("kieval_run")),
    "bank": Topic(
        "The question bank",
        _commands("near_duplicates", "bank_lists", "bank_files", "search"),
        long=True,
        seconds=1_800,
    ),
    "dashboards": Topic("Dashboards", _commands("dashboards"), long=True, seconds=1_800),
    "install": Topic("Installation", _commands("install", "first_grade"), long=True),
}


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--install", nargs="*", choices=list(PEERS), metavar="PROGRAM")
    parser.add_argument("--only", nargs="+", choices=list(TOPICS), metavar="PART")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the table goes")
    parser.add_argument("--measured", type=Path, default=MEASURED, help="where figures are kept")
    parser.add_argument("--part", choices=list(TOPICS), help=argparse.SUPPRESS)
    options = parser.parse_args(given)
    if options.part:
        say(json.dumps([asdict(row) for row in TOPICS[options.part].measure(small=options.small)]))
        return 0
    if options.install is not None:
        install(options.install or list(PEERS))
    parts = results.kept(options.measured)
    names = options.only or [key for key, one in TOPICS.items() if options.long or not one.long]
    for key in [] if options.table else names:
        parts[key] = measured(key, small=options.small)
        say(
            f"{key}: {len(parts[key].rows)} rows in {parts[key].seconds:.0f} s"
            + (f"; {parts[key].problem}" if parts[key].problem else "")
        )
        if options.keep or not options.small:
            # Another run may have kept something meanwhile.
            parts = results.kept(options.measured) | {key: parts[key]}
            results.keep(options.measured, parts.values())
    if options.small and not options.keep:
        shown = {key: parts[key] for key in names if key in parts}
        say(written(shown))
        return 0
    options.page.write_text(written(parts))
    say(f"The table of {len(parts)} parts is in {options.page.name}.")
    return 0


def install(keys: Sequence[str]) -> None:
    """Make environments; one that cannot be had is told, and does not stop the others."""
    for key in keys:
        say(f"{PEERS[key].name}: installing …")
        try:
            say(f"{PEERS[key].name} {installed.install(key)}")
        except Failed as why:
            say(f"{PEERS[key].name}: {why}")


def measured(key: str, *, small: bool = False) -> Part:
    """Measure a part in a process of its own, with the yardstick before and after."""
    topic = TOPICS[key]
    before, began = machine.moment(), time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.peers", "--part", key]
    rows: tuple[Row, ...] = ()
    command += ["--small"] if small else []
    code, said, problem = _worked(command, topic.seconds)
    if not problem and code:
        problem = installed.last_error(said[1])
    elif not problem:
        rows = tuple(Row(**one) for one in json.loads(said[0].strip().splitlines()[-1]))
    took = round(time.perf_counter() - began, 1)
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    after = machine.moment()
    asked = [one for one in PEERS if any(one in row.peers for row in rows)]
    versions = {one: installed.version(one) or installed.problem(one) for one in asked}
    on = machine.described()
    return Part(key, topic.title, when, before, after, took, rows, problem, small, on, versions)


def _worked(command: Sequence[str], seconds: float) -> tuple[int, tuple[str, str], str]:
    """Run a process; returns its code, what it said on both lines, and whether it was too slow.

    One that takes too long is interrupted, so that it ends the servers it has started.
    """
    pipe = subprocess.PIPE
    # As manage.py does: threads of one matrix product wait for each other in processor time.
    env = {"OPENBLAS_NUM_THREADS": "1"} | os.environ
    with subprocess.Popen(
        command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=True, env=env
    ) as process:
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            return -1, ("", ""), f"not done after {seconds:g} s"
        except KeyboardInterrupt:
            _end(process)
            raise
    return process.returncode, (out, errors), ""


def _end(process: "subprocess.Popen[str]") -> None:
    process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=ENDING_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


def written(parts: dict[str, Part]) -> str:
    """Return the page of these parts, in the order of the topics."""
    return table.page(
        [parts[key] for key in TOPICS if key in parts],
        names={key: one.name for key, one in PEERS.items()},
        offered=offered.section(),
        missing=[one.title for key, one in TOPICS.items() if key not in parts],
    )


if __name__ == "__main__":
    raise SystemExit(main())
