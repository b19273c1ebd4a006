"""What a run of an assistant came to: how its scores are distributed, and why some answers have none."""

from collections.abc import Iterator
from typing import Final

from django.db.models import QuerySet

from annotation.common import texts as sheets
from annotation.people.models import Project
from annotation.systems.models import SystemRelease
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment
from scoring.engine.queries import RunReading
from scoring.kinds.assistants import v1 as assisting
from scoring.kinds.judging.queries import judges_of
from scoring.shown import sheet as shown_sheet

#: Of the file with every answer.
COLUMNS: Final = ("item", "release", "value", "outcome", "reason")
PAGE: Final = 1000


def csv_lines(reading: RunReading) -> Iterator[str]:
    """Yield the score of every answer, or why it has none; releases as this person may know them."""
    yield shown_sheet.as_csv([COLUMNS])
    used = Judgment.objects.filter(run=reading.run).order_by().values("response__release")
    releases = SystemRelease.objects.filter(pk__in=used).select_related("system")
    names = {one.pk: reading.name_of(one) for one in releases}
    rows = Judgment.objects.filter(run=reading.run).order_by("pk")
    wanted = (
        "pk",
        "response__item__external_id",
        "response__release",
        "value",
        "outcome",
        "reason",
    )
    last = 0
    while page := list(rows.filter(pk__gt=last).values_list(*wanted)[:PAGE]):
        for _pk, item, release, value, outcome, reason in page:
            said = (sheets.neutral(one) for one in (item, names[release]))
            yield shown_sheet.as_csv([[*said, "" if value is None else value, outcome, reason]])
        last = page[-1][0]


def assistants(project: Project) -> "QuerySet[Judge]":
    """Return the assistants whose endpoint is in use."""
    rows = judges_of(project).filter(protocol=assisting.PROTOCOL, endpoint__retired_at__isnull=True)
    return rows.order_by("name")
