"""Tokens that programs sign in with: made by their person, shown once, looked up by their hash.

* The same request again gets the same answer: claims, answers, and how they are forgotten.
"""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotation.people import audit
from annotation.people.models import KeptAnswer, Membership, PersonalToken, Project, User
from evalsite import errors
from evalsite.web import scopes

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


class ScopesMissing(errors.Invalid): ...


class NotYourProject(errors.Invalid): ...


class TooManyTokens(errors.Conflict): ...


class OwnPasswordMissing(errors.NotAllowed):
    """Somebody else knows the person's password still."""


class NotInUse(errors.Conflict):
    """The token was revoked before."""

    code = "token_not_in_use"


class NotYourToken(errors.NotAllowed): ...


@dataclass(frozen=True)
class NewToken:
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
) -> NewToken:
    """Make a token for oneself.

    Args:
        user: whose it is, and more than whom it never may.
        name: by which they know it again.
        given: its scopes, of evalsite.web.scopes.NAMES.
        days: how long it works.
        project: the only one that it opens; None for all of the person's.
        now: the clock.

    Raises:
        OwnPasswordMissing: the person's password is one that somebody else gave.
        BadPeriod: it is to work for no day, or for more than a year.
        ScopesMissing: it could do nothing, or something that there is not.
        NotYourProject: the person does not belong to the project.
        TooManyTokens: they have many tokens that work.
    """
    chosen = set(given)
    if user.must_set_password:
        raise OwnPasswordMissing(own_password_first())
    if days not in DAYS:
        message = _("A token works for 1 to %(most)d days.") % {"most": DAYS[-1]}
        raise errors.BadPeriod(message, fields={"days": [message]})
    if not chosen or not chosen <= set(scopes.NAMES):
        message = _("Tick at least one thing that the token is for.")
        raise ScopesMissing(message, fields={"scopes": [message]})
    if project is not None and not _belongs(user, project):
        message = _("You do not belong to this project.")
        raise NotYourProject(message, fields={"project": [message]})
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if PersonalToken.objects.working(now).filter(user=user).count() >= MOST:
        raise TooManyTokens(
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
    return NewToken(made, secret)


def own_password_first() -> str:
    """Say what somebody has to do first whose password somebody else gave."""
    return _("Somebody else gave you your password. Sign in on the site and set your own first.")


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


#: An answer is given again for so long.
KEPT: Final = timedelta(hours=24)
#: A request that has not answered by then has died: another one may have its key.
ABANDONED: Final = timedelta(minutes=5)


class InProgress(errors.Conflict):
    """The same request is being worked on."""


class KeyReused(errors.Invalid):
    """The key stands for another request."""

    code = "idempotency_key_reused"


@dataclass(frozen=True)
class ToldAnswer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class KeyClaim:
    """A key that was taken on; `answer` is what to say again, where there is something."""

    pk: int
    claim: UUID
    answer: ToldAnswer | None = None


@transaction.atomic
def take(*, user: User, key: str, request_sha: str, claim: UUID, now: datetime) -> KeyClaim:
    """Take a key on for a request, or find what was answered to it before.

    Args:
        user: who asks; keys of different people have nothing to do with each other.
        key: as the program gave it.
        request_sha: fingerprint of method, address and body.
        claim: a new id, by which this request holds the key.
        now: the clock.

    Raises:
        InProgress: the same request is being worked on.
        KeyReused: the key stands for another request.
    """
    key_sha = hashlib.sha256(key.encode()).hexdigest()
    mine = KeptAnswer(
        user=user, key_sha=key_sha, request_sha=request_sha, claim=claim, begun_at=now
    )
    KeptAnswer.objects.bulk_create([mine], ignore_conflicts=True)
    row = KeptAnswer.objects.select_for_update().filter(user=user, key_sha=key_sha).first()
    if row is None:  # given back at this very moment
        raise InProgress(_in_progress())
    if row.claim == claim:
        return KeyClaim(row.pk, claim)
    waited = ABANDONED if row.answered_at is None else KEPT
    if row.begun_at <= now - waited:
        _take_over(row, request_sha, claim, now)
        return KeyClaim(row.pk, claim)
    if row.request_sha != request_sha:
        raise KeyReused(
            _("This Idempotency-Key stands for another request. Give every deed a key of its own.")
        )
    if row.status is None:
        raise InProgress(_in_progress())
    return KeyClaim(row.pk, row.claim, ToldAnswer(row.status, row.headers, bytes(row.body or b"")))


def _in_progress() -> str:
    return _("The same request is being worked on. Ask again in a moment.")


def _take_over(row: KeptAnswer, request_sha: str, claim: UUID, now: datetime) -> None:
    values: dict[str, Any] = {
        "request_sha": request_sha,
        "claim": claim,
        "begun_at": now,
        "answered_at": None,
        "status": None,
        "headers": {},
        "body": None,
    }
    KeptAnswer.objects.filter(pk=row.pk, claim=row.claim).update(**values)


def keep(*, claim: KeyClaim, answer: ToldAnswer, now: datetime) -> None:
    """Write down what was answered, in the transaction of the deed.

    Raises:
        InProgress: the claim was lost to another request; the deed must not stand.
    """
    mine = KeptAnswer.objects.filter(pk=claim.pk, claim=claim.claim, answered_at__isnull=True)
    kept = mine.update(
        answered_at=now, status=answer.status, headers=answer.headers, body=answer.body
    )
    if not kept:
        raise InProgress(
            _("This took so long that the same request is being worked on again. Ask in a moment.")
        )


def drop(*, claim: KeyClaim) -> None:
    """Give a key back: nothing was done under it."""
    KeptAnswer.objects.filter(pk=claim.pk, claim=claim.claim, answered_at__isnull=True).delete()


def forget(*, now: datetime, limit: int = 1000) -> int:
    """Forget answers that are not given again any more; return how many."""
    over = KeptAnswer.objects.filter(begun_at__lt=now - KEPT).order_by("begun_at")[:limit]
    return KeptAnswer.objects.filter(pk__in=list(over.values_list("pk", flat=True))).delete()[0]
