"""An annotator's own pace, for nobody else: what was done by day, and how long a question takes."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from statistics import median

from django.db.models import Max
from django.utils import timezone

from annotation.models import Assignment, Grade, Rater

DAYS = 7
#: So far back a typical time looks, and so many questions it needs.
TYPICAL_DAYS = 14
TYPICAL_NEEDS = 3
MINUTE = 60_000


@dataclass(frozen=True)
class Day:
    """A day of one's own work; minutes in which the page was in use."""

    date: date
    n_items: int
    minutes: int


@dataclass(frozen=True)
class Week:
    days: list[Day]
    #: By number of the round: minutes that a question has taken this person lately.
    minutes_each: dict[int, int]

    @property
    def n_items(self) -> int:
        return sum(day.n_items for day in self.days)

    @property
    def minutes(self) -> int:
        return sum(day.minutes for day in self.days)

    @property
    def busiest(self) -> int:
        return max((day.n_items for day in self.days), default=0)


def week(rater: Rater, now: datetime) -> Week:
    """Return the last seven days of somebody in their project, today last."""
    today = timezone.localtime(now).date()
    dates = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    submitted = Assignment.objects.filter(
        rater=rater, submitted_at__gte=now - timedelta(days=DAYS), submitted_at__lte=now
    )
    done = [_day(at) for at in submitted.values_list("submitted_at", flat=True) if at]
    visits = _visits(rater, now)
    spent: dict[date, int] = {}
    for _number, _seat, at, ms in visits:
        spent[_day(at)] = spent.get(_day(at), 0) + ms
    days = [Day(one, done.count(one), round(spent.get(one, 0) / MINUTE)) for one in dates]
    return Week(days, _typical(visits))


Visit = tuple[int, int, datetime, int]


def _visits(rater: Rater, now: datetime) -> list[Visit]:
    """Return round, seat, time and active time of each submit: its grades all carry the whole."""
    rows = (
        Grade.objects.filter(rater=rater, active_ms__isnull=False)
        .filter(given_at__gte=now - timedelta(days=TYPICAL_DAYS), given_at__lte=now)
        .order_by()
        .values_list("round__number", "assignment", "given_at")
        .annotate(ms=Max("active_ms"))
    )
    return [(number, seat, at, ms) for number, seat, at, ms in rows if seat and at]


def _typical(visits: list[Visit]) -> dict[int, int]:
    by_round: dict[int, dict[int, int]] = {}
    for number, seat, _at, ms in visits:
        seats = by_round.setdefault(number, {})
        seats[seat] = seats.get(seat, 0) + ms
    return {
        number: max(1, round(median(seats.values()) / MINUTE))
        for number, seats in by_round.items()
        if len(seats) >= TYPICAL_NEEDS
    }


def _day(at: datetime) -> date:
    return timezone.localtime(at).date()
