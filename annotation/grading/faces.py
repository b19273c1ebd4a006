"""What an annotator is shown of a seat: plain values only, so that a template cannot leak.

Nothing here holds a system, a release, a response or a database id (ARCHITECTURE §3.1).
"""

import functools
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from annotation.common import texts as tokens
from annotation.grading import counting as totals
from annotation.people.models import Rater
from annotation.rounds import repeats
from annotation.rounds import rules as rounds
from annotation.rounds.models import Assignment, ClaimEvent, Draft, Round, Slot
from annotation.rubrics import rules
from annotation.rubrics.models import Criterion, Level
from annotation.rubrics.queries import CriterionFace, MarkFace, criterion_face
from annotation.running import queries as stored
from evalsite.db import prepared
from evalsite.text import markdown


@dataclass(frozen=True)
class ResponseFace:
    letter: str
    html: str
    marks: list[MarkFace]
    cannot: str
    comment: str

    @property
    def tally(self) -> str:
        """Return what stands in the footer: the grade, how many of several, or a dash."""
        if self.cannot:
            return "×"
        wanted = [mark for mark in self.marks if mark.criterion.required]
        given = [mark.sign for mark in wanted if mark.value]
        if len(wanted) == 1:
            return given[0] if given else "–"
        return f"{len(given)}/{len(wanted)}"

    @property
    def done(self) -> bool:
        return bool(self.cannot) or all(mark.given for mark in self.marks)


@dataclass(frozen=True)
class SeatFace:
    """The grading page of one seat."""

    token: str
    rev: int
    round_number: int
    round_name: str
    instructions: str
    place: int
    n_items: int
    n_done: int
    face: dict[str, Any]
    principle: str
    criteria: list[CriterionFace]
    responses: list[ResponseFace]
    submitted: bool
    lost: bool
    editable: bool
    lease_until: datetime | None
    draft: dict[str, str] = field(default_factory=dict)
    draft_rev: int = 0
    saved_at: datetime | None = None
    flag: str = ""
    answer: str = ""
    #: The addresses of this person's question before and after this one, if there is one.
    earlier: str = ""
    later: str = ""

    @property
    def letters(self) -> str:
        return "".join(one.letter for one in self.responses)

    @property
    def of_pairs(self) -> bool:
        """Whether it is asked which of two answers is better."""
        return any(one.by_choice for one in self.criteria)

    @property
    def choices(self) -> ResponseFace | None:
        """What is chosen of two answers, kept with the first of them."""
        return self.responses[0] if self.of_pairs and self.responses else None

    @property
    def marked(self) -> str:
        """Return the letters at which marks are given."""
        return "".join(one.letter for one in self.responses if one.marks)

    @property
    def criteria_json(self) -> str:
        return json.dumps([one.key for one in self.criteria if one.required])

    @property
    def kinds_json(self) -> str:
        """Return what kind of mark is asked for by each criterion that is answered by no plain level."""
        return json.dumps({one.key: one.mark for one in self.criteria if one.mark != rules.LEVELS})

    @property
    def left(self) -> list[str]:
        return [one.letter for one in self.responses if not one.done]

    @property
    def unused(self) -> str:
        """Return the slice of a sheet's letters at which this seat has no response."""
        return f"{len(self.responses)}:"

    @property
    def n_criteria(self) -> int:
        return len(self.criteria)


_DRAFT = prepared.PreparedQuery(lambda seat: Draft.objects.filter(assignment=seat), seat=int)


