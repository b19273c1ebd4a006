"""Reports: their figures are asked for together, and a report that is taken away is written down."""

from collections.abc import Iterator
from datetime import datetime

from scoring.models import Figure
from scoring.operations import exporting, figures
from scoring.operations.exporting import Export
from scoring.queries import reporting
from scoring.queries.reporting import Choice


def collect(*, choice: Choice, now: datetime) -> dict[str, Figure]:
    """Return the figures of a report by key; those that are not there yet are asked for."""
    return {
        need.key: figures.get(name=need.name, round_=need.round, params=need.params, now=now)
        for need in reporting.needs(choice)
    }


def export(
    *, choice: Choice, form: str, lines: Iterator[str], content_type: str, now: datetime
) -> Export:
    """Begin to export a report, already written as text."""
    return exporting.export_lines(
        reading=choice.mine, form=form, lines=lines, now=now, content_type=content_type
    )
