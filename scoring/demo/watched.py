"""What the demo shows of production that is watched: gold, repeats, signals, a desk with disputes."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from statistics import median_low
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings

from annotation.common import draws as seeds
from annotation.common import texts as tokens
from annotation.demo import grading as played
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.grading.models import Grade
from annotation.people import operations as people
from annotation.people.models import Membership, Project, Rater, Role, User
from annotation.qualification import answers as gold
from annotation.review import operations as review
from annotation.review.rules import ReviewAct
from annotation.rounds import drafting, drawing, opening, states
from annotation.rounds.models import Assignment, IdentityHit, Round, RoundItem
from annotation.rubrics.models import Criterion
from annotation.systems.models import SystemRelease
from scoring.figures import labels
from scoring.watching import figure as signalling
from scoring.watching import queries as watching

FOLDER = settings.BASE_DIR / "fixtures" / "demo"
BEGINS_AFTER = timedelta(hours=1)
PER_ITEM = timedelta(minutes=4)
HASTY_MS = 21_000
Entry = Mapping[str, Any]
#: What is right, by question, system and criterion.
Truth = Mapping[tuple[str, str, str], Decimal]


@dataclass(frozen=True)
class _WatchedCast:
    """The round that is played, by whom, and what its annotators know."""

    round: Round
    entry: Entry
    truth: Truth
    raters: Mapping[str, Rater]
    curator: User


def play(*, project: Project, by: User, now: datetime) -> None:
    """Play the round of fixtures/demo/check.json: graded, closed, and half of its desk cleared."""
    entry = json.loads((FOLDER / "check.json").read_text(encoding="utf-8"))
    trial = Round.objects.filter(project=project, kind=Round.Kind.TRIAL).order_by("number").last()
    if trial is None:
        return
    curators = Membership.objects.with_role([Role.CURATOR]).filter(project=project)
    curator = curators.select_related("user").order_by("pk")[0].user
    opened = now - timedelta(days=entry["ago_days"])
    round_ = _open(project, entry, trial, curator, opened)
    raters = {
        name: people.rater_of(project=project, user=User.objects.get(username=name), now=opened)
        for name in entry["annotators"]
    }
    cast = _WatchedCast(round_, entry, _truth(round_), raters, curator)
    _grade(cast, opened + BEGINS_AFTER)
    played.ask(round_, entry["asked"], curator, opened + timedelta(hours=30))
    states.close(round_=round_, by=curator, now=opened + timedelta(days=3))
    _look(cast, opened + timedelta(days=4))
    _review(cast, opened + timedelta(days=4, hours=1))
    _show_names(cast, opened + timedelta(days=5))


def _show_names(cast: _WatchedCast, now: datetime) -> None:
    """Show owner and analysts whose answers these were, here and in the first round: why scores moved."""
    project = cast.round.project
    first = Round.objects.filter(project=project, state=Round.State.FINAL).order_by("number")[0]
    seers = Membership.objects.with_role([Role.OWNER, Role.ANALYST]).filter(project=project)
    for one in seers.select_related("user").order_by("pk"):
        for round_ in (first, cast.round):
            drafting.show_names(round_=round_, by=one.user, now=now)


def _open(project: Project, entry: Entry, trial: Round, by: User, now: datetime) -> Round:
    given: dict[str, Any] = {"by": by, "now": now}
    # From a secret that was drawn by chance, so that nobody can guess this one either.
    secret = hashlib.sha256(bytes(trial.secret) + entry["seed"].encode()).digest()
    round_ = drafting.create_round(
        project=project, name=entry["title"], seed=entry["seed"], secret=secret, **given
    )
    terms = drafting.RoundSettings(name=entry["title"], n_seats=entry["seats"])
    drafting.configure(round_=round_, settings=terms, by_owner=False, **given)
    releases = SystemRelease.objects.filter(
        system__project=project, system__name__in=entry["systems"]
    ).select_related("system")
    drafting.choose_releases(round_=round_, releases=list(releases), **given)
    draw = drafting.Draw(
        external_ids=[*entry["questions"], *entry["known"]],
        n_items=len(entry["questions"]),
        gold=entry["gold"],
        repeats=entry["repeats"],
    )
    drafting.choose_draw(round_=round_, draw=draw, **given)
    played.choose_rubrics(round_, by, now)
    users = list(User.objects.filter(username__in=entry["annotators"]))
    drafting.invite(round_=round_, users=users, by_owner=False, override="", **given)
    drawing.prepare(round_=round_, now=now)
    if round_.identity_hits.exists():
        drawing.decide(round_=round_, decision=IdentityHit.Decision.MASK, **given)
    opening.request_opening(round_=round_, **given)
    opening.open_round(round_=round_, now=now)
    round_.refresh_from_db()
    return round_


def _truth(round_: Round) -> dict[tuple[str, str, str], Decimal]:
    """Return what most gave in the demo's other rounds; where it is known, what is known."""
    plan = json.loads((FOLDER / "grades_plan.json").read_text(encoding="utf-8"))
    given: dict[tuple[str, str, str], list[Decimal]] = defaultdict(list)
    for part in plan.values():
        for one in part["grades"]:
            if one.get("value") is not None:
                place = (one["external_id"], one["system"], one["criterion"])
                given[place].append(Decimal(str(one["value"])))
    found = {place: median_low(values) for place, values in given.items()}
    known = gold.of_round(round_)
    items = round_.items.filter(purpose=RoundItem.Purpose.GOLD)
    for item, system, response in items.values_list(
        "item__external_id", "responses__release__system__name", "responses__response"
    ):
        for (of_response, criterion), course in known.items():
            value = course.at(None)
            if of_response == response and value is not None:
                found[item, system, criterion] = value
    return found


