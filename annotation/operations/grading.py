"""Record grades: nothing half, nothing twice, nothing lost."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    ClaimEvent,
    Criterion,
    Draft,
    Rater,
    Receipt,
    Round,
    Slot,
    User,
)
from annotation.operations import audit, revisions
from annotation.queries import discarded, repeats
from annotation.rules import digests, entries, rounds, tokens
from evalsite import errors, prepared


class StaleTab(errors.Conflict):
    code = "stale_tab"


class Incomplete(errors.Invalid):
    code = "incomplete"


class OffScale(errors.Invalid):
    code = "off_scale"


class Locked(errors.Conflict):
    code = "locked"


class Discarded(Locked):
    """By the code of `Locked`: the desk keeps what was entered and takes nothing more."""


class NotYours(errors.Conflict):
    code = "seat_not_yours"


@dataclass(frozen=True)
class Mark:
    """One mark as it was entered: a value, or the reason why there is none."""

    letter: str
    criterion: str
    value: Decimal | None = None
    cannot: str = ""


@dataclass(frozen=True)
class Holding:
    """A seat as somebody addresses it: held (or submitted) by them, or `lost` to somebody else."""

    assignment: Assignment
    token: str
    lost: bool


def _claimed(token: str) -> QuerySet[Assignment]:
    """Return the seat that was once claimed under this token, and by whom.

    What is large is left to who needs it. The rater is compared by `find`: as a condition here,
    SQLite would look through all that this person has ever claimed.
    """
    seats = Assignment.objects.filter(events__token=token, events__kind=ClaimEvent.Kind.CLAIMED)
    return (
        seats.annotate(claimant=F("events__rater_id"))
        .select_related("round__project", "round_item__rubric_version")
        .defer("round__manifest")
    )


_FOUND = prepared.Query(_claimed, token=str)
_LOCKED = prepared.Query(
    lambda token: (
        _claimed(token)
        .defer("round__manifest", "round_item__face", "round_item__rubric_version__principle")
        .select_for_update(of=("self",))
    ),
    token=str,
)
_SLOTS = prepared.Query(
    lambda seat: (
        Slot.objects.filter(assignment=seat).select_related("round_response").order_by("position")
    ),
    seat=int,
)
_POSITIONS = prepared.Query(
    lambda seat: (
        Slot.objects.filter(assignment=seat).order_by("position").values_list("position", flat=True)
    ),
    seat=int,
)
_CRITERIA = prepared.Query(
    lambda version: Criterion.objects.filter(rubric_version=version), version=int
)
_RECEIPT = prepared.Query(
    lambda user, op_id: Receipt.objects.filter(user=user, op_id=op_id), user=int, op_id=UUID
)
_ROUND_NOW = prepared.Query(
    lambda pk: Round.everything.only("state", "discarded_at").filter(pk=pk), pk=int
)
_RECEIPTS = prepared.Insert(Receipt)
_DRAFT_GONE = prepared.Delete(lambda seat: Draft.objects.filter(assignment=seat), seat=int)


def receipt_of(user: User, op_id: UUID) -> Receipt | None:
    """Return the answer that a request got, if it came before."""
    return _RECEIPT.first(user=user.pk, op_id=op_id)


def issue(receipt: Receipt) -> Receipt:
    return _RECEIPTS.add(receipt)


def find(*, token: str, rater: Rater, lock: bool = False) -> Holding | None:
    """Return the seat behind a token that was given to this person, whatever became of it."""
    for seat in (_LOCKED if lock else _FOUND).all(token=token):
        if seat.claimant == rater.pk:  # type: ignore[attr-defined]
            lost = seat.token != token or seat.rater_id != rater.pk
            return Holding(seat, token, lost=lost)
    return None


def held(*, token: str, rater: Rater, lock: bool = False) -> Holding:
    """Return what `find` does, or say why there is nothing (any more)."""
    found = find(token=token, rater=rater, lock=lock)
    if found is None or found.assignment.round.discarded_at is not None:
        raise _gone(token, rater)
    return found


def _gone(token: str, rater: Rater) -> errors.Refusal:
    why = discarded.why(token, rater)
    if why is not None:
        return Discarded(_("This round was discarded: %(why)s") % {"why": why})
    return NotYours(_("This question was not given to you."))


@transaction.atomic
def submit_grades(
    *,
    token: str,
    rater: Rater,
    marks: Sequence[Mark],
    comments: Mapping[str, str],
    base_rev: int,
    op_id: UUID,
    now: datetime,
    evidence: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    flag: str | None = None,
    active_ms: int | None = None,
    view: str = "",
) -> Receipt:
    """Record one revision of a seat's grades and hand out its receipt.

    A request that comes twice gets the first receipt. Grades for a seat that was given away are
    stored as late and count nowhere.

    Args:
        token: the address of the seat.
        rater: who grades.
        marks: one for every response × criterion.
        comments: by letter.
        base_rev: the revision the page was drawn from.
        op_id: the request's own id.
        now: the clock.
        evidence: marked places of the display's text by letter; None leaves them as they are.
        flag: what is wrong with the question; None leaves it as it is.
        active_ms: time spent, as the page measured it.
        view: the layout that was used.

    Raises:
        StaleTab: the seat has moved on since this page was drawn.
        Incomplete: a response lacks a grade.
        OffScale: a value that the criterion does not have.
        Locked: the round takes no grades any more, or was discarded.
        NotYours: the token is none of this person's.
    """
    user = rater.user
    assert user is not None
    holding = held(token=token, rater=rater, lock=True)
    seat = holding.assignment
    slots = {tokens.letter(slot.position): slot for slot in _SLOTS.all(seat=seat.pk)}
    version = seat.round_item.rubric_version_id
    criteria = {one.key: one for one in _CRITERIA.all(version=version)}
    if receipt := receipt_of(user, op_id):
        return _repeated(receipt, seat, check(marks, slots, criteria))
    _check_open(seat.round)
    given = check(marks, slots, criteria)
    late = holding.lost and not _take_back(holding, rater, now)
    rev = max(0, base_rev) if late else _next_rev(seat, rater, base_rev, now, active_ms)
    work = revisions.Work(seat, rater, slots, criteria, late, now, active_ms, view)
    revisions.write_grades(work, given)
    revisions.write_remarks(work, comments, evidence or {}, flag)
    if not late:
        _DRAFT_GONE.run(seat=seat.pk)
    # The rows just written hold the round's key, so from here on it cannot become final.
    again = _ROUND_NOW.first(pk=seat.round_id)
    if again is None or again.discarded_at is not None:
        raise _gone(token, rater)
    _check_open(again)
    receipt = issue(
        Receipt(
            user=user,
            op_id=op_id,
            assignment=seat,
            kind="submit",
            rev=rev,
            digest=digest(given),
            late=late,
            at=now,
        )
    )
    _record(receipt, seat)
    return receipt


def _record(receipt: Receipt, seat: Assignment) -> None:
    audit.record(
        project=seat.round.project,
        actor=receipt.user,
        verb="grades.submitted",
        subject=f"round:{seat.round.number}",
        at=receipt.at,
        seat=seat.ordinal,
        rev=receipt.rev,
        digest=receipt.digest,
        late=receipt.late,
    )


def digest(marks: Iterable[Mark]) -> str:
    """Return the digest of the values, as the page computes it too."""
    return digests.grades_digest(
        (mark.letter, mark.criterion, mark.value) for mark in marks if mark.value is not None
    )


def _repeated(receipt: Receipt, seat: Assignment, given: Sequence[Mark]) -> Receipt:
    """Return the receipt of a request that came before, if this is the same request."""
    if receipt.assignment_id != seat.pk or receipt.digest != digest(given):
        raise StaleTab(
            _(
                "This page was sent before with other grades, and those were saved. "
                "Yours are kept on this page: load it anew in another tab and look at both."
            )
        )
    return receipt


def _check_open(round_: Round) -> None:
    if not rounds.allows(rounds.State(round_.state), rounds.Act.SUBMIT):
        raise Locked(_("This round is final and takes no grades any more. Nothing was changed."))


def desk_of(seat: Assignment, reasons: Collection[str]) -> entries.Desk:
    """Return what can be entered on the page of a seat."""
    criteria = _CRITERIA.all(version=seat.round_item.rubric_version_id)
    return entries.Desk(
        letters=[tokens.letter(place) for place in _POSITIONS.all(seat=seat.pk)],
        criteria={one.key: one.scale for one in criteria},
        reasons=reasons,
    )


def check(
    marks: Sequence[Mark], letters: Iterable[str], criteria: Mapping[str, Criterion]
) -> list[Mark]:
    """Return the marks in their plain form, one for every response × criterion.

    Raises:
        Incomplete: some are missing; `fields` says which.
        OffScale: some do not fit; `fields` says which and why.
    """
    given: dict[tuple[str, str], Mark] = {}
    wrong: dict[str, list[str]] = {}
    known = {(letter, key) for letter in letters for key in criteria}
    for mark in marks:
        place = (mark.letter, mark.criterion)
        name = f"{mark.letter}.{mark.criterion}"
        if place not in known or place in given:
            wrong[name] = [_("There is no such mark on this page. Load it again.")]
            continue
        try:
            given[place] = _plain(mark, criteria[mark.criterion])
        except ValueError as problem:
            wrong[name] = [str(problem)]
    if wrong:
        raise OffScale(_("Some grades do not fit their scale."), fields=wrong)
    if missing := sorted(known - given.keys()):
        raise Incomplete(
            _("Not graded yet: %(what)s.") % {"what": ", ".join(sorted({m[0] for m in missing}))},
            fields={
                f"{a}.{b}": [_("Choose a grade, or say why it cannot be graded.")]
                for a, b in missing
            },
        )
    return [given[place] for place in sorted(given)]


def _plain(mark: Mark, criterion: Criterion) -> Mark:
    if mark.value is None:
        if not mark.cannot.strip():
            raise ValueError(_("Choose a grade, or say why it cannot be graded."))
        return mark
    return Mark(mark.letter, mark.criterion, criterion.scale.check(mark.value))


def _take_back(holding: Holding, rater: Rater, now: datetime) -> bool:
    """Take a seat that ran out but was given to nobody back for the one who still grades it."""
    seat = holding.assignment
    if seat.state != Assignment.State.FREE:
        return False
    last = seat.events.filter(kind=ClaimEvent.Kind.CLAIMED).order_by("-claim_no").first()
    kinds = ClaimEvent.Kind
    ends = [kinds.DECLINED, kinds.HANDED_BACK, kinds.REASSIGNED]
    ended = seat.events.filter(token=holding.token, kind__in=ends)
    if last is None or last.token != holding.token or ended.exists():
        return False
    try:
        with transaction.atomic():
            taken = Assignment.objects.filter(
                pk=seat.pk, fence=seat.fence, state=Assignment.State.FREE
            ).update(
                state=Assignment.State.CLAIMED,
                rater=rater,
                token=holding.token,
                claimed_at=now,
                lease_until=now,
                fence=F("fence") + 1,
            )
    except IntegrityError:
        return False
    seat.refresh_from_db()
    return bool(taken)


_MOVE_ON = prepared.Update(
    lambda pk, rater, rev, fence, submitted_at, active_ms: (
        Assignment.objects.filter(pk=pk, rater=rater, rev=rev, fence=fence),
        {
            "rev": F("rev") + 1,
            "active_ms": F("active_ms") + active_ms,
            "state": Assignment.State.SUBMITTED,
            "submitted_at": submitted_at,
            "lease_until": None,
            "warm": False,
        },
    ),
    pk=int,
    rater=int,
    rev=int,
    fence=int,
    submitted_at=datetime,
    active_ms=int,
)


def _next_rev(
    seat: Assignment, rater: Rater, base_rev: int, now: datetime, active_ms: int | None
) -> int:
    """Move the seat on by one revision, if it is still where the page saw it."""
    again = seat.state == Assignment.State.SUBMITTED
    if again and seat.round.state != Round.State.OPEN:
        raise Locked(_("This round is closed; grades that were submitted cannot be changed here."))
    if again and repeats.met_again([seat]):
        raise Locked(_("These grades count as they are and cannot be changed any more."))
    moved = _MOVE_ON.run(
        pk=seat.pk,
        rater=rater.pk,
        rev=base_rev,
        fence=seat.fence,
        submitted_at=seat.submitted_at or now,
        active_ms=revisions.in_bounds(active_ms) or 0,
    )
    if not moved:
        raise StaleTab(
            _(
                "These grades were changed in another tab or on another device. "
                "Yours are kept on this page: look at both, then submit again."
            )
        )
    return base_rev + 1
