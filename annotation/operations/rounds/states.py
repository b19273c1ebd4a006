"""Move a round on: pause, resume, close for review, finish."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Assignment, Round, User
from annotation.operations import audit, leases
from annotation.operations.rounds import drafting, repeating
from annotation.rules import rounds
from evalsite import errors


class CannotMove(errors.Conflict):
    code = "cannot_move"


class DeadlinePassed(errors.Invalid):
    code = "deadline_passed"


class SeatsHeld(errors.Conflict):
    code = "seats_held"


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
        message = _("That time has passed already. Choose a later one, or close the round.")
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
    while leases.expire(now, round_=round_):
        pass  # nobody holds anything in a final round
    # (After the seats, as whoever submits: first the seat, then the round.)
    locked = Round.objects.select_for_update().get(pk=round_.pk)
    if not rounds.may_move(rounds.State(locked.state), rounds.State.FINAL):
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
    audit.record(
        project=round_.project,
        actor=by,
        verb=verb,
        subject=drafting.subject(round_),
        at=now,
        note=note,
    )
