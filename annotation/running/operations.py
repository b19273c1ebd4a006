"""What a curator does with single seats: take one back from its holder, add one to an item.

* Answer what annotators have asked about a question.
* Somebody stops: out of the open rounds of a project, or out of the product for good.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import F, Max
from django.utils.translation import gettext_noop

from annotation.common import identity
from annotation.common import texts as display
from annotation.common.sentences import gettext as _
from annotation.grading.models import FlagAnswer, Remark
from annotation.home.models import FirstSteps
from annotation.people import access as passwords
from annotation.people import audit, operations, rights
from annotation.people import queries as projects
from annotation.people.models import (
    KeptAnswer,
    Membership,
    PasswordLink,
    Person,
    PersonalToken,
    Project,
    Rater,
    Role,
    User,
)
from annotation.rounds import drawing, orders
from annotation.rounds import rules as rounds
from annotation.rounds import states as leases
from annotation.rounds.models import (
    Assignment,
    ClaimEvent,
    Draft,
    Round,
    RoundAnnotator,
    RoundItem,
    Slot,
)
from annotation.running import queries as faces_stored
from evalsite import errors

#: So long somebody may take to look again at grades of theirs.
TO_LOOK_AGAIN = timedelta(days=7)


class NotHeld(errors.Conflict): ...


class TextNamesSystem(errors.Invalid):
    """Annotators would learn from what is written who is judged."""

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
    if not rounds.allows(rounds.RoundState(round_.state), rounds.RoundAct.HAND_BACK):
        raise errors.NotNow(_("Seats can be handed back only while a round is open or in review."))
    holder = assignment.rater
    freed = leases.vacate(
        assignment=assignment, kind=ClaimEvent.Kind.REASSIGNED, reason=reason.strip(), now=now
    )
    if not freed or holder is None:
        raise NotHeld(_("Nobody holds this seat any more. Nothing had to be handed back."))
    audit.done(
        round_,
        "seat.released",
        by,
        now,
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
        TextNamesSystem: the reason, which the annotator reads, holds the name of a system or its maker.
        NotNow: the round is neither open nor in review, or the annotator has left it.
        NotHeld: the seat is not submitted (any more).
    """
    round_ = Round.objects.select_for_update(no_key=True).get(pk=assignment.round_id)
    _check_reason(reason)
    if not rounds.allows(rounds.RoundState(round_.state), rounds.RoundAct.HAND_BACK):
        raise errors.NotNow(_("Seats can be handed back only while a round is open or in review."))
    check_names(round_, reason)
    if round_.annotators.filter(rater=assignment.rater_id, ended_at__isnull=False).exists():
        raise errors.NotNow(
            _("This annotator has left the round. Let somebody else grade it once more.")
        )
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
    audit.done(
        round_,
        "seat.reopened",
        by,
        now,
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
    if not rounds.allows(rounds.RoundState(round_.state), rounds.RoundAct.ADD_SEAT):
        raise errors.NotNow(_("A seat can be added only while the round is in review."))
    if round_item.occasion > 1:
        raise errors.NotNow(
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
    audit.done(
        round_, "seat.added", by, now, note=reason.strip(), item=round_item.ordinal, seat=ordinal
    )
    return made


def _check_reason(reason: str) -> None:
    if not reason.strip():
        message = _("Write down why; it is kept with the seat.")
        raise errors.ReasonNeeded(message, fields={"reason": [message]})


def check_names(round_: Round, reason: str) -> None:
    if hits := identity.scan(reason, drawing.lexicon(round_)):
        names = ", ".join(sorted({reason[hit.start : hit.end] for hit in hits}))
        message = _(
            "The annotator reads this and must not learn who is judged. Write it without: %(names)s."
        ) % {"names": names}
        raise TextNamesSystem(message, fields={"reason": [message]})


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


LONGEST = 1000


class AnswerMissing(errors.Invalid): ...


class NobodyReads(errors.Conflict): ...


@transaction.atomic
def write(*, round_: Round, rater: Rater, text: str, now: datetime) -> Remark:
    """Say something about a round as a whole; it is answered as a flag is. Sent twice, it is kept once.

    Raises:
        AnswerMissing: nothing is said, or too much.
        NobodyReads: the round is final.
    """
    said = _checked(text)
    if round_.state == Round.State.FINAL:
        raise NobodyReads(_("This round is final: nobody reads messages about it any more."))
    again = Remark.objects.awaiting().filter(round=round_, rater=rater, text=said).first()
    return again or Remark.objects.create(
        round=round_, rater=rater, kind=Remark.Kind.FLAG, text=said, at=now
    )


def _checked(text: str) -> str:
    said = display.normalise(text).strip()
    if not 0 < len(said) <= LONGEST:
        message = _("Write a text of at most %(n)d signs.") % {"n": LONGEST}
        raise AnswerMissing(message, fields={"text": [message]})
    return said


@transaction.atomic
def answer(*, flag: Remark, round_: Round, text: str, by: User, now: datetime) -> FlagAnswer:
    """Answer a flag of a round; the person who asked reads it on their list and at the question.

    Raises:
        AnswerMissing: nothing is said, or too much.
        TextNamesSystem: the answer holds the name of a system or its maker.
    """
    said = _checked(text)
    if hits := identity.scan(said, drawing.lexicon(round_)):
        names = ", ".join(sorted({said[hit.start : hit.end] for hit in hits}))
        message = _(
            "Annotators must not learn who is judged. Write the answer without: %(names)s."
        ) % {"names": names}
        raise TextNamesSystem(message, fields={"text": [message]})
    made = FlagAnswer.objects.create(flag=flag, text=said, by=by, at=now)
    audit.done(round_, "flag.answered", by, now, note=said, flag=flag.pk)
    return made


#: Rounds in which a seat can still go to somebody else.
RUNNING = (Round.State.DRAFT, Round.State.OPEN, Round.State.REVIEW)


class NothingToLeave(errors.Conflict): ...


class OwnsAlone(errors.Conflict): ...


class NameDiffers(errors.Invalid): ...


@dataclass(frozen=True)
class Left:
    """What somebody left behind: rounds under way that go on without them, seats that others get.

    Drafts they were chosen for and questions that only waited to be shown to them are not counted.
    """

    n_rounds: int
    n_seats: int


@transaction.atomic
def leave_rounds(*, project: Project, rater: Rater, by: User, reason: str, now: datetime) -> Left:
    """End somebody's part in every round that is not final; what they hold goes to the others.

    What they have submitted stays and counts. What they had begun is kept in the history of the
    seat. A seat of theirs that was reopened is submitted as it was.

    Raises:
        ReasonNeeded: nobody says why.
        NothingToLeave: they are in no round that is not final.
    """
    if not reason.strip():
        message = _("Write down why; it is kept in the audit.")
        raise errors.ReasonNeeded(message, fields={"reason": [message]})
    left = end_places(project=project, rater=rater, by=by, reason=reason.strip(), now=now)
    if left is None:
        raise NothingToLeave(_("This person is in no round that is under way. Nothing changed."))
    return left


@transaction.atomic
def end_places(
    *, project: Project, rater: Rater, by: User | None, reason: str, now: datetime
) -> Left | None:
    """End somebody's part in every round that is not final; return None if they are in none."""
    left = _leave(project, rater, now, reason)
    if left is None:
        return None
    audit.record(
        project=project,
        actor=by,
        verb="annotator.left_rounds",
        subject=f"rater:{rater.public_id}",
        at=now,
        note=reason,
        rounds=left.n_rounds,
        seats=left.n_seats,
    )
    return left


def end_with_role(*, project: Project, user: User, by: User | None, now: datetime) -> None:
    """Give the seats of somebody who is no annotator any more to others."""
    rater = Rater.objects.filter(project=project, user=user).first()
    if rater is not None:
        reason = gettext_noop("No longer an annotator here.")
        end_places(project=project, rater=rater, by=by, reason=reason, now=now)


def _leave(project: Project, rater: Rater, now: datetime, reason: str) -> Left | None:
    places = RoundAnnotator.objects.filter(
        rater=rater, round__project=project, round__state__in=RUNNING, ended_at__isnull=True
    )
    rounds = list(places.order_by("round").values_list("round", flat=True))
    if not rounds:
        return None
    # (no_key: whoever submits at this moment holds the seat and waits for the round's key.)
    list(Round.objects.select_for_update(no_key=True).filter(pk__in=rounds).order_by("pk"))
    places.update(ended_at=now)
    held = Assignment.objects.held_by(rater).filter(round__in=rounds).select_related("rater")
    freed = [
        leases.vacate(assignment=seat, kind=ClaimEvent.Kind.REASSIGNED, reason=reason, now=now)
        and not seat.warm
        for seat in held
    ]
    under_way = Round.objects.filter(pk__in=rounds).exclude(state=Round.State.DRAFT)
    return Left(under_way.count(), sum(freed))


def erase_confirmed(
    *, user: User, name_typed: str, by: User, password: str, address: str, now: datetime
) -> None:
    """Erase oneself, or somebody whose account one keeps, after one's own password.

    Raises:
        people.WrongPassword, failed_tries.TooManyTries: the password is wrong.
        errors.Refusal: as `erase` says.
    """
    passwords.confirm(user=by, given=password, address=address, now=now, field="password")
    erase(user=user, name_typed=name_typed, by=by, now=now)


@transaction.atomic
def erase(*, user: User, name_typed: str, by: User | None, now: datetime) -> None:
    """Erase the person behind an account: name, address, user name, password, open sessions, tokens.

    The account stays as a pseudonym, so every grade, figure and event keeps its author and no
    result changes. All roles end, and what the person held goes to the others. There is no way back.

    Args:
        name_typed: the user name, typed by whoever does this, so that nobody is erased by a slip.
        by: the person, whoever keeps the account, or nobody: the command line of the server.

    Raises:
        NotYourAccount: somebody else made the account, or it is the person's own by now.
        NameDiffers: what was typed is not the user name.
        OwnsAlone: a project would be left without an owner.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if by is not None and by.pk != user.pk and not projects.keeps_account(by=by, user=user):
        raise operations.NotYourAccount(projects.who_keeps())
    if name_typed.strip() != user.username:
        message = _("Type the user name exactly as it stands here: %(name)s.") % {
            "name": user.username
        }
        raise NameDiffers(message, fields={"name": [message]})
    _check_owners(user)
    for rater in Rater.objects.filter(user=user).select_related("project").order_by("pk"):
        _leave(rater.project, rater, now, gettext_noop("Person erased."))
    for one in Membership.objects.active().filter(user=user).select_related("project"):
        one.ended_at = now
        one.save(update_fields=["ended_at"])
        audit.record(
            project=one.project,
            actor=by,
            verb="role.ended",
            subject=f"user:{user.public_id}",
            at=now,
            role=one.role,
        )
    rights.end_with_account(user=user, by=by, now=now)
    Person.objects.filter(user=user).delete()
    PasswordLink.objects.filter(user=user).delete()
    PersonalToken.objects.filter(user=user).delete()
    KeptAnswer.objects.filter(user=user).delete()
    FirstSteps.objects.filter(user=user).delete()
    user.username = f"erased-{user.public_id.hex[:12]}"
    user.is_active = False
    user.is_superuser = False
    user.set_unusable_password()
    user.last_login = None
    user.language = ""
    user.save()
    _end_sessions(user)
    audit.record(
        project=None, actor=by, verb="person.erased", subject=f"user:{user.public_id}", at=now
    )


def _check_owners(user: User) -> None:
    owned = Membership.objects.active().filter(role=Role.OWNER)
    mine = owned.filter(user=user).select_related("project")
    others = owned.exclude(user=user).values("project")
    alone = [one.project.name for one in mine.exclude(project__in=others)]
    if alone:
        raise OwnsAlone(
            _("A project needs an owner. Make somebody else an owner first, of: %(names)s.")
            % {"names": ", ".join(sorted(alone))}
        )


def _end_sessions(user: User) -> None:
    """End every session of an account; whose a session is stands in its content alone."""
    keys = [
        session.session_key
        for session in Session.objects.all()
        if session.get_decoded().get("_auth_user_id") == str(user.pk)
    ]
    Session.objects.filter(session_key__in=keys).delete()
