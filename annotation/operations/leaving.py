"""Somebody stops: out of the open rounds of a project, or out of the product for good."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import (
    Assignment,
    ClaimEvent,
    FirstSteps,
    KeptAnswer,
    Membership,
    PasswordLink,
    Person,
    PersonalToken,
    Project,
    Rater,
    Role,
    Round,
    RoundAnnotator,
    User,
)
from annotation.operations import audit, leases, passwords, rights
from annotation.queries import projects
from evalsite import errors

#: Rounds in which a seat can still go to somebody else.
RUNNING = (Round.State.DRAFT, Round.State.OPEN, Round.State.REVIEW)


class ReasonNeeded(errors.Invalid):
    code = "reason_needed"


class NothingToLeave(errors.Conflict):
    code = "nothing_to_leave"


class NotYours(errors.NotAllowed):
    code = "not_your_account"


class OwnsAlone(errors.Conflict):
    code = "owns_alone"


class NameDiffers(errors.Invalid):
    code = "name_differs"


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
        raise ReasonNeeded(message, fields={"reason": [message]})
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
        reason = _("They are no annotator of the project any more.")
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
        NotYours: somebody else made the account, or it is the person's own by now.
        NameDiffers: what was typed is not the user name.
        OwnsAlone: a project would be left without an owner.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    if by is not None and by.pk != user.pk and not projects.keeps_account(by=by, user=user):
        raise NotYours(projects.who_keeps())
    if name_typed.strip() != user.username:
        message = _("Type the user name exactly as it stands here: %(name)s.") % {
            "name": user.username
        }
        raise NameDiffers(message, fields={"name": [message]})
    _check_owners(user)
    for rater in Rater.objects.filter(user=user).select_related("project").order_by("pk"):
        _leave(rater.project, rater, now, _("The person was erased."))
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
