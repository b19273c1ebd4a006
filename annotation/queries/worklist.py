"""What an annotator has to grade: plain values of their own rounds and seats."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    ClaimEvent,
    Project,
    Rater,
    Round,
    RoundAnnotator,
    RoundItem,
    User,
)
from annotation.queries import faces, offers, qualifications, repeats, totals
from annotation.rules import tokens
from evalsite import prepared


@dataclass(frozen=True)
class Work:
    """A round as its annotator sees it."""

    number: int
    name: str
    n_done: int
    n_items: int
    deadline: datetime | None
    held: str
    held_until: datetime | None
    can_claim: bool
    state: str
    kind: str
    #: Why there is nothing to grade now (annotation.operations.reasons), or "".
    why: str = ""
    note: str = ""
    #: What the questions are about: capability and how many, the most frequent first.
    mix: tuple[tuple[str, int], ...] = ()
    #: What is held was submitted before, and handed back to be looked at once more.
    again: bool = False

    @property
    def n_left(self) -> int:
        return max(0, self.n_items - self.n_done)

    @property
    def next_place(self) -> int:
        return self.n_done + 1


@dataclass(frozen=True)
class SheetRow:
    """An item of one's own sheet, with what stands in its form."""

    seat: faces.SeatFace
    place: int
    question: str


@dataclass(frozen=True)
class Sheet:
    round_number: int
    round_name: str
    letters: list[str]
    rows: list[SheetRow]


_RATER = prepared.Query(
    lambda project, ref: Rater.objects.filter(project=project, kind="PERSON", ref=ref),
    project=int,
    ref=str,
)


def rater_of(project: Project, user: User) -> Rater | None:
    rater = _RATER.first(project=project.pk, ref=str(user.public_id))
    if rater is not None and rater.user_id == user.pk:
        rater.user = user
    return rater


def list_work(rater: Rater, now: datetime) -> list[Work]:
    """Return the rounds this person grades in, what can be done now first."""
    places = list(
        RoundAnnotator.objects.filter(rater=rater)
        .filter(Q(ended_at__isnull=True) | Exists(_mine(rater, OuterRef("round_id"))))
        .exclude(round__state=Round.State.DRAFT)
        .annotate(with_others=Exists(_with_others(rater)))
        .select_related("round")
        .order_by("-round__number")
    )
    mixes = _mixes([place.round_id for place in places if place.round.is_running])
    done = dict(
        Assignment.objects.filter(rater=rater, state=Assignment.State.SUBMITTED)
        .values_list("round_id")
        .annotate(n=Count("pk"))
        .order_by()
    )
    held = {row.round_id: row for row in Assignment.objects.held_by(rater).filter(warm=False)}
    n_items = totals.totals(rater, [place.round for place in places], now)
    free = _free(rater, now, places)
    lacks = {one for one, has_seat in free.items() if has_seat is None}
    work = [
        replace(
            _work(place, done.get(place.round_id, 0), held.get(place.round_id), free, lacks, now),
            n_items=n_items[place.round_id],
            mix=mixes.get(place.round_id, ()),
        )
        for place in places
    ]
    return sorted(work, key=_urgency)


def _free(rater: Rater, now: datetime, places: Sequence[RoundAnnotator]) -> dict[int, bool | None]:
    """Return, by round, whether there is a seat to be had; None: only after qualifying."""
    mine = RoundAnnotator.objects.filter(rater=rater)
    seats = _open_seats(rater, now)
    free: dict[int, bool | None] = dict(
        mine.annotate(has_seat=Exists(seats)).values_list("round_id", "has_seat")
    )
    asking = [one.round_id for one in places if one.round.asks_qualification]
    if any(free.get(one) for one in asking):
        fit = Q(round_item__item__capability__isnull=True) | Q(
            round_item__item__capability__in=qualifications.qualified_in(rater)
        )
        found = mine.filter(round__in=asking).annotate(has_seat=Exists(seats.filter(fit)))
        for round_id, has_seat in found.values_list("round_id", "has_seat"):
            free[round_id] = has_seat or (None if free[round_id] else False)
    return free


def _urgency(work: Work) -> tuple[bool, bool, bool, float, int]:
    """Return what is begun first, then what closes first, then what is newest."""
    closes = work.deadline.timestamp() if work.deadline and work.can_claim else 0.0
    return (not work.held, not work.can_claim, not closes, closes, -work.number)


def opening_soon(rater: Rater) -> list[str]:
    """Return the names of the rounds that are being opened with this person in them."""
    rows = Round.objects.filter(
        annotators__rater=rater, annotators__ended_at__isnull=True, state=Round.State.DRAFT
    )
    return list(rows.filter(opening_at__isnull=False).values_list("name", flat=True))


