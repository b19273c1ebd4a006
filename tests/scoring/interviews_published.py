"""Interviews that people rate, for tests: published as a draft, prepared, graded to its end."""

from decimal import Decimal
from typing import Any
from uuid import UUID

from annotation import models
from annotation.people import operations as people
from annotation.people.models import Role
from annotation.rounds import drawing
from scoring.engine.models import Run
from scoring.publishing import operations as publishing
from tests import copies, make
from tests.scoring import connected


@copies.made_once_among
def published(
    run: Run,
    sort: str = "exchange_0",
    *,
    rubric: str = "interview-overall",
    number: int = 1,
    n: int | None = None,
    **more: Any,
) -> models.Round:
    """Return the prepared draft in which outputs of a run of interviews are rated."""
    home = make.project()
    round_ = publishing.publish_for_rating(
        project=home,
        key=UUID(int=900 + number),
        source=publishing.source_of(run, sort=sort),
        wish=publishing.PublishWish(
            **{"name": f"Rated {number}", "rubric": rubric, "seed": "a seed", "n": n, **more},
            secret=make.SECRET,
        ),
        user=connected.owner(home),
        by_owner=False,
        now=make.NOW,
    )
    drawing.prepare(round_=round_, now=make.NOW)
    round_.refresh_from_db()
    return round_


def graded(round_: models.Round, *, low: int = 1, n_levels: int = 4) -> models.Round:
    """Give every response the marks of three people, and close the round."""
    home = round_.project
    raters = [
        people.rater_of(
            project=home, user=make.member(Role.ANNOTATOR, username=f"person-{n}"), now=make.NOW
        )
        for n in range(3)
    ]
    version = models.RoundRubric.objects.get(round=round_).rubric_version
    criteria = list(version.criteria.all())
    for place, item in enumerate(round_.items.order_by("ordinal")):
        models.RoundItem.objects.filter(pk=item.pk).update(rubric_version=version)
        for number, rater in enumerate(raters):
            seat = models.Assignment.objects.create(
                round=round_,
                round_item=item,
                seat=number + 1,
                ordinal=place * 3 + number,
                state="SUBMITTED",
                rater=rater,
                submitted_at=make.NOW,
                order_version="test",
            )
            for position, shown in enumerate(item.responses.order_by("pk")):
                slot = models.Slot.objects.create(
                    assignment=seat, position=position, round_response=shown
                )
                models.Grade.objects.bulk_create(
                    models.Grade(
                        round=round_,
                        response=shown.response,
                        criterion=one,
                        rater=rater,
                        slot=slot,
                        assignment=seat,
                        outcome="VALUE",
                        value=Decimal(low + (place + position + number // 2) % n_levels),
                        given_at=make.NOW,
                        active_ms=1000,
                    )
                    for one in criteria
                )
    models.Round.objects.filter(pk=round_.pk).update(
        state="FINAL", revision=1, opened_at=make.NOW, review_at=make.NOW, final_at=make.NOW
    )
    round_.refresh_from_db()
    return round_
