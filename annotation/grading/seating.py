"""Which seats somebody can be given, best first.

* Why somebody is given no seat: what their page says, and what happens next.
* Hand out seats: atomic claims under a lease, never more annotators on an item than it has seats.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.utils.translation import gettext_lazy as _

from annotation.common import draws as seeds
from annotation.common import texts as tokens
from annotation.people.models import UNBLINDED, Membership, Rater
from annotation.qualification import queries as qualifications
from annotation.rounds import orders, repeats
from annotation.rounds import queries as own
from annotation.rounds import rules as rounds
from annotation.rounds import states as leases
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundAnnotator, RoundItem
from evalsite import errors
from evalsite.db import prepared

#: A few turns of somebody's own order are looked at first; then more, then twice as many, and so on.
FEW = 8
LOOK_AHEAD = 40
WIDEST = 500
GIVEN_UP = repeats.GIVEN_UP
#: So many questions at a time somebody takes above their share.
MORE = 10


@dataclass(frozen=True)
class SeatOffer:
    """A seat that can be taken; `turn` is its item's place in the person's own order."""

    seat: int
    item_ordinal: int
    fence: int
    item: int
    turn: int | None = None


def _has_done_share(round_: Round, rater: Rater) -> bool:
    if (_N_PEOPLE.first(round_=round_.pk) or 0) <= round_.n_seats:
        return False
    share = own.shares(rater, [round_]).get(round_.pk)
    return share is not None and share.is_done


def ask_for_more(*, round_: Round, rater: Rater, now: datetime) -> None:
    """Give somebody who has done their share of a round up to ten questions above it.

    Raises:
        NoSeat: the round hands out no seats.
    """
    place = _place(round_, rater, now)
    share = own.shares(rater, [round_]).get(round_.pk)
    if share is not None and share.is_done:  # else asked twice: what was given is not used up
        more = place.extra + share.n_taken - share.n_planned + MORE
        RoundAnnotator.objects.filter(pk=place.pk, extra=place.extra).update(extra=more)


def candidates(
    round_: Round, rater: Rater, cursor: int, now: datetime, *, only_again: bool = False
) -> Iterator[SeatOffer]:
    """Yield free seats in this person's own order of items, then whatever else is left.

    Of two pairs of one question's answers, the second comes after another question, while there is one.

    Args:
        only_again: of what they have graded already, and are to grade once more.
    """
    found = _candidates(round_, rater, cursor, now, only_again=only_again)
    yield from _spread(round_, rater, found) if round_.of_pairs else found


def _spread(round_: Round, rater: Rater, offers: Iterator[SeatOffer]) -> Iterator[SeatOffer]:
    """Put off the pairs of the question that this person was given last.

    Who passes over some keeps their place in their own order, so that these come next.
    """
    mine = Assignment.objects.filter(round=round_, rater=rater).order_by("-claimed_at", "-ordinal")
    last = mine.values_list("round_item__item_id", flat=True).first()
    places = RoundItem.objects.filter(round=round_, item=last).values_list("pk", flat=True)
    same = set(places) if last else set()
    put_off: list[SeatOffer] = []
    for offer in offers:
        if offer.item in same:
            put_off.append(offer)
        else:
            turn = put_off[0].turn if put_off else offer.turn
            yield replace(offer, turn=turn)
    yield from put_off


def _candidates(
    round_: Round, rater: Rater, cursor: int, now: datetime, *, only_again: bool
) -> Iterator[SeatOffer]:
    if round_.state == Round.State.REVIEW:
        yield from _open_to(round_, rater, _rest(handed_on(round_, rater, now), rater))
        return
    yield from _again(round_, rater, now, hurry=False)
    if only_again:
        yield from _again(round_, rater, now, hurry=True)
        return
    yield from _twice_first(round_, rater, now)
    n_items = _n_items(round_)
    start, width = cursor, FEW
    while start < n_items:
        ahead = orders.visits(round_.seed, rater.ref, n_items, start, min(width, n_items - start))
        turns = {ordinal: start + step for step, ordinal in enumerate(ahead)}
        yield from _open_to(round_, rater, _seats_at(turns, round_, now))
        start, width = start + width, max(LOOK_AHEAD, min(width * 2, WIDEST))
    yield from _open_to(round_, rater, _rest(_free(round_, rater, now), rater))
    yield from _again(round_, rater, now, hurry=True)


def _again(round_: Round, rater: Rater, now: datetime, *, hurry: bool) -> Iterator[SeatOffer]:
    """Yield the items that this person grades once more, where their time has come."""
    if repeats.has_any(round_):
        due = repeats.due(round_, rater, to_be_had(now), hurry=hurry)
        yield from _open_to(round_, rater, [SeatOffer(*seat) for seat in due])


def _twice_first(round_: Round, rater: Rater, now: datetime) -> Iterator[SeatOffer]:
    """Yield what this person is to meet twice, where it has to come before the rest."""
    if not repeats.has_any(round_):
        return
    free = _free(round_, rater, now)
    twice = list(_open_to(round_, rater, _rest(free.filter(repeats.comes_twice()), rater)))
    if not twice:
        return
    once = free.filter(~repeats.comes_twice()).order_by().values_list("round_item_id", flat=True)
    items = set(once.distinct()[:WIDEST])
    mine = Assignment.objects.filter(repeats.first_only(), round=round_, rater=rater)
    n_twice = mine.filter(repeats.is_repeated()).count()
    if rounds.come_first(
        repeats.design(round_, round_.annotators.filter(ended_at__isnull=True).count()),
        n_open=len(items - _closed(round_, rater, items)),
        n_once=mine.count() - n_twice,
        n_twice=n_twice,
    ):
        yield from twice


def handed_on(round_: Round, rater: Rater, now: datetime) -> QuerySet[Assignment]:
    """Return the seats a reviewer has added or handed on since the round was closed."""
    planned = round_.items.aggregate(n=Sum("n_seats"))["n"] or 0
    reassigned = ClaimEvent.objects.filter(
        assignment=OuterRef("pk"), kind=ClaimEvent.Kind.REASSIGNED, at__gte=round_.review_at
    )
    return _free(round_, rater, now).filter(Q(ordinal__gte=planned) | Exists(reassigned))


def new_to(seats: QuerySet[Assignment], round_: Round, rater: Rater) -> QuerySet[Assignment]:
    """Leave out repeats, and the items on which this person has a seat, or which they gave up."""
    seats = seats.filter(repeats.first_only())
    seen = Assignment.objects.filter(round=round_, rater=rater).values("round_item_id")
    given_up = ClaimEvent.objects.filter(
        rater=rater, kind__in=GIVEN_UP, assignment__round=round_
    ).values("assignment__round_item_id")
    return seats.exclude(round_item_id__in=seen).exclude(round_item_id__in=given_up)


def to_be_had(now: datetime) -> Q:
    """Return the condition of a seat that is free, or whose lease is over.

    One that its annotator looks at again stays theirs.
    """
    over = Q(state=Assignment.State.CLAIMED, lease_until__lt=now, submitted_at__isnull=True)
    return Q(state=Assignment.State.FREE) | over


def _free(round_: Round, rater: Rater, now: datetime) -> QuerySet[Assignment]:
    return new_to(Assignment.objects.filter(to_be_had(now), round=round_), round_, rater)


def _rest(seats: QuerySet[Assignment], rater: Rater) -> list[SeatOffer]:
    """Return some of these seats, for everybody in another order, so that few reach for the same."""
    rows = seats.order_by("ordinal").values_list("pk", "round_item__ordinal", "fence", "round_item")
    chosen = [SeatOffer(*row) for row in rows[: 5 * LOOK_AHEAD]]
    return sorted(chosen, key=lambda one: seeds.rank_key(rater.ref, str(one.item_ordinal)))


def _n_items(round_: Round) -> int:
    """Return the number of items, fixed when the round was prepared."""
    prepared = round_.draw.get("prepared")
    return int(prepared["items"]) if prepared else round_.items.count()


def _mine(rater: int, items: Collection[int]) -> QuerySet[Any, int]:
    mine = Assignment.objects.filter(round_item__in=items, rater=rater)
    return mine.values_list("round_item_id", flat=True)


def _given_up(rater: int, items: Collection[int]) -> QuerySet[Any, int]:
    events = ClaimEvent.objects.filter(
        rater=rater, kind__in=GIVEN_UP, assignment__round_item__in=items
    )
    return events.values_list("assignment__round_item_id", flat=True)


def _at(round_: int, now: datetime, ordinals: Collection[int]) -> QuerySet[Any, Any]:
    seats = Assignment.objects.filter(
        to_be_had(now),
        repeats.first_only(),
        round_item__round=round_,
        round_item__ordinal__in=ordinals,
    )
    return seats.order_by("ordinal").values_list("pk", "round_item__ordinal", "fence", "round_item")


def _places(keys: Collection[int]) -> dict[str, int]:
    """Return a few keys as the values of a prepared query; no row has the key -1."""
    return dict(zip(_FEW, [*keys, *[-1] * FEW], strict=False))


_FEW: dict[str, type] = {f"key_{place}": int for place in range(FEW)}
_MINE = prepared.PreparedQuery(lambda rater, **few: _mine(rater, few.values()), rater=int, **_FEW)
_GIVEN_UP = prepared.PreparedQuery(
    lambda rater, **few: _given_up(rater, few.values()), rater=int, **_FEW
)
_AT = prepared.PreparedQuery(
    lambda round_, now, **few: _at(round_, now, few.values()), round_=int, now=datetime, **_FEW
)


def _open_to(round_: Round, rater: Rater, offers: list[SeatOffer]) -> Iterator[SeatOffer]:
    """Leave out items on which this person has a seat, which they gave up, or which are not for them.

    Not for them are those they wrote or inspected, and those they would have to qualify for first.
    """
    closed = _closed(round_, rater, {offer.item for offer in offers})
    yield from (offer for offer in offers if offer.item not in closed)


def _closed(round_: Round, rater: Rater, items: set[int]) -> set[int]:
    if len(items) <= FEW:
        closed = {
            *_MINE.all(rater=rater.pk, **_places(items)),
            *_GIVEN_UP.all(rater=rater.pk, **_places(items)),
        }
    else:
        closed = {*_mine(rater.pk, items), *_given_up(rater.pk, items)}
    if own.is_banked(round_) and not _may_grade_own(round_, rater):
        closed |= own.closed_to(rater, items)
    if round_.asks_qualification:
        closed |= qualifications.closed_to(round_, rater, items)
    return closed


def _may_grade_own(round_: Round, rater: Rater) -> bool:
    """Return whether an owner has said why this person grades what they wrote or inspected."""
    return round_.annotators.filter(rater=rater).exclude(own_override="").exists()


def _seats_at(turns: dict[int, int], round_: Round, now: datetime) -> list[SeatOffer]:
    """Return the seats to be had on these items (turn by ordinal), first turn and seat first."""
    if len(turns) <= FEW:
        rows = _AT.all(round_=round_.pk, now=now, **_places(turns))
    else:
        rows = list(_at(round_.pk, now, list(turns)))
    seats = [SeatOffer(row[0], row[1], row[2], row[3], turn=turns[row[1]]) for row in rows]
    return sorted(seats, key=lambda seat: seat.turn or 0)


#: Why there is nothing to grade: a title, and what happens next.
WHY_NOT = {
    "not_invited": (
        _("You do not grade in this round"),
        _("Its curator chooses the annotators."),
    ),
    "not_blind": (
        _("You see which system gave which answer"),
        _("Your grades would not be blind. Only an owner can allow it."),
    ),
    "not_open": (
        _("Not open yet"),
        _("It appears in your list when it opens."),
    ),
    "closed": (
        _("This round is closed"),
        _("Everything you submitted is stored."),
    ),
    "paused": (
        _("This round is paused"),
        _("Everything you submitted is stored."),
    ),
    "deadline_passed": (
        _("The closing time has passed"),
        _("Everything you submitted is stored."),
    ),
    "not_qualified": (
        _("Qualify first"),
        _("The rest needs a qualification. See Training."),
    ),
    "share_done": (
        _("Your share is done"),
        _("The free questions are for the others; you may take more."),
    ),
    "waiting": (
        _("The rest is with others"),
        _("Returned questions appear here."),
    ),
    "all_done": (
        _("All done"),
        _("You have graded everything here."),
    ),
}


#: How often somebody looks again who finds every seat taken under their hands.
ATTEMPTS = 20
#: So many seats are held ready for somebody, and for so long.
AHEAD = 2
WARM = timedelta(minutes=10)


WHY = WHY_NOT


class NoSeat(errors.Conflict):
    """There is nothing to grade; `code` says for which of the reasons in WHY."""

    def __init__(self, code: str) -> None:
        title, text = WHY[code]
        super().__init__(f"{title}. {text}")
        self.code = code


_HELD = prepared.PreparedQuery(
    lambda rater, round_: Assignment.objects.filter(
        rater=rater, round=round_, state=Assignment.State.CLAIMED
    ).order_by("warm", "claimed_at", "ordinal"),
    rater=int,
    round_=int,
)
_PLACE = prepared.PreparedQuery(
    lambda rater, round_: RoundAnnotator.objects.filter(
        rater=rater, round=round_, ended_at__isnull=True
    ),
    rater=int,
    round_=int,
)
_N_PEOPLE = prepared.PreparedQuery(
    lambda round_: (
        RoundAnnotator.objects.filter(round=round_, ended_at__isnull=True)
        .values("round")
        .annotate(n=Count("pk"))
        .values_list("n", flat=True)
        .order_by()
    ),
    round_=int,
)
_PLACE_NOW = prepared.PreparedQuery(
    lambda pk: (
        RoundAnnotator.objects.select_for_update(of=("self",))
        .select_related("round")
        .defer("round__manifest", "round__draw")
        .filter(pk=pk)
    ),
    pk=int,
)
_SEES = prepared.PreparedQuery(
    lambda user, project: (
        Membership.objects.with_role(sorted(UNBLINDED))
        .filter(project=project, user=user)
        .values_list("pk", flat=True)[:1]
    ),
    user=int,
    project=int,
)
_SEAT = prepared.PreparedQuery(
    lambda pk: (
        Assignment.objects.filter(pk=pk)
        .select_related("round", "round_item__rubric_version")
        .defer("round__manifest")
    ),
    pk=int,
)
_BEFORE = prepared.PreparedQuery(
    lambda pk, fence: Assignment.objects.filter(pk=pk, fence=fence), pk=int, fence=int
)


def _taking(*, warm: bool) -> prepared.Update:
    """Return the change by which a seat becomes somebody's, if it is still as it was."""
    return prepared.Update(
        lambda pk, fence, state, rater, token, claim_no, now, until: (
            Assignment.objects.filter(pk=pk, fence=fence, state=state),
            {
                "state": Assignment.State.CLAIMED,
                "rater": rater,
                "token": token,
                "claim_no": claim_no,
                "claimed_at": now,
                "lease_until": until,
                "warm": warm,
                "fence": F("fence") + 1,
                "rev": 0,
            },
        ),
        pk=int,
        fence=int,
        state=str,
        rater=int,
        token=str,
        claim_no=int,
        now=datetime,
        until=datetime,
    )


