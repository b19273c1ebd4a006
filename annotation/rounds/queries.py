"""Reads about rounds: the list, what is chosen in a draft, how far the seats are filled.

* Who has had the names of a round's systems shown, and who must not.
* Who wrote or inspected a question that a round puts before raters, and so does not grade it.
* What annotators have asked about questions of a round, for those who answer.
* Whose share of a round with more people than seats is how large, and how much of it is done.
* What is left of questions whose round was discarded: that they were somebody's, and why they are gone.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from annotation.bank.models import Inspection, QuestionVersion
from annotation.common import texts as tokens
from annotation.common.parts import PART, PartLevel
from annotation.domains.models import Capability
from annotation.files.models import ImportBatch
from annotation.grading.models import FlagAnswer, Remark
from annotation.people.models import UNBLINDED, AuditEvent, Membership, Project, Rater, Role, User
from annotation.rounds import repeats
from annotation.rounds.models import (
    Assignment,
    Round,
    RoundAnnotator,
    RoundItem,
    RoundRubric,
    RoundSystem,
    Unblinding,
)
from annotation.rubrics.models import Criterion, RubricVersion, RubricVersionQuerySet
from annotation.systems.models import Item, SystemRelease
from evalsite.db import prepared
from evalsite.web import keyset

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
class ListedRound:
    """A round in the list."""

    round: Round
    seats: Seats


@dataclass(frozen=True)
class RoundAnnotatorLine:
    """An annotator of a round: what they have done, never what they gave."""

    annotator: RoundAnnotator
    name: str
    done: int
    held: int
    last_at: datetime | None


@dataclass(frozen=True)
class GradeCoverage:
    """So many items have so many submitted grades."""

    n_done: int
    n_items: int


@dataclass(frozen=True)
class PossibleAnnotator:
    """Somebody who could grade in a round."""

    user: User
    sees_identities: bool


@dataclass(frozen=True)
class SeatLine:
    seat: Assignment
    holder: str


@dataclass(frozen=True)
class RoundItemLine:
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


def rounds_of(project: Project) -> "QuerySet[Round]":
    """Return the rounds of a project that can be seen: imported ones once their import is applied."""
    shown = Q(batch__isnull=True) | Q(batch__state=ImportBatch.State.APPLIED)
    return Round.objects.filter(shown, project=project)


def page_of(project: Project, *, after: str = "") -> tuple[list[ListedRound], keyset.Page[Round]]:
    """Return a page of the rounds, the newest first, each with its seats counted."""
    found = keyset.page(rounds_of(project), by=["-number"], after=after, size=SIZE)
    counts = _seats_of(found.rows)
    return [ListedRound(one, counts.get(one.pk, Seats())) for one in found.rows], found


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


def versions_of(project: Project) -> RubricVersionQuerySet:
    """Return the rubric versions a round can be graded by, the newest of each rubric first."""
    rows = RubricVersion.objects.filter(
        rubric__project=project, kind=RubricVersion.Kind.HUMAN, criteria__isnull=False
    )
    return rows.distinct().select_related("rubric").order_by("rubric__name", "-number")


def criteria_of(versions: Collection[RubricVersion]) -> list[Criterion]:
    """Return what is graded by these rubrics, each criterion of one name once, with its levels."""
    rows = Criterion.objects.filter(rubric_version__in=versions).prefetch_related("levels")
    return list({one.name: one for one in rows.order_by("rubric_version", "position")}.values())


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


def people_of(project: Project) -> list[PossibleAnnotator]:
    """Return the annotators of a project by name; those who can see identities are marked."""
    held: dict[int, set[str]] = {}
    users: dict[int, User] = {}
    for row in Membership.objects.active().filter(project=project).select_related("user__person"):
        held.setdefault(row.user_id, set()).add(row.role)
        users[row.user_id] = row.user
    people = [
        PossibleAnnotator(users[pk], bool(roles & UNBLINDED))
        for pk, roles in held.items()
        if Role.ANNOTATOR in roles
    ]
    return sorted(people, key=lambda one: (str(one.user.display_name).lower(), one.user.username))


def annotators_of(round_: Round) -> list[RoundAnnotatorLine]:
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
        found.append(RoundAnnotatorLine(place, name, count["done"], count["held"], count["last"]))
    return sorted(found, key=lambda one: (one.annotator.ended_at is not None, one.name.lower()))


def coverage(round_: Round) -> list[GradeCoverage]:
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
    return [GradeCoverage(n_done, tally[n_done]) for n_done in sorted(tally)]


def item_page(
    round_: Round, *, only: str = "", after: str = ""
) -> tuple[list[RoundItemLine], keyset.Page[RoundItem]]:
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
    return [RoundItemLine(one, by_item.get(one.pk, [])) for one in found.rows], found


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


_SEEN = prepared.PreparedQuery(
    lambda round_, user: Unblinding.objects.filter(round=round_, user=user).values_list("pk"),
    round_=int,
    user=int,
)


def has_seen(round_: Round, user_id: int | None) -> bool:
    if user_id is None:
        return False
    return _SEEN.first(round_=round_.pk, user=user_id) is not None


def seen_of(rounds: Sequence[Round], user_id: int) -> set[int]:
    """Return the keys of those of some rounds whose names this person has had shown."""
    seen = Unblinding.objects.filter(round__in=rounds, user=user_id)
    return set(seen.values_list("round_id", flat=True))


def have_seen(round_: Round, users: Sequence[User]) -> set[int]:
    """Return the keys of those among these people who have, in it or in a round that it was copied from."""
    seen = Unblinding.objects.filter(round__in=_origins(round_), user__in=users)
    return set(seen.values_list("user_id", flat=True))


def _origins(round_: Round) -> list[Round]:
    """Return a round and all that it was copied from, discarded ones too."""
    found, at = [round_], round_.parent
    while at is not None:
        found.append(at)
        at = at.parent
    return found


def grades_in(round_: Round, user: User) -> bool:
    """Return whether this person is one of the round's annotators."""
    return round_.annotators.filter(rater__user=user, ended_at__isnull=True).exists()


