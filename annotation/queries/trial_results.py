"""What an annotator sees of a trial of theirs once it is decided: how it went, and where they differed.

Plain values of their own seats only, without a system or the grades of others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import (
    Assignment,
    Criterion,
    Grade,
    Qualification,
    Rater,
    Round,
)
from annotation.queries import references
from annotation.rules import scales, tokens

DECIDED = (
    Qualification.Event.PASSED,
    Qualification.Event.FAILED,
    Qualification.Event.UNDECIDED,
)


@dataclass(frozen=True)
class Compared:
    """One mark of one's own beside the one that is right."""

    criterion: str
    given: str
    right: str

    @property
    def is_right(self) -> bool:
        return self.given == self.right


@dataclass(frozen=True)
class Answer:
    letter: str
    html: str
    marks: tuple[Compared, ...]
    explanation: str


@dataclass(frozen=True)
class Question:
    place: int
    face: Mapping[str, Any]
    answers: tuple[Answer, ...]

    @property
    def differs(self) -> bool:
        return any(not mark.is_right for one in self.answers for mark in one.marks)


def decided(rater: Rater, number: int) -> Qualification | None:
    """Return the decision of a trial about somebody, if there is one."""
    rows = Qualification.objects.filter(rater=rater, round__number=number, event__in=DECIDED)
    return rows.select_related("round", "capability").order_by("-number").first()


def list_decided(rater: Rater) -> list[Qualification]:
    """Return every decision of a trial about somebody, the newest first."""
    rows = Qualification.objects.filter(rater=rater, round__isnull=False, event__in=DECIDED)
    return list(rows.select_related("round", "capability").order_by("-pk"))


def questions(rater: Rater, round_: Round) -> list[Question]:
    """Return one's own questions of a trial, each answer with its right grades."""
    seats = list(
        Assignment.objects.filter(round=round_, rater=rater, state=Assignment.State.SUBMITTED)
        .select_related("round_item")
        .prefetch_related("slots__round_response__display")
        .order_by("submitted_at", "ordinal")
    )
    right = references.current(round_)
    given: dict[tuple[int, int], Grade] = {}
    mine = Grade.objects.filter(assignment__in=seats, kind=Grade.Kind.GIVEN, is_current=True)
    for one in mine:
        given[one.slot_id or 0, one.criterion_id] = one
    criteria = _criteria(seats)
    made = []
    for place, seat in enumerate(seats, start=1):
        answers = []
        for slot in seat.slots.all():
            shown = slot.round_response
            marks, why = [], ""
            for criterion in criteria.get(seat.round_item.rubric_version_id or 0, []):
                reference = right.get((shown.response_id, criterion.pk))
                grade = given.get((slot.pk, criterion.pk))
                if reference is None or reference.value is None:
                    continue
                why = why or reference.reason
                value = "" if grade is None or grade.value is None else scales.text(grade.value)
                marks.append(Compared(criterion.name, value, scales.text(reference.value)))
            html = shown.display.html if shown.display else ""
            answers.append(Answer(tokens.letter(slot.position), html, tuple(marks), why))
        made.append(Question(place, seat.round_item.face, tuple(answers)))
    return made


def _criteria(seats: list[Assignment]) -> dict[int, list[Criterion]]:
    found: dict[int, list[Criterion]] = {}
    versions = {seat.round_item.rubric_version_id for seat in seats}
    for one in Criterion.objects.filter(rubric_version__in=versions).order_by("position", "pk"):
        found.setdefault(one.rubric_version_id, []).append(one)
    return found
