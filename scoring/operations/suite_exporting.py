"""Take what a suite's run found out of the product; who did, and in which form, is written down."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from scoring.models import Run
from scoring.operations import run_exporting
from scoring.operations.exporting import CSV, JSONL
from scoring.queries import banner, suite_files
from scoring.queries.run_reading import Reading

CHUNK: Final = 256 * 1024
SQLITE: Final = "application/vnd.sqlite3"
LINES: Final = {
    "results.csv": (suite_files.csv_lines, CSV),
    "results.jsonl": (suite_files.jsonl_lines, JSONL),
}


@dataclass(frozen=True, slots=True)
class Download:
    """A file that streams, as text or as bytes."""

    pieces: Iterator[str] | Iterator[bytes]
    content_type: str
    headers: Mapping[str, str]


def export(*, reading: Reading, form: str, now: datetime) -> Download:
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
        suite_files.write_sqlite(run, path)
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                yield piece
