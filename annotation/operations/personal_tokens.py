"""Tokens that programs sign in with: made by their person, shown once, looked up by their hash."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.models import Membership, PersonalToken, Project, User
from annotation.operations import audit
from evalsite import errors, scopes

PREFIX: Final = "evs_"
#: So many random bytes are in a token: guessing is hopeless, so a fast hash will do.
BYTES: Final = 32
#: So many characters of it are shown in lists.
SHOWN: Final = 8
DAYS: Final = range(1, 366)
#: So many tokens of one person work at a time.
MOST: Final = 50
#: When a token was last used is kept to this.
USED_TO: Final = timedelta(minutes=1)


class BadPeriod(errors.Invalid):
    code = "bad_period"


class ScopesMissing(errors.Invalid):
    code = "scopes_missing"


class NotYourProject(errors.Invalid):
    code = "not_your_project"


class TooMany(errors.Conflict):
    code = "too_many_tokens"


class NotInUse(errors.Conflict):
    """The token was revoked before."""

    code = "token_not_in_use"


class NotYourToken(errors.NotAllowed):
    code = "not_your_token"


@dataclass(frozen=True)
class Made:
    """A new token, and its secret, which is kept nowhere."""

    token: PersonalToken
    secret: str


@transaction.atomic
def make(
    *,
    user: User,
    name: str,
    given: Iterable[str],
    days: int,
    project: Project | None,
    now: datetime,
) -> Made:
    """Make a token for oneself.

    Args:
        user: whose it is, and more than whom it never may.
        name: by which they know it again.
        given: its scopes, of evalsite.scopes.NAMES.
        days: how long it works.
        project: the only one that it opens; None for all of the person's.
        now: the clock.

    Raises:
        BadPeriod: it is to work for no day, or for more than a year.
        ScopesMissing: it could do nothing, or something that there is not.
        NotYourProject: the person does not belong to the project.
        TooMany: they have many tokens that work.
    """
    chosen = set(given)
    if days not in DAYS:
        message = _("A token works for 1 to %(most)d days.") % {"most": DAYS[-1]}
        raise BadPeriod(message, fields={"days": [message]})
    if not chosen or not chosen <= set(scopes.NAMES):
        message = _("Tick at least one thing that the token is for.")
        raise ScopesMissing(message, fields={"scopes": [message]})
    if project is not None and not _belongs(user, project):
        message = _("You do not belong to this project.")
        raise NotYourProject(message, fields={"project": [message]})
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if PersonalToken.objects.working(now).filter(user=user).count() >= MOST:
        raise TooMany(
            _("You have %(n)d tokens that work. Revoke one that is not in use.") % {"n": MOST}
        )
    secret = PREFIX + secrets.token_urlsafe(BYTES)
    made = PersonalToken.objects.create(
        user=user,
        name=name,
        start=secret[:SHOWN],
        token_sha=sha(secret),
        scopes=[one for one in scopes.NAMES if one in chosen],
        project=project,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    audit.record(
        project=None,
        actor=user,
        verb="token.made",
        subject=f"token:{made.pk}",
        at=now,
        note=name,
        scopes=made.scopes,
        days=days,
        project_slug=project.slug if project else "",
    )
    return Made(made, secret)


@transaction.atomic
def revoke(*, token: PersonalToken, by: User, now: datetime) -> None:
    """Let a token work no more: by its person, or by an operator.

    Raises:
        NotYourToken: it is somebody else's.
        NotInUse: it was revoked before.
    """
    if token.user_id != by.pk and not (by.is_active and by.is_superuser):
        raise NotYourToken(_("Only its person and operators revoke a token."))
    if not end(token=token, by=by, now=now):
        raise NotInUse(_("This token was revoked before."))


def end(*, token: PersonalToken, by: User | None, now: datetime) -> bool:
    """Let a token work no more, for whatever reason; return whether it did until now."""
    mine = PersonalToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
    if not mine.update(revoked_at=now):
        return False
    audit.record(project=None, actor=by, verb="token.revoked", subject=f"token:{token.pk}", at=now)
    return True


@transaction.atomic
def revoke_all(*, user: User, by: User | None, now: datetime) -> int:
    """Let every token of somebody work no more; return how many did until now."""
    working = PersonalToken.objects.working(now).filter(user=user)
    n_revoked = working.update(revoked_at=now)
    if n_revoked:
        audit.record(
            project=None,
            actor=by,
            verb="token.all_revoked",
            subject=f"user:{user.public_id}",
            at=now,
            n=n_revoked,
        )
    return n_revoked


def known(*, secret: str, now: datetime) -> PersonalToken | None:
    """Return the token with this secret while it works and its person may sign in; note its use."""
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    rows = PersonalToken.objects.working(now).select_related("user")
    token = rows.filter(token_sha=sha(secret), user__is_active=True).first()
    if token is not None and (token.last_used_at is None or token.last_used_at < now - USED_TO):
        mine = PersonalToken.objects.filter(
            Q(last_used_at__isnull=True) | Q(last_used_at__lt=now - USED_TO), pk=token.pk
        )
        mine.update(last_used_at=now)
    return token


def sha(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _belongs(user: User, project: Project) -> bool:
    return Membership.objects.active().filter(user=user, project=project).exists()
