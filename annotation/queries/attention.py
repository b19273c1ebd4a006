"""What the home of a project shows to those who run it: what needs a look, who works, what is new."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import (
    Assignment,
    ClaimEvent,
    Grade,
    IdentityHit,
    ImportBatch,
    Membership,
    Project,
    Remark,
    Role,
    Round,
)
from annotation.rules.names import isolated

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
SOON = timedelta(days=3)
#: So many people, and so much news.
MOST = 12
#: The states of a seat that is still to be graded.
LEFT = (Assignment.State.FREE, Assignment.State.CLAIMED)


@dataclass(frozen=True)
class Look:
    """Something that waits for a person. `page` and `number` say where."""

    title: str
    text: str
    page: str
    number: int


@dataclass(frozen=True)
class Worker:
    """Somebody who grades, and how they are getting on with it."""

    name: str
    public_id: Any
    n_week: int
    n_held: int
    last: datetime | None


@dataclass(frozen=True)
class News:
    round: Round
    n_day: int
    n_week: int
    text: str
    at: datetime


def looks(project: Project, now: datetime) -> list[Look]:
    """Return what waits for a curator or an owner, the most pressing first."""
    return [
        *_stopped_imports(project),
        *_closing(project, now),
        *_undecided(project),
        *_flags(project),
        *_late(project),
        *_expired(project, now),
    ]


def workers(project: Project, now: datetime) -> list[Worker]:
    """Return the annotators of a project with their last seven days, who was at it last first."""
    rows = (
        Membership.objects.with_role([Role.ANNOTATOR])
        .filter(project=project)
        .select_related("user__person")
    )
    counted = {
        row["rater__user"]: row
        for row in Assignment.objects.filter(round__project=project, rater__user__isnull=False)
        .order_by()
        .values("rater__user")
        .annotate(
            week=Count("pk", filter=Q(submitted_at__gt=now - WEEK)),
            held=Count("pk", filter=Q(state=Assignment.State.CLAIMED, warm=False)),
            last=Max(Coalesce("submitted_at", "claimed_at")),
        )
    }
    nothing: dict[str, Any] = {"week": 0, "held": 0, "last": None}
    found = []
    for row in rows:
        count = counted.get(row.user_id, nothing)
        name = row.user.display_name
        found.append(Worker(name, row.user.public_id, count["week"], count["held"], count["last"]))
    return sorted(found, key=lambda one: (-(one.last.timestamp() if one.last else 0), one.name))


def news(project: Project, now: datetime) -> list[News]:
    """Return the rounds in which something has happened within a week, the newest first."""
    rounds = list(Round.objects.filter(project=project).exclude(state=Round.State.DRAFT))
    counts: dict[int, dict[str, Any]] = {
        row["round"]: {**row}
        for row in Assignment.objects.filter(round__in=rounds, submitted_at__gt=now - WEEK)
        .order_by()
        .values("round")
        .annotate(
            week=Count("pk"),
            day=Count("pk", filter=Q(submitted_at__gt=now - DAY)),
            last=Max("submitted_at"),
        )
    }
    nothing: dict[str, Any] = {"week": 0, "day": 0, "last": None}
    found = [_news(one, counts.get(one.pk, nothing), now) for one in rounds]
    told = [one for one in found if one is not None]
    return sorted(told, key=lambda one: one.at, reverse=True)[:MOST]


def _news(round_: Round, count: dict[str, Any], now: datetime) -> News | None:
    steps = [
        (round_.opened_at, _("opened")),
        (round_.review_at, _("closed for review")),
        (round_.final_at, _("made final")),
        (count["last"], _("seats graded")),
    ]
    recent = [(at, text) for at, text in steps if at is not None and at > now - WEEK]
    if not recent:
        return None
    at, text = max(recent, key=lambda step: step[0])
    return News(round_, count["day"], count["week"], text, at)


def _stopped_imports(project: Project) -> list[Look]:
    rows = ImportBatch.objects.filter(project=project).exclude(stopped="").order_by("-number")
    return [
        Look(
            _("%(name)s stopped half-way") % {"name": one.file_name},
            one.stopped,
            "batch",
            one.number,
        )
        for one in rows[:MOST]
    ]


def _closing(project: Project, now: datetime) -> list[Look]:
    """Return open rounds that close soon, or should have, and those in which nothing is left."""
    seats = Assignment.objects.filter(round=OuterRef("pk"))
    is_graded = Exists(seats.filter(state=Assignment.State.SUBMITTED)) & ~Exists(
        seats.filter(state__in=LEFT)
    )
    open_ = Round.objects.filter(
        Q(deadline__lt=now + SOON) | is_graded, project=project, state=Round.State.OPEN
    )
    left = Count("assignments", filter=Q(assignments__state__in=LEFT))
    rows = open_.annotate(n_left=left).order_by(F("deadline").asc(nulls_last=True), "number")
    return [_closes(one, one.n_left, now) for one in rows]


def _closes(round_: Round, n_left: int, now: datetime) -> Look:
    over = round_.deadline is not None and round_.deadline < now
    title = _("%(name)s is past its closing time") if over else _("%(name)s closes soon")
    text = ngettext("%(n)d seat is left.", "%(n)d seats are left.", n_left) % {"n": n_left}
    if not n_left:
        title = _("%(name)s: everything is graded")
        text = _("No seat is left. Close the round for review.")
    return Look(title % {"name": isolated(round_.name)}, text, "round", round_.number)


def _undecided(project: Project) -> list[Look]:
    rows = Round.objects.filter(project=project, state=Round.State.DRAFT)
    undecided = Q(identity_hits__decision=IdentityHit.Decision.UNDECIDED)
    counted = rows.annotate(n=Count("identity_hits", filter=undecided)).filter(n__gt=0)
    return [
        Look(
            _("%(name)s: answers that name their system") % {"name": isolated(one.name)},
            ngettext("%(n)d place to decide.", "%(n)d places to decide.", one.n) % {"n": one.n},
            "round_identity",
            one.number,
        )
        for one in counted.order_by("-number")
    ]


def _flags(project: Project) -> list[Look]:
    rows = (
        Remark.objects.flags()
        .filter(slot__assignment__round__project=project, answers=None)
        .exclude(slot__assignment__round__state=Round.State.FINAL)
        .order_by()
        .values_list("slot__assignment__round__number", "slot__assignment__round__name")
        .annotate(n=Count("slot__assignment__round_item", distinct=True))
    )
    return [
        Look(
            _("%(name)s: flags of annotators") % {"name": isolated(name)},
            ngettext("%(n)d awaits an answer.", "%(n)d await an answer.", n) % {"n": n},
            "round_flags",
            number,
        )
        for number, name, n in rows
    ]


def _late(project: Project) -> list[Look]:
    rows = (
        Grade.objects.filter(round__project=project, late=True)
        .exclude(round__state=Round.State.FINAL)
        .order_by()
        .values_list("round__number", "round__name")
        .annotate(n=Count("assignment", distinct=True))
    )
    return [
        Look(
            _("%(name)s: late grades") % {"name": isolated(name)},
            ngettext("%(n)d seat was graded late.", "%(n)d seats were graded late.", n) % {"n": n},
            "round_seats",
            number,
        )
        for number, name, n in rows
    ]


def _expired(project: Project, now: datetime) -> list[Look]:
    """Return open rounds in which many seats ran out of time: the time may be too short."""
    events = ClaimEvent.objects.filter(assignment__round__project=project, at__gt=now - WEEK)
    lost = events.filter(kind=ClaimEvent.Kind.EXPIRED, kept__isnull=False)
    rows = (
        lost.filter(assignment__round__state=Round.State.OPEN)
        .order_by()
        .values_list("assignment__round__number", "assignment__round__name")
        .annotate(n=Count("pk"))
        .filter(n__gte=3)
    )
    return [
        Look(
            _("%(name)s: time runs out on seats") % {"name": isolated(name)},
            _("%(n)d seats with work in them this week. Is the time for a question too short?")
            % {"n": n},
            "round_seats",
            number,
        )
        for number, name, n in rows
    ]
