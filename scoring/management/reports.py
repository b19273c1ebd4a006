"""What a command that runs something leaves behind for other programs: JSON, JUnit, a summary in Markdown.

* JSON holds everything; a later command takes it as its baseline.
* JUnit has a case for each gate and one for the steps, so that a runner of CI shows what failed.
* Markdown is a page for people, appended to its file: what a runner of CI calls a job's summary.
"""

import json
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as Xml

from django.http import QueryDict
from django.utils import timezone

from annotation.people.models import User
from annotation.people.permissions import scope_of
from evalsite import errors
from scoring.engine import progress
from scoring.engine import queries as engine
from scoring.engine.models import Run
from scoring.figures.models import Figure
from scoring.management.endings import GATES_FAILED, KEPT, STEPS_FAILED, Unusable
from scoring.outcomes import kinds as outcomes
from scoring.outcomes.api import told
from scoring.outcomes.kinds import Opened

FORM: Final = "evalsite run report 1"
#: So many tables, and rows of each, stand in the summary; all of them in the JSON.
MOST_TABLES, MOST_ROWS = 2, 50
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
RANKED: Final = ("system", "value", "low", "high", "n")


@dataclass(frozen=True, slots=True)
class GateReport:
    """A gate of one system: what was asked, what came, and why it is not kept."""

    name: str
    system: str
    value: float | None
    is_kept: bool
    said: str

    @property
    def words(self) -> str:
        value = "–" if self.value is None else f"{self.value:.4g}"
        return f"{value} ({self.said})" if self.said else value


