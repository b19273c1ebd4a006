"""Keep what somebody has entered before they submit it: every change, acknowledged once stored."""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from annotation.models import Assignment, ClaimEvent, Draft, Rater, Receipt
from annotation.operations import grading, leases
from annotation.rules import digests, entries, rounds
from annotation.rules.entries import Patch
from evalsite import errors, prepared


class LeaseLost(errors.Conflict):
    """The seat went to somebody else; what was entered stays with the person."""

    code = "lease_lost"
    status = 410


class Withdrawn(LeaseLost):
    """A curator took the seat back while its page was open."""

    code = "withdrawn"


class NewerDraft(errors.Conflict):
    """Another tab or device has saved since; `entries` and `rev` are what is stored."""

    code = "newer_draft"

    def __init__(self, message: str, *, stored: Mapping[str, str], rev: int) -> None:
        super().__init__(message)
        self.stored = dict(stored)
        self.rev = rev


class RequestReused(errors.Conflict):
    code = "request_reused"


class Unfit(errors.Invalid):
    code = "unfit"


@transaction.atomic
def save_draft(
    *,
    token: str,
    rater: Rater,
    patch: Patch,
    base_rev: int,
    op_id: UUID,
    reasons: Collection[str],
    now: datetime,
) -> Receipt:
    """Change the draft of a held seat and renew its lease; return the receipt with its digest.

    A request that comes twice gets the first receipt. `reasons` are those for which a response can
    be left without a grade.

    Raises:
        NewerDraft: the draft has moved on since `base_rev`.
        LeaseLost: the seat is somebody else's, or was submitted.
        Withdrawn: a curator took it back.
        RequestReused: `op_id` was that of another request.
        Unfit: the patch holds what cannot be entered here.
        grading.Discarded: the round was discarded.
        grading.NotYours: the token is none of this person's.
    """
    user = rater.user
    assert user is not None
    holding = grading.held(token=token, rater=rater, lock=True)
    seat = holding.assignment
    if receipt := grading.receipt_of(user, op_id):
        if (receipt.assignment_id, receipt.kind) != (seat.pk, "draft"):
            raise RequestReused(_("This request was used for something else. Load the page again."))
        return receipt
    _check_held(seat, token, lost=holding.lost)
    try:
        entries.check(patch, grading.desk_of(seat, reasons))
    except entries.Unfit as problem:
        raise Unfit(_(str(problem)), fields={problem.place: [_(str(problem))]}) from problem
    draft = _changed(seat, rater, patch, base_rev, now)
    leases.extend(assignment=seat, now=now)
    return grading.issue(
        Receipt(
            user=user,
            op_id=op_id,
            assignment=seat,
            kind="draft",
            rev=draft.rev,
            digest=digests.grades_digest(entries.values(draft.marks)),
            at=now,
        )
    )


def _check_held(seat: Assignment, token: str, *, lost: bool) -> None:
    if lost or seat.state != Assignment.State.CLAIMED:
        if seat.events.filter(token=token, kind=ClaimEvent.Kind.REASSIGNED).exists():
            raise Withdrawn(
                _("A curator has taken this question back. What you entered stays on this page.")
            )
        raise LeaseLost(
            _(
                "Your time for this question has run out. What you entered stays on this page; "
                "submit it, and it counts unless somebody has taken over."
            )
        )
    if not rounds.allows(rounds.State(seat.round.state), rounds.Act.SUBMIT):
        raise grading.Locked(_("This round is final and takes no grades any more."))


_DRAFT = prepared.Query(
    lambda seat: Draft.objects.select_for_update().filter(assignment=seat), seat=int
)
_DRAFTS = prepared.Insert(Draft)
_CHANGE = prepared.Update(
    lambda pk, marks, rev, saved_at: (
        Draft.objects.filter(pk=pk, rev=rev),
        {"marks": marks, "rev": F("rev") + 1, "saved_at": saved_at},
    ),
    pk=int,
    marks=dict,
    rev=int,
    saved_at=datetime,
)


def _changed(seat: Assignment, rater: Rater, patch: Patch, base_rev: int, now: datetime) -> Draft:
    # The seat is locked, so nobody else can begin its draft meanwhile.
    draft = _DRAFT.first(seat=seat.pk) or _DRAFTS.add(
        Draft(assignment=seat, rater=rater, saved_at=now)
    )
    if draft.rev != base_rev:
        raise NewerDraft(
            _("There is a newer draft of this question, from another tab or device."),
            stored=draft.marks,
            rev=draft.rev,
        )
    draft.marks = entries.patched(draft.marks, patch)
    draft.rev += 1
    draft.saved_at = now
    _CHANGE.run(pk=draft.pk, marks=draft.marks, rev=base_rev, saved_at=now)
    return draft
