"""Reads about rounds: the list, what is chosen in a draft, how far the seats are filled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.models import (
    UNBLINDED,
    Assignment,
    Capability,
    ImportBatch,
    Item,
    Membership,
    Project,
    Role,
    Round,
    RoundAnnotator,
    RoundItem,
    RoundRubric,
    RoundSystem,
    RubricVersion,
    SystemRelease,
    User,
)
from evalsite import keyset

SIZE = 50
State = Assignment.State
DONE = Count("pk", filter=Q(state=State.SUBMITTED))
HELD = Count("pk", filter=Q(state=State.CLAIMED, warm=False))


@dataclass(frozen=True)
class Seats:
    """How many seats there are, and what became of them."""

    n: int = 0
    done: int = 0
    held: int = 0

    @property
    def free(self) -> int:
        return self.n - self.done - self.held


@dataclass(frozen=True)
class Line:
    """A round in the list."""

    round: Round
    seats: Seats


@dataclass(frozen=True)
class Place:
    """An annotator of a round: what they have done, never what they gave."""

    annotator: RoundAnnotator
    name: str
    done: int
    held: int
    last_at: datetime | None


@dataclass(frozen=True)
class Coverage:
    """So many items have so many submitted grades."""

    n_done: int
    n_items: int


@dataclass(frozen=True)
class Person:
    """Somebody who could grade in a round."""

    user: User
    sees_identities: bool


@dataclass(frozen=True)
class SeatLine:
    seat: Assignment
    holder: str


@dataclass(frozen=True)
class ItemLine:
    """An item of a round with its seats."""

    item: RoundItem
    seats: list[SeatLine]

    @property
    def n_done(self) -> int:
        return sum(one.seat.state == State.SUBMITTED for one in self.seats)

    @property
    def taken(self) -> list[SeatLine]:
        """Return the seats that somebody has or had, or that were dropped."""
        return [one for one in self.seats if one.seat.state != State.FREE]

    @property
    def n_free(self) -> int:
        return len(self.seats) - len(self.taken)


def of(project: Project) -> "QuerySet[Round]":
    """Return the rounds of a project that can be seen: imported ones once their import is applied."""
    shown = Q(batch__isnull=True) | Q(batch__state=ImportBatch.State.APPLIED)
    return Round.objects.filter(shown, project=project)


def page_of(project: Project, *, after: str = "") -> tuple[list[Line], keyset.Page[Round]]:
    """Return a page of the rounds, the newest first, each with its seats counted."""
    found = keyset.page(of(project), by=["-number"], after=after, size=SIZE)
    counts = _seats_of(found.rows)
    return [Line(one, counts.get(one.pk, Seats())) for one in found.rows], found


def _seats_of(rounds: Sequence[Round]) -> dict[int, Seats]:
    rows = (
        Assignment.objects.wanted()
        .filter(round__in=rounds)
        .order_by()
        .values("round")
        .annotate(n=Count("pk"), done=DONE, held=HELD)
    )
    return {row["round"]: Seats(row["n"], row["done"], row["held"]) for row in rows}


def seats(round_: Round) -> Seats:
    return _seats_of([round_]).get(round_.pk, Seats())


def systems_of(round_: Round) -> list[RoundSystem]:
    rows = round_.systems.select_related("release__system")
    return list(rows.order_by("release__system__name", "release__label"))


def rubrics_of(round_: Round) -> list[RoundRubric]:
    """Return the chosen rubrics, that for the rest last."""
    rows = round_.rubrics.select_related("capability", "rubric_version__rubric")
    return sorted(rows, key=lambda row: (row.capability is None, str(row.capability or "")))


def releases_of(project: Project) -> "QuerySet[SystemRelease]":
    seen = SystemRelease.objects.seen().filter(system__project=project)
    return seen.select_related("system").order_by("system__name", "label")


def versions_of(project: Project) -> "QuerySet[RubricVersion]":
    """Return the rubric versions a round can be graded by, the newest of each rubric first."""
    rows = RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN, criteria__isnull=False
    )
    return rows.distinct().select_related("rubric").order_by("rubric__name", "-number")


def capabilities_with_items(project: Project) -> list[tuple[Capability, int]]:
    """Return the capabilities that have items, with how many."""
    counts = dict(
        Item.objects.seen()
        .filter(project=project, capability__isnull=False)
        .values_list("capability")
        .annotate(n=Count("external_id", distinct=True))
        .order_by()
    )
    rows = Capability.objects.filter(pk__in=counts).select_related("rubric")
    return [(one, counts[one.pk]) for one in rows]


def capability_names(project: Project, pks: Sequence[int]) -> list[str]:
    rows = Capability.objects.filter(project=project, pk__in=pks)
    return list(rows.values_list("name", flat=True))


def people_of(project: Project) -> list[Person]:
    """Return the annotators of a project by name; those who can see identities are marked."""
    held: dict[int, set[str]] = {}
    users: dict[int, User] = {}
    for row in Membership.objects.active().filter(project=project).select_related("user__person"):
        held.setdefault(row.user_id, set()).add(row.role)
        users[row.user_id] = row.user
    people = [
        Person(users[pk], bool(roles & UNBLINDED))
        for pk, roles in held.items()
        if Role.ANNOTATOR in roles
    ]
    return sorted(people, key=lambda one: (str(one.user.display_name).lower(), one.user.username))


def annotators_of(round_: Round) -> list[Place]:
    """Return who grades in a round, or has: what is done, when they were last at it."""
    places = list(round_.annotators.select_related("rater__user__person"))
    rows = (
        Assignment.objects.filter(round=round_, rater__isnull=False)
        .order_by()
        .values("rater")
        .annotate(done=DONE, held=HELD, last=Max(Coalesce("submitted_at", "claimed_at")))
    )
    counts: dict[int, dict[str, Any]] = {row["rater"]: {**row} for row in rows}
    nothing: dict[str, Any] = {"done": 0, "held": 0, "last": None}
    found = []
    for place in places:
        count = counts.get(place.rater_id, nothing)
        user = place.rater.user
        name = user.display_name if user else place.rater.ref
        found.append(Place(place, name, count["done"], count["held"], count["last"]))
    return sorted(found, key=lambda one: (one.annotator.ended_at is not None, one.name.lower()))


def coverage(round_: Round) -> list[Coverage]:
    """Return how many items have no, one, two … submitted seats."""
    done = Count("assignments", filter=Q(assignments__state=State.SUBMITTED))
    rows = (
        RoundItem.objects.filter(round=round_)
        .order_by()
        .annotate(n_done=done)
        .values_list("n_done", flat=True)
    )
    tally: dict[int, int] = {}
    for n_done in rows:
        tally[n_done] = tally.get(n_done, 0) + 1
    return [Coverage(n_done, tally[n_done]) for n_done in sorted(tally)]


def item_page(
    round_: Round, *, only: str = "", after: str = ""
) -> tuple[list[ItemLine], keyset.Page[RoundItem]]:
    """Return a page of items with their seats; `only` "held" or "left" narrows it."""
    items = RoundItem.objects.filter(round=round_).select_related("item", "item__capability")
    if only == "held":
        held = Assignment.objects.filter(round=round_, state=State.CLAIMED, warm=False)
        items = items.filter(pk__in=held.values("round_item"))
    elif only == "left":
        left = Assignment.objects.wanted().filter(round=round_).exclude(state=State.SUBMITTED)
        items = items.filter(pk__in=left.values("round_item"))
    found = keyset.page(items, by=["ordinal"], after=after, size=SIZE)
    rows = (
        Assignment.objects.filter(round_item__in=found.rows)
        .select_related("rater__user__person")
        .order_by("ordinal")
    )
    by_item: dict[int, list[SeatLine]] = {}
    for seat in rows:
        by_item.setdefault(seat.round_item_id, []).append(SeatLine(seat, holder_of(seat)))
    return [ItemLine(one, by_item.get(one.pk, [])) for one in found.rows], found


def holder_of(seat: Assignment) -> str:
    if seat.rater is None:
        return ""
    return seat.rater.user.display_name if seat.rater.user else seat.rater.ref


def n_who_could_take(round_item: RoundItem) -> int:
    """Return how many annotators of the round have no seat of this item yet."""
    busy = round_item.assignments.filter(rater__isnull=False).values("rater")
    places = RoundAnnotator.objects.filter(round=round_item.round_id, ended_at__isnull=True)
    return places.exclude(rater__in=busy).count()


def unknown_items(project: Project, external_ids: Sequence[str]) -> list[str]:
    """Return which of these ids no item of the project has."""
    items = Item.objects.seen().filter(project=project, external_id__in=external_ids)
    known = set(items.values_list("external_id", flat=True))
    return [one for one in external_ids if one not in known]
