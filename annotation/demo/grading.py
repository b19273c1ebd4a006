"""Play the demo's rounds: open them, and have its annotators grade as the plan says."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from annotation.common import texts as tokens
from annotation.domains.models import Capability
from annotation.grading import operations as grading
from annotation.grading import seating
from annotation.grading.models import Remark
from annotation.people import operations as people
from annotation.people.models import Membership, Project, Rater, Role, User
from annotation.rounds import drafting, drawing, opening, states
from annotation.rounds.models import Assignment, IdentityHit, Round
from annotation.rubrics.models import RubricVersion
from annotation.running import operations as flags
from annotation.systems.models import SystemRelease

PER_ITEM = timedelta(minutes=3)
#: How long ago the finished round and the open one were opened.
FINISHED_AGO = timedelta(days=24)
OPENED_AGO = timedelta(days=2)
CANNOT = "knowledge"


@dataclass
class GradingScript:
    """What one annotator is going to enter: marks and comments by question and system."""

    marks: dict[tuple[str, str], dict[str, Decimal | None]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    comments: dict[tuple[str, str], str] = field(default_factory=dict)
    #: Texts by question, system and criterion.
    texts: dict[tuple[str, str, str], str] = field(default_factory=dict)

    @property
    def questions(self) -> set[str]:
        return {question for question, *_of in (*self.marks, *self.texts)}


def play(
    *,
    project: Project,
    entry: dict[str, Any],
    plan: dict[str, Any],
    secret: bytes,
    by: User,
    now: datetime,
) -> Round:
    """Make one round of the demo and take it to its state."""
    part = plan[entry["plan"]]
    finished = entry["state"] == "FINAL"
    began = now - (FINISHED_AGO if finished else OPENED_AGO)
    if days := entry.get("days_ago"):
        began = now - timedelta(days=days)
    round_ = open_round(project, entry, part, secret, by, began, now)
    scripts = _scripts(part)
    for username in part["annotators"]:
        most = part.get("done", {}).get(username)
        _grade(round_, project, username, scripts[username], began, most)
    for said in entry.get("flags", []):
        ask(round_, said, by, began + timedelta(hours=20))
    if finished:
        owner = Membership.objects.with_role([Role.OWNER]).filter(project=project)[0].user
        states.close(round_=round_, by=by, now=began + timedelta(days=3))
        states.finish(round_=round_, by=owner, now=began + timedelta(days=4))
    return round_


def open_round(
    project: Project,
    entry: dict[str, Any],
    part: dict[str, Any],
    secret: bytes,
    by: User,
    began: datetime,
    now: datetime,
) -> Round:
    """Draft a round of the demo, prepare it and open it."""
    round_ = drafting.create_round(
        project=project,
        name=entry["title"],
        seed=str(entry["seed"]),
        secret=secret,
        by=by,
        now=began,
    )
    days = entry["deadline_days"]
    settings = drafting.RoundSettings(
        name=entry["title"],
        n_seats=entry["seats"],
        deadline=now + timedelta(days=days) if days else None,
    )
    drafting.configure(round_=round_, settings=settings, by=by, by_owner=False, now=began)
    drafting.choose_releases(
        round_=round_,
        releases=list(
            SystemRelease.objects.filter(
                system__project=project, system__name__in=part["systems"]
            ).select_related("system")
        ),
        by=by,
        now=began,
    )
    drafting.choose_draw(
        round_=round_, draw=drafting.Draw(external_ids=part["questions"]), by=by, now=began
    )
    if key := part.get("rubric"):
        version = RubricVersion.objects.filter(rubric__project=project, rubric__key=key).latest(
            "number"
        )
        drafting.choose_rubrics(round_=round_, by_capability={}, rest=version, by=by, now=began)
    else:
        choose_rubrics(round_, by, began)
    users = [User.objects.get(username=name) for name in part["annotators"]]
    drafting.invite(round_=round_, users=users, by=by, by_owner=False, now=began, override="")
    drawing.prepare(round_=round_, now=began)
    if round_.identity_hits.exists():
        drawing.decide(round_=round_, decision=IdentityHit.Decision.MASK, by=by, now=began)
    opening.request_opening(round_=round_, by=by, now=began)
    opening.open_round(round_=round_, now=began)
    round_.refresh_from_db()
    return round_


def choose_rubrics(round_: Round, by: User, now: datetime) -> None:
    newest = {
        capability: RubricVersion.objects.filter(rubric=capability.rubric).order_by("-number")[0]
        for capability in Capability.objects.filter(
            project=round_.project, rubric__isnull=False
        ).select_related("rubric")
    }
    drafting.choose_rubrics(round_=round_, by_capability=newest, rest=None, by=by, now=now)


def _scripts(part: dict[str, Any]) -> dict[str, GradingScript]:
    scripts: dict[str, GradingScript] = defaultdict(GradingScript)
    for grade in part["grades"]:
        script = scripts[grade["annotator"]]
        place = (grade["external_id"], grade["system"])
        value = grade.get("value")
        if text := grade.get("text"):
            script.texts[*place, grade["criterion"]] = text
            continue
        script.marks[place][grade["criterion"]] = None if value is None else Decimal(str(value))
        said = [grade[key] for key in ("comment", "reason") if grade.get(key)]
        if said:
            script.comments[place] = " ".join(said)
    return scripts


def _grade(
    round_: Round,
    project: Project,
    username: str,
    script: GradingScript,
    began: datetime,
    most: int | None,
) -> None:
    """Claim and submit what the annotator is given, until the script or `most` is reached."""
    user = User.objects.get(username=username)
    rater = people.rater_of(project=project, user=user, now=began)
    at = began + timedelta(hours=2)
    for _item in range(len(script.questions) if most is None else most):
        at += PER_ITEM
        seat = seating.claim_next(round_=round_, rater=rater, now=at)
        _submit(seat, rater, script, seat.round_item.item.external_id, at + PER_ITEM)


def _submit(
    seat: Assignment, rater: Rater, script: GradingScript, question: str, now: datetime
) -> None:
    marks: list[grading.EnteredMark] = []
    comments: dict[str, str] = {}
    for letter, system in _places(seat):
        for criterion, value in script.marks[question, system].items():
            cannot = CANNOT if value is None else ""
            marks.append(grading.EnteredMark(letter, criterion, value, cannot))
        marks += [
            grading.EnteredMark(letter, criterion, text=text)
            for (of, by, criterion), text in script.texts.items()
            if (of, by) == (question, system)
        ]
        if comment := script.comments.get((question, system)):
            comments[letter] = comment
    grading.submit_grades(
        token=seat.token or "",
        rater=rater,
        marks=marks,
        comments=comments,
        base_rev=seat.rev,
        op_id=uuid5(NAMESPACE_URL, f"demo {seat.token}"),
        active_ms=_active_ms(question, rater),
        now=now,
        view="plain",
    )


def ask(round_: Round, said: dict[str, Any], by: User, now: datetime) -> None:
    """Let an annotator ask about a question they have graded, and a curator answer."""
    graded = Assignment.objects.filter(
        round=round_, rater__user__username=said["annotator"], state=Assignment.State.SUBMITTED
    )
    seat = graded.exclude(slots__remarks__kind=Remark.Kind.FLAG).earliest("submitted_at", "ordinal")
    assert seat.rater is not None
    flag = Remark.objects.create(
        slot=seat.slots.get(position=0),
        rater=seat.rater,
        kind=Remark.Kind.FLAG,
        text=said["text"],
        at=now,
    )
    if answer := said["answer"]:
        flags.answer(flag=flag, round_=round_, text=answer, by=by, now=now + timedelta(hours=1))


def _active_ms(question: str, rater: Rater) -> int:
    """Return a time at the page that differs by question and person, within what an item is given."""
    return 1000 * (95 + sum(map(ord, question + rater.ref[:4])) % 80)


def _places(seat: Assignment) -> Iterator[tuple[str, str]]:
    slots = seat.slots.order_by("position").values_list(
        "position", "round_response__release__system__name"
    )
    for position, system in slots:
        yield tokens.letter(position), system