def seat(
    assignment: Assignment,
    *,
    token: str,
    lost: bool,
    now: datetime,
    entered: stored.Entered | None = None,
) -> SeatFace:
    """Return the page of a seat. `entered` stands in for what is stored, after a refusal.

    A seat that was lost shows what its annotator had entered until then, on whatever device.
    """
    submitted = assignment.state == Assignment.State.SUBMITTED and not lost
    draft = None if submitted or lost else _DRAFT.first(seat=assignment.pk)
    begun = stored.kept(assignment, token) if lost else dict(draft.marks) if draft else {}
    shown = entered
    if shown is None and submitted:
        shown = stored.given([assignment])[assignment.pk]
    elif shown is None:
        shown = stored.drafted(begun)
    [face] = _faces([assignment], {assignment.pk: shown})
    rater = _CLAIMANT.first(token=token)
    n_done = 0 if rater is None else _n_done(assignment, token, rater)
    earlier, later = stored.neighbours(assignment, submitted) if n_done or submitted else ("", "")
    return replace(
        face,
        token=token,
        rev=0 if lost else assignment.rev,
        place=n_done + 1 + (0 if submitted or lost else _n_before(assignment)),
        n_done=n_done,
        n_items=_n_items(assignment.round, rater, now),
        principle=_principle(assignment),
        submitted=submitted,
        lost=lost,
        editable=_editable(assignment, submitted) and (face.editable or not submitted),
        lease_until=assignment.lease_until if not lost else None,
        draft=shown.table() if submitted else begun,
        draft_rev=draft.rev if draft else 0,
        saved_at=draft.saved_at if draft else None,
        earlier=earlier,
        later=later,
    )


def seats(assignments: Sequence[Assignment]) -> list[SeatFace]:
    """Return several seats of one person and round, with what is stored, for their sheet."""
    return _faces(assignments, stored.given(assignments))


def _faces(
    assignments: Sequence[Assignment], entered: Mapping[int, stored.Entered]
) -> list[SeatFace]:
    """Return the faces of seats; the number of queries does not grow with them."""
    criteria = _criteria({one.round_item.rubric_version_id for one in assignments})
    texts = _texts(assignments)
    again = repeats.met_again(assignments)
    return [
        SeatFace(
            token=one.token or "",
            rev=one.rev,
            round_number=one.round.number,
            round_name=one.round.name,
            instructions=one.round.instructions,
            place=0,
            n_items=0,
            n_done=0,
            face=one.round_item.face,
            principle="",
            criteria=(mine := criteria[one.round_item.rubric_version_id]),
            responses=_responses(texts[one.pk], mine, entered[one.pk]),
            submitted=one.state == Assignment.State.SUBMITTED,
            lost=False,
            editable=_editable(one, one.state == Assignment.State.SUBMITTED)
            and one.pk not in again,
            lease_until=one.lease_until,
            flag=entered[one.pk].others.get("flag", ""),
            answer=" ".join(entered[one.pk].answer),
        )
        for one in assignments
    ]


def _criteria(versions: Collection[int | None]) -> dict[int | None, list[CriterionFace]]:
    found: dict[int | None, list[CriterionFace]] = {version: [] for version in versions}
    if len(found) == 1:
        [version] = found
        return {version: _criteria_of(version)}
    rows = Criterion.objects.filter(rubric_version__in=versions).prefetch_related("levels")
    for row in rows.order_by("position", "pk"):
        found[row.rubric_version_id].append(criterion_face(row))
    return found


_OF_VERSION = prepared.PreparedQuery(
    lambda version: Criterion.objects.filter(rubric_version=version).order_by("position", "pk"),
    version=int,
)
_LEVELS = prepared.PreparedQuery(
    lambda version: Level.objects.filter(criterion__rubric_version=version).order_by("value"),
    version=int,
)


def _criteria_of(version: int | None) -> list[CriterionFace]:
    levels = _LEVELS.all(version=version)
    return [
        criterion_face(row, [level for level in levels if level.criterion_id == row.pk])
        for row in _OF_VERSION.all(version=version)
    ]


def _principle(assignment: Assignment) -> str:
    """Return what the question is graded by: its own principle, else that of its rubric."""
    own = assignment.round_item.face.get("principle")
    if own:
        return str(own)
    version = assignment.round_item.rubric_version
    return _rendered(version.principle) if version else ""


