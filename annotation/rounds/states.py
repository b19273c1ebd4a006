"""Leases of seats: how long a seat is held, and every way in which it becomes free again.

* Move a round on: pause, resume, close for review, finish.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.people import audit
from annotation.people.models import Rater, User
from annotation.rounds import repeats as repeating
from annotation.rounds import rules as rounds
from annotation.rounds.models import Assignment, ClaimEvent, Draft, Round
from evalsite import errors
from evalsite.db import prepared

#: A lease is renewed by input, but never beyond so many times its first length.
MOST_LEASES = 4


class OffScale(errors.Invalid):
    """The scale of the criterion has no such value."""


class NotOfThisRound(errors.Invalid):
    """The round has no such response, criterion or annotator."""


class SeatNotYours(errors.Conflict): ...


class ReasonMissing(errors.Invalid): ...


def lapse(before: Assignment, now: datetime) -> bool:
    """Write down the end of a lease that is over; return whether the seat can be taken."""
    if before.state == Assignment.State.FREE:
        return True
    if before.state != Assignment.State.CLAIMED or before.lease_until is None:
        return False
    if before.lease_until >= now or before.rater is None or before.submitted_at is not None:
        return False  # one that was reopened goes back to being submitted, not to somebody else
    note(
        before.pk,
        before.rater,
        ClaimEvent.Kind.EXPIRED,
        before.claim_no,
        before.token or "",
        now,
        kept=_keep_draft(before),
    )
    return True


def _keep_draft(of: Assignment) -> dict[str, object] | None:
    """Move a draft into the history of its seat, so that the next one starts empty."""
    draft = Draft.objects.filter(assignment=of).first()
    if draft is None:
        return None
    draft.delete()
    return {"rev": draft.rev, "marks": draft.marks}


_EVENTS = prepared.Insert(ClaimEvent)


def note(
    assignment: int,
    rater: Rater,
    kind: ClaimEvent.Kind,
    claim_no: int,
    token: str,
    now: datetime,
    *,
    reason: str = "",
    kept: dict[str, object] | None = None,
) -> None:
    _EVENTS.add(
        ClaimEvent(
            assignment_id=assignment,
            rater=rater,
            kind=kind,
            claim_no=claim_no,
            token=token,
            reason=reason[:300],
            kept=kept,
            at=now,
        )
    )


_RENEW = prepared.Update(
    lambda pk, fence, until: (
        Assignment.objects.filter(pk=pk, fence=fence, state=Assignment.State.CLAIMED),
        {"lease_until": until, "warm": False},
    ),
    pk=int,
    fence=int,
    until=datetime,
)


def extend(*, assignment: Assignment, now: datetime) -> datetime | None:
    """Renew a lease from now on, up to four times its first length; return until when it runs.

    A lease that is over is renewed too while nobody else has taken the seat.
    """
    length = timedelta(minutes=assignment.round.lease_minutes)
    if assignment.claimed_at is None or assignment.lease_until is None:
        return None
    until = min(now + length, assignment.claimed_at + MOST_LEASES * length)
    if until <= assignment.lease_until and not assignment.warm:
        return assignment.lease_until
    changed = _RENEW.run(
        pk=assignment.pk, fence=assignment.fence, until=max(until, assignment.lease_until)
    )
    return until if changed else None


@transaction.atomic
def hand_back(
    *,
    assignment: Assignment,
    rater: Rater,
    now: datetime,
    reason: str = "",
    skip: bool = False,
) -> None:
    """Give a seat back. Skipped (with a reason), its item is not offered to this person again.

    Raises:
        ReasonMissing: it is to be skipped, and nobody says why.
        SeatNotYours: the seat is not, or no longer, held by this person.
    """
    if skip and not reason.strip():
        message = _("Say why you skip this question, or just give it back.")
        raise ReasonMissing(message, fields={"reason": [message]})
    kind = ClaimEvent.Kind.DECLINED if skip else ClaimEvent.Kind.HANDED_BACK
    mine = assignment.rater_id == rater.pk
    if not mine or not vacate(assignment=assignment, kind=kind, now=now, reason=reason.strip()):
        raise SeatNotYours(
            _("You do not hold this question any more; nothing had to be handed back.")
        )


_EMPTY = {
    "state": Assignment.State.FREE,
    "rater": None,
    "token": None,
    "lease_until": None,
    "claimed_at": None,
    "submitted_at": None,
    "warm": False,
    "rev": 0,
}
_STANDS = {"state": Assignment.State.SUBMITTED, "lease_until": None, "warm": False}


def expire(now: datetime, *, round_: Round | None = None, limit: int = 500) -> int:
    """Free the seats (of a round) whose lease is over; return how many. Called by the sweeper."""
    over = Assignment.objects.filter(state=Assignment.State.CLAIMED, lease_until__lt=now)
    if round_ is not None:
        over = over.filter(round=round_)
    freed = 0
    for seat in over.select_related("rater").order_by("lease_until")[:limit]:
        with transaction.atomic():
            if seat.submitted_at is not None:
                freed += vacate(assignment=seat, kind=ClaimEvent.Kind.EXPIRED, now=now)
                continue
            if not lapse(seat, now):
                continue
            count = Assignment.objects.filter(
                pk=seat.pk, fence=seat.fence, state=Assignment.State.CLAIMED, lease_until__lt=now
            ).update(**_EMPTY, fence=F("fence") + 1)
            if count:
                freed += 1
            else:
                transaction.set_rollback(True)
    return freed


def vacate(
    *, assignment: Assignment, kind: ClaimEvent.Kind, now: datetime, reason: str = ""
) -> bool:
    """Free a seat that is held, whoever holds it, and keep what had been drafted; return whether it was held.

    One that was reopened after its grades were submitted is submitted again: those grades stand.
    """
    holder = assignment.rater
    after: Mapping[str, Any] = _EMPTY if assignment.submitted_at is None else _STANDS
    freed = Assignment.objects.filter(
        pk=assignment.pk, state=Assignment.State.CLAIMED, fence=assignment.fence
    ).update(**after, fence=F("fence") + 1)
    if not freed or holder is None:
        return False
    note(
        assignment.pk,
        holder,
        kind,
        assignment.claim_no,
        assignment.token or "",
        now,
        reason=reason,
        kept=_keep_draft(assignment),
    )
    return True


class CannotMove(errors.Conflict): ...


class DeadlinePassed(errors.Invalid): ...


class SeatsHeld(errors.Conflict): ...


@transaction.atomic
def pause(*, round_: Round, by: User, now: datetime) -> None:
    """Hand out no more seats until the round goes on; who holds one may finish it.

    Raises:
        CannotMove: the round is not open, or pauses already.
    """
    paused = Round.objects.filter(
        pk=round_.pk, state=Round.State.OPEN, paused_at__isnull=True
    ).update(paused_at=now)
    _moved(paused, _("Only an open round can pause."))
    _record(round_, "round.paused", by, now)


@transaction.atomic
def resume(*, round_: Round, by: User, now: datetime) -> None:
    """Hand out seats again.

    Raises:
        CannotMove: the round does not pause.
    """
    resumed = Round.objects.filter(
        pk=round_.pk, state=Round.State.OPEN, paused_at__isnull=False
    ).update(paused_at=None)
    _moved(resumed, _("This round does not pause."))
    _record(round_, "round.resumed", by, now)


@transaction.atomic
def prolong(*, round_: Round, deadline: datetime | None, by: User, now: datetime) -> None:
    """Set another closing time of an open round, or none.

    Raises:
        CannotMove: the round is not open.
        DeadlinePassed: that time is over already.
    """
    if deadline is not None and deadline <= now:
        message = _("That time has passed. Choose a later one, or close the round.")
        raise DeadlinePassed(message, fields={"deadline": [message]})
    moved = Round.objects.filter(pk=round_.pk, state=Round.State.OPEN).update(deadline=deadline)
    _moved(moved, _("Only an open round has a closing time that can be changed."))
    _record(round_, "round.prolonged", by, now)


@transaction.atomic
def withdraw_opening(*, round_: Round, by: User, now: datetime) -> None:
    """Make a round that is stuck while being opened a draft again; what was set out goes.

    Raises:
        CannotMove: the round is not being opened.
    """
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if locked.state != Round.State.DRAFT or locked.opening_at is None:
        raise CannotMove(_("This round is not being opened."))
    Assignment.objects.filter(round=locked).delete()
    locked.systems.update(ordinal=None)
    Round.objects.filter(pk=locked.pk).update(opening_at=None)
    _record(round_, "round.opening_withdrawn", by, now)


@transaction.atomic
def close(*, round_: Round, by: User, now: datetime, reason: str = "") -> None:
    """Open to review: no new claims, results can be read.

    Raises:
        CannotMove: the round is not open.
    """
    moved = Round.objects.filter(pk=round_.pk, state=Round.State.OPEN).update(
        state=Round.State.REVIEW, review_at=now, paused_at=None
    )
    _moved(moved, _("Only an open round can be closed for review."))
    repeating.drop_rest(round_=round_, now=now)
    _record(round_, "round.closed", by, now, note=reason)


@transaction.atomic
def finish(*, round_: Round, by: User, now: datetime) -> None:
    """Review to final: from here on only adjudications and invalidations, as numbered revisions.

    Raises:
        CannotMove: the round is not in review.
        SeatsHeld: somebody is still grading.
    """
    while expire(now, round_=round_):
        pass  # nobody holds anything in a final round
    # (After the seats, as whoever submits: first the seat, then the round.)
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if not rounds.may_move(rounds.RoundState(locked.state), rounds.RoundState.FINAL):
        raise CannotMove(_("Close the round for review first."))
    claimed = Assignment.objects.filter(round=locked, state=Assignment.State.CLAIMED)
    held = claimed.filter(warm=False).count()
    if held:
        raise SeatsHeld(
            ngettext(
                "%(n)s seat is still held by an annotator. Wait until they have finished or their "
                "time is up, or hand the seat back.",
                "%(n)s seats are still held by annotators. Wait until they have finished or their "
                "time is up, or hand the seats back.",
                held,
            )
            % {"n": held}
        )
    Round.objects.filter(pk=locked.pk).update(state=Round.State.FINAL, final_at=now, revision=1)
    _record(round_, "round.finished", by, now)


def _moved(count: int, why_not: str) -> None:
    if not count:
        raise CannotMove(why_not)


def _record(round_: Round, verb: str, by: User, now: datetime, note: str = "") -> None:
    round_.refresh_from_db()
    audit.done(round_, verb, by, now, note=note)
