"""Where somebody is signed in: written down at every sign-in, and ended from the account's page.

* What ends with the right that it rests on: links, tokens, devices; seats by what others register.
"""

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime

from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest

from annotation.people import audit
from annotation.people import tokens as personal_tokens
from annotation.people.models import (
    Invitation,
    Membership,
    PasswordLink,
    PersonalToken,
    Project,
    Role,
    SignIn,
    User,
)
from annotation.sources.models import Appointment

LONGEST = 200


def note(request: HttpRequest, user: User, now: datetime) -> None:
    """Write down that this device is signed in; called at every sign-in and change of password."""
    if not request.session.session_key:
        request.session.save()
    SignIn.objects.update_or_create(
        session_key=request.session.session_key,
        defaults={
            "user": user,
            "agent": request.headers.get("User-Agent", "")[:LONGEST],
            "at": now,
        },
    )
    _forget_ended(user)


@transaction.atomic
def end(*, user: User, pk: int) -> bool:
    """Sign one device of somebody out; return whether there was one."""
    key = SignIn.objects.filter(user=user, pk=pk).values_list("session_key", flat=True).first()
    return key is not None and _end(user, [key]) > 0


@transaction.atomic
def end_others(*, user: User, but: str) -> int:
    """Sign every device of somebody out but the one with this session; return how many."""
    keys = SignIn.objects.filter(user=user).exclude(session_key=but)
    return _end(user, list(keys.values_list("session_key", flat=True)))


def _end(user: User, keys: list[str]) -> int:
    ended, _each = Session.objects.filter(session_key__in=keys).delete()
    SignIn.objects.filter(user=user, session_key__in=keys).delete()
    return ended


def _forget_ended(user: User) -> None:
    there = Session.objects.values("session_key")
    SignIn.objects.filter(user=user).exclude(session_key__in=there).delete()


#: Takes project, user, by and now.
Deed = Callable[..., object]
_deeds: dict[Role, dict[str, Deed]] = defaultdict(dict)


def register(role: Role, key: str, deed: Deed) -> None:
    """Let something happen whenever this role of somebody ends, in the same transaction."""
    _deeds[role][key] = deed


def end_with_role(
    *, project: Project, user: User, role: Role, by: User | None, now: datetime
) -> None:
    """Take back what somebody had made or got as the holder of a role that has just ended."""
    if role is Role.OWNER:
        _withdraw_invitations(user, by, now, project=project)
    if role is Role.DESIGNER:
        _end_appointments(project, user, by, now)
    if not Membership.objects.active().filter(project=project, user=user).exists():
        tokens = PersonalToken.objects.working(now).filter(user=user, project=project)
        for token in tokens:
            personal_tokens.end(token=token, by=by, now=now)
    for _key, deed in sorted(_deeds[role].items()):
        deed(project=project, user=user, by=by, now=now)


def end_with_password(*, user: User, by: User | None, now: datetime, but: str = "") -> None:
    """Let nothing in that got in by the password before: devices but this session, tokens, links."""
    end_others(user=user, but=but)
    personal_tokens.revoke_all(user=user, by=by, now=now)
    end_password_links(user=user, now=now)


def end_with_account(*, user: User, by: User | None, now: datetime) -> None:
    """Let nothing in by an account that may not sign in any more, also when it may again."""
    end_with_password(user=user, by=by, now=now)
    _withdraw_invitations(user, by, now)


def end_password_links(*, user: User, now: datetime) -> int:
    """Let links to a new password that were mailed to somebody work no more; return how many."""
    return PasswordLink.objects.filter(user=user, ended_at=None).update(ended_at=now)


def _end_appointments(project: Project, user: User, by: User | None, now: datetime) -> None:
    """Take collections of sources out of the sight of a designer who is none any more."""
    rows = Appointment.objects.filter(collection__project=project, user=user, ended_at=None)
    for one in rows:
        Appointment.objects.filter(pk=one.pk).update(ended_by=by, ended_at=now)
        audit.record(
            project=project,
            actor=by,
            verb="collection.ended",
            subject=f"collection:{one.collection_id}",
            at=now,
            who=str(user.public_id),
        )


def _withdraw_invitations(
    user: User, by: User | None, now: datetime, project: Project | None = None
) -> None:
    rows = Invitation.objects.filter(created_by=user, used_at=None, revoked_at=None)
    if project is not None:
        rows = rows.filter(project=project)
    for one in rows.filter(expires_at__gt=now).select_related("project"):
        Invitation.objects.filter(pk=one.pk, used_at=None).update(revoked_at=now)
        audit.done(one, "invitation.revoked", by, now, with_its_maker=True)