_OCCUPY, _KEEP_READY = _taking(warm=False), _taking(warm=True)
_CURSOR = prepared.Update(
    lambda pk, turn: (
        RoundAnnotator.objects.filter(pk=pk, cursor__lt=turn),
        {"cursor": turn},
    ),
    pk=int,
    turn=int,
)


def claim_next(*, round_: Round, rater: Rater, now: datetime) -> Assignment:
    """Return the seat that this person holds, or the next one of their own order.

    Raises:
        NoSeat: not invited, not blind, not open, paused, past its closing time, all done, all
            taken, or about something they have not qualified in.
    """
    if mine := _kept(round_, rater, now):
        return mine
    return _claimed(round_, rater, now, ahead=False)


def claim_ahead(*, round_: Round, rater: Rater, now: datetime) -> list[Assignment]:
    """Hold the next seats of somebody ready, so that they can go on without a line to the server.

    They are held under short leases and count as nobody's work until their holder comes to them.

    Raises:
        NoSeat: the round hands out no seats.
    """
    _place(round_, rater, now)
    held = Assignment.objects.held_by(rater).filter(round=round_, warm=True)
    ready = list(held.order_by("claimed_at", "ordinal"))
    longest = now - leases.MOST_LEASES * timedelta(minutes=round_.lease_minutes)
    held.filter(claimed_at__gt=longest).update(lease_until=now + _warm_lease(round_))
    while len(ready) < AHEAD:
        try:  # each a moment later, so that they keep their order
            moment = now + timedelta(microseconds=len(ready))
            ready.append(_claimed(round_, rater, moment, ahead=True))
        except NoSeat:
            break
    return ready


