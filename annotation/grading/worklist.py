"""What an annotator has to grade: plain values of their own rounds and seats.

* What an annotator is told on their list: plain values, about their own rounds and seats.
* An annotator's own pace, for nobody else: what was done by day, and how long a question takes.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from statistics import median

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.common import texts as tokens
from annotation.common.sentences import gettext as _
from annotation.grading import counting as totals
from annotation.grading import faces
from annotation.grading import seating as offers
from annotation.grading.models import FlagAnswer, Grade, Remark
from annotation.people.models import AuditEvent, Project, Rater, User
from annotation.qualification import queries as qualifications
from annotation.rounds import queries as chosen
from annotation.rounds import repeats
from annotation.rounds.models import Assignment, ClaimEvent, Round, RoundAnnotator, RoundItem
from evalsite.db import prepared


@dataclass(frozen=True)
class RoundWork:
    """A round as its annotator sees it."""

    number: int
    name: str
    n_done: int
    n_items: int
    deadline: datetime | None
    held: str
    held_until: datetime | None
    can_claim: bool
    state: str
    kind: str
    #: Why there is nothing to grade now (annotation.grading.seating), or "".
    why: str = ""
    note: str = ""
    #: What the questions are about: capability and how many, the most frequent first.
    mix: tuple[tuple[str, int], ...] = ()
    #: Their share is done, and seats are free that they may ask for.
    may_ask: bool = False
    #: What is held was submitted before, and handed back to be looked at once more.
    again: bool = False
    is_final: bool = False
    #: Two answers are compared; its places are pairs.
    of_pairs: bool = False

    @property
    def n_left(self) -> int:
        return max(0, self.n_items - self.n_done)

    @property
    def next_place(self) -> int:
        return self.n_done + 1


@dataclass(frozen=True)
class SheetRow:
    """An item of one's own sheet, with what stands in its form."""

    seat: faces.SeatFace
    place: int
    question: str


@dataclass(frozen=True)
class GradedSheet:
    round_number: int
    round_name: str
    letters: list[str]
    rows: list[SheetRow]


_RATER = prepared.PreparedQuery(
    lambda project, ref: Rater.objects.filter(project=project, kind="PERSON", ref=ref),
    project=int,
    ref=str,
)


def rater_of(project: Project, user: User) -> Rater | None:
    rater = _RATER.first(project=project.pk, ref=str(user.public_id))
    if rater is not None and rater.user_id == user.pk:
        rater.user = user
    return rater


def list_work(rater: Rater, now: datetime) -> list[RoundWork]:
    """Return the rounds this person grades in, what can be done now first."""
    places = list(
        RoundAnnotator.objects.filter(rater=rater)
        .filter(Q(ended_at__isnull=True) | Exists(_mine(rater, OuterRef("round_id"))))
        .exclude(round__state=Round.State.DRAFT)
        .annotate(with_others=Exists(_with_others(rater)))
        .select_related("round")
        .order_by("-round__number")
    )
    mixes = _mixes([place.round_id for place in places if place.round.is_running])
    done = dict(
        Assignment.objects.filter(rater=rater, state=Assignment.State.SUBMITTED)
        .values_list("round_id")
        .annotate(n=Count("pk"))
        .order_by()
    )
    held = {row.round_id: row for row in Assignment.objects.held_by(rater).filter(warm=False)}
    n_items = totals.totals(rater, [place.round for place in places], now)
    free = _free(rater, now, places)
    lacks = {one for one, has_seat in free.items() if has_seat is None}
    shares = chosen.shares(rater, [place.round for place in places])
    # Repeats, and seats that are held ready, still come to whoever has done their share.
    full = {
        pk
        for pk, share in shares.items()
        if share.is_done and n_items[pk] <= done.get(pk, 0) + (pk in held)
    }
    work = [
        replace(
            _work(
                place, done.get(place.round_id, 0), held.get(place.round_id), free, lacks, full, now
            ),
            n_items=n_items[place.round_id],
            mix=mixes.get(place.round_id, ()),
        )
        for place in places
    ]
    return sorted(work, key=_urgency)


