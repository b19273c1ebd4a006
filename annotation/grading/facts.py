"""What a grade refers to, as plain values: looked up once, and shared by all rows that have it.

* The grades of rounds as plain columns: the source of every statistic and every export.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Aggregate, Case, Count, Max, OuterRef, Q, QuerySet, Subquery, When

from annotation.common import scales
from annotation.common.parts import PART, Part, read_part
from annotation.grading import counting
from annotation.grading.models import Grade, Invalidation, Remark
from annotation.people.models import Rater, RaterKind
from annotation.rounds.models import Round, RoundItem, RoundSystem
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item, Response


@dataclass(frozen=True, slots=True)
class ItemFacts:
    pk: int
    external_id: str
    group: str
    capability_id: int | None
    capability: str
    difficulty: str
    domain: str
    priority: str
    #: Which part of a conversation is graded, where it is one.
    part: Part | None = None


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    pk: int
    system: str
    label: str
    colour: int = 0


@dataclass(frozen=True, slots=True)
class CriterionFacts:
    key: str
    name: str
    rubric_version: str
    scale_min: Decimal | None
    scale_max: Decimal | None
    pass_at: Decimal | None
    #: What kind of mark it asks for (`Criterion.Mark`).
    mark: str = "LEVELS"
    #: The words of levels, by their values.
    labels: Mapping[Decimal, str] = field(default_factory=dict, compare=False)

    def words(self, value: Decimal | None) -> str:
        """Return the word of a level, or those of several labels; nothing where it has none."""
        if value is None:
            return ""
        if self.mark != Criterion.Mark.LABELS:
            return self.labels.get(value, "")
        return "; ".join(self.labels.get(Decimal(one), "") for one in scales.places(value))


@dataclass(frozen=True, slots=True)
class RaterFacts:
    pk: int
    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class SeatFacts:
    purpose: str
    occasion: int
    inclusion_p: float | None


#: Of a mark that was given outside a seat.
UNSEATED = SeatFacts(purpose="NORMAL", occasion=1, inclusion_p=None)


PAGE = 5000


class GradeRow(NamedTuple):
    """One grade with everything that is known about it; a tuple, as a million are made at a time."""

    pk: int
    round: Round
    item: ItemFacts
    release: ReleaseFacts
    response_id: int
    criterion: CriterionFacts
    rater: RaterFacts
    seat: SeatFacts
    position: int | None
    grade_kind: str
    outcome: str
    reason: str
    value: Decimal | None
    at: datetime | None
    active_ms: int | None
    late: bool
    valid: bool
    comment: str
    #: What was written, where the criterion asks for a text.
    text: str = ""
    #: The release beside it and its answer, where the criterion asks which of two is better.
    against: ReleaseFacts | None = None
    against_id: int | None = None

    @property
    def counts(self) -> bool:
        """Whether a figure counts it unless its page says otherwise (`counting`)."""
        return self.counts_for(None)

    def counts_for(self, purposes: Collection[str] | None) -> bool:
        """Say the same where a page looks at items of these purposes instead of the usual ones."""
        seat = counting.is_seat_counted(self.seat.purpose, self.seat.occasion, purposes=purposes)
        return seat and self.grade_kind == "GIVEN" and self.valid and not self.late


@dataclass(frozen=True)
class Facts:
    """What the grades of some rounds refer to."""

    rounds: dict[int, Round]
    items: dict[int, ItemFacts]
    releases: dict[int, ReleaseFacts]
    criteria: dict[int, CriterionFacts]
    raters: dict[int, RaterFacts]
    seats: dict[int, SeatFacts]
    struck: counting.Struck
    remarked: bool


def facts(rounds: Sequence[Round], *, items: Sequence[int] | None = None) -> Facts:
    """Look up everything the grades of these rounds (on these items) refer to.

    Nothing of it grows with the number of grades, only with that of items.
    """
    return Facts(
        rounds={one.pk: one for one in rounds},
        items=_items(rounds, items),
        releases={one.pk: one for one in releases(rounds)},
        criteria=_criteria(rounds),
        raters=_raters(rounds),
        seats={
            pk: SeatFacts(purpose, occasion, share)
            for pk, purpose, occasion, share in RoundItem.objects.filter(
                round__in=rounds
            ).values_list("pk", "purpose", "occasion", "inclusion_probability")
        },
        struck=counting.struck(rounds),
        remarked=_comments_on(rounds).exists(),
    )


def _items(rounds: Sequence[Round], some: Sequence[int] | None) -> dict[int, ItemFacts]:
    drawn = RoundItem.objects.filter(round__in=rounds)
    if some is not None:
        drawn = drawn.filter(item__in=some)
    rows = Item.objects.filter(pk__in=drawn.values("item_id")).values_list(
        "pk",
        "external_id",
        "group",
        "capability_id",
        "capability__name",
        "difficulty",
        "domain__name",
        "domain__priority",
        f"extra__{PART}",
    )
    return {
        pk: ItemFacts(
            pk,
            external_id,
            group,
            capability,
            name or "",
            difficulty,
            domain or "",
            priority or "",
            read_part(part),
        )
        for pk, external_id, group, capability, name, difficulty, domain, priority, part in rows
    }


def releases(rounds: Sequence[Round]) -> list[ReleaseFacts]:
    """Return the releases that take part, by their place in the draw."""
    rows = (
        RoundSystem.objects.filter(round__in=rounds)
        .order_by("ordinal", "release__system__name", "release__label")
        .values_list(
            "release_id", "release__system__name", "release__label", "release__system__colour"
        )
    )
    return [ReleaseFacts(*row) for row in rows]


def _criteria(rounds: Sequence[Round]) -> dict[int, CriterionFacts]:
    versions = RoundItem.objects.filter(round__in=rounds).order_by().values("rubric_version_id")
    rows = Criterion.objects.filter(rubric_version__in=versions.distinct())
    rows = rows.select_related("rubric_version__rubric").prefetch_related("levels")
    return {one.pk: _criterion(one) for one in rows}


def _criterion(one: Criterion) -> CriterionFacts:
    version = one.rubric_version
    return CriterionFacts(
        key=one.key,
        name=one.name,
        rubric_version=f"{version.rubric.key} v{version.number}",
        scale_min=one.minimum,
        scale_max=one.maximum,
        pass_at=one.pass_at,
        mark=one.mark,
        labels={level.value: level.label for level in one.levels.all() if level.label},
    )


def _raters(rounds: Sequence[Round]) -> dict[int, RaterFacts]:
    rows = Rater.objects.filter(project__in={one.project_id for one in rounds})
    return {
        one.pk: RaterFacts(
            one.pk,
            one.user.username if one.kind == RaterKind.PERSON and one.user else one.ref,
            one.kind,
        )
        for one in rows.select_related("user")
    }


def _comments_on(rounds: Sequence[Round]) -> "QuerySet[Remark]":
    """Return what was said; what was said of a grade that came late is left out."""
    of_these = Q(slot__assignment__round__in=rounds) | Q(grade__round__in=rounds)
    return Remark.objects.filter(of_these, kind=Remark.Kind.COMMENT, late=False)


COLUMNS = (
    "pk",
    "round_id",
    "response__item_id",
    "response__release_id",
    "response_id",
    "criterion_id",
    "rater_id",
    "slot_id",
    "slot__position",
    "assignment__round_item_id",
    "kind",
    "outcome",
    "reason",
    "value",
    "given_at",
    "active_ms",
    "late",
    "against__release_id",
    "against_id",
)


def rows(known: Facts, *, page: int = PAGE) -> Iterator[GradeRow]:
    """Yield the current and the late grades of the rounds, oldest first.

    Every page is read to its end before its first row is handed out: no cursor stays open.
    """
    for found in pages(known, page=page):
        yield from _rows(known, found)


def pages(known: Facts, *, page: int = PAGE) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the same grades as plain tuples of COLUMNS, many at a time."""
    table = _counted().filter(round__in=list(known.rounds)).order_by("pk")
    last = 0
    while found := list(table.filter(pk__gt=last).values_list(*COLUMNS)[:page]):
        last = found[-1][0]
        yield found
        if len(found) < page:
            return