def _n_ready(round_: Round, rater: Rater) -> int:
    return Assignment.objects.held_by(rater).filter(round=round_, warm=True).count()


def _warm_lease(round_: Round) -> timedelta:
    return min(WARM, timedelta(minutes=round_.lease_minutes))


def _claimed(round_: Round, rater: Rater, now: datetime, *, ahead: bool) -> Assignment:
    for _attempt in range(ATTEMPTS):
        place = _place(round_, rater, now)
        tried, is_done = False, _has_done_share(round_, rater)
        for offer in candidates(round_, rater, place.cursor, now, only_again=is_done):
            tried = True
            if taken := _take(place, offer, rater, now, ahead=ahead):
                return taken
        if not tried:
            break
        round_.refresh_from_db()  # others were quicker each time; or the round has moved on
    raise _nothing_left(round_, rater, now)


def _kept(round_: Round, rater: Rater, now: datetime) -> Assignment | None:
    """Return the seat that somebody holds, its lease renewed, unless they just lose it."""
    if round_.state == Round.State.FINAL or (mine := _held(round_, rater)) is None:
        return None
    leases.extend(assignment=mine, now=now)
    mine.refresh_from_db()
    return mine if mine.rater_id == rater.pk else None


def _held(round_: Round, rater: Rater) -> Assignment | None:
    """Return the seat somebody works on, else the first one that is held ready."""
    return _HELD.first(rater=rater.pk, round_=round_.pk)


