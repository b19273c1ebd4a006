"""What annotators submitted first: later corrections change results, but not these."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from annotation.models import Grade, Round
from annotation.models.grades import GradeQuerySet

PAGE = 20_000
FIELDS = (
    "pk",
    "slot_id",
    "criterion_id",
    "rater_id",
    "response_id",
    "criterion__key",
    "criterion__minimum",
    "criterion__maximum",
    "value",
    "given_at",
    "active_ms",
    "slot__position",
    "response__item_id",
    "response__item__capability_id",
    "assignment__round_item__purpose",
    "assignment__round_item__occasion",
)


class First(NamedTuple):
    """A first grade: who, of what, which share of the scale, when."""

    rater: int
    response: int
    criterion: str
    value: Any
    share: float | None
    at: Any
    active_ms: int | None
    item: int
    capability: int | None
    purpose: str
    occasion: int


def rows(round_: Round) -> Iterator[First]:
    """Yield the first grade of each annotator on each response × criterion, late ones left out.

    Every page is read to its end before its first row is handed out.
    """
    table = _given(round_).order_by("pk")
    seen: set[tuple[int, int, int]] = set()
    last = 0
    while found := list(table.filter(pk__gt=last).values_list(*FIELDS)[:PAGE]):
        last = found[-1][0]
        for one in found:
            if (key := one[1:4]) not in seen:
                seen.add(key)
                yield _first(one)
        if len(found) < PAGE:
            return


def _given(round_: Round) -> GradeQuerySet:
    rows: GradeQuerySet = Grade.objects.filter(
        round=round_, kind=Grade.Kind.GIVEN, slot__isnull=False, late=False
    )
    return rows


def _first(one: tuple[Any, ...]) -> First:
    _pk, _slot, _criterion, rater, response, key, low, high, value, at, active_ms = one[:11]
    _position, item, capability, purpose, occasion = one[11:]
    scaled = value is not None and low is not None and high is not None and high > low
    share = float((value - low) / (high - low)) if scaled else None
    return First(
        rater, response, key, value, share, at, active_ms, item, capability, purpose, occasion
    )