def grades_in_a_copy(round_: Round, user: User) -> bool:
    """Return whether this person grades in a copy of a round (or in a copy of one) that is not final."""
    copies = list(Round.everything.filter(parent=round_))
    return any(
        (one.state != Round.State.FINAL and grades_in(one, user)) or grades_in_a_copy(one, user)
        for one in copies
    )


FEW = 500


@dataclass(frozen=True)
class Involved:
    """An annotator of a round who wrote or inspected some of its questions."""

    place: RoundAnnotator
    name: str
    n_items: int


def is_banked(round_: Round) -> bool:
    """Return whether any item of the round comes from the bank; fixed when it was prepared."""
    return bool((round_.draw.get("prepared") or {}).get("banked"))


def closed_to(rater: Rater, round_items: Collection[int]) -> set[int]:
    """Return those of these round items whose question this person wrote or inspected."""
    if rater.user_id is None or not round_items:
        return set()
    rows = RoundItem.objects.filter(
        pk__in=round_items, item__question_version__isnull=False
    ).values_list("pk", "item__question_version__question_id")
    questions = dict(rows)
    mine = _questions_of([rater.user_id], set(questions.values()))[rater.user_id]
    return {pk for pk, question in questions.items() if question in mine}


_WROTE = prepared.PreparedQuery(
    lambda user: (
        QuestionVersion.objects.filter(author=user).order_by().values_list("pk", flat=True)[:1]
    ),
    user=int,
)
_INSPECTED = prepared.PreparedQuery(
    lambda user: (
        Inspection.objects.filter(inspector=user).order_by().values_list("pk", flat=True)[:1]
    ),
    user=int,
)


def has_part(rater: Rater) -> bool:
    """Return whether this person wrote or inspected any question at all."""
    if rater.user_id is None:
        return False
    wrote = _WROTE.first(user=rater.user_id) is not None
    return wrote or _INSPECTED.first(user=rater.user_id) is not None


