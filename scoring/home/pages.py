"""How far the grading of the newest open round is, on the first page of its project."""

import math
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Any

from django.db.models import Count
from django.db.models.functions import TruncDate
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.people import permissions
from annotation.people.permissions import Scope
from annotation.rounds.models import Assignment, Round
from scoring.charts import chart
from scoring.charts.chart import PaceLine
from scoring.results.facts import ResultFact

#: The last two days of a round are told in hours.
HOURS_TOLD = 48


def home_facts(*, scope: Scope, found: dict[str, Any], **_context: Any) -> list[ResultFact] | None:
    """Say how much time the newest open round has left, and how much of it is graded."""
    newest, pace = _newest(scope, found)
    if not newest or not pace:
        return None
    note = _("%(n)d %% graded") % {"n": round(100 * pace.now[1])}
    at = reverse("round", args=[scope.project.slug, newest.number])
    return [ResultFact(newest.name, time_left(newest.deadline, timezone.now()), note, at)]


def time_left(deadline: datetime | None, now: datetime) -> str:
    """Return how long a round stays open, in whole days, and in hours on its last one."""
    if deadline is None:
        return _("Open")
    hours = math.ceil((deadline - now) / timedelta(hours=1))
    if hours <= 0:
        return _("Overdue")
    if hours <= HOURS_TOLD:
        return ngettext("%(n)d hour left", "%(n)d hours left", hours) % {"n": hours}
    days = round(hours / 24)
    return ngettext("%(n)d day left", "%(n)d days left", days) % {"n": days}


def _newest(scope: Scope, found: dict[str, Any]) -> tuple[Round | None, PaceLine | None]:
    """Return the newest open round, and how far it is, once for all that shows it."""
    if "pace" not in found:
        rounds = Round.objects.filter(project=scope.project, state=Round.State.OPEN)
        sees = scope.may(permissions.UNBLINDED)
        newest = rounds.exclude(opened_at=None).order_by("-opened_at").first() if sees else None
        found["pace"] = newest, newest and pace_of(newest, timezone.now())
    newest, pace = found["pace"]
    return newest, pace


def home(*, scope: Scope, found: dict[str, Any], **_context: Any) -> SafeString | None:
    """Show how much of the newest open round is graded, by day, against an even pace."""
    newest, pace = _newest(scope, found)
    if not newest or not pace:
        return None
    label = _("%(round)s: %(share)d %% graded") % {
        "round": newest.name,
        "share": round(100 * pace.now[1]),
    }
    drawn = mark_safe(chart.pace(pace, label=label))  # noqa: S308 - texts in it are escaped
    context = {"scope": scope, "round": newest, "drawn": drawn, "pace": pace}
    return render_to_string("scoring/home/parts/pace.html", context)


def pace_of(round_: Round, now: datetime) -> PaceLine | None:
    """Return the share of a round's seats that was graded by the end of each day; None without seats.

    Time runs from its opening to its close, or to now where it has none or is past it.
    """
    seats = Assignment.objects.filter(round=round_).wanted()
    n_seats, opened_at = seats.count(), round_.opened_at
    if not n_seats or opened_at is None:
        return None
    end = max(round_.deadline or now, now)
    span = max((end - opened_at).total_seconds(), 1.0)
    days = (
        seats.filter(state=Assignment.State.SUBMITTED, submitted_at__isnull=False)
        .annotate(day=TruncDate("submitted_at"))
        .values("day")
        .annotate(n=Count("pk"))
        .order_by("day")
    )
    counted = [(row["day"], row["n"]) for row in days]
    points = [(0.0, 0.0)]
    for (day, _n), done in zip(counted, accumulate(n for _day, n in counted), strict=True):
        over = min(datetime.combine(day, datetime.max.time(), now.tzinfo), now)
        points.append((max((over - opened_at).total_seconds() / span, 0.0), done / n_seats))
    today = (now - opened_at).total_seconds() / span
    points.append((min(max(today, 0.0), 1.0), points[-1][1]))
    titles = (_short(opened_at), _("today"), _short(end))
    return PaceLine(points, titles, even=round_.deadline is not None and round_.deadline > now)


def _short(when: datetime) -> str:
    return date_format(timezone.localtime(when), "j M")
