"""What a judge is given to grade a round: answers as people were shown them, and criteria as people read them.

Nothing that is read here says whose answer it is, what its place is, or what others thought of it.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import QuerySet

from annotation.models import (
    Criterion,
    Display,
    Item,
    Response,
    Round,
    RoundItem,
    RoundResponse,
    RubricVersion,
)
from annotation.rules import display, faces
from scoring.llm.base import Message
from scoring.protocols.direct import asking_v1 as asking

PAGE: Final = 500
#: Gold items are there to test people, repeats were answered and graded before.
PURPOSES: Final = (RoundItem.Purpose.NORMAL, RoundItem.Purpose.ANCHOR)


@dataclass(frozen=True, slots=True)
class Place:
    """An answer of a round, by keys."""

    pk: int
    response: int
    item: int
    release: int
    external_id: str
    version: int
    display: int | None


@dataclass(frozen=True, slots=True)
class CriterionChoice:
    """A criterion of a round's rubrics, and in how many of them it stands."""

    key: str
    name: str
    rubrics: tuple[str, ...]


def places(round_: Round) -> Iterator[Place]:
    """Yield the answers of a round that are judged, in an order that stays."""
    for page in pages(round_):
        yield from page


def pages(round_: Round, *, size: int = PAGE) -> Iterator[list[Place]]:
    """Yield them page by page, with no cursor left open between."""
    rows = _judged(round_).order_by("pk")
    names = (
        "pk", "response_id", "round_item__item_id", "release_id", "round_item__item__external_id",
        "round_item__rubric_version_id", "display_id",
    )  # fmt: skip
    last = 0
    while found := list(rows.filter(pk__gt=last).values_list(*names)[:size]):
        yield [Place(*row) for row in found]
        last = found[-1][0]


def n_places(round_: Round) -> int:
    return _judged(round_).count()


def _judged(round_: Round) -> "QuerySet[RoundResponse]":
    return RoundResponse.objects.filter(
        round_item__round=round_,
        round_item__purpose__in=PURPOSES,
        round_item__occasion=1,
        round_item__rubric_version__isnull=False,
    )


def texts(places_: Sequence[Place]) -> dict[int, tuple[Item, Response, Display | None]]:
    """Return the texts of a page of answers, by place."""
    items = Item.objects.in_bulk({one.item for one in places_})
    responses = Response.objects.in_bulk({one.response for one in places_})
    shown = Display.objects.in_bulk({one.display for one in places_ if one.display})
    return {
        one.pk: (items[one.item], responses[one.response], shown.get(one.display or 0))
        for one in places_
    }


def versions_of(round_: Round) -> list[RubricVersion]:
    """Return the rubric versions by which the round's answers are graded."""
    used = _judged(round_).values("round_item__rubric_version")
    rows = RubricVersion.objects.filter(pk__in=used).select_related("rubric")
    return list(rows.order_by("rubric__name", "number"))


def choices_of(round_: Round) -> list[CriterionChoice]:
    """Return the criteria of the round's rubrics by key, in the order of the rubrics."""
    found: dict[str, tuple[str, list[str]]] = {}
    for version in versions_of(round_):
        for row in rows_of(version.pk):
            found.setdefault(row.key, (row.name, []))[1].append(str(version))
    return [CriterionChoice(key, name, tuple(rubrics)) for key, (name, rubrics) in found.items()]


def rows_of(version: int, keys: Collection[str] = ()) -> list[Criterion]:
    """Return the criteria of a rubric version with their levels; all of them unless some are named."""
    rows = Criterion.objects.filter(rubric_version=version)
    if keys:
        rows = rows.filter(key__in=list(keys))
    return list(rows.prefetch_related("levels").order_by("position", "pk"))


def criteria_of(version: int, keys: Collection[str] = ()) -> tuple[asking.Criterion, ...]:
    """Return the criteria as a judge reads them."""
    return tuple(
        asking.Criterion(
            key=row.key,
            name=row.name,
            scale=row.scale,
            description=row.description,
            levels=tuple(
                asking.Level(level.value, level.label, level.description)
                for level in row.levels.all()
            ),
        )
        for row in rows_of(version, keys)
    )


def task(
    *,
    item: Item,
    response: Response,
    shown: Display | None,
    criteria: tuple[asking.Criterion, ...],
    principle: str,
    reference: bool,
    language: str,
) -> asking.Task:
    """Return what a judge is asked of an answer.

    Args:
        item: what was asked; its own principle, if it has one, goes before that of the rubric.
        response: the answer as it is stored.
        shown: what people were shown of it, names covered; none in a round of imported grades.
        criteria: by which it is graded.
        principle: that of the rubric.
        reference: whether the judge sees the standard answer and its key points.
        language: of the prompt.
    """
    own = item.extra.get("principle")
    return asking.Task(
        question=tuple(_message(one) for one in item.messages),
        answer=_answer(response, shown),
        criteria=criteria,
        reference=item.reference if reference else "",
        key_points=tuple(str(one) for one in item.key_points) if reference else (),
        principle=own if isinstance(own, str) and own.strip() else principle,
        language=language,
        stored="\n\n".join(faces.spoken(one) for one in response.messages),
    )


def _answer(response: Response, shown: Display | None) -> tuple[Message, ...]:
    """Return the answer as people saw it; turn by turn where nothing had to be covered."""
    several = len(response.messages) > 1
    if shown is not None and (shown.mask_set or not several):
        return (Message("assistant", shown.text),)
    if several:
        return tuple(
            Message(str(one.get("role") or "assistant"), display.normalise(faces.spoken(one)))
            for one in response.messages
        )
    return (Message("assistant", faces.conversation(response.messages)),)


def _message(one: dict[str, Any]) -> Message:
    return Message(str(one.get("role") or "user"), faces.spoken(one))