def _free(rater: Rater, now: datetime, places: Sequence[RoundAnnotator]) -> dict[int, bool | None]:
    """Return, by round, whether there is a seat to be had; None: only after qualifying."""
    mine = RoundAnnotator.objects.filter(rater=rater)
    seats = _open_seats(rater, now)
    free: dict[int, bool | None] = dict(
        mine.annotate(has_seat=Exists(seats)).values_list("round_id", "has_seat")
    )
    asking = [one.round_id for one in places if one.round.asks_qualification]
    if any(free.get(one) for one in asking):
        fit = Q(round_item__item__capability__isnull=True) | Q(
            round_item__item__capability__in=qualifications.qualified_in(rater)
        )
        found = mine.filter(round__in=asking).annotate(has_seat=Exists(seats.filter(fit)))
        for round_id, has_seat in found.values_list("round_id", "has_seat"):
            free[round_id] = has_seat or (None if free[round_id] else False)
    return free


def _urgency(work: RoundWork) -> tuple[bool, bool, bool, float, int]:
    """Return what is begun first, then what closes first, then what is newest."""
    closes = work.deadline.timestamp() if work.deadline and work.can_claim else 0.0
    return (not work.held, not work.can_claim, not closes, closes, -work.number)


def opening_soon(rater: Rater) -> list[str]:
    """Return the names of the rounds that are being opened with this person in them."""
    rows = Round.objects.filter(
        annotators__rater=rater, annotators__ended_at__isnull=True, state=Round.State.DRAFT
    )
    return list(rows.filter(opening_at__isnull=False).values_list("name", flat=True))


def _mixes(rounds: list[int]) -> dict[int, tuple[tuple[str, int], ...]]:
    """Return what each round is about, repeats counted as in its total: nobody is told of them."""
    rows = (
        RoundItem.objects.filter(round__in=rounds)
        .order_by()
        .values_list("round_id", "item__capability__name")
        .annotate(n=Count("pk"))
    )
    found: dict[int, list[tuple[str, int]]] = {}
    named = {round_id for round_id, name, _n in rows if name}
    for round_id, name, n in rows:
        found.setdefault(round_id, []).append((name or _("other"), n))
    return {
        round_id: tuple(sorted(parts, key=lambda part: (-part[1], part[0])))
        for round_id, parts in found.items()
        if round_id in named
    }


def _with_others(rater: Rater) -> QuerySet[Assignment]:
    """Return the seats of a round that others hold, of items this person has no seat of."""
    held = Assignment.objects.filter(
        repeats.first_only(), state=Assignment.State.CLAIMED, round_id=OuterRef("round_id")
    ).exclude(rater=rater)
    return held.exclude(round_item__assignments__rater=rater)


def list_names(rater: Rater, words: str, most: int = 5) -> list[tuple[int, str]]:
    """Return number and name of the rounds this person grades in whose name has these words."""
    mine = Round.objects.filter(annotators__rater=rater, name__icontains=words)
    rows = mine.exclude(state=Round.State.DRAFT).order_by("-number")
    return list(rows.values_list("number", "name")[:most])


def _mine(rater: Rater, round_id: OuterRef) -> QuerySet[Assignment]:
    return Assignment.objects.filter(rater=rater, round_id=round_id)


def _open_seats(rater: Rater, now: datetime) -> QuerySet[Assignment]:
    given_up = ClaimEvent.objects.filter(
        rater=rater,
        kind__in=offers.GIVEN_UP,
        assignment__round_item=OuterRef("round_item"),
    )
    return Assignment.objects.filter(
        Q(state=Assignment.State.FREE) | Q(state=Assignment.State.CLAIMED, lease_until__lt=now),
        repeats.first_only() | Q(pk__in=repeats.open_to(rater).values("pk")),
        ~Exists(given_up),
        round_id=OuterRef("round_id"),
    ).exclude(round_item__assignments__rater=rater)


def _work(
    place: RoundAnnotator,
    n_done: int,
    held: Assignment | None,
    free: dict[int, bool | None],
    lacks: set[int],
    full: set[int],
    now: datetime,
) -> RoundWork:
    round_ = place.round
    over = round_.deadline is not None and now > round_.deadline
    running = round_.is_running and not over and place.ended_at is None
    is_free = running and bool(free.get(round_.pk))
    may_ask = is_free and round_.pk in full
    can_claim = is_free and not may_ask
    has_work = can_claim or held is not None
    kind, state = _state(round_, over, has_work, may_ask)
    return RoundWork(
        number=round_.number,
        name=round_.name,
        n_done=n_done,
        n_items=n_done,
        deadline=round_.deadline,
        held=held.token or "" if held else "",
        held_until=held.lease_until if held else None,
        can_claim=can_claim,
        state=state,
        kind=kind,
        why="" if has_work else "share_done" if may_ask else _why(place, over, round_.pk in lacks),
        may_ask=may_ask,
        note=round_.instructions,
        again=held is not None and held.submitted_at is not None,
        is_final=round_.state == Round.State.FINAL,
        of_pairs=round_.of_pairs,
    )