def _place(round_: Round, rater: Rater, now: datetime) -> RoundAnnotator:
    place = _PLACE.first(rater=rater.pk, round_=round_.pk)
    if place is None:
        raise NoSeat("not_invited")
    place.round = round_
    if round_.state == Round.State.DRAFT:
        raise NoSeat("not_open")
    if not place.override and _sees_identities(round_, rater):
        raise NoSeat("not_blind")
    if round_.state == Round.State.REVIEW and handed_on(round_, rater, now).exists():
        return place
    if not rounds.allows(rounds.RoundState(round_.state), rounds.RoundAct.CLAIM):
        raise NoSeat("closed")
    if round_.paused_at is not None:
        raise NoSeat("paused")
    if round_.deadline is not None and now > round_.deadline:
        raise NoSeat("deadline_passed")
    return place


def _sees_identities(round_: Round, rater: Rater) -> bool:
    """Return whether a role of theirs shows who gave which answer, or they have had it shown."""
    may_see = _SEES.first(project=round_.project_id, user=rater.user_id) is not None
    return may_see or own.has_seen(round_, rater.user_id)


def _take(
    place: RoundAnnotator, offer: SeatOffer, rater: Rater, now: datetime, *, ahead: bool = False
) -> Assignment | None:
    """Take the seat if nobody was quicker; return the one held if this person asked twice at once."""
    try:
        with transaction.atomic():
            if not _still_welcome(place, rater, now):
                return None
            if not ahead and (mine := _held(place.round, rater)):
                return mine
            if ahead and _n_ready(place.round, rater) >= AHEAD:
                return None
            before = _BEFORE.first(pk=offer.seat, fence=offer.fence)
            if before is None or not leases.lapse(before, now):
                return None
            if not _occupy(before, place.round, rater, now, ahead=ahead):
                transaction.set_rollback(True)  # nor did the lease end by our hand
                return None
            _advance(place, offer)
    except IntegrityError:  # this person has taken another seat of the same item meanwhile
        return None
    return _SEAT.first(pk=offer.seat)


