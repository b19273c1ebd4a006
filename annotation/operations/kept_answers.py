"""The same request again gets the same answer: claims, answers, and how they are forgotten.

A program names a deed by a key of its own. The first request takes the key on (a claim, committed at
once); the answer is written in the transaction of the deed, by whoever still holds the claim. So a
deed is never without its answer, nor an answer without its deed, wherever a process dies.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import KeptAnswer, User
from evalsite import errors

#: An answer is given again for so long.
KEPT: Final = timedelta(hours=24)
#: A request that has not answered by then has died: another one may have its key.
ABANDONED: Final = timedelta(minutes=5)


class InProgress(errors.Conflict):
    """The same request is being worked on."""

    code = "in_progress"


class KeyReused(errors.Invalid):
    """The key stands for another request."""

    code = "idempotency_key_reused"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Claim:
    """A key that was taken on; `answer` is what to say again, where there is something."""

    pk: int
    claim: UUID
    answer: Answer | None = None


@transaction.atomic
def take(*, user: User, key: str, request_sha: str, claim: UUID, now: datetime) -> Claim:
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
        return Claim(row.pk, claim)
    waited = ABANDONED if row.answered_at is None else KEPT
    if row.begun_at <= now - waited:
        _take_over(row, request_sha, claim, now)
        return Claim(row.pk, claim)
    if row.request_sha != request_sha:
        raise KeyReused(
            _("This Idempotency-Key stands for another request. Give every deed a key of its own.")
        )
    if row.status is None:
        raise InProgress(_in_progress())
    return Claim(row.pk, row.claim, Answer(row.status, row.headers, bytes(row.body or b"")))


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


def keep(*, claim: Claim, answer: Answer, now: datetime) -> None:
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


def drop(*, claim: Claim) -> None:
    """Give a key back: nothing was done under it."""
    KeptAnswer.objects.filter(pk=claim.pk, claim=claim.claim, answered_at__isnull=True).delete()


def forget(*, now: datetime, limit: int = 1000) -> int:
    """Forget answers that are not given again any more; return how many."""
    over = KeptAnswer.objects.filter(begun_at__lt=now - KEPT).order_by("begun_at")[:limit]
    return KeptAnswer.objects.filter(pk__in=list(over.values_list("pk", flat=True))).delete()[0]
