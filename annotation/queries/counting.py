"""Which grades count in a figure unless its page says otherwise: of one grade, and in the database.

It is the first look of a person, on a round's own questions, that nobody declared invalid.
`scoring.stats.frame.default_filter` says the same of columns; tests hold them together.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from annotation.models import Assignment, Grade, Invalidation, Round, RoundItem

Purpose = RoundItem.Purpose


def is_seat_counted(
    purpose: str, occasion: int, *, purposes: Collection[str] | None = None
) -> bool:
    """Say whether what is given in a seat counts.

    Args:
        purposes: of round items, where a page wants others than the usual ones; with REPEAT among
            them later occasions count, too.
    """
    if purposes is None:
        return occasion == 1 and purpose != Purpose.GOLD
    return (occasion == 1 or purpose == Purpose.REPEAT) and purpose in purposes


#: The seats of `is_seat_counted` that do not count, as a condition on round items.
SEATS_APART = Q(occasion__gt=1) | Q(purpose=Purpose.GOLD)


@dataclass(frozen=True)
class Struck:
    """What was declared invalid and not taken back."""

    grades: frozenset[int]
    raters: frozenset[tuple[int, int, int | None]]
    items: frozenset[tuple[int, int]]

    def __bool__(self) -> bool:
        return bool(self.grades or self.raters or self.items)

    def hits(self, grade: int, round_: int, rater: int, capability: int | None, item: int) -> bool:
        return (
            grade in self.grades
            or (round_, item) in self.items
            or (round_, rater, capability) in self.raters
            or (round_, rater, None) in self.raters
        )

    def among_grades(self) -> Q:
        """Return `hits` as a condition on grades."""
        made = Q(pk__in=self.grades)
        for round_, item in self.items:
            made |= Q(round=round_, response__item=item)
        for round_, rater, capability in self.raters:
            of = {} if capability is None else {"response__item__capability": capability}
            made |= Q(round=round_, rater=rater, **of)
        return made


def struck(rounds: Iterable[Round]) -> Struck:
    """Return what is invalid now: declared so, and not taken back."""
    rows = list(
        Invalidation.objects.filter(
            round__in=rounds, reverses__isnull=True, reversed_by__isnull=True
        )
    )
    return Struck(
        grades=frozenset(row.grade_id for row in rows if row.grade_id is not None),
        raters=frozenset(
            (row.round_id, row.rater_id, row.capability_id)
            for row in rows
            if row.rater_id is not None
        ),
        items=frozenset((row.round_id, row.item_id) for row in rows if row.item_id is not None),
    )


def given(rounds: Sequence[Round]) -> "QuerySet[Grade]":
    """Return the values that people gave and that stand, whether they count or not."""
    return Grade.objects.current().filter(
        round__in=rounds, kind=Grade.Kind.GIVEN, outcome=Grade.Outcome.VALUE
    )


def uncounted(rounds: Sequence[Round]) -> set[tuple[int, int]]:
    """Return round and key of those of `given` that count in no figure; they are few."""
    seats = RoundItem.objects.filter(SEATS_APART, round__in=rounds)
    values = given(rounds).values_list("round_id", "pk")
    assignments = Assignment.objects.filter(round_item__in=seats)
    found: set[tuple[int, int]] = set()
    if assignments.exists():
        found.update(values.filter(assignment__in=assignments))
    if gone := struck(rounds):
        found.update(values.filter(gone.among_grades()))
    return found