def _why(place: RoundAnnotator, over: bool, lacks: bool) -> str:
    """Return the reason why nothing is handed out, as annotation.grading.seating names it."""
    round_ = place.round
    if place.ended_at is not None:
        return "not_invited"
    if round_.state in {Round.State.REVIEW, Round.State.FINAL}:
        return "closed"
    if round_.paused_at is not None:
        return "paused"
    if over:
        return "deadline_passed"
    if lacks:
        return "not_qualified"
    return "waiting" if getattr(place, "with_others", False) else "all_done"


def _state(round_: Round, over: bool, more: bool, may_ask: bool) -> tuple[str, str]:
    """Return the kind of state (for its sign) and its words."""
    if round_.state == Round.State.FINAL:
        return "", _("final")
    if round_.state == Round.State.REVIEW:
        return "", _("in review")
    if round_.paused_at is not None:
        return "warn", _("paused")
    if over:
        return "warn", _("closed")
    if more:
        return "run", _("to grade")
    return "ok", _("your share is done") if may_ask else _("nothing now")


def sheet(rater: Rater, round_: Round) -> GradedSheet:
    """Return one's own seats of a round: questions down, positions across (LalaEval, Table 1)."""
    seats = list(
        Assignment.objects.filter(round=round_, rater=rater)
        .exclude(state=Assignment.State.FREE)
        .select_related("round", "round_item")
        .order_by(F("submitted_at").asc(nulls_last=True), "claimed_at", "ordinal")
    )
    shown = faces.seats(seats)
    if round_.of_pairs:  # what is chosen stands at the first
        shown = [replace(one, responses=one.responses[:1]) for one in shown]
    widest = max((len(one.responses) for one in shown), default=0)
    return GradedSheet(
        round_number=round_.number,
        round_name=round_.name,
        letters=[_("Choice")] if round_.of_pairs else list(tokens.LETTERS[:widest]),
        rows=[
            SheetRow(seat=one, place=place, question=one.face.get("question", ""))
            for place, one in enumerate(shown, start=1)
        ],
    )


#: So long an event is news, and so soon a round closes soon.
NEWS = timedelta(days=7)
SOON = timedelta(days=3)
MOST = 8


@dataclass(frozen=True)
class AnnotatorMessage:
    """One thing to know; `token` leads to the page of a seat, if there is one to look at."""

    title: str
    text: str
    at: datetime
    token: str = ""


def list_messages(
    project: Project, rater: Rater, now: datetime, more: Iterable[AnnotatorMessage] = ()
) -> list[AnnotatorMessage]:
    """Return what somebody should know now, the newest first; `more` comes from elsewhere."""
    rounds = [
        place.round
        for place in RoundAnnotator.objects.filter(rater=rater, ended_at__isnull=True)
        .exclude(round__state=Round.State.DRAFT)
        .select_related("round")
        .order_by("-round__number")  # of what came at once; a database may have an order of its own
    ]
    found = [
        *_note(project),
        *_of_rounds(rounds, now),
        *_moved(project, rounds, now),
        *_discarded(project, rater, now),
        *_taken_back(rater, now),
        *_reopened(rater),
        *_answered(rater, now),
        *more,
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)[:MOST]


def n_flagged(rater: Rater) -> int:
    """Return how many flags of somebody await an answer in rounds that are not final."""
    return Remark.objects.awaiting().filter(rater=rater).count()


def _note(project: Project) -> Iterator[AnnotatorMessage]:
    if project.note and project.noted_at is not None:
        yield AnnotatorMessage(_("A note from the owners"), project.note, project.noted_at)