def is_valid(known: Facts, found: tuple[Any, ...]) -> bool:
    """Say whether a grade of COLUMNS stands."""
    pk, round_, item, _release, _response, _criterion, rater = found[:7]
    capability = known.items[item].capability_id
    return not (known.struck and known.struck.hits(pk, round_, rater, capability, item))


def rows_on(known: Facts, items: Sequence[int]) -> Iterator[GradeRow]:
    """Yield the same of some items only, oldest first, read at once.

    They are found by their responses alone: asked for the round too, a database would rather
    read through the whole round each time.
    """
    responses = list(Response.objects.filter(item__in=items).values_list("pk", flat=True))
    table = _counted().filter(response__in=responses).order_by()
    found = [one for one in table.values_list(*COLUMNS) if one[1] in known.rounds]
    yield from _rows(known, sorted(found, key=lambda one: one[0]))


def _counted() -> "QuerySet[Grade]":
    return Grade.objects.seen().exclude(is_current=False, late=False)


def _rows(known: Facts, found: Sequence[tuple[Any, ...]]) -> Iterator[GradeRow]:
    said = _comments(found) if known.remarked and found else {}
    written = _texts(known, found)
    for one in found:
        yield _row(known, one, said, written)


def _texts(known: Facts, found: Sequence[tuple[Any, ...]]) -> dict[int, str]:
    """Return what was written for some grades, by their keys."""
    asked = {pk for pk, one in known.criteria.items() if one.mark == Criterion.Mark.TEXT}
    some = [one[0] for one in found if one[5] in asked]
    return dict(Grade.objects.filter(pk__in=some).values_list("pk", "text")) if some else {}