def _mixes(rounds: list[int]) -> dict[int, tuple[tuple[str, int], ...]]:
    """Return what each round is about, repeats counted as in its total: nobody is told of them."""
    rows = (
        RoundItem.objects.filter(round__in=rounds)
        .order_by()
        .values_list("round_id", "item__capability__name")
        .annotate(n=Count("pk"))
    )
    found: dict[int, list[tuple[str, int]]] = {}
    named = {round_id for round_id, name, _n in rows if name}
    for round_id, name, n in rows:
        found.setdefault(round_id, []).append((name or _("other"), n))
    return {
        round_id: tuple(sorted(parts, key=lambda part: (-part[1], part[0])))
        for round_id, parts in found.items()
        if round_id in named
    }


def _with_others(rater: Rater) -> QuerySet[Assignment]:
    """Return the seats of a round that others hold, of items this person has no seat of."""
    held = Assignment.objects.filter(
        repeats.first_only(), state=Assignment.State.CLAIMED, round_id=OuterRef("round_id")
    ).exclude(rater=rater)
    return held.exclude(round_item__assignments__rater=rater)


def list_names(rater: Rater, words: str, most: int = 5) -> list[tuple[int, str]]:
    """Return number and name of the rounds this person grades in whose name has these words."""
    mine = Round.objects.filter(annotators__rater=rater, name__icontains=words)
    rows = mine.exclude(state=Round.State.DRAFT).order_by("-number")
    return list(rows.values_list("number", "name")[:most])


def _mine(rater: Rater, round_id: OuterRef) -> QuerySet[Assignment]:
    return Assignment.objects.filter(rater=rater, round_id=round_id)


def _open_seats(rater: Rater, now: datetime) -> QuerySet[Assignment]:
    given_up = ClaimEvent.objects.filter(
        rater=rater,
        kind__in=offers.GIVEN_UP,
        assignment__round_item=OuterRef("round_item"),
    )
    return Assignment.objects.filter(
        Q(state=Assignment.State.FREE) | Q(state=Assignment.State.CLAIMED, lease_until__lt=now),
        repeats.first_only() | Q(pk__in=repeats.open_to(rater).values("pk")),
        ~Exists(given_up),
        round_id=OuterRef("round_id"),
    ).exclude(round_item__assignments__rater=rater)


def _work(
    place: RoundAnnotator,
    n_done: int,
    held: Assignment | None,
    free: dict[int, bool | None],
    lacks: set[int],
    now: datetime,
) -> Work:
    round_ = place.round
    over = round_.deadline is not None and now > round_.deadline
    running = round_.is_running and not over and place.ended_at is None
    can_claim = running and bool(free.get(round_.pk))
    has_work = can_claim or held is not None
    kind, state = _state(round_, over, has_work)
    return Work(
        number=round_.number,
        name=round_.name,
        n_done=n_done,
        n_items=n_done,
        deadline=round_.deadline,
        held=held.token or "" if held else "",
        held_until=held.lease_until if held else None,
        can_claim=can_claim,
        state=state,
        kind=kind,
        why="" if has_work else _why(place, over, round_.pk in lacks),
        note=round_.instructions,
        again=held is not None and held.submitted_at is not None,
    )


def _why(place: RoundAnnotator, over: bool, lacks: bool) -> str:
    """Return the reason why nothing is handed out, as annotation.operations.reasons names it."""
    round_ = place.round
    if place.ended_at is not None:
        return "not_invited"
    if round_.state in {Round.State.REVIEW, Round.State.FINAL}:
        return "closed"
    if round_.paused_at is not None:
        return "paused"
    if over:
        return "deadline_passed"
    if lacks:
        return "not_qualified"
    return "waiting" if getattr(place, "with_others", False) else "all_done"


def _state(round_: Round, over: bool, more: bool) -> tuple[str, str]:
    """Return the kind of state (for its sign) and its words."""
    if round_.state == Round.State.FINAL:
        return "", _("final")
    if round_.state == Round.State.REVIEW:
        return "", _("closed, in review")
    if round_.paused_at is not None:
        return "warn", _("paused")
    if over:
        return "warn", _("closing time has passed")
    return ("run", _("to grade")) if more else ("ok", _("nothing left for you"))


def sheet(rater: Rater, round_: Round) -> Sheet:
    """Return one's own seats of a round: questions down, positions across (LalaEval, Table 1)."""
    seats = list(
        Assignment.objects.filter(round=round_, rater=rater)
        .exclude(state=Assignment.State.FREE)
        .select_related("round", "round_item")
        .order_by(F("submitted_at").asc(nulls_last=True), "claimed_at", "ordinal")
    )
    shown = faces.seats(seats)
    widest = max((len(one.responses) for one in shown), default=0)
    return Sheet(
        round_number=round_.number,
        round_name=round_.name,
        letters=list(tokens.LETTERS[:widest]),
        rows=[
            SheetRow(seat=one, place=place, question=one.face.get("question", ""))
            for place, one in enumerate(shown, start=1)
        ],
    )
