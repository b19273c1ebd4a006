"""Keep which published responses stand for which turns, with what a suite found of those."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Response
from annotation.operations.pace import Pace
from annotation.operations.rounds import publishing as rounds
from scoring.models import PublishedPart, Run
from scoring.operations import suite_readdressing
from scoring.queries import suite_frame
from scoring.queries.suite_outputs import SOURCE, TURN

CHUNK = 200


def keep(*, run: Run, written: rounds.Written) -> None:
    """Write down the turns and conversations that were published; those that are known already stay."""
    of_run = set(suite_frame.conversations_of(run).values_list("response", flat=True))
    responses = [pk for one in written.published.values() for pk in one["responses"]]
    for batch in Pace(start=CHUNK, most=CHUNK, breath=0.3).batches(responses):
        _keep(of_run, batch)


def readdress(*, run: Run, now: datetime) -> None:
    """Write what was found of this run's conversations as judgments of the published responses."""
    rows = PublishedPart.objects.filter(
        source__in=suite_frame.conversations_of(run).order_by().values("response")
    )
    suite_readdressing.readdress_all(
        sources=list(rows.order_by("source").values_list("source", flat=True).distinct())
    )


def _keep(of_run: set[int], responses: Sequence[int]) -> None:
    known = PublishedPart.objects.filter(response__in=responses)
    there = set(known.values_list("response", flat=True))
    rows = Response.objects.filter(pk__in=responses).order_by("pk").values_list("pk", "details")
    PublishedPart.objects.bulk_create(
        [
            PublishedPart(source_id=details[SOURCE], turn=details[TURN], response_id=pk)
            for pk, details in rows
            if pk not in there and details.get(SOURCE) in of_run
        ],
        ignore_conflicts=True,
    )
