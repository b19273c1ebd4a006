"""A round with gold, repeats and times, in which one annotator may be careless."""

from decimal import Decimal

import numpy as np

from annotation import models
from tests import copies, make
from tests.scoring import rounds

N_GOLD = 10


@copies.made_once_among
def watched(*, careless: int | None = None, n_items: int = 22, seed: int = 3) -> models.Round:
    """Return a final round of three annotators with some gold and some repeats.

    Everybody gives what is right, 2 or 0 in turn, but for one slip in ten; the careless one draws
    lots, and is fast.
    """
    rng = np.random.default_rng(seed)

    def marks(system: int, item: int, rater: int) -> int:
        right = 2 * ((item + system) % 2)
        lots = rng.integers(0, 3)
        return int(lots if rater == careless or rng.random() < 0.1 else right)

    round_ = rounds.graded(n_items=n_items, marks=marks)
    _make_gold(round_)
    _time(round_, careless, rng)
    _repeat(round_, marks)
    return round_


def _make_gold(round_: models.Round) -> None:
    places = round_.items.filter(ordinal__lt=N_GOLD)
    places.update(purpose="GOLD")
    by = make.rater(round_.created_by, in_=round_.project)
    for place in places:
        criterion = place.rubric_version.criteria.get()
        slots = models.Slot.objects.filter(assignment__round_item=place, assignment__seat=1)
        for slot in slots.select_related("round_response__response"):
            models.Grade.objects.create(
                round=round_,
                response=slot.round_response.response,
                criterion=criterion,
                rater=by,
                kind="REFERENCE",
                value=Decimal(2 * ((place.ordinal + slot.position) % 2)),
            )


def _time(round_: models.Round, careless: int | None, rng: np.random.Generator) -> None:
    for n, place in enumerate(round_.annotators.order_by("rater_id")):
        for seat in models.Assignment.objects.filter(round=round_, rater=place.rater):
            usual = 3000 if n == careless else 60_000
            seat.grades.update(active_ms=int(usual * (0.8 + 0.4 * rng.random())))


def _repeat(round_: models.Round, marks: rounds.Marks) -> None:
    """Serve six items once more to everybody."""
    top = round_.items.count()
    first = list(round_.items.filter(purpose="NORMAL").order_by("ordinal")[:6])
    for n, place in enumerate(first):
        again = models.RoundItem.objects.create(
            round=round_,
            item=place.item,
            occasion=2,
            purpose="REPEAT",
            ordinal=top + n,
            n_seats=3,
            rubric_version=place.rubric_version,
        )
        _grade_again(round_, place, again, marks)


def _grade_again(
    round_: models.Round, place: models.RoundItem, again: models.RoundItem, marks: rounds.Marks
) -> None:
    criterion = place.rubric_version.criteria.get()  # type: ignore[union-attr]
    raters = list(round_.annotators.order_by("rater_id"))
    shown = [
        models.RoundResponse.objects.create(
            round_item=again, release=one.release, response=one.response
        )
        for one in place.responses.order_by("pk")
    ]
    for r, annotator in enumerate(raters):
        seat = models.Assignment.objects.create(
            round=round_,
            round_item=again,
            seat=r + 1,
            ordinal=1000 + 10 * again.ordinal + r,
            state="SUBMITTED",
            rater=annotator.rater,
            submitted_at=make.at(500),
            order_version="test",
        )
        for s, response in enumerate(shown):
            slot = models.Slot.objects.create(assignment=seat, position=s, round_response=response)
            models.Grade.objects.create(
                round=round_,
                response=response.response,
                criterion=criterion,
                rater=annotator.rater,
                slot=slot,
                assignment=seat,
                value=Decimal(marks(s, place.ordinal, r) or 0),
                given_at=make.at(500 + again.ordinal),
                active_ms=60_000,
            )