def _grade(cast: _WatchedCast, began: datetime) -> None:
    """Let the annotators take turns until nothing is left for anybody."""
    left, at = dict(cast.raters), began
    while left:
        for name, rater in list(left.items()):
            at += PER_ITEM / len(cast.raters)
            try:
                seat = seating.claim_next(round_=cast.round, rater=rater, now=at)
            except seating.NoSeat:
                del left[name]
                continue
            _submit(cast, seat, name, at + PER_ITEM / 2)


def _submit(
    cast: _WatchedCast, seat: Assignment, name: str, now: datetime, *, careful: bool = False
) -> None:
    item = seat.round_item
    slots = seat.slots.select_related("round_response__release__system").order_by("position")
    version = item.rubric_version
    assert version is not None
    criteria = list(version.criteria.all())
    marks = []
    for slot in slots:
        system = slot.round_response.release.system.name
        for one in criteria:
            right = cast.truth[item.item.external_id, system, one.key]
            value = right if careful else _slipped(cast, seat, name, system, one, right)
            marks.append(grading.EnteredMark(tokens.letter(slot.position), one.key, value))
    grading.submit_grades(
        token=seat.token or "",
        rater=cast.raters[name],
        marks=marks,
        comments={},
        base_rev=seat.rev,
        op_id=uuid5(NAMESPACE_URL, f"demo {seat.token} {seat.rev}"),
        active_ms=_active_ms(cast, seat, name),
        now=now,
        view="plain",
    )


def _slipped(
    cast: _WatchedCast, seat: Assignment, name: str, system: str, of: Criterion, right: Decimal
) -> Decimal:
    """Return what somebody gives: what is right, or so often as the file says its neighbour."""
    item = seat.round_item
    is_gold = item.purpose == RoundItem.Purpose.GOLD
    percent = cast.entry["slips_on_gold" if is_gold else "slips"][name]
    parts = (name, item.item.external_id, system, of.key)
    if _chance(cast, *parts, str(item.occasion)) >= percent:
        return right
    low, high = (Decimal(end) for end in of.ends)
    step = Decimal(of.step or 1)
    lower = right - step if right > low else right + step
    higher = right + step if right < high else right - step
    return lower if name == "mei" or _chance(cast, *parts, "side") < 50 else higher


def _active_ms(cast: _WatchedCast, seat: Assignment, name: str) -> int:
    place = (name, seat.round_item.item.external_id, "time")
    if name == cast.entry["hasty"] and _chance(cast, *place) < 60:
        return HASTY_MS
    return 80_000 + 900 * _chance(cast, *place, "long")


