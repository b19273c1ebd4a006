"""Where somebody is signed in: written down at every sign-in, and ended from the account's page."""

from datetime import datetime

from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest

from annotation.models import SignIn, User

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