def _still_welcome(place: RoundAnnotator, rater: Rater, now: datetime) -> bool:
    """Look again at the round, and let the requests of one person pass one at a time."""
    again = _PLACE_NOW.first(pk=place.pk)
    assert again is not None
    same = again.round.state == place.round.state and again.round.paused_at is None
    if not same or again.ended_at is not None:
        _place(again.round, rater, now)  # says why
        return False
    return True


def _occupy(before: Assignment, round_: Round, rater: Rater, now: datetime, *, ahead: bool) -> bool:
    claim = before.claim_no + 1
    token = tokens.seat_token(bytes(round_.secret), before.ordinal, claim)
    length = _warm_lease(round_) if ahead else timedelta(minutes=round_.lease_minutes)
    taken = (_KEEP_READY if ahead else _OCCUPY).run(
        pk=before.pk,
        fence=before.fence,
        state=before.state,
        rater=rater.pk,
        token=token,
        claim_no=claim,
        now=now,
        until=now + length,
    )
    if taken:
        leases.note(before.pk, rater, ClaimEvent.Kind.CLAIMED, claim, token, now)
    return bool(taken)


def _advance(place: RoundAnnotator, offer: SeatOffer) -> None:
    """Remember how far along their own order somebody is; what lies behind is found by the rest."""
    if offer.turn is not None and offer.turn > place.cursor:
        _CURSOR.run(pk=place.pk, turn=offer.turn)


def _nothing_left(round_: Round, rater: Rater, now: datetime) -> NoSeat:
    free = _open_to(round_, rater, _rest(_free(round_, rater, now), rater))
    if round_.state == Round.State.OPEN and next(free, None) and _has_done_share(round_, rater):
        return NoSeat("share_done")
    if _lacks_qualification(round_, rater):
        return NoSeat("not_qualified")
    with_others = Assignment.objects.filter(round=round_, state=Assignment.State.CLAIMED)
    items = new_to(with_others, round_, rater).order_by().values_list("round_item_id", flat=True)
    waiting = set(items.distinct()[:WIDEST])
    if waiting - _closed(round_, rater, waiting):
        return NoSeat("waiting")
    repeats.drop_stranded(round_=round_, without=rater, now=now)
    return NoSeat("all_done")


def _lacks_qualification(round_: Round, rater: Rater) -> bool:
    """Return whether seats are free that this person would have to qualify for first."""
    lacking = qualifications.lacking(round_, rater)
    free = Assignment.objects.filter(
        round=round_, state=Assignment.State.FREE, round_item__item__capability__in=lacking
    )
    return bool(lacking) and new_to(free, round_, rater).exists()
