"""Take a run out of the product; who did, and in which form, is written down."""

from collections.abc import Iterator
from datetime import datetime

from annotation.operations import audit
from scoring.operations.exporting import CSV, Export
from scoring.queries import metric_results, run_files
from scoring.queries.metric_results import Board
from scoring.queries.run_reading import Reading


def export_run(*, reading: Reading, form: str, now: datetime) -> Export:
    """Begin to export a run in one of the forms of scoring.queries.run_files."""
    lines, content_type = run_files.FORMS[form]
    run, project = reading.run, reading.scope.project
    audit.record(
        project=project,
        actor=reading.scope.user,
        verb="run.exported",
        subject=f"run:{run.number}",
        at=now,
        form=form,
        named=reading.shows_keys,
    )
    name = f"{project.slug}-run-{run.number}-{now:%Y%m%d-%H%M}-{form}"
    return Export(lines(reading), content_type, name)


def export_metrics(*, reading: Reading, board: Board, now: datetime) -> Export:
    """Hand out the means of a run of metrics."""
    run, project = reading.run, reading.scope.project
    audit.record(
        project=project,
        actor=reading.scope.user,
        verb="run.exported",
        subject=f"run:{run.number}",
        at=now,
        form="metrics.csv",
        named=reading.shows_keys,
    )
    name = f"{project.slug}-run-{run.number}-{now:%Y%m%d-%H%M}-metrics.csv"
    return Export(metric_results.csv_lines(board), CSV, name)


def export_lines(
    *,
    reading: Reading,
    form: str,
    lines: Iterator[str] | Iterator[bytes],
    now: datetime,
    content_type: str = CSV,
) -> Export:
    """Hand out something of a run that is already written: lines of text, or pieces of an archive."""
    run, project = reading.run, reading.scope.project
    audit.record(
        project=project,
        actor=reading.scope.user,
        verb="run.exported",
        subject=f"run:{run.number}",
        at=now,
        form=form,
        named=reading.shows_keys,
    )
    return Export(lines, content_type, f"{project.slug}-run-{run.number}-{now:%Y%m%d-%H%M}-{form}")
