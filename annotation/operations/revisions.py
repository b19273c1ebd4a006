"""Write the rows of a submit: revisions of grades and remarks, nothing overwritten."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from annotation.models import Assignment, Criterion, Grade, Rater, Remark, Slot
from evalsite import prepared

LONGEST_TEXT = 5000
LONGEST_MS = 2**31 - 1
#: Stands for marked places that were taken back.
NOTHING: Sequence[tuple[int | None, int | None]] = [(None, None)]


class Mark(Protocol):
    """A mark as operations.grading has checked it."""

    @property
    def letter(self) -> str: ...
    @property
    def criterion(self) -> str: ...
    @property
    def value(self) -> Decimal | None: ...
    @property
    def cannot(self) -> str: ...


@dataclass(frozen=True)
class Work:
    """A submit as its rows need it."""

    seat: Assignment
    rater: Rater
    slots: Mapping[str, Slot]
    criteria: Mapping[str, Criterion]
    late: bool
    now: datetime
    active_ms: int | None
    view: str


_GIVEN = prepared.Query(
    lambda seat: Grade.objects.filter(assignment=seat, kind=Grade.Kind.GIVEN), seat=int
)
_GRADES = prepared.Insert(Grade)
_REMARKS = prepared.Insert(Remark)
#: By whomever: with the rater as a condition, SQLite would look through all they have ever said.
_EARLIER = prepared.Query(
    lambda seat: Remark.objects.filter(slot__assignment=seat).order_by("revision", "pk"), seat=int
)


def write_grades(work: Work, marks: Iterable[Mark]) -> None:
    """Append a revision of every mark that is new or changed."""
    before: dict[tuple[int | None, int], Grade] = {}
    tops: dict[tuple[int | None, int], int] = {}
    for row in _GIVEN.all(seat=work.seat.pk):
        place = (row.slot_id, row.criterion_id)
        tops[place] = max(tops.get(place, 0), row.revision)
        if row.is_current:
            before[place] = row
    fresh: list[Grade] = []
    replaced: list[int] = []
    for mark in marks:
        made = _grade(work, mark)
        place = (made.slot_id, made.criterion_id)
        old = before.get(place)
        if not work.late and old is not None:
            if (old.rater_id, old.value, old.reason) == (work.rater.pk, made.value, made.reason):
                continue
            replaced.append(old.pk)
        made.revision = tops.get(place, 0) + 1
        fresh.append(made)
    if replaced:
        Grade.objects.filter(pk__in=replaced).update(is_current=False)
    _GRADES.add_all(fresh)


def _grade(work: Work, mark: Mark) -> Grade:
    slot = work.slots[mark.letter]
    return Grade(
        round_id=work.seat.round_id,
        response_id=slot.round_response.response_id,
        criterion=work.criteria[mark.criterion],
        rater=work.rater,
        slot=slot,
        assignment=work.seat,
        outcome=Grade.Outcome.CANNOT_GRADE if mark.value is None else Grade.Outcome.VALUE,
        reason=clean(mark.cannot, 300) if mark.value is None else "",
        value=mark.value,
        is_current=not work.late,
        late=work.late,
        given_at=work.now,
        active_ms=in_bounds(work.active_ms),
        view=clean(work.view, 10),
    )


def in_bounds(active_ms: int | None) -> int | None:
    """Return a time that a page measured, as far as it can be true."""
    return None if active_ms is None else min(max(active_ms, 0), LONGEST_MS)


def clean(text: str, limit: int) -> str:
    """Return what a person wrote as every database can store it."""
    plain = text.replace("\x00", "").encode("utf-8", "replace").decode()
    return plain.strip()[:limit]


def write_remarks(
    work: Work,
    comments: Mapping[str, str],
    evidence: Mapping[str, Sequence[tuple[int, int]]],
    flag: str | None,
) -> None:
    """Append the comments, marked places and the flag that are new or changed.

    An emptied comment is a new, empty remark. Marked places have one remark for each; all of a
    response get a new revision together. The flag stands at the first slot: it is about the page.
    """
    said = _Said(work)
    rows = [
        *said.texts(Remark.Kind.COMMENT, comments),
        *said.texts(Remark.Kind.FLAG, {} if flag is None else {min(work.slots): flag}),
        *said.spans(evidence),
    ]
    _REMARKS.add_all(rows)


class _Said:
    """What somebody has remarked on a seat before, by kind and slot."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.latest: dict[tuple[str, int], list[Remark]] = {}
        for remark in _EARLIER.all(seat=work.seat.pk):
            if remark.rater_id != work.rater.pk:
                continue
            place = (remark.kind, remark.slot_id or 0)
            others = self.latest.get(place, [])
            if others and others[0].revision == remark.revision:
                others.append(remark)
            else:
                self.latest[place] = [remark]

    def texts(self, kind: Remark.Kind, given: Mapping[str, str]) -> Iterator[Remark]:
        for letter, text in given.items():
            if letter not in self.work.slots:
                continue
            old = self.latest.get((kind, self.work.slots[letter].pk), [])
            counted = [one for one in old if self.work.late or not one.late]
            said = clean(text, LONGEST_TEXT)
            # What was only kept as late is said anew once it counts.
            if said != (counted[0].text if counted else ""):
                yield self._remark(kind, letter, old, text=said)

    def spans(self, given: Mapping[str, Sequence[tuple[int, int]]]) -> Iterator[Remark]:
        kind = Remark.Kind.EVIDENCE
        for letter, places in given.items():
            if letter not in self.work.slots:
                continue
            slot = self.work.slots[letter]
            old = self.latest.get((kind, slot.pk), [])
            before = [(one.start, one.end) for one in old if self.work.late or not one.late]
            if list(places) == [pair for pair in before if pair != (None, None)]:
                continue
            for start, end in places or NOTHING:  # an empty one takes them all back
                yield self._remark(
                    kind,
                    letter,
                    old,
                    start=start,
                    end=end,
                    display_id=slot.round_response.display_id,
                )

    def _remark(
        self, kind: Remark.Kind, letter: str, old: Sequence[Remark], **fields: Any
    ) -> Remark:
        return Remark(
            slot=self.work.slots[letter],
            rater=self.work.rater,
            kind=kind,
            revision=old[0].revision + 1 if old else 1,
            late=self.work.late,
            at=self.work.now,
            **fields,
        )
