"""What machines said of interviews, said again of the responses that people are given to rate.

A verdict is a judgment of a turn of a dialogue; people grade a response. So that both can be compared,
a verdict on a published exchange becomes a judgment of the published response, by the same rater in
the same run. Of a whole dialogue that is published, a rater's judgment is the mean of its verdicts with
the weights of the profile `linear`, on the scale of the verdicts.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from django.db import transaction

from annotation.operations.pace import Pace
from scoring.models import Dialogue, Judgment, Publication, PublishedExchange
from scoring.stats import interviews
from scoring.stats.interviews import HIGHEST, LOWEST, Exchanges

#: The sort of a publication that has whole dialogues in it.
WHOLE: Final = "dialogues"
NOTHING: Final = "No exchange of the dialogue has a verdict."
Place = tuple[int, int, int, int]


def readdress(*, dialogues: Collection[int], now: datetime) -> None:
    """Write the judgments of published responses that are missing, in the caller's transaction.

    Doing it twice does no harm, and what was judged later is added by doing it again.
    """
    rows = list(Dialogue.objects.filter(pk__in=dialogues))
    by_response = {one.response_id: one for one in rows}
    said = _verdicts(list(by_response))
    wanted = [*_of_exchanges(rows, said), *_of_whole(rows, said, now)]
    there = set(
        Judgment.objects.filter(
            response__in={one.response_id for one in wanted},
            target_index__isnull=True,
            run__isnull=False,
        ).values_list("run_id", "rater_id", "response_id", "criterion_id")
    )
    Judgment.objects.bulk_create(one for one in wanted if _key(one) not in there)


def readdress_all(*, dialogues: Sequence[int], now: datetime) -> None:
    """Do it for many dialogues, in short transactions."""
    for batch in Pace(start=10, most=100, breath=0.3).batches(dialogues):
        with transaction.atomic():
            readdress(dialogues=batch, now=now)


def _verdicts(responses: Collection[int]) -> dict[int, list[Judgment]]:
    rows = Judgment.objects.filter(
        response__in=responses, target_level=Judgment.Target.TURN, run__isnull=False
    )
    found: dict[int, list[Judgment]] = defaultdict(list)
    for one in rows.order_by("run", "rater", "target_index", "criterion"):
        found[one.response_id].append(one)
    return found


def _of_exchanges(
    rows: Sequence[Dialogue], said: Mapping[int, Sequence[Judgment]]
) -> Iterator[Judgment]:
    published = PublishedExchange.objects.filter(exchange__dialogue__in=rows)
    places = published.values_list("exchange__dialogue__response_id", "exchange__k", "response_id")
    for dialogue, k, response in places:
        for one in said.get(dialogue, ()):
            if one.target_index == k:
                yield Judgment(
                    rater_id=one.rater_id,
                    response_id=response,
                    criterion_id=one.criterion_id,
                    run_id=one.run_id,
                    step_id=one.step_id,
                    outcome=one.outcome,
                    reason=one.reason,
                    value=one.value,
                    text=one.text,
                    at=one.at,
                )


def _of_whole(
    rows: Sequence[Dialogue], said: Mapping[int, Sequence[Judgment]], now: datetime
) -> Iterator[Judgment]:
    published = Publication.objects.filter(run__in={one.run_id for one in rows}, sort=WHOLE)
    runs = set(published.values_list("run_id", flat=True))
    for dialogue in (one for one in rows if one.run_id in runs):
        parts: dict[Place, list[Judgment]] = defaultdict(list)
        for one in said.get(dialogue.response_id, ()):
            parts[_key(one)].append(one)
        for found in parts.values():
            yield _mean(dialogue, found, now)


def _mean(dialogue: Dialogue, found: Sequence[Judgment], now: datetime) -> Judgment:
    """Return what a rater's verdicts on one aspect come to over the dialogue."""
    scores = tuple(None if one.value is None else int(one.value) for one in found)
    value = interviews.score(Exchanges(scores, dialogue.n_planned), interviews.LINEAR)
    n_valid = sum(one is not None for one in scores)
    first = found[0]
    return Judgment(
        rater_id=first.rater_id,
        response_id=dialogue.response_id,
        criterion_id=first.criterion_id,
        run_id=first.run_id,
        step_id=first.step_id,
        outcome=Judgment.Outcome.UNSCORED if value is None else Judgment.Outcome.SCORED,
        reason=NOTHING if value is None else "",
        value=None if value is None else LOWEST + (HIGHEST - LOWEST) * value / 100,
        n_valid=n_valid,
        at=now,
    )


def _key(one: Judgment) -> Place:
    assert one.run_id is not None
    return one.run_id, one.rater_id, one.response_id, one.criterion_id
