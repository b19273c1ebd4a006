"""LalaEval's two rounds of the worked example as rounds of the product."""

from decimal import Decimal

from annotation import models
from annotation.people import operations as people
from annotation.people.models import Role
from tests import copies, make

#: Rows question, columns rater; raters 1, 2, 3 and then 1, 2, 4. The response to Q2 changed.
BEFORE = {1: (2, 1, 2), 2: (1, 1, 0), 3: (2, 2, 1), 4: (2, 2, 2)}
AFTER = {5: (0, 1, 1), 2: (2, 2, 2), 3: (1, 2, 2), 4: (2, 1, 2)}


@copies.made_once_among
def two_rounds() -> tuple[models.Round, models.Round]:
    """Return the rounds; question 2 has a new response in the second."""
    home = make.project()
    items = {k: make.item(f"Q{k}", in_=home, question=f"Question {k}?") for k in range(1, 6)}
    release = make.release("Kestrel", in_=home)
    answers = {k: make.response(item, release) for k, item in items.items()}
    before = _round(home, 1, BEFORE, (1, 2, 3), items, answers)
    answers[2] = make.response(items[2], make.release("Kestrel", "2", in_=home), "Another answer.")
    after = _round(home, 2, AFTER, (1, 2, 4), items, answers)
    return before, after


def round_of(home: models.Project, number: int) -> models.Round:
    """Return one more round of Q3 and Q4, graded like the second."""
    items = {k: models.Item.objects.get(external_id=f"Q{k}") for k in (3, 4)}
    answers = {k: item.responses.get() for k, item in items.items()}
    return _round(home, number, {k: AFTER[k] for k in items}, (1, 2, 4), items, answers)


def _round(
    home: models.Project,
    number: int,
    table: dict[int, tuple[int, ...]],
    people_: tuple[int, ...],
    items: dict[int, models.Item],
    answers: dict[int, models.Response],
) -> models.Round:
    version = make.rubric_version(in_=home)
    round_ = models.Round.objects.create(
        project=home,
        number=number,
        name=f"Round {number}",
        state="FINAL",
        seed="s",
        secret=bytes([number]) * 32,
        n_seats=3,
        revision=1,
        opened_at=make.NOW,
        review_at=make.NOW,
        final_at=make.NOW,
        created_by=make.user(f"{home.slug}-owner"),
        created_at=make.NOW,
    )
    for release in {answers[k].release for k in table}:
        models.RoundSystem.objects.create(round=round_, release=release, ordinal=release.pk % 100)
    raters = [_rater(home, n) for n in people_]
    for rater in raters:
        models.RoundAnnotator.objects.create(round=round_, rater=rater)
    for ordinal, (k, marks) in enumerate(table.items()):
        place = models.RoundItem.objects.create(
            round=round_, item=items[k], ordinal=ordinal, n_seats=3, rubric_version=version
        )
        shown = models.RoundResponse.objects.create(
            round_item=place, release=answers[k].release, response=answers[k]
        )
        for seat, (rater, mark) in enumerate(zip(raters, marks, strict=True)):
            _grade(round_, place, shown, seat, rater, mark)
    return round_


def _rater(home: models.Project, n: int) -> models.Rater:
    user = make.member(Role.ANNOTATOR, in_=home, username=f"rater-{n}")
    return people.rater_of(project=home, user=user, now=make.NOW)


def _grade(
    round_: models.Round,
    place: models.RoundItem,
    shown: models.RoundResponse,
    number: int,
    rater: models.Rater,
    mark: int,
) -> None:
    seat = models.Assignment.objects.create(
        round=round_,
        round_item=place,
        seat=number + 1,
        ordinal=place.ordinal * 3 + number,
        state="SUBMITTED",
        rater=rater,
        submitted_at=make.NOW,
        order_version="test",
    )
    slot = models.Slot.objects.create(assignment=seat, position=0, round_response=shown)
    assert place.rubric_version is not None
    for criterion in place.rubric_version.criteria.all():
        models.Grade.objects.create(
            round=round_,
            response=shown.response,
            criterion=criterion,
            rater=rater,
            slot=slot,
            assignment=seat,
            value=Decimal(mark),
            given_at=make.NOW,
        )