def _of_rounds(rounds: Iterable[Round], now: datetime) -> Iterator[AnnotatorMessage]:
    for one in rounds:
        named = {"name": one.name}
        is_open = one.state == Round.State.OPEN
        if is_open and one.opened_at is not None and one.opened_at > now - NEWS:
            text = _("You get questions you have qualified for.") if one.asks_qualification else ""
            yield AnnotatorMessage(_("%(name)s is open") % named, text, one.opened_at)
        if one.state != Round.State.OPEN:
            continue
        if one.paused_at is not None:
            text = _("You may finish what you hold.")
            yield AnnotatorMessage(_("%(name)s is paused") % named, text, one.paused_at)
        if one.deadline is not None and now < one.deadline < now + SOON:
            text = _("What you submit until then counts.")
            since = one.deadline - SOON
            since = max(since, one.opened_at or since)
            yield AnnotatorMessage(_("%(name)s closes soon") % named, text, since)


def _moved(project: Project, rounds: Iterable[Round], now: datetime) -> Iterator[AnnotatorMessage]:
    """Tell of closing times that were moved: the last time of each open round."""
    by_subject = {f"round:{one.number}": one for one in rounds if one.state == Round.State.OPEN}
    rows = (
        AuditEvent.objects.filter(project=project, verb="round.prolonged", at__gt=now - NEWS)
        .filter(subject__in=by_subject)
        .values_list("subject")
        .annotate(last=Max("at"))
        .order_by("-subject")
    )
    for subject, at in rows:
        one = by_subject[subject]
        text = _("None any more.") if one.deadline is None else ""
        title = _("The closing time of %(name)s was moved") % {"name": one.name}
        yield AnnotatorMessage(title, text, at)


def _discarded(project: Project, rater: Rater, now: datetime) -> Iterator[AnnotatorMessage]:
    """Tell of rounds that were taken away before anything was graded in them."""
    rows = AuditEvent.objects.filter(project=project, verb="round.discarded", at__gt=now - NEWS)
    for one in rows.order_by("-at", "-pk"):
        if str(rater.public_id) in one.data.get("annotators", ()):
            text = _("Reason: %(why)s")
            title = _("%(name)s was discarded") % {"name": one.data.get("name", "")}
            yield AnnotatorMessage(title, text % {"why": one.note}, one.at)


def _taken_back(rater: Rater, now: datetime) -> Iterator[AnnotatorMessage]:
    """Tell of seats that were lost with work in them: time ran out, or the curator handed them on."""
    kinds = ClaimEvent.Kind
    rows = (
        ClaimEvent.objects.filter(rater=rater, at__gt=now - NEWS)
        .filter(kind__in=[kinds.EXPIRED, kinds.REASSIGNED], kept__isnull=False)
        .order_by("-at", "-pk")
        .values_list("kind", "token", "assignment__round__name", "at")[:MOST]
    )
    for kind, token, name, at in rows:
        title = (
            _("A question of %(name)s was handed on")
            if kind == kinds.REASSIGNED
            else _("Your time for a question of %(name)s ran out")
        )
        text = _(
            "Your entries are kept. You may still submit; if somebody else has it, they count as late."
        )
        yield AnnotatorMessage(title % {"name": name}, text, at, token)


def _reopened(rater: Rater) -> Iterator[AnnotatorMessage]:
    """Tell of questions that somebody is asked to look at again."""
    rows = (
        ClaimEvent.objects.filter(rater=rater, kind=ClaimEvent.Kind.REOPENED)
        .filter(assignment__rater=rater, assignment__state=Assignment.State.CLAIMED)
        .order_by("-at", "-pk")
        .values_list("assignment__token", "assignment__round__name", "reason", "at")[:MOST]
    )
    for token, name, reason, at in rows:
        title = _("Please look again at a question of %(name)s") % {"name": name}
        text = _("Your grades count until you submit others.")
        yield AnnotatorMessage(title, f"{reason}\n\n{text}", at, token or "")


def _answered(rater: Rater, now: datetime) -> Iterator[AnnotatorMessage]:
    """Tell of answers to what somebody has asked about a question or a round."""
    rows = (
        FlagAnswer.objects.filter(flag__in=Remark.objects.flags().filter(rater=rater))
        .filter(at__gt=now - NEWS)
        .order_by("-at", "-pk")
        .values_list("flag__text", "text", "flag__slot__assignment__token", "at")[:MOST]
    )
    for asked, text, token, at in rows:
        said = _("You asked: %(asked)s") % {"asked": asked}
        yield AnnotatorMessage(_("The curator has answered"), f"{text}\n\n{said}", at, token or "")


