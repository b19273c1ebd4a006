"""What the demo shows of people beside an evaluator: answers of its interviews, rated blind by three of them."""

import hashlib
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final
from uuid import NAMESPACE_URL, UUID, uuid5

from annotation.models import (
    Assignment,
    Criterion,
    IdentityHit,
    Membership,
    Project,
    Rater,
    Role,
    Round,
    User,
)
from annotation.operations import grading, people, seating
from annotation.operations.rounds import drafting, drawing, identity, opening, states
from annotation.rules import seeds, tokens
from scoring.models import PublishedExchange, Run
from scoring.operations import demo_talks, publishing
from scoring.queries import interview_outputs

NAME: Final = "What was said in interviews"
RUBRIC: Final = "interview-overall"
ANNOTATORS: Final = ("kofi", "jonas", "lena")
#: So many answers are taken by lot; each is graded by everybody.
TAKEN: Final = 36
AGO: Final = timedelta(days=2)
PER_ITEM: Final = timedelta(minutes=2)
#: How many of a hundred marks lie a level above or below the evaluator's.
SLIPS: Final = {"kofi": 20, "jonas": 45, "lena": 30}


def play(*, project: Project, by: User, now: datetime) -> None:
    """Give people answers of the interviews; their marks are made up: what the script said, with slips."""
    run = Run.objects.filter(project=project, kind=Run.Kind.KIEVAL, name=demo_talks.NAME).first()
    users = _annotators(project)
    if run is None or len(users) < len(ANNOTATORS):
        return
    opened = now - AGO
    round_ = _open(run, users, by, opened, now)
    said = _said(run)
    for user in users:
        rater = people.rater_of(project=project, user=user, now=opened)
        _grade(round_, rater, user.username, said, opened + timedelta(hours=2))
    states.close(round_=round_, by=by, now=opened + timedelta(days=1))
    states.finish(round_=round_, by=by, now=opened + timedelta(days=1, hours=4))


def _annotators(project: Project) -> list[User]:
    held = Membership.objects.with_role([Role.ANNOTATOR]).filter(
        project=project, user__username__in=ANNOTATORS
    )
    return [one.user for one in held.select_related("user").order_by("user__username")]


def _open(run: Run, users: list[User], by: User, opened: datetime, now: datetime) -> Round:
    # From secrets that were drawn by chance, so that nobody can guess this one either.
    known = Round.objects.filter(project=run.project).order_by("number").values_list("secret")
    secret = hashlib.sha256(b"".join(bytes(one) for (one,) in known) + NAME.encode()).digest()
    round_ = publishing.publish_for_rating(
        project=run.project,
        key=UUID(int=seeds.integer(run.project.slug, "demo rated talks", below=2**128)),
        source=publishing.source_of(run, sort=interview_outputs.EVERY),
        wish=publishing.Wish(NAME, RUBRIC, "20260911", secret, n=TAKEN, n_seats=len(ANNOTATORS)),
        user=by,
        by_owner=True,
        now=opened,
    )
    drafting.invite(round_=round_, users=users, by=by, by_owner=True, now=opened, override="")
    drawing.prepare(round_=round_, now=opened)
    if round_.identity_hits.exists():
        identity.decide(round_=round_, decision=IdentityHit.Decision.MASK, by=by, now=opened)
    opening.request_opening(round_=round_, by=by, now=opened)
    opening.open_round(round_=round_, now=opened)
    round_.refresh_from_db()
    return round_


def _said(run: Run) -> dict[int, Decimal]:
    """Return the evaluator's overall mark of each exchange that was published, by response."""
    rows = PublishedExchange.objects.filter(exchange__dialogue__run=run)
    return {
        pk: Decimal(scores["overall"])
        for pk, scores in rows.values_list("response_id", "exchange__scores")
        if scores
    }


def _grade(
    round_: Round, rater: Rater, name: str, said: dict[int, Decimal], began: datetime
) -> None:
    """Claim and submit until nothing is left for this annotator."""
    at = began
    while True:
        at += PER_ITEM
        try:
            seat = seating.claim_next(round_=round_, rater=rater, now=at)
        except seating.NoSeat:
            return
        _submit(seat, rater, name, said, at + PER_ITEM / 2)


def _submit(
    seat: Assignment, rater: Rater, name: str, said: dict[int, Decimal], now: datetime
) -> None:
    version = seat.round_item.rubric_version
    assert version is not None
    criterion = version.criteria.get()
    marks = [
        grading.Mark(
            tokens.letter(slot.position),
            criterion.key,
            _mark(slot.round_response.response_id, name, criterion, said),
        )
        for slot in seat.slots.select_related("round_response").order_by("position")
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


def _mark(response: int, name: str, of: Criterion, said: dict[int, Decimal]) -> Decimal:
    low, high = (Decimal(end) for end in of.ends)
    mark = min(max(said.get(response, low), low), high)
    if _chance(response, name) >= SLIPS[name]:
        return mark
    step = Decimal(1 if _chance(response, name, "side") < 40 else -1)
    return min(max(mark + step, low), high)


def _chance(*parts: object) -> int:
    return seeds.integer(NAME, *(str(one) for one in parts), below=100)
