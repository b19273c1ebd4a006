"""Hand out seats: atomic claims under a lease, never more annotators on an item than it has seats."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F

from annotation.models import (
    UNBLINDED,
    Assignment,
    ClaimEvent,
    Membership,
    Rater,
    Round,
    RoundAnnotator,
)
from annotation.operations import leases, reasons
from annotation.operations.rounds import repeating
from annotation.queries import offers, qualifications, unblinding
from annotation.queries.offers import Offer
from annotation.rules import rounds, tokens
from evalsite import errors, prepared

#: How often somebody looks again who finds every seat taken under their hands.
ATTEMPTS = 20
#: So many seats are held ready for somebody, and for so long.
AHEAD = 2
WARM = timedelta(minutes=10)


WHY = reasons.WHY


class NoSeat(errors.Conflict):
    """There is nothing to grade; `code` says for which of the reasons in WHY."""

    code = "no_seat"

    def __init__(self, code: str) -> None:
        title, text = WHY[code]
        super().__init__(f"{title}. {text}")
        self.code = code


_HELD = prepared.Query(
    lambda rater, round_: Assignment.objects.filter(
        rater=rater, round=round_, state=Assignment.State.CLAIMED
    ).order_by("warm", "claimed_at", "ordinal"),
    rater=int,
    round_=int,
)
_PLACE = prepared.Query(
    lambda rater, round_: RoundAnnotator.objects.filter(
        rater=rater, round=round_, ended_at__isnull=True
    ),
    rater=int,
    round_=int,
)
_PLACE_NOW = prepared.Query(
    lambda pk: (
        RoundAnnotator.objects.select_for_update(of=("self",))
        .select_related("round")
        .defer("round__manifest", "round__draw")
        .filter(pk=pk)
    ),
    pk=int,
)
_SEES = prepared.Query(
    lambda user, project: (
        Membership.objects.with_role(sorted(UNBLINDED))
        .filter(project=project, user=user)
        .values_list("pk", flat=True)[:1]
    ),
    user=int,
    project=int,
)
_SEAT = prepared.Query(
    lambda pk: (
        Assignment.objects.filter(pk=pk)
        .select_related("round", "round_item__rubric_version")
        .defer("round__manifest")
    ),
    pk=int,
)
_BEFORE = prepared.Query(
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
        tried = False
        for offer in offers.candidates(round_, rater, place.cursor, now):
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
    if round_.state == Round.State.REVIEW and offers.handed_on(round_, rater, now).exists():
        return place
    if not rounds.allows(rounds.State(round_.state), rounds.Act.CLAIM):
        raise NoSeat("closed")
    if round_.paused_at is not None:
        raise NoSeat("paused")
    if round_.deadline is not None and now > round_.deadline:
        raise NoSeat("deadline_passed")
    return place


def _sees_identities(round_: Round, rater: Rater) -> bool:
    """Return whether a role of theirs shows who gave which answer, or they have had it shown."""
    may_see = _SEES.first(project=round_.project_id, user=rater.user_id) is not None
    return may_see or unblinding.has_seen(round_, rater.user_id)


def _take(
    place: RoundAnnotator, offer: Offer, rater: Rater, now: datetime, *, ahead: bool = False
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


def _advance(place: RoundAnnotator, offer: Offer) -> None:
    """Remember how far along their own order somebody is; what lies behind is found by the rest."""
    if offer.turn is not None and offer.turn > place.cursor:
        _CURSOR.run(pk=place.pk, turn=offer.turn)


def _nothing_left(round_: Round, rater: Rater, now: datetime) -> NoSeat:
    with_others = Assignment.objects.filter(round=round_, state=Assignment.State.CLAIMED)
    if _lacks_qualification(round_, rater):
        return NoSeat("not_qualified")
    waiting = offers.new_to(with_others, round_, rater).exists()
    if waiting:
        return NoSeat("waiting")
    repeating.drop_stranded(round_=round_, without=rater, now=now)
    return NoSeat("all_done")


def _lacks_qualification(round_: Round, rater: Rater) -> bool:
    """Return whether seats are free that this person would have to qualify for first."""
    lacking = qualifications.lacking(round_, rater)
    free = Assignment.objects.filter(
        round=round_, state=Assignment.State.FREE, round_item__item__capability__in=lacking
    )
    return bool(lacking) and offers.new_to(free, round_, rater).exists()
