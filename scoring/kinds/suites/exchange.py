"""What a suite's run found, part by part: as CSV, as JSON Lines, and as one SQLite file.

Who took it out of the product, and in which form, is written down.
"""

import json
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from annotation.common import texts
from annotation.systems.models import SystemRelease
from scoring.engine import files as run_exporting
from scoring.engine.models import Run
from scoring.engine.queries import RunReading
from scoring.kinds.suites import queries as suite_frame
from scoring.kinds.suites.models import Conversation
from scoring.kinds.suites.protocol.catalogue import Level
from scoring.kinds.suites.queries import LEVELS, FindingRow, Frame, MetricSeries
from scoring.shown import names as banner
from scoring.shown import sheet as shown_sheet
from scoring.shown.sheet import CSV, JSONL

AT_ONCE: Final = 2_000


COLUMNS: Final = (
    "conversation", "system", "release", "level", "place", "role", "turn", "metric", "judge", "name",
    "value", "label", "outcome", "reason", "text", "repeat",
)  # fmt: skip
_TABLES: Final = """
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE conversation (id INTEGER PRIMARY KEY, name TEXT, system TEXT, release TEXT,
    system_prompt TEXT, n_messages INTEGER, n_turns INTEGER, n_tool_calls INTEGER);
CREATE TABLE message (conversation INTEGER REFERENCES conversation, place INTEGER, turn INTEGER,
    role TEXT, content TEXT);
CREATE TABLE tool_call (conversation INTEGER REFERENCES conversation, place INTEGER, message INTEGER,
    name TEXT, arguments TEXT);
CREATE TABLE metric (conversation TEXT, system TEXT, release TEXT, level TEXT, place INTEGER,
    role TEXT, turn INTEGER, metric TEXT, judge TEXT, name TEXT, value REAL, label TEXT,
    outcome TEXT, reason TEXT, text TEXT, repeat INTEGER);
CREATE INDEX metric_by_name ON metric (metric, name);
"""

_METRIC: Final = "INSERT INTO metric VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def records(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one plain row for every value of every part of every conversation."""
    frame = Frame(run)
    rows = suite_frame.judgments_of(run).order_by("response_id", "pk")
    names = _releases(run)
    external = dict(_conversations(run).values_list("response_id", "external_id"))
    seen: dict[int, dict[MetricSeries, None]] = defaultdict(dict)
    for one in rows.select_related("criterion").iterator(chunk_size=AT_ONCE):
        place = one.target_index or 0
        role, turn, counts = suite_frame.place_in(
            frame.places, one.response_id, one.target_level, place
        )
        if not counts:
            continue
        release = names[one.response_id]
        level = LEVELS[one.target_level]
        seen[one.rater_id][MetricSeries(one.rater_id, one.criterion.name, level)] = None
        yield {
            "conversation": external.get(one.response_id, ""),
            "system": release.system.name,
            "release": release.label,
            "level": level.value,
            "place": one.target_index,
            "role": role,
            "turn": turn,
            "metric": frame.entries[one.rater_id].key,
            "judge": frame.judges.get(one.rater_id, ""),
            "name": one.criterion.name,
            "value": one.value,
            "label": one.label,
            "outcome": one.outcome,
            "reason": one.reason,
            "text": one.text,
            "repeat": one.repeat + 1,
        }
    for row in frame.missing(seen):
        yield _missing(row, frame, external, names)


def _missing(
    row: FindingRow, frame: Frame, external: Mapping[int, str], names: Mapping[int, SystemRelease]
) -> dict[str, Any]:
    """Return the row of a part that was to be judged, and whose step failed."""
    release = names.get(row.response) or SystemRelease.objects.select_related("system").get(
        pk=row.release
    )
    level = row.series.level
    return {
        "conversation": external.get(row.response, ""),
        "system": release.system.name,
        "release": release.label,
        "level": level.value,
        "place": None if level == Level.CONVERSATION else row.place,
        "role": row.role,
        "turn": row.turn,
        "metric": frame.entries[row.series.rater].key,
        "judge": frame.judges.get(row.series.rater, ""),
        "name": row.series.name,
        "value": None,
        "label": "",
        "outcome": row.outcome,
        "reason": row.reason,
        "text": "",
        "repeat": row.repeat + 1,
    }


