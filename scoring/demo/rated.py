"""What the demo shows of people who rate what machines made: answers of interviews, and calls of tools.

Their marks are made up: what a script said, with slips.

* A small round of several kinds of mark: quality, fit to be sent, the main error, a better answer.
* A round of pairs over answers that were graded before: which of two is better.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings
from django.db.models import Avg, F

from annotation.common import draws as seeds
from annotation.common import texts as tokens
from annotation.demo import grading as rounds
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.grading.models import Grade
from annotation.people import operations as people
from annotation.people.models import Membership, Project, Rater, Role, User
from annotation.rounds import drafting, drawing, opening, states
from annotation.rounds.models import Assignment, IdentityHit, Round
from annotation.rubrics import operations as rubrics
from annotation.rubrics.models import Criterion
from annotation.systems.models import Item
from scoring.demo import files, interviews
from scoring.engine.models import Judgment, Run
from scoring.kinds.interviews.models import PublishedExchange
from scoring.publishing import choosing, suites
from scoring.publishing import interviews as interview_outputs
from scoring.publishing import operations as publishing

OF_TALKS: Final = "What was said in interviews"
OF_CALLS: Final = "What an agent called"
RUBRIC: Final = "interview-overall"
ANNOTATORS: Final = ("kofi", "jonas", "lena")
#: So many answers of interviews are taken by lot; each is graded by everybody.
TAKEN: Final = 36
AGO: Final = timedelta(days=2)
PER_ITEM: Final = timedelta(minutes=2)
#: How many of a hundred marks lie a level above or below the script's.
SLIPS: Final = {"kofi": 20, "jonas": 45, "lena": 30}
#: The round of pairs: its rubric, of how many systems it is, and when.
OF_PAIRS: Final = "Which would you send"
PREFERENCE: Final = "which_is_better"
COMPARED: Final = 3
OF_PAIRS_AGO: Final = timedelta(days=9)
#: Shares of the scale: what is nearer is the same, what is farther much better; of two as bad both are.
NEAR, FAR, LOW_BOTH = 0.08, 0.45, 0.5
Said = Mapping[int, Decimal]


def play(*, project: Project, by: User, now: datetime) -> None:
    """Give people answers of the interviews."""
    run = Run.objects.filter(project=project, kind=Run.Kind.KIEVAL, name=interviews.NAME).first()
    users = _annotators(project)
    if run is None or len(users) < len(ANNOTATORS):
        return
    wish = publishing.PublishWish(
        OF_TALKS,
        RUBRIC,
        "20260911",
        _secret(project, OF_TALKS),
        n=TAKEN,
        n_seats=len(ANNOTATORS),
        rule=f"{choosing.LOW}:{run.judge.rater_id}:overall" if run.judge else "",
    )
    round_ = _open(run, interview_outputs.EVERY, wish, users, by, now - AGO)
    rows = PublishedExchange.objects.filter(exchange__dialogue__run=run)
    said = {
        pk: Decimal(scores["overall"])
        for pk, scores in rows.values_list("response_id", "exchange__scores")
        if scores
    }
    _finish(round_, users, said, by)


def play_traces(*, project: Project, by: User, now: datetime) -> None:
    """Bring traces of an agent in, have a script judge every call of a tool, and give people the calls."""
    users = _annotators(project)
    if len(users) < len(ANNOTATORS):
        return
    run = files.play_traces(project=project, by=by, now=now)
    (rubric, *_others) = suites.offered(run)
    secret = _secret(project, OF_CALLS)
    wish = publishing.PublishWish(OF_CALLS, rubric, "20260912", secret, n_seats=len(ANNOTATORS))
    round_ = _open(run, suites.CALLS, wish, users, by, now - AGO)
    shown = round_.items.values("responses__response")
    known = Judgment.objects.filter(response__in=shown, rater__kind="JUDGE", value__isnull=False)
    _finish(round_, users, {one.response_id: Decimal(one.value or 0) for one in known}, by)


def play_kinds(*, project: Project, by: User, now: datetime) -> None:
    """Have two groups of annotators grade some answers by the rubric of fixtures/demo/kinds.json."""
    path = settings.BASE_DIR / "fixtures" / "demo" / "kinds.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(project=project)
    people_here = held.values_list("user__username", flat=True)
    items_here = Item.objects.filter(project=project).values_list("external_id", flat=True)
    wanted = {*content["annotators"], *content["grades"]}
    if wanted - {*people_here, *items_here}:
        return
    rubrics.load_fixture(project=project, entries=[content["rubric"]], by=by, now=now)
    plan = {
        "rubric": content["rubric"]["key"],
        "systems": content["systems"],
        "questions": list(content["grades"]),
        "annotators": content["annotators"],
        "grades": [*_kinds(content["grades"]), *content["texts"]],
    }
    entry = content["entry"]
    secret = _secret(project, entry["title"])
    rounds.play(
        project=project, entry=entry, plan={entry["plan"]: plan}, secret=secret, by=by, now=now
    )


def _kinds(given: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Iterator[dict[str, Any]]:
    """Yield the grades of the file, of which each is a level, y or n, and the place of a label."""
    for question, by_system in given.items():
        for system, by_person in by_system.items():
            for person, marks in by_person.items():
                sendable = str(int(marks[1] == "y"))
                values = {"quality": marks[0], "sendable": sendable, "error": marks[2]}
                for criterion, value in values.items():
                    yield {
                        "external_id": question,
                        "system": system,
                        "annotator": person,
                        "criterion": criterion,
                        "value": value,
                    }


def play_pairs(*, project: Project, by: User, now: datetime) -> None:
    """Have people say which of two answers is better, of answers that were graded before."""
    finals = Round.objects.filter(project=project, state=Round.State.FINAL, of_pairs=False)
    graded = finals.filter(kind=Round.Kind.PRODUCTION).order_by("number").first()
    users = _annotators(project)
    if graded is None or len(users) < len(ANNOTATORS):
        return
    systems = graded.systems.order_by("release_id").values_list("release__system__name", flat=True)
    part = {
        "rubric": PREFERENCE,
        "systems": list(systems)[:COMPARED],
        "questions": list(graded.items.values_list("item__external_id", flat=True).distinct()),
        "annotators": [one.username for one in users],
    }
    rubrics.load_fixture(project=project, entries=[_starter(PREFERENCE)], by=by, now=now)
    entry = {"title": OF_PAIRS, "seed": 20260918, "seats": len(users), "deadline_days": None}
    opened = now - OF_PAIRS_AGO
    round_ = rounds.open_round(project, entry, part, _secret(project, OF_PAIRS), by, opened, now)
    share = F("value") / F("criterion__maximum")
    given = Grade.objects.current().filter(round=graded, value__isnull=False)
    _finish(round_, users, dict(given.values_list("response").annotate(told=Avg(share))), by)


def _starter(key: str) -> dict[str, Any]:
    path = settings.BASE_DIR / "fixtures" / "rubrics" / "starters.json"
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return next(one for one in entries if one["key"] == key)


def _annotators(project: Project) -> list[User]:
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(
        project=project, user__username__in=ANNOTATORS
    )
    return [one.user for one in held.select_related("user").order_by("user__username")]


def _secret(project: Project, name: str) -> bytes:
    """Return a secret from those that were drawn by chance, so that nobody can guess it either."""
    known = Round.objects.filter(project=project).order_by("number").values_list("secret")
    return hashlib.sha256(b"".join(bytes(one) for (one,) in known) + name.encode()).digest()


def _open(
    run: Run, sort: str, wish: publishing.PublishWish, users: list[User], by: User, opened: datetime
) -> Round:
    key = UUID(int=seeds.integer(run.project.slug, f"demo {wish.name}", below=2**128))
    round_ = publishing.publish_for_rating(
        project=run.project,
        key=key,
        source=publishing.source_of(run, sort=sort),
        wish=wish,
        user=by,
        by_owner=True,
        now=opened,
    )
    drafting.invite(round_=round_, users=users, by=by, by_owner=True, now=opened, override="")
    drawing.prepare(round_=round_, now=opened)
    if round_.identity_hits.exists():
        drawing.decide(round_=round_, decision=IdentityHit.Decision.MASK, by=by, now=opened)
    opening.request_opening(round_=round_, by=by, now=opened)
    opening.open_round(round_=round_, now=opened)
    round_.refresh_from_db()
    return round_


def _finish(round_: Round, users: list[User], said: Said, by: User) -> None:
    """Have everybody grade all, and close the round."""
    opened = round_.opened_at
    assert opened is not None
    for user in users:
        rater = people.rater_of(project=round_.project, user=user, now=opened)
        _grade(round_, rater, user.username, said, opened + timedelta(hours=2))
    states.close(round_=round_, by=by, now=opened + timedelta(days=1))
    states.finish(round_=round_, by=by, now=opened + timedelta(days=1, hours=4))


def _grade(round_: Round, rater: Rater, name: str, said: Said, began: datetime) -> None:
    """Claim and submit until nothing is left for this annotator."""
    at = began
    while True:
        at += PER_ITEM
        try:
            seat = seating.claim_next(round_=round_, rater=rater, now=at)
        except seating.NoSeat:
            return
        _submit(seat, rater, name, said, at + PER_ITEM / 2)


def _submit(seat: Assignment, rater: Rater, name: str, said: Said, now: datetime) -> None:
    version = seat.round_item.rubric_version
    assert version is not None
    criterion = version.criteria.get()
    slots = seat.slots.select_related("round_response").order_by("position")
    shown = [one.round_response.response_id for one in slots]
    if criterion.mark == Criterion.Mark.CHOICE:
        first, second = shown
        given = [_choice(first, second, name, said)]
    else:
        given = [_mark(response, name, criterion, said) for response in shown]
    marks = [
        grading.EnteredMark(tokens.letter(place), criterion.key, value)
        for place, value in enumerate(given)
    ]
    grading.submit_grades(
        token=seat.token or "",
        rater=rater,
        marks=marks,
        comments={},
        base_rev=seat.rev,
        op_id=uuid5(NAMESPACE_URL, f"demo {seat.token}"),
        active_ms=45_000 + 500 * _chance(seat.round_item.ordinal, name, "time"),
        now=now,
        view="plain",
    )


def _mark(response: int, name: str, of: Criterion, said: Said) -> Decimal:
    low, high = (Decimal(end) for end in of.ends)
    mark = min(max(said.get(response, low), low), high)
    if _chance(response, name) >= SLIPS[name]:
        return mark
    step = Decimal(1 if _chance(response, name, "side") < 40 else -1)
    return min(max(mark + step, low), high)


def _choice(first: int, second: int, name: str, said: Said) -> Decimal:
    """Return which of two answers somebody says is better, by how they were graded."""
    left, right = float(said.get(first, 0)), float(said.get(second, 0))
    apart = left - right + (_chance(first, second, name) - 50) * SLIPS[name] / 5000
    if abs(apart) < NEAR:
        return Decimal(6 if left + right < LOW_BOTH else 3)
    better, worse = (1, 5) if abs(apart) > FAR else (2, 4)
    return Decimal(better if apart > 0 else worse)


def _chance(*parts: object) -> int:
    return seeds.integer(OF_TALKS, *(str(one) for one in parts), below=100)
