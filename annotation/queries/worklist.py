"""What an annotator has to grade: plain values of their own rounds and seats."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from annotation.models import Assignment, ClaimEvent, Project, Rater, Round, RoundAnnotator, User
from annotation.queries import faces, offers
from annotation.rules import tokens


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


def rater_of(project: Project, user: User) -> Rater | None:
    return Rater.objects.filter(project=project, kind="PERSON", ref=str(user.public_id)).first()


def list_work(rater: Rater, now: datetime) -> list[Work]:
    """Return the rounds this person grades in, what can be done now first."""
    places = (
        RoundAnnotator.objects.filter(rater=rater)
        .filter(Q(ended_at__isnull=True) | Exists(_mine(rater, OuterRef("round_id"))))
        .exclude(round__state=Round.State.DRAFT)
        .select_related("round")
        .order_by("-round__number")
    )
    done = dict(
        Assignment.objects.filter(rater=rater, state=Assignment.State.SUBMITTED)
        .values_list("round_id")
        .annotate(n=Count("pk"))
        .order_by()
    )
    held = {row.round_id: row for row in Assignment.objects.held_by(rater).filter(warm=False)}
    free = dict(
        RoundAnnotator.objects.filter(rater=rater)
        .annotate(has_seat=Exists(_open_seats(rater, now)))
        .values_list("round_id", "has_seat")
    )
    work = [
        _work(place, done.get(place.round_id, 0), held.get(place.round_id), free, now)
        for place in places
    ]
    return sorted(work, key=lambda one: (not one.held, not one.can_claim, -one.number))


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
        ~Exists(given_up),
        round_id=OuterRef("round_id"),
    ).exclude(round_item__assignments__rater=rater)


def _work(
    place: RoundAnnotator,
    n_done: int,
    held: Assignment | None,
    free: dict[int, bool],
    now: datetime,
) -> Work:
    round_ = place.round
    over = round_.deadline is not None and now > round_.deadline
    running = round_.is_running and not over and place.ended_at is None
    can_claim = running and free.get(round_.pk, False)
    kind, state = _state(round_, over, can_claim or held is not None)
    return Work(
        number=round_.number,
        name=round_.name,
        n_done=n_done,
        n_items=int(round_.draw.get("prepared", {}).get("items", 0)),
        deadline=round_.deadline,
        held=held.token or "" if held else "",
        held_until=held.lease_until if held else None,
        can_claim=can_claim,
        state=state,
        kind=kind,
    )


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