def csv_lines(run: Run) -> Iterator[str]:
    yield shown_sheet.as_csv([COLUMNS])
    for one in records(run):
        cells = [texts.neutral(cell) if isinstance(cell, str) else cell for cell in one.values()]
        yield shown_sheet.as_csv([["" if cell is None else cell for cell in cells]])


def jsonl_lines(run: Run) -> Iterator[str]:
    for one in records(run):
        yield json.dumps(one, ensure_ascii=False) + "\n"


def write_sqlite(run: Run, path: Path) -> None:
    """Write everything of a run into a new SQLite file: conversations, messages, calls, values."""
    with closing(sqlite3.connect(path)) as file:
        file.executescript(_TABLES)
        file.executemany("INSERT INTO run VALUES (?, ?)", list(_facts(run).items()))
        releases = _releases(run)
        for row in _conversations(run).select_related("response").iterator(chunk_size=200):
            _write_conversation(file, row, releases[row.response_id])
        file.executemany(_METRIC, (tuple(one.values()) for one in records(run)))
        file.commit()


def _write_conversation(
    file: sqlite3.Connection, row: Conversation, release: SystemRelease
) -> None:
    said = suite_frame.stored_conversation(row)
    file.execute(
        "INSERT INTO conversation VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            row.pk,
            row.external_id,
            release.system.name,
            release.label,
            said.system,
            row.n_messages,
            row.n_turns,
            row.n_tool_calls,
        ),
    )
    file.executemany(
        "INSERT INTO message VALUES (?, ?, ?, ?, ?)",
        [(row.pk, one.index, one.turn, one.role, one.content) for one in said.messages],
    )
    file.executemany(
        "INSERT INTO tool_call VALUES (?, ?, ?, ?, ?)",
        [
            (row.pk, one.index, one.message, one.name, json.dumps(dict(one.arguments)))
            for one in said.tool_calls
        ],
    )


def _facts(run: Run) -> Mapping[str, str]:
    return {
        "run": str(run.number),
        "name": run.name,
        "protocol": run.protocol,
        "seed": str(run.seed),
        "note": banner.of_run(run),
        "suite": json.dumps(run.config["definition"], ensure_ascii=False),
    }


def _conversations(run: Run) -> Any:
    return suite_frame.conversations_of(run).defer("text")


def _releases(run: Run) -> dict[int, SystemRelease]:
    pairs = dict(_conversations(run).values_list("response_id", "response__release"))
    rows = SystemRelease.objects.filter(pk__in=set(pairs.values())).select_related("system")
    found = {one.pk: one for one in rows}
    return {response: found[release] for response, release in pairs.items()}


CHUNK: Final = 256 * 1024
SQLITE: Final = "application/vnd.sqlite3"
LINES: Final = {
    "results.csv": (csv_lines, CSV),
    "results.jsonl": (jsonl_lines, JSONL),
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file that streams, as text or as bytes."""

    pieces: Iterator[str] | Iterator[bytes]
    content_type: str
    headers: Mapping[str, str]


def export(*, reading: RunReading, form: str, now: datetime) -> Download:
    """Begin to export a run: results.csv, results.jsonl, or else one SQLite file.

    The name of the file says where a script stood in for a language model.
    """
    named = banner.named(form, banner.of_run(reading.run))
    if form in LINES:
        lines, kind = LINES[form]
        made = run_exporting.export_lines(
            reading=reading, form=named, lines=lines(reading.run), now=now, content_type=kind
        )
        return Download(made.lines, made.content_type, made.headers)
    made = run_exporting.export_lines(
        reading=reading, form=named, lines=iter(()), now=now, content_type=SQLITE
    )
    return Download(_sqlite(reading.run), made.content_type, made.headers)


def _sqlite(run: Run) -> Iterator[bytes]:
    """Write a file when somebody begins to read it, yield it piece by piece, and take it away."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.sqlite"
        write_sqlite(run, path)
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                yield piece
