"""Keep which published responses stand for which exchanges, with what machines said of those."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Response
from annotation.operations.pace import Pace
from annotation.operations.rounds import publishing as rounds
from scoring.models import Dialogue, Exchange, PublishedExchange, Run
from scoring.operations import readdressing
from scoring.queries.interview_outputs import DIALOGUE, EXCHANGE

CHUNK = 200


def keep(*, run: Run, written: rounds.Written) -> None:
    """Write down the exchanges that were published; those that are known already stay."""
    responses = [pk for one in written.published.values() for pk in one["responses"]]
    for batch in Pace(start=CHUNK, most=CHUNK, breath=0.3).batches(responses):
        _keep(run, batch)


def readdress(*, run: Run, now: datetime) -> None:
    """Write what machines said of this run's exchanges as judgments of the published responses."""
    dialogues = Dialogue.objects.filter(run=run).order_by("pk").values_list("pk", flat=True)
    readdressing.readdress_all(dialogues=list(dialogues), now=now)


def _keep(run: Run, responses: Sequence[int]) -> None:
    places = {
        pk: (details[DIALOGUE], details[EXCHANGE])
        for pk, details in Response.objects.filter(pk__in=responses).values_list("pk", "details")
        if DIALOGUE in details and EXCHANGE in details
    }
    known = PublishedExchange.objects.filter(response__in=places)
    for pk in known.values_list("response", flat=True):
        del places[pk]
    rows = Exchange.objects.filter(
        dialogue__run=run, dialogue__in={one for one, _k in places.values()}
    )
    exchanges = {(dialogue, k): pk for pk, dialogue, k in rows.values_list("pk", "dialogue", "k")}
    PublishedExchange.objects.bulk_create(
        [
            PublishedExchange(exchange_id=exchanges[place], response_id=pk)
            for pk, place in places.items()
        ],
        ignore_conflicts=True,
    )