@dataclass(frozen=True)
class RunReport:
    """A run that is over, for other programs.

    Args:
        run: what ran.
        tolerated: the share of its steps that may have failed.
        user: in whose name results are read.
        gates: what became of its gates.
        standards: what a later run may be held against.
        baseline: what this one was held against, in words; "" for nothing.
    """

    run: Run
    tolerated: float
    user: User
    gates: Sequence[GateReport] = ()
    standards: Sequence[Mapping[str, Any]] = ()
    baseline: str = ""
    lost: engine.Lost = field(init=False)
    results: Sequence[Mapping[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lost", engine.of_lost_steps(self.run))
        found = list(_results(self.run, self.user))
        # What they say of gates knows nothing of a baseline that is a file.
        apart = [_without_gates(one) for one in found] if self.gates else found
        object.__setattr__(self, "results", apart)

    @property
    def is_whole(self) -> bool:
        return self.run.state == Run.State.DONE and not self.lost.beyond(self.tolerated)

    @property
    def n_failed(self) -> int:
        return sum(not one.is_kept for one in self.gates)

    @property
    def code(self) -> int:
        """The exit code that the command ends with."""
        if not self.is_whole:
            return STEPS_FAILED
        return GATES_FAILED if self.n_failed else KEPT

    @property
    def why(self) -> str:
        """Why steps are missing, in a line; "" where none is."""
        if not self.lost.n and self.run.state == Run.State.DONE:
            return ""
        said = f"{self.lost.n} of {self.lost.of} steps failed or were not done"
        return f"{said}: {self.lost.reason}" if self.lost.reason else f"{said}. {self.run.problem}"


def _without_gates(result: Mapping[str, Any]) -> Mapping[str, Any]:
    tables = [one for one in result["tables"] if one["name"] != "gates"]
    return {**result, "verdict": "", "tables": tables}


def _results(run: Run, user: User) -> Iterator[Mapping[str, Any]]:
    """Yield what the run came to, computed here and now, as the API answers it."""
    # It loads pandas and scipy, which a command that is refused need not wait for.
    from scoring import jobs

    scope = scope_of(user, run.project.slug)
    for name, kind in outcomes.outcome_kinds().items():
        if kind.of != run.kind:
            continue
        try:
            reading = kind.allowed(scope, run.number)
        except errors.Refusal:  # of a round that people still grade
            return
        opened = Opened(kind(reading, QueryDict()), timezone.now())
        for figure in opened.figures.values():
            if figure.state == Figure.State.WANTED:
                jobs.compute_figure(figure.pk)
                figure.refresh_from_db()
        if opened.is_ready:
            yield {"name": name, "title": str(kind.title), **told(opened)}


def add(parser: ArgumentParser) -> None:
    """Add where reports go."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="write a report as JSON")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write a report as JUnit XML")
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="append a summary in Markdown, such as to $GITHUB_STEP_SUMMARY",
    )


def is_wanted(options: Mapping[str, Any]) -> bool:
    return any(options[name] for name in WRITERS)


def write(report: RunReport, options: Mapping[str, Any]) -> list[str]:
    """Write the reports that were asked for; return where they are.

    Raises:
        Unusable: a file cannot be written.
    """
    made = []
    for name, (make, mode) in WRITERS.items():
        path: Path | None = options[name]
        if path is None:
            continue
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open(mode, encoding="utf-8") as file:
                file.write(make(report))
        except OSError as problem:
            raise Unusable(f"{path} cannot be written: {problem.strerror}.") from None
        made.append(str(path))
    return made


def as_json(report: RunReport) -> str:
    run, found = report.run, progress.progress_of(report.run, timezone.now())
    whole = {
        "report": FORM,
        "exit_code": report.code,
        "run": {
            "number": run.number,
            "kind": run.kind.lower(),
            "name": run.name,
            "state": run.state.lower(),
            "protocol": run.protocol,
            "seed": run.seed,
            "scripted": run.scripted,
            "cost": _cost(found),
            "currency": found.currency,
        },
        "steps": {
            "total": report.lost.of,
            "failed": report.lost.n,
            "tolerated": report.tolerated,
            "reason": report.lost.reason,
            "example": report.lost.example,
        },
        "baseline": report.baseline,
        "gates": [
            {
                "gate": one.name,
                "system": one.system,
                "value": one.value,
                "kept": one.is_kept,
                "said": one.said,
            }
            for one in report.gates
        ],
        "standards": list(report.standards),
        "results": list(report.results),
    }
    return json.dumps(whole, ensure_ascii=False, indent=2, default=str) + "\n"


def _cost(found: progress.RunProgress) -> str | None:
    """Return what a run cost; nothing where an endpoint has no prices."""
    known = [one.known_cost for one in found.spent if one.known_cost is not None]
    return f"{sum(known, Decimal(0)).normalize():f}" if len(known) == len(found.spent) else None


def as_junit(report: RunReport) -> str:
    """Return a suite of cases: a gate that is not kept is a failure, lost steps are an error."""
    is_lost = not report.is_whole
    name = _valid(report.run.name)
    suite = Xml.Element(
        "testsuite",
        name=name,
        tests=str(len(report.gates) + 1),
        failures=str(report.n_failed),
        errors=str(int(is_lost)),
    )
    for one in report.gates:
        case = Xml.SubElement(suite, "testcase", classname=name, name=_valid(_case(one)))
        if not one.is_kept:
            words = _valid(one.words)
            Xml.SubElement(case, "failure", message=words).text = words
    case = Xml.SubElement(suite, "testcase", classname=name, name="steps")
    if is_lost:
        why = _valid(report.why)
        Xml.SubElement(case, "error", message=why).text = why
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _valid(text: str) -> str:
    """Return a text with nothing in it that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _case(gate: GateReport) -> str:
    return f"{gate.name} · {gate.system}" if gate.system else gate.name


def as_markdown(report: RunReport) -> str:
    run = report.run
    lines = [f"## {_plain(run.name)}", "", f"{_state(report)} Run {run.number}."]
    if run.scripted:
        lines += ["", "**Scripted, not a measurement.**"]
    if report.why:
        lines += ["", _plain(report.why)]
    if report.gates:
        lines += ["", "| Gate | System | Value | |", "|---|---|---|---|"]
        lines += [
            _row([one.name, one.system, one.words, "kept" if one.is_kept else "**failed**"])
            for one in report.gates
        ]
    for result in report.results:
        if result["verdict"]:
            lines += ["", _plain(str(result["verdict"]))]
        ranked = {"title": result["title"], "columns": RANKED, "rows": result["ranking"]}
        shown = [ranked] if result["ranking"] else []
        for table in [*shown, *result["tables"][: MOST_TABLES - len(shown)]]:
            lines += ["", *_table(table)]
    return "\n".join([*lines, "", ""])


def _state(report: RunReport) -> str:
    if not report.is_whole:
        return "❌ Not whole."
    if not report.gates:
        return "✅ Done."
    kept = len(report.gates) - report.n_failed
    return f"{'❌' if report.n_failed else '✅'} {kept} of {len(report.gates)} gates kept."


def _table(table: Mapping[str, Any]) -> Iterator[str]:
    columns = [str(one) for one in table["columns"]]
    yield f"### {_plain(table['title'])}"
    yield ""
    yield _row(columns)
    yield "|" + "---|" * len(columns)
    for row in table["rows"][:MOST_ROWS]:
        yield _row([_cell(row.get(one)) for one in columns])
    if len(table["rows"]) > MOST_ROWS:
        yield ""
        yield f"{len(table['rows']) - MOST_ROWS} more in the JSON."


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_plain(one) for one in cells) + " |"


def _plain(text: str) -> str:
    """Return a text that stays in its line and cell, and draws nothing but itself."""
    flat = " ".join(text.split())
    return flat.translate({ord(sign): f"\\{sign}" for sign in "\\|<>[]`"})


WRITERS: Final = {
    "json": (as_json, "w"),
    "junit": (as_junit, "w"),
    "markdown": (as_markdown, "a"),
}


def kept_standards(path: Path) -> Sequence[Mapping[str, Any]]:
    """Return what a report of an earlier run keeps for a later one.

    Raises:
        Unusable: the file is no such report.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise Unusable(f"{path} cannot be read as a report. Write one with --json.") from None
    if not isinstance(found, dict) or found.get("report") != FORM:
        raise Unusable(f"{path} is no report of a run. Write one with --json.")
    standards: Sequence[Mapping[str, Any]] = found["standards"]
    return standards