def _comments(found: Sequence[tuple[Any, ...]]) -> dict[tuple[int, int], str]:
    """Return the last comment of each slot and rater, and of each grade (under rater 0)."""
    said: dict[tuple[int, int], str] = {}
    slots = [one[7] for one in found if one[7] is not None]
    rows = Remark.objects.filter(
        Q(slot__in=slots) | Q(grade__in=[one[0] for one in found]),
        kind=Remark.Kind.COMMENT,
        late=False,
    ).order_by("revision", "pk")
    for slot, rater, grade, text in rows.values_list("slot_id", "rater_id", "grade_id", "text"):
        said[(slot, rater) if slot else (grade, 0)] = text
    return said


def _row(
    known: Facts,
    found: tuple[Any, ...],
    said: Mapping[tuple[int, int], str],
    written: Mapping[int, str],
) -> GradeRow:
    (pk, round_, item, release, response, criterion, rater, slot, position, seat, *rest) = found
    kind, outcome, reason, value, at, active_ms, late, against, beside = rest
    valid = is_valid(known, found)
    comment = (said.get((slot, rater)) or said.get((pk, 0)) or "") if said else ""
    return GradeRow(
        pk,
        known.rounds[round_],
        known.items[item],
        known.releases[release],
        response,
        known.criteria[criterion],
        known.raters[rater],
        known.seats.get(seat, UNSEATED) if seat else UNSEATED,
        position,
        kind,
        outcome,
        reason,
        value,
        at,
        active_ms,
        late,
        valid,
        comment,
        written.get(pk, ""),
        known.releases[against] if against else None,
        beside,
    )


def version(round_: Round) -> str:
    """Return what changes whenever the grades of a round do; cheap enough for every page view."""
    return versions([round_])[round_.pk]


def versions(rounds: Sequence[Round]) -> dict[int, str]:
    """Return the version of each of some rounds, by a single query.

    The count is there because of two people who submit at once: the lower key may come last. In a
    final round nobody does, and counting a million grades would take a page's time.
    """
    grades = Grade.objects.filter(round=OuterRef("pk")).order_by()
    ended = Invalidation.objects.filter(round=OuterRef("pk")).order_by()
    counted = Case(When(state=Round.State.FINAL, then=0), default=_one(grades, Count("pk")))
    rows = Round.everything.filter(pk__in=[one.pk for one in rounds]).values_list(
        "pk",
        counted,
        Subquery(grades.order_by("-pk").values("pk")[:1]),
        _one(ended, Count("pk")),
        _one(ended, Max("pk")),
    )
    revisions = {one.pk: one.revision for one in rounds}
    return {
        pk: ".".join(str(part or 0) for part in (pk, revisions[pk], *parts)) for pk, *parts in rows
    }


def _one(rows: QuerySet[Any], told: Aggregate) -> Subquery:
    """Return one aggregate over the rows of a round, as a column of it."""
    return Subquery(rows.values("round").annotate(told=told).values("told"))
