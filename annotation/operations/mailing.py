"""One mail a day to whoever asked for it, and only when there is something new."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import Person
from annotation.queries import notices
from annotation.queries.notices import Digest
from evalsite import queue

logger = logging.getLogger(__name__)

EVERY = timedelta(hours=24)
#: So often the sweeper looks whether a mail is due: a mail server that is down is not asked all the time.
LOOK_EVERY = timedelta(minutes=15)
JOB = "annotation.jobs.send_mails"
_looked: datetime | None = None


def ring(now: datetime) -> None:
    """Have a worker send the mails that are due; called by the sweeper."""
    global _looked
    if _looked is not None and _looked <= now < _looked + LOOK_EVERY:
        return
    _looked = now
    if due(now).exists():
        queue.enqueue(JOB, key="mails")


def due(now: datetime) -> "QuerySet[Person]":
    """Return whom to look for news for: they asked, have an address, and were not mailed for a day."""
    waited = Q(mailed_at__isnull=True) | Q(mailed_at__lte=now - EVERY)
    return (
        Person.objects.filter(waited, daily_mail=True, user__is_active=True)
        .exclude(email="")
        .select_related("user")
        .order_by("pk")
    )


def send_due(now: datetime) -> int:
    """Send every mail that is due; return how many went out.

    A mail is claimed before it is sent, so two workers never send one twice. One that the mail
    server does not take is due again at the next look; the log says so without the address.
    """
    return sum(_send(person, now) for person in due(now))


def _send(person: Person, now: datetime) -> int:
    told = notices.digest(person.user, person.mailed_at, person.mailed_sha, now)
    claimed = Person.objects.filter(pk=person.pk, mailed_at=person.mailed_at).update(
        mailed_at=now, mailed_sha=told.waiting_sha
    )
    if not claimed or not told:
        return 0
    try:
        send_mail(subject(told), body(told, person.name), None, [person.email])
    except OSError as problem:  # smtplib's errors are OSErrors as well
        Person.objects.filter(pk=person.pk, mailed_at=now).update(
            mailed_at=person.mailed_at, mailed_sha=person.mailed_sha
        )
        logger.warning("The mail server did not take a daily mail: %s.", type(problem).__name__)
        return 0
    return 1


def subject(told: Digest) -> str:
    count = sum(len(notices_) for _project, notices_ in told.projects)
    return ngettext("%(n)d thing to know", "%(n)d things to know", count) % {"n": count}


def body(told: Digest, name: str) -> str:
    """Return the text of a mail: plain, with links where the site knows its own address."""
    address = settings.SITE_ADDRESS
    lines = [_("Hello %(name)s,") % {"name": name}, ""]
    for project, notices_ in told.projects:
        lines += [project.name, "-" * min(len(project.name), 60), ""]
        for one in notices_:
            lines.append(f"* {one.title}")
            lines += [f"  {line}" for line in one.text.splitlines() if line.strip()]
            lines += [f"  {address}{one.path}"] if address else []
            lines.append("")
    lines.append(_("You asked for this mail on the page of your account; there you can stop it."))
    return "\n".join(lines) + "\n"