def asked(rater: Rater) -> list[AnnotatorMessage]:
    """Return what somebody has asked about questions and rounds that awaits an answer, the newest first."""
    rows = Remark.objects.awaiting().filter(rater=rater).order_by("-at", "-pk")
    name = Coalesce("round__name", "slot__assignment__round__name")
    named = rows.values_list(name, "text", "at", "slot__assignment__token")
    return [AnnotatorMessage(name, text, at, token or "") for name, text, at, token in named[:MOST]]


def flagged_text(count: int) -> str:
    return _("Awaiting an answer: %(n)d") % {"n": count}


DAYS = 7
#: So far back a typical time looks, and so many questions it needs.
TYPICAL_DAYS = 14
TYPICAL_NEEDS = 3
MINUTE = 60_000


@dataclass(frozen=True)
class WorkDay:
    """A day of one's own work; minutes in which the page was in use."""

    date: date
    n_items: int
    minutes: int


@dataclass(frozen=True)
class Week:
    days: list[WorkDay]
    #: By number of the round: minutes that a question has taken this person lately.
    minutes_each: dict[int, int]

    @property
    def n_items(self) -> int:
        return sum(day.n_items for day in self.days)

    @property
    def minutes(self) -> int:
        return sum(day.minutes for day in self.days)


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
    days = [WorkDay(one, done.count(one), round(spent.get(one, 0) / MINUTE)) for one in dates]
    return Week(days, _typical(visits))


@dataclass(frozen=True)
class Ahead:
    """What somebody has left in a round: by their own pace, and by day until it closes."""

    name: str
    n_left: int
    minutes: int | None
    deadline: datetime | None
    a_day: int | None
    of_pairs: bool = False


def ahead(
    works: Iterable[RoundWork], minutes_each: Mapping[int, int], now: datetime
) -> list[Ahead]:
    """Return what is left of one's share in rounds that can be graded, what closes first on top."""
    found = []
    for one in works:
        if not one.n_left or not (one.can_claim or one.held):
            continue
        each = minutes_each.get(one.number)
        days = math.ceil((one.deadline - now) / timedelta(days=1)) if one.deadline else 0
        a_day = math.ceil(one.n_left / days) if days > 0 else None
        spent = each and each * one.n_left
        found.append(Ahead(one.name, one.n_left, spent, one.deadline, a_day, one.of_pairs))
    return sorted(found, key=lambda one: one.deadline.timestamp() if one.deadline else math.inf)


Visit = tuple[int, int, datetime, int]


def pace(rater: Rater, round_: Round, now: datetime) -> int | None:
    """Return the milliseconds that a question of a round has taken this person lately, once it can be said."""
    seats = _seats(_visits(rater, now, Q(round=round_))).get(round_.number, {})
    return round(median(seats.values())) if len(seats) >= TYPICAL_NEEDS else None


def spent(rater: Rater, round_: Round) -> int:
    """Return the milliseconds that somebody was at work on a round."""
    rows = Grade.objects.filter(rater=rater, round=round_, active_ms__isnull=False).order_by()
    each = rows.values_list("assignment", "given_at").annotate(ms=Max("active_ms"))
    return sum(ms for _seat, _at, ms in each)


def _visits(rater: Rater, now: datetime, where: Q | None = None) -> list[Visit]:
    """Return round, seat, time and active time of each submit: its grades all carry the whole."""
    rows = (
        Grade.objects.filter(where or Q(), rater=rater, active_ms__isnull=False)
        .filter(given_at__gte=now - timedelta(days=TYPICAL_DAYS), given_at__lte=now)
        .order_by()
        .values_list("round__number", "assignment", "given_at")
        .annotate(ms=Max("active_ms"))
    )
    return [(number, seat, at, ms) for number, seat, at, ms in rows if seat and at]


def _seats(visits: list[Visit]) -> dict[int, dict[int, int]]:
    """Return the active time of each seat, by round."""
    by_round: dict[int, dict[int, int]] = {}
    for number, seat, _at, ms in visits:
        seats = by_round.setdefault(number, {})
        seats[seat] = seats.get(seat, 0) + ms
    return by_round


def _typical(visits: list[Visit]) -> dict[int, int]:
    return {
        number: max(1, round(median(seats.values()) / MINUTE))
        for number, seats in _seats(visits).items()
        if len(seats) >= TYPICAL_NEEDS
    }


def _day(at: datetime) -> date:
    return timezone.localtime(at).date()
