"""Rounds with grades for the tests of figures, exports and pages."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from annotation import models
from annotation.common import texts as contents
from annotation.people import operations as people
from annotation.people.models import Role
from tests import copies, make

#: Mark of a system on a question by a rater, all counted from 0; None: cannot be graded. By criterion,
#: where those ask for marks of several kinds; a text is what was written.
Mark = int | str | None
Marks = Callable[[int, int, int], Mark | Mapping[str, Mark]]


def steady(system: int, item: int, rater: int) -> int | None:
    """Earlier systems are better; every third question is hard; the third rater is strict."""
    return max(0, min(2, 2 - system + (item % 3 > 0) - (rater == 2 and item % 2)))


def partial(system: int, item: int, rater: int) -> int:
    """The first annotator prefers the first system clearly, the others hardly."""
    mark = (item % 3 == 0) + (item % 5 == rater)
    return min(2, mark + (system == 0 and (rater == 0 or item % 6 == rater)))


def half_seen(system: int, item: int, rater: int) -> int | None:
    """Two systems as good as each other; the first was graded on the easy half of twelve alone."""
    if system == 0 and item >= 5:
        return None
    return 2 if item < 6 else (item + rater) % 2


def alike(_item: models.Item, _release: models.SystemRelease) -> str:
    return make.SAID


def apart(item: models.Item, release: models.SystemRelease) -> str:
    """No answer says the same as another one."""
    more = "It holds when the sea is calm. " * (len(item.external_id) + release.pk % 3)
    return f"{release.system.name} on {item.external_id}. {more}".strip()


@copies.made_once_among
def graded(
    *,
    systems: Sequence[str] = ("Kestrel", "Harbour"),
    n_items: int = 4,
    n_raters: int = 3,
    capabilities: Sequence[str] = ("Factuality",),
    state: str = "FINAL",
    marks: Marks = steady,
    number: int = 1,
    in_: models.Project | None = None,
    criteria: Sequence[str] = ("grade",),
    about: Sequence[Mapping[str, Any]] = ({},),
    says: Callable[[models.Item, models.SystemRelease], str] = alike,
) -> models.Round:
    """Return a round whose every seat is graded; marks go from 0 to 2.

    `about` says what items are about besides, in turn: capability, difficulty, domain.
    """
    home = in_ or make.project()
    version = make.rubric_version(in_=home, criteria=criteria)
    releases = [make.release(name, in_=home) for name in systems]
    parts = [make.capability(name, in_=home) for name in capabilities]
    raters = [_rater(home, n) for n in range(n_raters)]
    round_ = models.Round.objects.create(
        project=home,
        number=number,
        name=f"Round {number}",
        state=state,
        seed="s",
        secret=b"x" * 32,
        n_seats=n_raters,
        revision=1 if state == "FINAL" else 0,
        opened_at=make.NOW,
        review_at=make.NOW if state in {"REVIEW", "FINAL"} else None,
        final_at=make.NOW if state == "FINAL" else None,
        created_by=make.user(f"{home.slug}-owner"),
        created_at=make.NOW,
    )
    models.RoundSystem.objects.bulk_create(
        models.RoundSystem(round=round_, release=release, ordinal=place)
        for place, release in enumerate(reversed(releases))  # the draw has an order of its own
    )
    models.RoundAnnotator.objects.bulk_create(
        models.RoundAnnotator(round=round_, rater=rater) for rater in raters
    )
    items = models.Item.objects.bulk_create(
        an_item(
            home,
            f"Q{number}-{n}",
            f"Question {n}?",
            {"capability": parts[n % len(parts)], **about[n % len(about)]},
        )
        for n in range(n_items)
    )
    _grade_all(round_, items, version, releases, raters, marks, says)
    return round_


def grouped(groups: Mapping[str, int], **settings: Any) -> models.Round:
    """Return a graded round whose annotators know about something, in turn so many of them."""
    round_ = graded(n_raters=sum(groups.values()), **settings)
    tags = [tag for tag, n in groups.items() for _one in range(n)]
    places = round_.annotators.order_by("rater_id").select_related("rater")
    models.Expertise.objects.bulk_create(
        models.Expertise(project=round_.project, user=place.rater.user, tag=tag)
        for place, tag in zip(places, tags, strict=True)
    )
    return round_


def an_item(home: models.Project, name: str, text: str, about: Mapping[str, Any]) -> models.Item:
    messages = contents.as_messages(text)
    return models.Item(
        project=home,
        external_id=name,
        group=name,
        content_sha=contents.content_sha(messages, "", {}),
        prompt_sha=contents.prompt_sha(messages),
        messages=messages,
        created_at=make.NOW,
        **about,
    )


def _rater(home: models.Project, n: int) -> models.Rater:
    return people.rater_of(
        project=home,
        user=make.member(Role.ANNOTATOR, in_=home, username=f"{home.slug}-annotator-{n}"),
        now=make.NOW,
    )


def _grade_all(
    round_: models.Round,
    items: Sequence[models.Item],
    version: models.RubricVersion,
    releases: Sequence[models.SystemRelease],
    raters: Sequence[models.Rater],
    marks: Marks,
    says: Callable[[models.Item, models.SystemRelease], str],
) -> None:
    """Have every rater grade every system on every item, written table by table."""
    places = models.RoundItem.objects.bulk_create(
        models.RoundItem(
            round=round_, item=item, ordinal=n, n_seats=len(raters), rubric_version=version
        )
        for n, item in enumerate(items)
    )
    responses = make.responses((item, one, says(item, one)) for item in items for one in releases)
    shown = models.RoundResponse.objects.bulk_create(
        models.RoundResponse(
            round_item=places[n // len(releases)], release=response.release, response=response
        )
        for n, response in enumerate(responses)
    )
    seats = models.Assignment.objects.bulk_create(
        models.Assignment(
            round=round_,
            round_item=place,
            seat=r + 1,
            ordinal=place.ordinal * len(raters) + r,
            state="SUBMITTED",
            rater=rater,
            submitted_at=make.NOW,
            order_version="test",
        )
        for place in places
        for r, rater in enumerate(raters)
    )
    slots = models.Slot.objects.bulk_create(
        models.Slot(
            assignment=seat,
            position=s,
            round_response=shown[seat.round_item.ordinal * len(releases) + s],
        )
        for seat in seats
        for s in range(len(releases))
    )
    criteria = list(version.criteria.all())
    grades = []
    for slot in slots:
        seat = slot.assignment
        mark = marks(slot.position, seat.round_item.ordinal, seat.seat - 1)
        for criterion in criteria:
            its = mark[criterion.key] if isinstance(mark, Mapping) else mark
            grades.append(_grade_of(slot, criterion, its))
    models.Grade.objects.bulk_create(grades)


def _grade_of(slot: models.Slot, criterion: models.Criterion, mark: Mark) -> models.Grade:
    seat = slot.assignment
    said = mark if isinstance(mark, str) else ""
    return models.Grade(
        round=seat.round,
        response=slot.round_response.response,
        criterion=criterion,
        rater=seat.rater,
        slot=slot,
        assignment=seat,
        outcome="CANNOT_GRADE" if mark is None else "VALUE",
        reason="The answer is empty." if mark is None else "",
        value=None if mark is None or said else Decimal(mark),
        text=said,
        given_at=make.at(seat.round_item.ordinal),
        active_ms=1000,
    )
