"""What a curator does with single seats: take one back from its holder, add one to an item."""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext as _

from annotation.models import Assignment, ClaimEvent, Draft, Round, RoundItem, Slot, User
from annotation.operations import audit, leases
from annotation.operations.rounds import drafting, drawing
from annotation.queries import faces_stored
from annotation.rules import identity, orders, rounds
from evalsite import errors

#: So long somebody may take to look again at grades of theirs.
TO_LOOK_AGAIN = timedelta(days=7)


class NotHeld(errors.Conflict):
    code = "not_held"


class NotNow(errors.Conflict):
    code = "not_now"


class ReasonNeeded(errors.Invalid):
    code = "reason_needed"


class NamesASystem(errors.Invalid):
    """The annotator would learn from the reason who is judged."""

    code = "names_a_system"


@transaction.atomic
def release(*, assignment: Assignment, by: User, reason: str, now: datetime) -> None:
    """Take a seat from whoever holds it; it is offered to the others. What was drafted is kept.

    Raises:
        ReasonNeeded: no reason is given.
        NotNow: the round is neither open nor in review.
        NotHeld: nobody holds the seat (any more).
    """
    # (no_key: whoever submits at this moment holds the seat and waits for the round's key.)
    round_ = Round.objects.select_for_update(no_key=True).get(pk=assignment.round_id)
    _check_reason(reason)
    if not rounds.allows(rounds.State(round_.state), rounds.Act.HAND_BACK):
        raise NotNow(_("Seats can be handed back only while a round is open or in review."))
    holder = assignment.rater
    freed = leases.vacate(
        assignment=assignment, kind=ClaimEvent.Kind.REASSIGNED, reason=reason.strip(), now=now
    )
    if not freed or holder is None:
        raise NotHeld(_("Nobody holds this seat any more. Nothing had to be handed back."))
    audit.record(
        project=round_.project,
        actor=by,
        verb="seat.released",
        subject=drafting.subject(round_),
        at=now,
        note=reason.strip(),
        seat=assignment.ordinal,
        holder=str(holder.public_id),
    )


@transaction.atomic
def reopen(*, assignment: Assignment, by: User, reason: str, now: datetime) -> None:
    """Hand a submitted seat back to its own annotator, who may change its grades once more.

    What was given counts until something else is submitted in its place. After `TO_LOOK_AGAIN`
    without that, the seat is submitted as it was.

    Raises:
        ReasonNeeded: no reason is given.
        NamesASystem: the reason, which the annotator reads, holds the name of a system or its maker.
        NotNow: the round is neither open nor in review, or the annotator has left it.
        NotHeld: the seat is not submitted (any more).
    """
    round_ = Round.objects.select_for_update(no_key=True).get(pk=assignment.round_id)
    _check_reason(reason)
    if not rounds.allows(rounds.State(round_.state), rounds.Act.HAND_BACK):
        raise NotNow(_("Seats can be handed back only while a round is open or in review."))
    check_names(round_, reason)
    if round_.annotators.filter(rater=assignment.rater_id, ended_at__isnull=False).exists():
        raise NotNow(_("This annotator has left the round. Let somebody else grade it once more."))
    moved = Assignment.objects.filter(
        pk=assignment.pk, state=Assignment.State.SUBMITTED, fence=assignment.fence
    ).update(
        state=Assignment.State.CLAIMED,
        claimed_at=now,
        lease_until=now + TO_LOOK_AGAIN,
        fence=F("fence") + 1,
    )
    if not moved or assignment.rater is None:
        raise NotHeld(_("These grades are not submitted any more. Load the page again."))
    # What was given stands on the page as a draft, to be changed where it is wrong.
    given = faces_stored.given([assignment])[assignment.pk].table()
    Draft.objects.update_or_create(
        assignment=assignment,
        defaults={"rater": assignment.rater, "rev": 1, "marks": given, "saved_at": now},
    )
    kind = ClaimEvent.Kind.REOPENED
    token = assignment.token or ""
    leases.note(
        assignment.pk, assignment.rater, kind, assignment.claim_no, token, now, reason=reason
    )
    audit.record(
        project=round_.project,
        actor=by,
        verb="seat.reopened",
        subject=drafting.subject(round_),
        at=now,
        note=reason.strip(),
        seat=assignment.ordinal,
        holder=str(assignment.rater.public_id),
    )


@transaction.atomic
def add_seat(*, round_item: RoundItem, by: User, reason: str, now: datetime) -> Assignment:
    """Add one seat to an item of a round in review, in an order its other seats have not had.

    Raises:
        ReasonNeeded: no reason is given.
        NotNow: the round is not in review.
    """
    round_ = Round.objects.select_for_update().get(pk=round_item.round_id)
    _check_reason(reason)
    if not rounds.allows(rounds.State(round_.state), rounds.Act.ADD_SEAT):
        raise NotNow(_("A seat can be added only while the round is in review."))
    if round_item.occasion > 1:
        raise NotNow(
            _("A repeat is for those who graded the item before. Add a seat to the item itself.")
        )
    seats = Assignment.objects.filter(round=round_)
    top = seats.aggregate(ordinal=Max("ordinal"))["ordinal"]
    ordinal = 0 if top is None else top + 1
    seat = (seats.filter(round_item=round_item).aggregate(top=Max("seat"))["top"] or 0) + 1
    responses = _responses(round_item)
    deal = orders.deal_more(
        list(responses), _dealt(round_item, responses), seed=round_.seed, seat=ordinal
    )
    made = Assignment.objects.create(
        round=round_,
        round_item=round_item,
        seat=seat,
        ordinal=ordinal,
        order_version=deal.version,
        order_row=deal.row,
    )
    Slot.objects.bulk_create(
        Slot(assignment=made, position=position, round_response_id=responses[release])
        for position, release in enumerate(deal.order)
    )
    audit.record(
        project=round_.project,
        actor=by,
        verb="seat.added",
        subject=drafting.subject(round_),
        at=now,
        note=reason.strip(),
        item=round_item.ordinal,
        seat=ordinal,
    )
    return made


def _check_reason(reason: str) -> None:
    if not reason.strip():
        message = _("Write down why; it is kept with the seat.")
        raise ReasonNeeded(message, fields={"reason": [message]})


def check_names(round_: Round, reason: str) -> None:
    if hits := identity.scan(reason, drawing.lexicon(round_)):
        names = ", ".join(sorted({reason[hit.start : hit.end] for hit in hits}))
        message = _(
            "The annotator reads this and must not learn who is judged. Write it without: %(names)s."
        ) % {"names": names}
        raise NamesASystem(message, fields={"reason": [message]})


def _responses(of: RoundItem) -> dict[int, int]:
    """Return the item's responses by the seeded ordinal of their release."""
    places = dict(of.round.systems.values_list("release_id", "ordinal"))
    rows = of.responses.values_list("release_id", "pk")
    return {places[release] or 0: pk for release, pk in rows}


def _dealt(of: RoundItem, responses: dict[int, int]) -> list[list[int]]:
    """Return the orders of the item's seats so far."""
    releases = {pk: release for release, pk in responses.items()}
    rows = Slot.objects.filter(assignment__round_item=of).order_by(
        "assignment__ordinal", "position"
    )
    dealt: dict[int, list[int]] = {}
    for seat, response in rows.values_list("assignment_id", "round_response_id"):
        dealt.setdefault(seat, []).append(releases[response])
    return list(dealt.values())
