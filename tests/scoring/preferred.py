"""Rounds in which people said which of two answers is better, for the tests of figures and pages."""

import itertools
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from annotation import models
from annotation.rubrics.rules import CHOICES
from tests import copies, make
from tests.scoring import rounds

#: What a rater says of two systems on a question, all counted from 0: a choice of 1 to 6 as if the
#: first of the two stood at A.
Chosen = Callable[[int, int, int, int], int]

#: A choice as it reads from the other side.
TURNED = {1: 5, 2: 4, 3: 3, 4: 2, 5: 1, 6: 6}


def steady(first: int, second: int, item: int, rater: int) -> int:
    """Earlier systems are better, by more the farther apart; some ties, and some bad pairs."""
    if item % 6 == 5:
        return 6 if rater == 1 else 3
    if item % 4 == 3 and rater != 2:
        return 4
    return 1 if second - first > 1 else 2


@copies.made_once_among
def chosen(
    *,
    systems: Sequence[str] = ("Kestrel", "Harbour", "Tern"),
    n_items: int = 12,
    n_raters: int = 3,
    state: str = "FINAL",
    choices: Chosen = steady,
    number: int = 1,
    in_: models.Project | None = None,
    offered: Sequence[int] = tuple(CHOICES),
    criteria: Sequence[str] = ("better",),
    capabilities: Sequence[str] = ("Factuality",),
) -> models.Round:
    """Return a round of all pairs of some systems, in which every seat has chosen.

    Sides change from seat to seat.
    """
    home = in_ or make.project()
    version = choice_rubric(in_=home, offered=offered, criteria=criteria)
    round_ = rounds.graded(
        systems=systems,
        n_items=0,
        n_raters=n_raters,
        capabilities=capabilities,
        state=state,
        number=number,
        in_=home,
    )
    models.Round.objects.filter(pk=round_.pk).update(of_pairs=True)
    round_.refresh_from_db()
    models.RoundRubric.objects.create(round=round_, rubric_version=version)
    parts = [make.capability(name, in_=home) for name in capabilities]
    releases = [make.release(name, in_=home) for name in systems]
    raters = [place.rater for place in round_.annotators.order_by("rater_id")]
    items = models.Item.objects.bulk_create(
        rounds.an_item(home, f"P{number}-{n}", f"Which {n}?", {"capability": parts[n % len(parts)]})
        for n in range(n_items)
    )
    answers = {
        (one.item_id, one.release_id): one
        for one in make.responses(
            (item, one, rounds.apart(item, one)) for item in items for one in releases
        )
    }
    pairs = list(itertools.combinations(range(len(systems)), 2))
    meetings = list(itertools.product(range(n_items), range(len(pairs))))
    places = models.RoundItem.objects.bulk_create(
        models.RoundItem(
            round=round_,
            item=items[n],
            pair=1 + which,
            ordinal=ordinal,
            n_seats=n_raters,
            rubric_version=version,
        )
        for ordinal, (n, which) in enumerate(meetings)
    )
    shown = {
        (one.round_item_id, one.release_id): one
        for one in models.RoundResponse.objects.bulk_create(
            models.RoundResponse(
                round_item=place,
                release=releases[side],
                response=answers[items[n].pk, releases[side].pk],
            )
            for place, (n, which) in zip(places, meetings, strict=True)
            for side in pairs[which]
        )
    }
    seats = models.Assignment.objects.bulk_create(
        models.Assignment(
            round=round_,
            round_item=place,
            seat=r + 1,
            ordinal=place.ordinal * n_raters + r,
            state="SUBMITTED",
            rater=rater,
            submitted_at=make.NOW,
            order_version="test",
        )
        for place in places
        for r, rater in enumerate(raters)
    )
    turned = [(one.ordinal + one.round_item.ordinal) % 2 for one in seats]
    slots = models.Slot.objects.bulk_create(
        models.Slot(
            assignment=seat,
            position=at,
            round_response=shown[
                seat.round_item_id,
                releases[pairs[meetings[seat.round_item.ordinal][1]][at ^ turn]].pk,
            ],
        )
        for seat, turn in zip(seats, turned, strict=True)
        for at in (0, 1)
    )
    made = []
    for k, (seat, turn) in enumerate(zip(seats, turned, strict=True)):
        n, which = meetings[seat.round_item.ordinal]
        said = choices(*pairs[which], n, seat.seat - 1)
        at_a, at_b = slots[2 * k], slots[2 * k + 1]
        for criterion in version.criteria.all():
            made.append(
                models.Grade(
                    round=round_,
                    response=at_a.round_response.response,
                    against=at_b.round_response.response,
                    criterion=criterion,
                    rater=seat.rater,
                    slot=at_a,
                    assignment=seat,
                    value=Decimal(TURNED[said] if turn else said),
                    given_at=make.NOW,
                    active_ms=9000,
                )
            )
    models.Grade.objects.bulk_create(made)
    return round_


