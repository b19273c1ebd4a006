"""What the home of a project shows to those who run it: what needs a look, who works, what is new.

* What the first page of a project says: counts, rounds under way, what is still missing.
* What is new for somebody in all their projects since they were last told: the body of a daily mail.
* What a new project can begin from: the templates that come with the product, and what is in them.
"""

import functools
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db.models import (
    CharField,
    Count,
    Exists,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce

from annotation.common.sentences import gettext as _
from annotation.common.sentences import ngettext
from annotation.domains.models import Capability
from annotation.files.models import ImportBatch
from annotation.grading import worklist as workmessages
from annotation.grading.models import Grade, Remark
from annotation.people.models import Membership, Project, Rater, RaterKind, Role, User
from annotation.rounds.models import Assignment, ClaimEvent, IdentityHit, Round
from annotation.rubrics.models import RubricVersion
from annotation.systems.models import Item, Response, SystemRelease
from annotation.training import queries as training_news
from evalsite import env, panels

WEEK = timedelta(days=7)
DAY = timedelta(days=1)
SOON = timedelta(days=3)
#: So many people, and so much news.
MOST = 12
#: The states of a seat that is still to be graded.
LEFT = (Assignment.State.FREE, Assignment.State.CLAIMED)


@dataclass(frozen=True)
class WaitingThing:
    """Something that waits for a person. `page` and `number` say where."""

    title: str
    text: str
    page: str
    number: int


@dataclass(frozen=True)
class AnnotatorProgress:
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


def looks(project: Project, now: datetime) -> list[WaitingThing]:
    """Return what waits for a curator or an owner, the most pressing first."""
    return [
        *_stopped_imports(project),
        *_of_rounds(project, now),
    ]


def workers(project: Project, now: datetime) -> list[AnnotatorProgress]:
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
        found.append(
            AnnotatorProgress(name, row.user.public_id, count["week"], count["held"], count["last"])
        )
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


def _stopped_imports(project: Project) -> list[WaitingThing]:
    rows = ImportBatch.objects.filter(project=project).exclude(stopped="").order_by("-number")
    return [
        WaitingThing(
            _("%(name)s stopped half-way") % {"name": one.file_name},
            one.stopped,
            "batch",
            one.number,
        )
        for one in rows[:MOST]
    ]


@dataclass(frozen=True)
class WaitingInRound:
    """How much of one kind waits in a round."""

    kind: str
    number: int
    name: str
    n: int
    deadline: datetime | None


def _of_rounds(project: Project, now: datetime) -> Iterator[WaitingThing]:
    """Tell what waits in rounds, asked for at once: by kind in the order of `TOLD`, what closes first on top."""
    first, *others = (
        _closing(project, now),
        _undecided(project),
        _flags(project),
        _messages_of(project),
        _late(project),
        _expired(project, now),
    )
    found = [WaitingInRound(*row) for row in first.union(*others, all=True)]
    places = {kind: place for place, kind in enumerate(TOLD)}

    def urgency(one: WaitingInRound) -> tuple[int, bool, float, int]:
        at = one.deadline.timestamp() if one.deadline else 0.0
        return places[one.kind], one.deadline is None, at, one.number

    for one in sorted(found, key=urgency):
        yield TOLD[one.kind](one, now)


def _counted(rows: "QuerySet[Any]", kind: str, home: str, n: Count) -> Any:
    """Return what waits by round, as a row of `WaitingInRound` each; `home` leads to the round."""
    named = rows.order_by().annotate(waits=Value(kind, output_field=CharField()))
    columns = (f"{home}number", f"{home}name", "n", f"{home}deadline")
    return (
        named.values("waits", *columns[:2], columns[3]).annotate(n=n).values_list("waits", *columns)
    )


def _closing(project: Project, now: datetime) -> Any:
    """Return open rounds that close soon, or should have, and those in which nothing is left."""
    seats = Assignment.objects.filter(round=OuterRef("pk"))
    is_graded = Exists(seats.filter(state=Assignment.State.SUBMITTED)) & ~Exists(
        seats.filter(state__in=LEFT)
    )
    open_ = Round.objects.filter(
        Q(deadline__lt=now + SOON) | is_graded, project=project, state=Round.State.OPEN
    )
    left = Count("assignments", filter=Q(assignments__state__in=LEFT))
    return _counted(open_, "closing", "", left)


def _closes(one: WaitingInRound, now: datetime) -> WaitingThing:
    over = one.deadline is not None and one.deadline < now
    title = _("%(name)s is past its closing time") if over else _("%(name)s closes soon")
    text = ngettext("%(n)d seat is left.", "%(n)d seats are left.", one.n) % {"n": one.n}
    if not one.n:
        title = _("%(name)s: everything is graded")
        text = _("No seat is left. Close the round for review.")
    return WaitingThing(title % {"name": one.name}, text, "round", one.number)


def _undecided(project: Project) -> Any:
    hits = IdentityHit.objects.filter(
        round__project=project,
        round__state=Round.State.DRAFT,
        decision=IdentityHit.Decision.UNDECIDED,
    )
    return _counted(hits, "undecided", "round__", Count("pk"))


def _are_undecided(one: WaitingInRound, _now: datetime) -> WaitingThing:
    return WaitingThing(
        _("%(name)s: answers that name their system") % {"name": one.name},
        ngettext("%(n)d place to decide.", "%(n)d places to decide.", one.n) % {"n": one.n},
        "round_identity",
        one.number,
    )


def _flags(project: Project) -> Any:
    rows = Remark.objects.awaiting().filter(slot__assignment__round__project=project)
    items = Count("slot__assignment__round_item", distinct=True)
    return _counted(rows, "flags", "slot__assignment__round__", items)


def _are_flagged(one: WaitingInRound, _now: datetime) -> WaitingThing:
    return WaitingThing(
        _("%(name)s: flags of annotators") % {"name": one.name},
        ngettext("%(n)d awaits an answer.", "%(n)d await an answer.", one.n) % {"n": one.n},
        "round_flags",
        one.number,
    )


def _messages_of(project: Project) -> Any:
    rows = Remark.objects.awaiting().filter(round__project=project)
    return _counted(rows, "messages", "round__", Count("pk"))


def _have_written(one: WaitingInRound, now: datetime) -> WaitingThing:
    title = _("%(name)s: messages of annotators") % {"name": one.name}
    return replace(_are_flagged(one, now), title=title)


def _late(project: Project) -> Any:
    rows = Grade.objects.filter(round__project=project, late=True)
    rows = rows.exclude(round__state=Round.State.FINAL)
    return _counted(rows, "late", "round__", Count("assignment", distinct=True))


def _are_late(one: WaitingInRound, _now: datetime) -> WaitingThing:
    said = ngettext("%(n)d seat was graded late.", "%(n)d seats were graded late.", one.n)
    title = _("%(name)s: late grades") % {"name": one.name}
    return WaitingThing(title, said % {"n": one.n}, "round_seats", one.number)


def _expired(project: Project, now: datetime) -> Any:
    """Return open rounds in which many seats ran out of time: the time may be too short."""
    events = ClaimEvent.objects.filter(assignment__round__project=project, at__gt=now - WEEK)
    lost = events.filter(kind=ClaimEvent.Kind.EXPIRED, kept__isnull=False)
    open_ = lost.filter(assignment__round__state=Round.State.OPEN)
    return _counted(open_, "expired", "assignment__round__", Count("pk")).filter(n__gte=3)


def _have_expired(one: WaitingInRound, _now: datetime) -> WaitingThing:
    return WaitingThing(
        _("%(name)s: time runs out on seats") % {"name": one.name},
        _("%(n)d seats with work expired this week. Is the time too short?") % {"n": one.n},
        "round_seats",
        one.number,
    )


#: What waits in rounds, the most pressing first, and how it is told.
TOLD: Mapping[str, Callable[[WaitingInRound, datetime], WaitingThing]] = {
    "closing": _closes,
    "undecided": _are_undecided,
    "messages": _have_written,
    "flags": _are_flagged,
    "late": _are_late,
    "expired": _have_expired,
}

SHOWN_ROUNDS = 8


@dataclass(frozen=True)
class RoundLine:
    """A round and how far its seats are filled."""

    round: Round
    n_seats: int
    n_done: int
    n_held: int

    @property
    def n_left(self) -> int:
        return self.n_seats - self.n_done


@dataclass(frozen=True)
class ProjectCounts:
    """How a project stands, counted when the page is asked for."""

    n_items: int
    n_responses: int
    n_releases: int
    n_rubrics: int
    n_without_rubric: int
    n_annotators: int
    n_rounds: int
    n_final: int
    open_import: ImportBatch | None
    rounds: list[RoundLine]

    @property
    def is_new(self) -> bool:
        """Whether a first step is still to be done."""
        return not (self.n_items and self.n_rubrics and self.n_rounds)


def standing(project: Project) -> ProjectCounts:
    human = RubricVersion.objects.filter(kind=RubricVersion.Kind.HUMAN)
    rounds = Round.objects.all()
    counted = {
        "n_items": _n(Item.objects.seen(), "project"),
        "n_releases": _n(SystemRelease.objects.seen(), "system__project"),
        "n_rubrics": _n(human, "rubric__project", Count("rubric", distinct=True)),
        "n_without_rubric": _n(Capability.objects.filter(rubric=None), "project"),
        "n_annotators": _n(Membership.objects.with_role([Role.ANNOTATOR]), "project"),
        "n_rounds": _n(rounds, "project"),
        "n_final": _n(rounds.filter(state=Round.State.FINAL), "project"),
    }
    rows = Project.objects.filter(pk=project.pk).values_list(*counted.values())
    counts: dict[str, int] = dict(zip(counted, rows.get(), strict=True))
    return ProjectCounts(
        **counts,
        n_responses=n_responses(project),
        open_import=ImportBatch.objects.filter(
            project=project, state=ImportBatch.State.STAGED
        ).first(),
        rounds=rounds_under_way(project),
    )


def _n(rows: "QuerySet[Any]", home: str, told: Count | None = None) -> Coalesce:
    """Return how many of these rows a project has, as a column of it."""
    mine = rows.filter(**{home: OuterRef("pk")}).order_by().values(home)
    return Coalesce(Subquery(mine.annotate(told=told or Count("pk")).values("told")), 0)


def n_responses(project: Project) -> int:
    """Count the responses of a project by its releases, less those that an import still brings in."""
    of = Response.objects.filter(
        release__in=_keys(SystemRelease.objects.filter(system__project=project))
    )
    staged = ImportBatch.objects.filter(project=project).exclude(state=ImportBatch.State.APPLIED)
    unseen = _keys(staged)
    return of.count() - (of.filter(batch__in=unseen).count() if unseen else 0)


def _keys(rows: "QuerySet[Any]") -> list[int]:
    return list(rows.order_by().values_list("pk", flat=True))


def rounds_under_way(project: Project) -> list[RoundLine]:
    """Return the newest rounds that are not final, each with its seats counted."""
    rounds = list(
        Round.objects.filter(project=project).exclude(state=Round.State.FINAL)[:SHOWN_ROUNDS]
    )
    counts = {
        row["round"]: row
        for row in Assignment.objects.wanted()
        .filter(round__in=rounds)
        .order_by()
        .values("round")
        .annotate(
            n=Count("pk"),
            done=Count("pk", filter=Q(state=Assignment.State.SUBMITTED)),
            held=Count("pk", filter=Q(state=Assignment.State.CLAIMED, warm=False)),
        )
    }
    nothing = {"n": 0, "done": 0, "held": 0}
    return [
        RoundLine(one, *(counts.get(one.pk, nothing)[key] for key in ("n", "done", "held")))
        for one in rounds
    ]


CURATORS = frozenset({Role.OWNER, Role.CURATOR})


@dataclass(frozen=True)
class Notice:
    """One thing to know; `path` leads to where it is dealt with."""

    title: str
    text: str
    path: str


@dataclass(frozen=True)
class Digest:
    """What is to be told, by project. `waiting_sha` is of what waits for curators, told once only."""

    projects: tuple[tuple[Project, tuple[Notice, ...]], ...]
    waiting_sha: str

    def __bool__(self) -> bool:
        return bool(self.projects)


def digest(user: User, since: datetime | None, told_sha: str, now: datetime) -> Digest:
    """Return what an annotator should know since a time, and what waits for a curator.

    Args:
        since: until when the person was told; None for never.
        told_sha: the `waiting_sha` of the last digest: what waits is told again only if it changed.
    """
    rows = Membership.objects.active().filter(user=user).select_related("project")
    roles: dict[Project, set[str]] = {}
    for row in rows.order_by("project__name", "project"):
        roles.setdefault(row.project, set()).add(row.role)
    waiting = {
        project: tuple(_looks(project, user, now))
        for project, held in roles.items()
        if held & CURATORS
    }
    sha = _sha(waiting)
    found = []
    for project, held in roles.items():
        told = tuple(_messages(project, user, since, now)) if Role.ANNOTATOR in held else ()
        told += waiting.get(project, ()) if sha != told_sha else ()
        if told:
            found.append((project, told))
    return Digest(tuple(found), sha)


def _messages(
    project: Project, user: User, since: datetime | None, now: datetime
) -> Iterable[Notice]:
    rater = Rater.objects.filter(project=project, kind=RaterKind.PERSON, user=user).first()
    if rater is None:
        return
    learnt = training_news.messages(rater, now)
    for one in workmessages.list_messages(project, rater, now, learnt):
        if since is None or one.at > since:
            yield Notice(one.title, one.text, f"/p/{project.slug}/grade/")


def _looks(project: Project, user: User, now: datetime) -> Iterable[Notice]:
    for one in looks(project, now):
        yield Notice(one.title, one.text, f"/p/{project.slug}/")
    for some in panels.fill("notices", project=project, user=user, now=now):
        yield from (Notice(*one) for one in some)


def _sha(waiting: dict[Project, tuple[Notice, ...]]) -> str:
    told = [
        [project.slug, one.title, one.text] for project, all_ in waiting.items() for one in all_
    ]
    if not told:
        return ""
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()


FOLDER = env.BASE_DIR / "fixtures" / "templates"


@dataclass(frozen=True)
class TemplateArea:
    """A subject area as a preview shows it."""

    name: str
    priority: str
    in_scope: bool
    depth: int


@dataclass(frozen=True)
class ProjectTemplate:
    """A beginning: areas, capabilities, rubrics, a checklist (the usual one if empty), a plan."""

    key: str
    name: str
    summary: str
    body: Mapping[str, Any]

    @property
    def areas(self) -> list[TemplateArea]:
        return list(_areas(self.body["domains"], 0))

    @property
    def capabilities(self) -> list[Mapping[str, Any]]:
        return list(self.body["capabilities"])

    @property
    def rubrics(self) -> list[str]:
        return [one["name"] for one in self.body["rubrics"]]

    @property
    def n_lines(self) -> int:
        return len(self.body["checklist"])

    @property
    def n_wanted(self) -> int:
        return sum(one["wanted"] for one in self.body["plan"])


def list_templates() -> list[ProjectTemplate]:
    """Return the templates, the shortest first."""
    found = [_read(path) for path in sorted(FOLDER.glob("*.json"))]
    return sorted(found, key=lambda one: (len(one.capabilities), one.name))


def find(key: str) -> ProjectTemplate | None:
    return next((one for one in list_templates() if one.key == key), None)


@functools.cache
def _read(path: Path) -> ProjectTemplate:
    body = json.loads(path.read_text(encoding="utf-8"))
    return ProjectTemplate(key=body["key"], name=body["name"], summary=body["summary"], body=body)


def _areas(nodes: list[Mapping[str, Any]], depth: int) -> Iterator[TemplateArea]:
    for one in nodes:
        yield TemplateArea(one["name"], one["priority"], one["in_scope"], depth)
        yield from _areas(one["children"], depth + 1)