def _chance(cast: _WatchedCast, *parts: str) -> int:
    return seeds.integer(cast.round.seed, "demo", *parts, below=100)


def _look(cast: _WatchedCast, now: datetime) -> None:
    """Look into the signals of one annotator; those of the others are left on the list."""
    said = cast.entry["looked"]
    data = signalling.signals_of(cast.round, watching.params(cast.round))
    rater = cast.raters[said["annotator"]]
    line = watching.Signals(data, labels.labels_of(cast.round), {}).line(rater.pk)
    assert line is not None
    review.look(
        round_=cast.round,
        rater=rater,
        because=line.alarms,
        note=said["note"],
        by=cast.curator,
        now=now,
    )


def _review(cast: _WatchedCast, now: datetime) -> None:
    """Settle the first disputes, each in another way; the others are left at the desk."""
    entry, disputed = cast.entry, _disputed(cast.round)
    first, second, third, fourth = disputed[:4]
    right = cast.truth[_place(first[0])]
    about = {"response": first[0].response, "criterion": first[0].criterion, "value": right}
    _decide(cast, ReviewAct.ADJUDICATE, first, entry["adjudicated"], now, **about)
    seat = _farthest(second).slot
    assert seat is not None
    assert seat.assignment.rater is not None
    back = {"assignment": seat.assignment}
    _decide(cast, ReviewAct.HAND_BACK, second, entry["handed_back"], now + PER_ITEM, **back)
    name = next(one for one, rater in cast.raters.items() if rater.pk == seat.assignment.rater_id)
    held = seating.claim_next(
        round_=cast.round, rater=cast.raters[name], now=now + timedelta(hours=5)
    )
    _submit(cast, held, name, now + timedelta(hours=6), careful=True)
    _decide(cast, ReviewAct.KEEP, third, entry["kept"], now + 2 * PER_ITEM)
    _decide(cast, ReviewAct.REGRADE, fourth, entry["regrade"], now + timedelta(hours=7))


def _decide(
    cast: _WatchedCast,
    act: ReviewAct,
    grades: Sequence[Grade],
    reason: str,
    now: datetime,
    **about: Any,
) -> None:
    item = grades[0].response.item
    review.decide(
        round_=cast.round,
        wish=review.DecisionWish(act=act, item=item, **about),
        reason=reason,
        key=UUID(int=seeds.integer(cast.round.seed, "demo", act, below=2**128)),
        by=cast.curator,
        now=now,
    )


def _disputed(round_: Round) -> list[list[Grade]]:
    """Return the grades of the places on which people differ most, one place of each question."""
    rows = Grade.objects.current().filter(
        round=round_,
        kind=Grade.Kind.GIVEN,
        value__isnull=False,
        slot__assignment__round_item__purpose=RoundItem.Purpose.NORMAL,
    )
    rows = rows.select_related("response__item", "criterion", "slot__assignment__rater")
    places: dict[tuple[int, int], list[Grade]] = defaultdict(list)
    for one in rows.order_by("pk"):
        places[one.response_id, one.criterion_id].append(one)
    found: dict[int, list[Grade]] = {}
    for grades in sorted(places.values(), key=lambda some: (-_spread(some), some[0].pk)):
        if _spread(grades):
            found.setdefault(grades[0].response.item_id, grades)
    return list(found.values())


def _spread(grades: Sequence[Grade]) -> float:
    """Return how far the grades of a place lie apart, as a share of its scale."""
    values = [float(one.value) for one in grades if one.value is not None]
    low, high = (float(end) for end in grades[0].criterion.ends)
    return (max(values) - min(values)) / (high - low)


def _farthest(grades: Sequence[Grade]) -> Grade:
    middle = median_low([one.value for one in grades if one.value is not None])
    return max(grades, key=lambda one: (abs((one.value or middle) - middle), -one.pk))


def _place(grade: Grade) -> tuple[str, str, str]:
    item = grade.response.item.external_id
    return item, grade.response.release.system.name, grade.criterion.key
