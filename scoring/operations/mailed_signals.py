"""Have the signals computed that daily mails tell of, where no page has asked for them."""

from datetime import datetime, timedelta

from django.db.models import QuerySet

from annotation.models import Membership, Project, Role
from scoring.operations import figures
from scoring.queries import open_signals, watching

#: So old may be what a mail says: signals are not computed anew after every grade.
EVERY = timedelta(hours=1)
_looked: datetime | None = None


def sweep(now: datetime) -> int:
    """Ask for the signals of rounds that were graded in since; return for how many.

    Only of projects in which somebody who may see signals gets the daily mail; at most once an hour.
    """
    global _looked
    if _looked is not None and _looked <= now < _looked + EVERY:
        return 0
    _looked = now
    return sum(_ask(project, now) for project in read_by_mail())


def read_by_mail() -> "QuerySet[Project]":
    """Return the projects of which an owner or curator gets the daily mail."""
    readers = Membership.objects.with_role([Role.OWNER, Role.CURATOR]).filter(
        user__is_active=True, user__person__daily_mail=True
    )
    mailed = readers.exclude(user__person__email="")
    return Project.objects.filter(pk__in=mailed.values("project")).order_by("pk")


def _ask(project: Project, now: datetime) -> int:
    stale = open_signals.stale(project)
    for one in stale:
        figures.get(name=watching.FIGURE, round_=one, params=watching.params(one), now=now)
    return len(stale)