def barred(rater: Rater, rounds: Sequence[Round]) -> list[tuple[int, int]]:
    """Return the items of these rounds that this person does not grade, each with its round."""
    banked = [one.pk for one in rounds if is_banked(one)]
    if not banked or not has_part(rater):
        return []
    allowed = RoundAnnotator.objects.filter(rater=rater, round__in=banked).exclude(own_override="")
    rows = RoundItem.objects.filter(round__in=banked, occasion=1).exclude(
        round__in=allowed.values("round")
    )
    written = QuestionVersion.objects.filter(author=rater.user_id).values("question")
    inspected = Inspection.objects.filter(inspector=rater.user_id).values("version__question")
    place = "item__question_version__question__in"
    mine = rows.filter(Q(**{place: written}) | Q(**{place: inspected}))
    return list(mine.values_list("round_id", "item_id"))


def involved(round_: Round) -> list[Involved]:
    """Return the annotators of the round who have a part in its questions, by name."""
    if not is_banked(round_):
        return []
    places = _places(round_)
    own = _items_of(round_, places)
    found = [
        Involved(place, user.display_name, len(own[user.pk]))
        for place in places
        if (user := place.rater.user) and own.get(user.pk)
    ]
    return sorted(found, key=lambda one: one.name.lower())


def n_short(round_: Round) -> int:
    """Return how many items have fewer annotators without a part in them than they have seats."""
    if not is_banked(round_):
        return 0
    places = _places(round_)
    barred: dict[int, int] = defaultdict(int)
    for user, items in _items_of(round_, places).items():
        if not any(one.own_override for one in places if one.rater.user_id == user):
            for item in items:
                barred[item] += 1
    seats = dict(round_.items.values_list("pk", "n_seats"))
    return sum(len(places) - count < seats[item] for item, count in barred.items())


def _places(round_: Round) -> list[RoundAnnotator]:
    active = round_.annotators.filter(ended_at__isnull=True)
    return list(active.select_related("rater__user__person"))


def _items_of(round_: Round, places: Iterable[RoundAnnotator]) -> dict[int, set[int]]:
    """Return the round items whose question they wrote or inspected, by person."""
    items: dict[int, list[int]] = defaultdict(list)
    rows = round_.items.filter(item__question_version__isnull=False)
    for pk, question in rows.values_list("pk", "item__question_version__question_id"):
        items[question].append(pk)
    users = [one.rater.user_id for one in places if one.rater.user_id is not None]
    return {
        user: {pk for question in mine for pk in items[question]}
        for user, mine in _questions_of(users, list(items)).items()
    }


def _questions_of(users: Collection[int], questions: Collection[int]) -> dict[int, set[int]]:
    """Return the questions, of these, of which they wrote or inspected any version."""
    found: dict[int, set[int]] = {user: set() for user in users}
    wanted = frozenset(questions)
    written = QuestionVersion.objects.filter(author__in=users)
    inspected = Inspection.objects.filter(inspector__in=users)
    if len(wanted) < FEW:  # more than a database takes as a list are sorted out here
        written = written.filter(question__in=wanted)
        inspected = inspected.filter(version__question__in=wanted)
    for user, question in written.order_by().values_list("author_id", "question_id").distinct():
        found[user].add(question)
    pairs = inspected.order_by().values_list("inspector_id", "version__question_id")
    for user, question in pairs.distinct():
        found[user].add(question)
    return {user: mine & wanted for user, mine in found.items()}


@dataclass(frozen=True)
class FlagLine:
    """A flag, what it is about, and the answer that stands; of the round as a whole it names no item."""

    pk: int
    item: str
    question: str
    asked_by: str
    text: str
    at: datetime
    answer: str
    answered_at: datetime | None


@dataclass(frozen=True)
class Tally:
    n: int
    n_open: int


def of_flags(round_: Round) -> "QuerySet[Remark]":
    """Return the flags that stand in a round."""
    return Remark.objects.flags().filter(Q(slot__assignment__round=round_) | Q(round=round_))


