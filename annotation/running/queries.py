"""What stands in the form of a grading page: drafted, submitted, or entered and refused.

* What each annotator has done, holds and can still do, and whether rounds will be done in time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, F, Max, Q, QuerySet

from annotation.common import scales
from annotation.common import texts as tokens
from annotation.grading.models import FlagAnswer, Grade, Remark
from annotation.people.models import Membership, Project, Rater, Role
from annotation.rounds import rules as entries
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundAnnotator
from evalsite.db import prepared


@dataclass(frozen=True)
class Entered:
    """What stands in the form: by field name, as text."""

    values: dict[str, str] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)
    #: Marked places and the flag, which have no fields: as in annotation.rounds.rules.
    others: dict[str, str] = field(default_factory=dict)
    #: What a curator answered to the flag.
    answer: list[str] = field(default_factory=list)

    def table(self) -> dict[str, str]:
        """Return everything as a table of places (annotation.rounds.rules)."""
        marks = {name.replace("-", "/", 2): value for name, value in self.values.items()}
        cannot = {f"cannot/{letter}": reason for letter, reason in self.cannot.items()}
        comments = {f"comment/{letter}": text for letter, text in self.comments.items() if text}
        return {**marks, **cannot, **comments, **self.others}


def mark_name(letter: str, criterion: str, kind: str = "mark") -> str:
    """Return the name of a mark in forms; `kind` is "text" where one is written."""
    return f"{kind}-{letter}-{criterion}"


def place_name(place: str, kind: str) -> str:
    """Return the name in forms of a place such as "A/key" of a draft."""
    letter, _divided, key = place.partition("/")
    return mark_name(letter, key, kind)


def drafted(table: Mapping[str, str]) -> Entered:
    """Return a draft as it stands in the form."""
    values = {
        place_name(place, kind): value
        for kind in ("mark", "text")
        for place, value in entries.of_kind(table, kind).items()
    }
    return Entered(
        values=values,
        cannot=entries.of_kind(table, "cannot"),
        comments=entries.of_kind(table, "comment"),
        others={"flag": table["flag"]} if "flag" in table else {},
    )


def kept(assignment: Assignment, token: str) -> dict[str, str]:
    """Return what had been drafted when a seat was lost by whoever it was given to with this token."""
    events = ClaimEvent.objects.filter(assignment=assignment, token=token, kept__isnull=False)
    last = events.order_by("-pk").values_list("kept", flat=True).first()
    return dict(last["marks"]) if last else {}


def given(assignments: Sequence[Assignment]) -> dict[int, Entered]:
    """Return the grades and comments that are stored for submitted seats."""
    found = {one.pk: Entered() for one in assignments}
    grades = Grade.objects.filter(
        assignment__in=assignments, is_current=True, kind=Grade.Kind.GIVEN
    ).values_list("assignment_id", "slot__position", "criterion__key", "value", "reason", "text")
    for seat_pk, position, key, value, reason, text in grades:
        letter = tokens.letter(position or 0)
        if text:
            found[seat_pk or 0].values[mark_name(letter, key, "text")] = text
        elif value is None:
            found[seat_pk or 0].cannot[letter] = reason
        else:
            found[seat_pk or 0].values[mark_name(letter, key)] = scales.text(value)
    _add_remarks(assignments, found)
    return found


def _add_remarks(assignments: Sequence[Assignment], found: Mapping[int, Entered]) -> None:
    """Add the latest comment, flag and marked places of each slot."""
    remarks = Remark.objects.filter(
        slot__assignment__in=assignments, rater=F("slot__assignment__rater"), late=False
    ).order_by("revision", "start")
    spans: dict[tuple[int, str], tuple[int, list[list[int]]]] = {}
    answers = dict(
        FlagAnswer.objects.filter(flag__in=remarks, flag__kind=Remark.Kind.FLAG)
        .order_by("at", "pk")
        .values_list("flag_id", "text")
    )
    for row in remarks.select_related("slot"):
        assert row.slot is not None
        letter, entered = tokens.letter(row.slot.position), found[row.slot.assignment_id]
        if row.kind == Remark.Kind.COMMENT:
            entered.comments[letter] = row.text
        elif row.kind == Remark.Kind.FLAG:
            entered.others["flag"] = row.text
            entered.answer[:] = [answers[row.pk]] if row.pk in answers else []
        else:
            place = (row.slot.assignment_id, letter)
            revision, pairs = spans.get(place, (row.revision, []))
            pairs = pairs if revision == row.revision else []
            if row.start is not None and row.end is not None:
                pairs.append([row.start, row.end])
            spans[place] = (row.revision, pairs)
    for (seat_pk, letter), (_revision, pairs) in spans.items():
        if pairs:
            found[seat_pk].others[f"evidence/{letter}"] = json.dumps(pairs)


_LAST = prepared.PreparedQuery(
    lambda round_, rater: (
        Assignment.objects.filter(round=round_, rater=rater, state=Assignment.State.SUBMITTED)
        .order_by("-submitted_at", "-ordinal")
        .values_list("token", flat=True)[:1]
    ),
    round_=int,
    rater=int,
)


def neighbours(assignment: Assignment, submitted: bool) -> tuple[str, str]:
    """Return the addresses of what this person submitted before and after a seat, in that order."""
    if not submitted:
        last = _LAST.first(round_=assignment.round_id, rater=assignment.rater_id)
        return last or "", ""
    mine = Assignment.objects.filter(round_id=assignment.round_id, rater=assignment.rater)
    done = mine.filter(state=Assignment.State.SUBMITTED).order_by("submitted_at", "ordinal")
    place = Q(submitted_at=assignment.submitted_at)
    before = done.filter(
        Q(submitted_at__lt=assignment.submitted_at) | place & Q(ordinal__lt=assignment.ordinal)
    )
    after = done.filter(
        Q(submitted_at__gt=assignment.submitted_at) | place & Q(ordinal__gt=assignment.ordinal)
    )
    held = mine.filter(state=Assignment.State.CLAIMED, warm=False)
    tokens_of = [rows.values_list("token", flat=True) for rows in (before, after, held)]
    return tokens_of[0].last() or "", tokens_of[1].first() or tokens_of[2].first() or ""


#: Over so many days a pace is read.
LATELY = timedelta(days=7)
#: Fewer submitted questions than this make no typical time.
TYPICAL_NEEDS = 3
FILE_BATCH = 2000
State = Assignment.State


@dataclass(frozen=True)
class AnnotatorLine:
    """An annotator of a project. Times are active time at the page, in minutes."""

    rater: Rater
    name: str
    #: False: the role has ended, or they have left all rounds that are under way.
    is_annotator: bool
    n_rounds: int
    n_held: int
    n_done: int
    n_lately: int
    n_declined: int
    minutes: float
    minutes_each: float | None
    last: datetime | None


@dataclass(frozen=True)
class Outlook:
    """An open round: what is left, and when it would be done at the pace of the last seven days."""

    round: Round
    n_annotators: int
    n_left: int
    n_lately: int
    done_on: datetime | None

    @property
    def is_late(self) -> bool:
        """Whether it would be done after its deadline; without any pace, that it has one."""
        if self.round.deadline is None or not self.n_left:
            return False
        return self.done_on is None or self.done_on > self.round.deadline


def lines(project: Project, now: datetime) -> list[AnnotatorLine]:
    """Return everybody who grades in a project, or has graded: who holds most questions first."""
    raters = Rater.objects.filter(project=project, user__isnull=False).select_related(
        "user__person"
    )
    active = set(
        Membership.objects.with_role([Role.ANNOTATOR])
        .filter(project=project)
        .values_list("user", flat=True)
    )
    rounds = dict(_open_places(project).values_list("rater").annotate(n=Count("pk")))
    counts = _counts(project, now)
    declined = dict(
        ClaimEvent.objects.filter(rater__project=project, kind=ClaimEvent.Kind.DECLINED)
        .order_by()
        .values_list("rater")
        .annotate(n=Count("pk"))
    )
    spent = _spent(project)
    found = []
    for one in raters:
        done, held, lately, last = counts.get(one.pk, (0, 0, 0, None))
        if one.user_id not in active and not done and not held:
            continue
        assert one.user is not None
        times = spent.get(one.pk, [])
        found.append(
            AnnotatorLine(
                rater=one,
                name=one.user.display_name,
                is_annotator=one.user_id in active,
                n_rounds=rounds.get(one.pk, 0),
                n_held=held,
                n_done=done,
                n_lately=lately,
                n_declined=declined.get(one.pk, 0),
                minutes=sum(times),
                minutes_each=median(times) if len(times) >= TYPICAL_NEEDS else None,
                last=last,
            )
        )
    return sorted(found, key=lambda one: (not one.is_annotator, -one.n_held, one.name.lower()))


def outlooks(project: Project, now: datetime) -> list[Outlook]:
    """Return the open rounds of a project, the one with the next deadline first."""
    rounds = list(Round.objects.filter(project=project, state=Round.State.OPEN))
    seats = Assignment.objects.wanted().filter(round__in=rounds).order_by()
    counts = {
        pk: (left, lately)
        for pk, left, lately in seats.values_list("round").annotate(
            left=Count("pk", filter=~Q(state=State.SUBMITTED)),
            lately=Count("pk", filter=Q(state=State.SUBMITTED, submitted_at__gt=now - LATELY)),
        )
    }
    people = dict(_open_places(project).values_list("round").annotate(n=Count("pk")))
    found = []
    for one in rounds:
        left, lately = counts.get(one.pk, (0, 0))
        done_on = now + LATELY * (left / lately) if lately else None
        found.append(Outlook(one, people.get(one.pk, 0), left, lately, done_on))
    far = now + timedelta(days=36500)
    return sorted(found, key=lambda one: (one.round.deadline or far, -one.round.number))


def short_without(project: Project, rater: Rater) -> list[Round]:
    """Return the open rounds whose questions could not all get their annotators without this one."""
    places = _open_places(project).filter(round__state=Round.State.OPEN)
    mine = Round.objects.filter(pk__in=places.filter(rater=rater).values("round"))
    people = dict(places.exclude(rater=rater).values_list("round").annotate(n=Count("pk")))
    return [one for one in mine if people.get(one.pk, 0) < one.n_seats]


def times(project: Project) -> Iterator[tuple[str, int, str, str, int, int]]:
    """Yield annotator (pseudonym), round, item, time of submission, active ms and grades of each submission."""
    rows = (
        Grade.objects.filter(
            round__project=project, assignment__isnull=False, active_ms__isnull=False
        )
        .order_by("round__number", "assignment__ordinal", "given_at")
        .values_list(
            "rater__public_id",
            "round__number",
            "assignment__round_item__item__external_id",
            "given_at",
        )
        .annotate(ms=Max("active_ms"), n=Count("pk"))
    )
    for rater, number, item, at, ms, n in rows.iterator(chunk_size=FILE_BATCH):
        yield str(rater), number, item, at.isoformat(), ms, n


def _open_places(project: Project) -> "QuerySet[RoundAnnotator]":
    return RoundAnnotator.objects.filter(
        round__project=project,
        round__state__in=[Round.State.OPEN, Round.State.REVIEW],
        ended_at__isnull=True,
    ).order_by()


def _counts(project: Project, now: datetime) -> dict[int, tuple[int, int, int, datetime | None]]:
    rows = (
        Assignment.objects.filter(round__project=project, rater__isnull=False)
        .order_by()
        .values_list("rater")
        .annotate(
            done=Count("pk", filter=Q(state=State.SUBMITTED)),
            held=Count("pk", filter=Q(state=State.CLAIMED, warm=False)),
            lately=Count("pk", filter=Q(state=State.SUBMITTED, submitted_at__gt=now - LATELY)),
            last=Max("submitted_at"),
        )
    )
    return {rater: (done, held, lately, last) for rater, done, held, lately, last in rows if rater}


def _spent(project: Project) -> dict[int, list[float]]:
    """Return the active minutes of each question somebody has submitted, corrections included.

    Seats keep theirs; that of late work, which belongs to no seat any more, is read from its few grades.
    """
    found: dict[int, list[float]] = {}
    seats = Assignment.objects.filter(round__project=project, active_ms__gt=0).order_by()
    for rater, ms in seats.values_list("rater", "active_ms"):
        if rater is not None:
            found.setdefault(rater, []).append(ms / 60_000)
    late = Grade.objects.filter(round__project=project, late=True, active_ms__isnull=False)
    rows = late.order_by().values_list("rater", "assignment", "given_at")
    for rater, _seat, _at, ms in rows.annotate(ms=Max("active_ms")):
        found.setdefault(rater, []).append((ms or 0) / 60_000)
    return found
