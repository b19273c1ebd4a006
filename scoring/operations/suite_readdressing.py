"""What a suite found of turns and conversations, said again of the responses that people rate.

A judgment of a published turn becomes one of the published response, by the same rater in the same run;
so does one of a whole conversation that was published.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from django.db import transaction

from annotation.operations.pace import Pace
from scoring.models import Judgment, PublishedPart

_TARGETS: Final = (Judgment.Target.TURN, Judgment.Target.RESPONSE)
#: The response of a conversation, and the number of a turn; None is the whole.
Place = tuple[int, int | None]


def readdress(*, sources: Collection[int]) -> None:
    """Write the judgments of published responses that are missing, in the caller's transaction.

    Doing it twice does no harm, and what was judged later is added by doing it again.

    Args:
        sources: responses of conversations.
    """
    published = PublishedPart.objects.filter(source__in=sources).order_by("pk")
    places: dict[Place, list[int]] = defaultdict(list)
    for source, turn, response in published.values_list("source", "turn", "response"):
        places[source, turn].append(response)
    if not places:
        return
    wanted = list(_said_again(places))
    there = set(
        Judgment.objects.filter(
            response__in={one.response_id for one in wanted},
            target_index__isnull=True,
            run__isnull=False,
        ).values_list("run_id", "rater_id", "response_id", "criterion_id")
    )
    Judgment.objects.bulk_create(
        one
        for one in wanted
        if (one.run_id, one.rater_id, one.response_id, one.criterion_id) not in there
    )


def readdress_all(*, sources: Sequence[int]) -> None:
    """Do it for many conversations, in short transactions."""
    for batch in Pace(start=10, most=100, breath=0.3).batches(sources):
        with transaction.atomic():
            readdress(sources=batch)


def _said_again(places: dict[Place, list[int]]) -> Iterator[Judgment]:
    rows = Judgment.objects.filter(
        response__in={source for source, _turn in places},
        target_level__in=_TARGETS,
        run__isnull=False,
    )
    for one in rows.order_by("pk"):
        is_turn = one.target_level == Judgment.Target.TURN
        for response in places.get((one.response_id, one.target_index if is_turn else None), ()):
            yield Judgment(
                rater_id=one.rater_id,
                response_id=response,
                criterion_id=one.criterion_id,
                run_id=one.run_id,
                step_id=one.step_id,
                outcome=one.outcome,
                reason=one.reason,
                value=one.value,
                label=one.label,
                text=one.text,
                at=one.at,
            )
