"""Take the results of a round out of the product; who did, and in which form, is written down."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Round
from annotation.operations import audit
from annotation.operations.rounds import drafting
from scoring.queries import banner, exports, rating_files
from scoring.queries.names import Name
from scoring.queries.reading import Reading

CSV, JSONL = "text/csv; charset=utf-8", "application/x-ndjson; charset=utf-8"
SVG, HTML = "image/svg+xml; charset=utf-8", "text/html; charset=utf-8"
ZIP = "application/zip"
Lines = Callable[[Round, Mapping[int, Name]], Iterator[str]]
#: What writes each form of the grades, or of all ratings, and its type.
FORMS: Mapping[str, tuple[Lines, str]] = {
    "grades.csv": (exports.csv_lines, CSV),
    "grades.jsonl": (exports.jsonl_lines, JSONL),
    "table.csv": (exports.wide_lines, CSV),
    "ratings.csv": (rating_files.csv_lines, CSV),
    "ratings.jsonl": (rating_files.jsonl_lines, JSONL),
}


@dataclass(frozen=True, slots=True)
class Export:
    """A file that streams; its name says round and time."""

    lines: Iterator[str] | Iterator[bytes]
    content_type: str
    name: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Content-Disposition": f'attachment; filename="{self.name}"'}


def export_grades(*, reading: Reading, form: str, now: datetime) -> Export:
    """Begin to export the grades in one of FORMS."""
    lines, content_type = FORMS[form]
    name = _recorded(reading, form, now)
    return Export(lines(reading.round, reading.names), content_type, name)


def export_scores(*, reading: Reading, lines: Iterator[str], now: datetime) -> Export:
    """Begin to export the scores, already written as lines of CSV."""
    return Export(lines, CSV, _recorded(reading, "results.csv", now))


def export_lines(
    *, reading: Reading, form: str, lines: Iterator[str], now: datetime, content_type: str = CSV
) -> Export:
    """Begin to export something of a round that is already written as lines of text."""
    return Export(lines, content_type, _recorded(reading, form, now))


def _recorded(reading: Reading, form: str, now: datetime) -> str:
    """Record the export, with or without the names of systems; return the name of its file."""
    round_, project = reading.round, reading.scope.project
    audit.record(
        project=project,
        actor=reading.scope.user,
        verb="round.exported",
        subject=drafting.subject(round_),
        at=now,
        form=form,
        named=reading.shown,
    )
    name = banner.named(form, banner.of_rounds([round_])).replace("/", "-")
    return f"{project.slug}-round-{round_.number}-{now:%Y%m%d-%H%M}-{name}"