def unanswered(flags: "QuerySet[Remark]") -> "QuerySet[Remark]":
    return flags.exclude(Exists(FlagAnswer.objects.filter(flag=OuterRef("pk"))))


def tally(round_: Round) -> Tally:
    flags = of_flags(round_)
    return Tally(flags.count(), unanswered(flags).count())


def flags_page(
    round_: Round, *, every: bool = False, after: str = ""
) -> tuple[list[FlagLine], keyset.Page[Remark]]:
    """Return a page of flags, the newest first; `every` shows answered ones too."""
    rows = of_flags(round_) if every else unanswered(of_flags(round_))
    rows = rows.select_related("rater__user__person", "slot__assignment__round_item__item")
    found = keyset.page(rows.prefetch_related("answers"), by=["-at", "-pk"], after=after, size=SIZE)
    return [_line(row) for row in found.rows], found


def _line(row: Remark) -> FlagLine:
    place = row.slot.assignment.round_item if row.slot else None
    answers = sorted(row.answers.all(), key=lambda one: (one.at, one.pk))
    return FlagLine(
        pk=row.pk,
        item=place.item.external_id if place else "",
        question=str(place.face.get("question", "")) if place else "",
        asked_by=row.rater.user.display_name if row.rater.user else "",
        text=row.text,
        at=row.at,
        answer=answers[-1].text if answers else "",
        answered_at=answers[-1].at if answers else None,
    )


def why(token: str, rater: Rater) -> str | None:
    """Return why the round of a seat was discarded that this person once held; None if it was not."""
    mine = str(rater.public_id)
    events = AuditEvent.objects.filter(project=rater.project_id, verb="round.discarded")
    for event in events.order_by("-pk"):
        held = [(seat, claim) for who, seat, claim in event.data.get("claims", ()) if who == mine]
        if not held:
            continue
        number = int(event.subject.partition(":")[2])
        secret = bytes(Round.everything.get(project=rater.project_id, number=number).secret)
        if any(tokens.seat_token(secret, seat, claim) == token for seat, claim in held):
            return event.note
    return None


def graded_parts(round_: Round) -> list[PartLevel]:
    """Return which parts of conversations a round has graded; none where it is answers to questions."""
    found = round_.items.order_by().values_list(f"item__extra__{PART}__level", flat=True).distinct()
    said = set(found)
    return [one for one in PartLevel if one in said]


@dataclass(frozen=True)
class AnnotatorShare:
    """What somebody is to grade of a round with more people than an item has seats."""

    n_planned: int
    n_taken: int

    @property
    def is_done(self) -> bool:
        return self.n_taken >= self.n_planned


def shares(rater: Rater, rounds: Collection[Round]) -> dict[int, AnnotatorShare]:
    """Return somebody's share of those open rounds that others grade as well, so that all do as much.

    It grows by what they have asked for (`RoundAnnotator.extra`). Items that come again count once.
    """
    running = [one for one in rounds if one.state == Round.State.OPEN]
    places = RoundAnnotator.objects.filter(round__in=running, ended_at__isnull=True).order_by()
    n_people = dict(places.values_list("round").annotate(n=Count("pk")))
    designs = {one.pk: repeats.design(one, n_people.get(one.pk, 0)) for one in running}
    shared = {
        pk: design.fair_share
        for pk, design in designs.items()
        if design.is_shared and design.fair_share
    }
    if not shared:
        return {}
    extra = dict(places.filter(rater=rater, round__in=shared).values_list("round", "extra"))
    mine = Assignment.objects.filter(
        repeats.first_only(),
        rater=rater,
        round__in=shared,
        state__in=[State.CLAIMED, State.SUBMITTED],
    ).order_by()
    n_taken = dict(mine.values_list("round").annotate(n=Count("pk")))
    return {
        pk: AnnotatorShare(n + extra[pk], n_taken.get(pk, 0))
        for pk, n in shared.items()
        if pk in extra
    }