def choice_rubric(
    *,
    in_: models.Project | None = None,
    key: str = "preference",
    offered: Sequence[int] = tuple(CHOICES),
    criteria: Sequence[str] = ("better",),
    **about: Any,
) -> models.RubricVersion:
    """Return version 1 of a rubric that asks which of two answers is better."""
    home = in_ or make.project()
    rubric, new = models.Rubric.objects.get_or_create(
        project=home, key=key, defaults={"name": key.title(), "created_at": make.NOW}
    )
    version, _made = models.RubricVersion.objects.get_or_create(
        rubric=rubric, number=1, defaults={"principle": "", "created_at": make.NOW, **about}
    )
    if new:
        for position, name in enumerate(criteria):
            made = models.Criterion.objects.create(
                rubric_version=version,
                key=name,
                name=name.title(),
                mark="CHOICE",
                position=position,
                minimum=1,
                maximum=6,
                step=1,
                weight=0,
            )
            models.Level.objects.bulk_create(
                models.Level(criterion=made, value=value, label=str(CHOICES[value]))
                for value in offered
            )
    return version


#: The mark of an answer from 0 to 2: of a system, a question and a rater, all counted from 0.
Marked = Callable[[int, int, int], int]


def marked(system: int, item: int, rater: int) -> int:
    """Earlier systems are better, and one rater is severe on every third question."""
    return max(0, 2 - system - (rater == 1 and item % 3 == 0))


def graded_too(round_: models.Round, *, number: int = 2, marks: Marked = marked) -> models.Round:
    """Return a final round in which the same people graded the answers that they chose between."""
    made = rounds.graded(
        systems=[one.release.system.name for one in round_.systems.order_by("ordinal")],
        n_items=0,
        n_raters=round_.annotators.count(),
        number=number,
        in_=round_.project,
    )
    grading = models.RubricVersion.objects.exclude(criteria__mark="CHOICE")
    version = grading.filter(criteria__isnull=False).distinct().get()
    criterion = version.criteria.get()
    raters = [place.rater for place in round_.annotators.order_by("rater_id")]
    releases = sorted(one.release_id for one in round_.systems.all())
    places = models.RoundResponse.objects.filter(round_item__round=round_)
    answers = dict.fromkeys(places.values_list("round_item__item", "release", "response"))
    items = list(dict.fromkeys(item for item, _release, _response in answers))
    drawn = models.RoundItem.objects.bulk_create(
        models.RoundItem(
            round=made, item_id=item, ordinal=n, n_seats=len(raters), rubric_version=version
        )
        for n, item in enumerate(items)
    )
    at = dict(zip(items, drawn, strict=True))
    shown = models.RoundResponse.objects.bulk_create(
        models.RoundResponse(round_item=at[item], release_id=release, response_id=response)
        for item, release, response in answers
    )
    for place in drawn:
        mine = [one for one in shown if one.round_item_id == place.pk]
        for r, rater in enumerate(raters):
            seat = models.Assignment.objects.create(
                round=made,
                round_item=place,
                seat=r + 1,
                ordinal=place.ordinal * len(raters) + r,
                state="SUBMITTED",
                rater=rater,
                submitted_at=make.NOW,
                order_version="test",
            )
            for position, one in enumerate(mine):
                mark = marks(releases.index(one.release_id), place.ordinal, r)
                models.Grade.objects.create(
                    round=made,
                    response_id=one.response_id,
                    criterion=criterion,
                    rater=rater,
                    slot=models.Slot.objects.create(
                        assignment=seat, position=position, round_response=one
                    ),
                    assignment=seat,
                    value=Decimal(mark),
                    given_at=make.NOW,
                    active_ms=9000,
                )
    return made