@functools.lru_cache(maxsize=64)
def _rendered(text: str) -> str:
    return markdown.render(tokens.normalise(text))


_HTML = prepared.PreparedQuery(
    lambda seat: (
        Slot.objects.filter(assignment=seat)
        .order_by("position")
        .values_list("round_response__display__html", flat=True)
    ),
    seat=int,
)


def _texts(assignments: Sequence[Assignment]) -> dict[int, list[str]]:
    """Return the rendered responses of each seat, in the order of its positions."""
    if len(assignments) == 1:
        [one] = assignments
        return {one.pk: [html or "" for html in _HTML.all(seat=one.pk)]}
    found: dict[int, list[str]] = {one.pk: [] for one in assignments}
    rows = Slot.objects.filter(assignment__in=assignments).order_by("assignment", "position")
    for seat_pk, html in rows.values_list("assignment_id", "round_response__display__html"):
        found[seat_pk].append(html or "")
    return found


def _editable(assignment: Assignment, submitted: bool) -> bool:
    state = rounds.RoundState(assignment.round.state)
    if submitted:
        return state is rounds.RoundState.OPEN
    return rounds.allows(state, rounds.RoundAct.SUBMIT)


_CLAIMANT = prepared.PreparedQuery(
    lambda token: Rater.objects.filter(
        pk__in=ClaimEvent.objects.filter(token=token).values("rater")
    )[:1],
    token=str,
)
_N_DONE = prepared.PreparedQuery(
    lambda round_, rater: (
        Assignment.objects.filter(round=round_, rater=rater, state=Assignment.State.SUBMITTED)
        .values("rater")
        .annotate(n=Count("pk"))
        .values_list("n", flat=True)
    ),
    round_=int,
    rater=int,
)


def _n_items(round_: Round, rater: Rater | None, now: datetime) -> int:
    """Return of how many questions this person is told."""
    return totals.total(rater, round_, now) if rater else 0


def _n_done(assignment: Assignment, token: str, rater: Rater) -> int:
    """Return how many items this person had finished before this one."""
    if assignment.state != Assignment.State.SUBMITTED:
        return _N_DONE.first(round_=assignment.round_id, rater=rater.pk) or 0
    done = Assignment.objects.filter(
        round_id=assignment.round_id,
        rater=rater,
        state=Assignment.State.SUBMITTED,
    )
    if assignment.state == Assignment.State.SUBMITTED and assignment.token == token:
        done = done.filter(submitted_at__lt=assignment.submitted_at)
    return done.count()


def _n_before(assignment: Assignment) -> int:
    """Return how many other items this person holds that come before this one."""
    if not assignment.warm or assignment.rater is None:
        return 0
    held = Assignment.objects.held_by(assignment.rater).filter(round_id=assignment.round_id)
    held = held.exclude(pk=assignment.pk)
    earlier = Q(claimed_at=assignment.claimed_at, ordinal__lt=assignment.ordinal)
    return held.filter(Q(warm=False) | Q(claimed_at__lt=assignment.claimed_at) | earlier).count()


def _responses(
    texts: Sequence[str], criteria: list[CriterionFace], shown: stored.Entered
) -> list[ResponseFace]:
    made = []
    for position, html in enumerate(texts):
        letter = tokens.letter(position)
        marks = []
        for criterion in criteria:
            if position and criterion.by_choice:
                continue
            kind = "text" if criterion.by_text else "mark"
            name = stored.mark_name(letter, criterion.key, kind)
            problems = shown.errors.get(f"{letter}.{criterion.key}", [])
            marks.append(MarkFace(criterion, name, shown.values.get(name, ""), " ".join(problems)))
        made.append(
            ResponseFace(
                letter=letter,
                html=html,
                marks=marks,
                cannot=shown.cannot.get(letter, ""),
                comment=shown.comments.get(letter, ""),
            )
        )
    return made
