"""Write the rows of a submit: revisions of grades and remarks, nothing overwritten.

* Record grades: nothing half, nothing twice, nothing lost.
* Keep what somebody has entered before they submit it: every change, acknowledged once stored.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, prefetch_related_objects

from annotation.common import scales, sentences
from annotation.common import texts as tokens
from annotation.common.sentences import gettext as _
from annotation.grading.models import Grade, Remark
from annotation.people import audit
from annotation.people.models import Rater, User
from annotation.rounds import queries as discarded
from annotation.rounds import repeats, states
from annotation.rounds import rules as rounds
from annotation.rounds import states as leases
from annotation.rounds.models import Assignment, ClaimEvent, Draft, Receipt, Round, Slot
from annotation.rounds.rules import Patch
from annotation.rubrics.models import Criterion
from evalsite import errors
from evalsite.db import prepared
from evalsite.web import languages

LONGEST_TEXT = 5000
LONGEST_MS = 2**31 - 1
#: Stands for marked places that were taken back.
NOTHING: Sequence[tuple[int | None, int | None]] = [(None, None)]


class RevisedMark(Protocol):
    """A mark as operations.grading has checked it."""

    @property
    def letter(self) -> str: ...
    @property
    def criterion(self) -> str: ...
    @property
    def value(self) -> Decimal | None: ...
    @property
    def cannot(self) -> str: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class SubmitWork:
    """A submit as its rows need it."""

    seat: Assignment
    rater: Rater
    slots: Mapping[str, Slot]
    criteria: Mapping[str, Criterion]
    late: bool
    now: datetime
    active_ms: int | None
    view: str


_GIVEN = prepared.PreparedQuery(
    lambda seat: Grade.objects.filter(assignment=seat, kind=Grade.Kind.GIVEN), seat=int
)
_GRADES = prepared.Insert(Grade)
_REMARKS = prepared.Insert(Remark)
#: By whomever: with the rater as a condition, SQLite would look through all they have ever said.
_EARLIER = prepared.PreparedQuery(
    lambda seat: Remark.objects.filter(slot__assignment=seat).order_by("revision", "pk"), seat=int
)


def write_grades(work: SubmitWork, marks: Iterable[RevisedMark]) -> None:
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
            del before[place]
            if _content(old) == _content(made):
                continue
            replaced.append(old.pk)
        made.revision = tops.get(place, 0) + 1
        fresh.append(made)
    if not work.late:  # a text of choice that was taken back
        replaced += [old.pk for old in before.values()]
    if replaced:
        Grade.objects.filter(pk__in=replaced).update(is_current=False)
    _GRADES.add_all(fresh)


def _content(grade: Grade) -> tuple[object, ...]:
    return grade.rater_id, grade.value, grade.reason, grade.text


def _grade(work: SubmitWork, mark: RevisedMark) -> Grade:
    cannot = mark.value is None and not mark.text
    slot = work.slots[mark.letter]
    criterion = work.criteria[mark.criterion]
    return Grade(
        round_id=work.seat.round_id,
        response_id=slot.round_response.response_id,
        against_id=_against(work) if criterion.mark == Criterion.Mark.CHOICE else None,
        criterion=criterion,
        rater=work.rater,
        slot=slot,
        assignment=work.seat,
        outcome=Grade.Outcome.CANNOT_GRADE if cannot else Grade.Outcome.VALUE,
        reason=clean(mark.cannot, 300) if cannot else "",
        value=mark.value,
        text=clean(mark.text, scales.LONGEST_ANSWER),
        is_current=not work.late,
        late=work.late,
        given_at=work.now,
        active_ms=in_bounds(work.active_ms),
        view=clean(work.view, 10),
    )


def _against(work: SubmitWork) -> int:
    """Return the answer at the second place, against which a choice is made.

    Raises:
        Locked: the seat has not two answers.
    """
    if len(work.slots) != 2:
        raise Locked(
            _("A choice is between two answers, and here are %(n)d. Tell whoever runs the round.")
            % {"n": len(work.slots)}
        )
    return work.slots[max(work.slots)].round_response.response_id


def in_bounds(active_ms: int | None) -> int | None:
    """Return a time that a page measured, as far as it can be true."""
    return None if active_ms is None else min(max(active_ms, 0), LONGEST_MS)


def clean(text: str, limit: int) -> str:
    """Return what a person wrote as every database can store it."""
    plain = text.replace("\x00", "").encode("utf-8", "replace").decode()
    return plain.strip()[:limit]


def write_remarks(
    work: SubmitWork,
    comments: Mapping[str, str],
    evidence: Mapping[str, Sequence[tuple[int, int]]],
    flag: str | None,
) -> None:
    """Append the comments, marked places and the flag that are new or changed.

    An emptied comment is a new, empty remark. Marked places have one remark for each; all of a
    response get a new revision together. The flag stands at the first slot: it is about the page.
    """
    said = _SeatRemarks(work)
    rows = [
        *said.texts(Remark.Kind.COMMENT, comments),
        *said.texts(Remark.Kind.FLAG, {} if flag is None else {min(work.slots): flag}),
        *said.spans(evidence),
    ]
    _REMARKS.add_all(rows)


class _SeatRemarks:
    """What somebody has remarked on a seat before, by kind and slot."""

    def __init__(self, work: SubmitWork) -> None:
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


class StaleTab(errors.Conflict): ...


class Locked(errors.Conflict): ...


class Discarded(Locked):
    """By the code of `Locked`: the desk keeps what was entered and takes nothing more."""


@dataclass(frozen=True)
class EnteredMark:
    """One mark as it was entered: a value, a text, or the reason why there is none."""

    letter: str
    criterion: str
    value: Decimal | None = None
    cannot: str = ""
    text: str = ""


@dataclass(frozen=True)
class Holding:
    """A seat as somebody addresses it: held (or submitted) by them, or `lost` to somebody else."""

    assignment: Assignment
    token: str
    lost: bool


def _claimed(token: str) -> QuerySet[Assignment]:
    """Return the seat that was once claimed under this token, and by whom.

    What is large is left to who needs it. The rater is compared by `find`: as a condition here,
    SQLite would look through all that this person has ever claimed.
    """
    seats = Assignment.objects.filter(events__token=token, events__kind=ClaimEvent.Kind.CLAIMED)
    return (
        seats.annotate(claimant=F("events__rater_id"))
        .select_related("round__project", "round_item__rubric_version")
        .defer("round__manifest")
    )


_FOUND = prepared.PreparedQuery(_claimed, token=str)
_LOCKED = prepared.PreparedQuery(
    lambda token: (
        _claimed(token)
        .defer("round__manifest", "round_item__face", "round_item__rubric_version__principle")
        .select_for_update(of=("self",))
    ),
    token=str,
)
_SLOTS = prepared.PreparedQuery(
    lambda seat: (
        Slot.objects.filter(assignment=seat).select_related("round_response").order_by("position")
    ),
    seat=int,
)
_POSITIONS = prepared.PreparedQuery(
    lambda seat: (
        Slot.objects.filter(assignment=seat).order_by("position").values_list("position", flat=True)
    ),
    seat=int,
)
_CRITERIA = prepared.PreparedQuery(
    lambda version: Criterion.objects.filter(rubric_version=version), version=int
)
_RECEIPT = prepared.PreparedQuery(
    lambda user, op_id: Receipt.objects.filter(user=user, op_id=op_id), user=int, op_id=UUID
)
_ROUND_NOW = prepared.PreparedQuery(
    lambda pk: Round.everything.only("state", "discarded_at").filter(pk=pk), pk=int
)
_RECEIPTS = prepared.Insert(Receipt)
_DRAFT_GONE = prepared.Delete(lambda seat: Draft.objects.filter(assignment=seat), seat=int)


def receipt_of(user: User, op_id: UUID) -> Receipt | None:
    """Return the answer that a request got, if it came before."""
    return _RECEIPT.first(user=user.pk, op_id=op_id)


def issue(receipt: Receipt) -> Receipt:
    return _RECEIPTS.add(receipt)


def find(*, token: str, rater: Rater, lock: bool = False) -> Holding | None:
    """Return the seat behind a token that was given to this person, whatever became of it."""
    for seat in (_LOCKED if lock else _FOUND).all(token=token):
        if seat.claimant == rater.pk:  # type: ignore[attr-defined]
            lost = seat.token != token or seat.rater_id != rater.pk
            return Holding(seat, token, lost=lost)
    return None


def held(*, token: str, rater: Rater, lock: bool = False) -> Holding:
    """Return what `find` does, or say why there is nothing (any more)."""
    found = find(token=token, rater=rater, lock=lock)
    if found is None or found.assignment.round.discarded_at is not None:
        raise _gone(token, rater)
    return found


def _gone(token: str, rater: Rater) -> errors.Refusal:
    why = discarded.why(token, rater)
    if why is not None:
        return Discarded(_("This round was discarded: %(why)s") % {"why": why})
    return states.SeatNotYours(_("This question was not given to you."))


@transaction.atomic
def submit_grades(
    *,
    token: str,
    rater: Rater,
    marks: Sequence[EnteredMark],
    comments: Mapping[str, str],
    base_rev: int,
    op_id: UUID,
    now: datetime,
    evidence: Mapping[str, Sequence[tuple[int, int]]] | None = None,
    flag: str | None = None,
    active_ms: int | None = None,
    view: str = "",
) -> Receipt:
    """Record one revision of a seat's grades and hand out its receipt.

    A request that comes twice gets the first receipt. Grades for a seat that was given away are
    stored as late and count nowhere.

    Args:
        token: the address of the seat.
        rater: who grades.
        marks: one for every response × criterion.
        comments: by letter.
        base_rev: the revision the page was drawn from.
        op_id: the request's own id.
        now: the clock.
        evidence: marked places of the display's text by letter; None leaves them as they are.
        flag: what is wrong with the question; None leaves it as it is.
        active_ms: time spent, as the page measured it.
        view: the layout that was used.

    Raises:
        StaleTab: the seat has moved on since this page was drawn.
        Incomplete: a response lacks a grade.
        OffScale: a value that the criterion does not have.
        Locked: the round takes no grades any more, or was discarded, or a choice lacks its two answers.
        SeatNotYours: the token is none of this person's.
    """
    user = rater.user
    assert user is not None
    holding = held(token=token, rater=rater, lock=True)
    seat = holding.assignment
    slots = {tokens.letter(slot.position): slot for slot in _SLOTS.all(seat=seat.pk)}
    version = seat.round_item.rubric_version_id
    criteria = _criteria(version)
    if receipt := receipt_of(user, op_id):
        return _repeated(receipt, seat, check(marks, slots, criteria))
    _check_open(seat.round)
    given = check(marks, slots, criteria)
    late = holding.lost and not _take_back(holding, rater, now)
    rev = max(0, base_rev) if late else _next_rev(seat, rater, base_rev, now, active_ms)
    work = SubmitWork(seat, rater, slots, criteria, late, now, active_ms, view)
    write_grades(work, given)
    write_remarks(work, comments, evidence or {}, flag)
    if not late:
        _DRAFT_GONE.run(seat=seat.pk)
    # The rows just written hold the round's key, so from here on it cannot become final.
    again = _ROUND_NOW.first(pk=seat.round_id)
    if again is None or again.discarded_at is not None:
        raise _gone(token, rater)
    _check_open(again)
    receipt = issue(
        Receipt(
            user=user,
            op_id=op_id,
            assignment=seat,
            kind="submit",
            rev=rev,
            digest=digest(given),
            late=late,
            at=now,
        )
    )
    _record(receipt, seat)
    return receipt


def _record(receipt: Receipt, seat: Assignment) -> None:
    audit.done(
        seat.round,
        "grades.submitted",
        receipt.user,
        receipt.at,
        seat=seat.ordinal,
        rev=receipt.rev,
        digest=receipt.digest,
        late=receipt.late,
    )


def digest(marks: Iterable[EnteredMark]) -> str:
    """Return the digest of the values, as the page computes it too."""
    return tokens.grades_digest(
        (mark.letter, mark.criterion, mark.text if mark.value is None else mark.value)
        for mark in marks
        if mark.value is not None or mark.text
    )


def _repeated(receipt: Receipt, seat: Assignment, given: Sequence[EnteredMark]) -> Receipt:
    """Return the receipt of a request that came before, if this is the same request."""
    if receipt.assignment_id != seat.pk or receipt.digest != digest(given):
        raise StaleTab(
            _(
                "This page was sent before with other grades, and those were saved. "
                "Yours are kept on this page: load it anew in another tab and look at both."
            )
        )
    return receipt


def _check_open(round_: Round) -> None:
    if not rounds.allows(rounds.RoundState(round_.state), rounds.RoundAct.SUBMIT):
        raise Locked(_("This round is final and takes no grades any more. Nothing was changed."))


def desk_of(seat: Assignment, reasons: Collection[str]) -> rounds.SeatDesk:
    """Return what can be entered on the page of a seat."""
    criteria = _criteria(seat.round_item.rubric_version_id).values()
    return rounds.SeatDesk(
        letters=[tokens.letter(place) for place in _POSITIONS.all(seat=seat.pk)],
        criteria={one.key: one.scale for one in criteria if one.mark != Criterion.Mark.TEXT},
        reasons=reasons,
        texts=[one.key for one in criteria if one.mark == Criterion.Mark.TEXT],
        of_pairs=any(one.mark == Criterion.Mark.CHOICE for one in criteria),
    )


def _criteria(version: int | None) -> dict[str, Criterion]:
    """Return the criteria of a rubric by key, those of choices with what they offer."""
    found = _CRITERIA.all(version=version)
    choosing = [one for one in found if one.mark == Criterion.Mark.CHOICE]
    if choosing:
        prefetch_related_objects(choosing, "levels")
    return {one.key: one for one in found}


def check(
    marks: Sequence[EnteredMark], letters: Iterable[str], criteria: Mapping[str, Criterion]
) -> list[EnteredMark]:
    """Return the marks in their plain form, one for every response × criterion.

    Raises:
        Incomplete: some are missing; `fields` says which.
        OffScale: some do not fit; `fields` says which and why.
    """
    given: dict[tuple[str, str], EnteredMark] = {}
    wrong: dict[str, list[str]] = {}
    marked = sorted(letters)
    if any(one.mark == Criterion.Mark.CHOICE for one in criteria.values()):
        marked = marked[:1]  # what is chosen of two answers is one mark
    known = {(letter, key) for letter in marked for key in criteria}
    for mark in marks:
        place = (mark.letter, mark.criterion)
        name = f"{mark.letter}.{mark.criterion}"
        if place not in known or place in given:
            wrong[name] = [_("There is no such mark on this page. Load it again.")]
            continue
        try:
            given[place] = _plain(mark, criteria[mark.criterion])
        except ValueError as problem:
            wrong[name] = [sentences.of(problem)]
    if wrong:
        raise states.OffScale(_("Some grades do not fit their scale."), fields=wrong)
    of_choice = {key for key, one in criteria.items() if one.is_of_choice}
    wanted = {place for place in known if place[1] not in of_choice}
    if missing := sorted(wanted - given.keys()):
        chosen = {criteria[key].mark == Criterion.Mark.CHOICE for _letter, key in missing} == {True}
        names = {criteria[key].name if chosen else letter for letter, key in missing}
        raise errors.Incomplete(
            _("Not graded yet: %(what)s.") % {"what": languages.listed(sorted(names))},
            fields={
                f"{a}.{b}": [_("Choose a grade, or say why it cannot be graded.")]
                for a, b in missing
            },
        )
    return [given[place] for place in sorted(given)]


def _plain(mark: EnteredMark, criterion: Criterion) -> EnteredMark:
    is_text = criterion.mark == Criterion.Mark.TEXT
    if mark.text and len(mark.text) > scales.LONGEST_ANSWER:
        raise ValueError(_("Write at most %(n)d signs.") % {"n": scales.LONGEST_ANSWER})
    if is_text and mark.value is None and clean(mark.text, scales.LONGEST_ANSWER):
        return EnteredMark(mark.letter, mark.criterion, text=mark.text)
    if (is_text and mark.value is not None) or mark.text:
        raise ValueError(_("There is no such mark on this page. Load it again."))
    if mark.value is None:
        if not mark.cannot.strip():
            raise ValueError(_("Choose a grade, or say why it cannot be graded."))
        return mark
    return EnteredMark(mark.letter, mark.criterion, criterion.scale.check(mark.value))


def _take_back(holding: Holding, rater: Rater, now: datetime) -> bool:
    """Take a seat that ran out but was given to nobody back for the one who still grades it."""
    seat = holding.assignment
    if seat.state != Assignment.State.FREE:
        return False
    last = seat.events.filter(kind=ClaimEvent.Kind.CLAIMED).order_by("-claim_no").first()
    kinds = ClaimEvent.Kind
    ends = [kinds.DECLINED, kinds.HANDED_BACK, kinds.REASSIGNED]
    ended = seat.events.filter(token=holding.token, kind__in=ends)
    if last is None or last.token != holding.token or ended.exists():
        return False
    try:
        with transaction.atomic():
            taken = Assignment.objects.filter(
                pk=seat.pk, fence=seat.fence, state=Assignment.State.FREE
            ).update(
                state=Assignment.State.CLAIMED,
                rater=rater,
                token=holding.token,
                claimed_at=now,
                lease_until=now,
                fence=F("fence") + 1,
            )
    except IntegrityError:
        return False
    seat.refresh_from_db()
    return bool(taken)


_MOVE_ON = prepared.Update(
    lambda pk, rater, rev, fence, submitted_at, active_ms: (
        Assignment.objects.filter(pk=pk, rater=rater, rev=rev, fence=fence),
        {
            "rev": F("rev") + 1,
            "active_ms": F("active_ms") + active_ms,
            "state": Assignment.State.SUBMITTED,
            "submitted_at": submitted_at,
            "lease_until": None,
            "warm": False,
        },
    ),
    pk=int,
    rater=int,
    rev=int,
    fence=int,
    submitted_at=datetime,
    active_ms=int,
)


def _next_rev(
    seat: Assignment, rater: Rater, base_rev: int, now: datetime, active_ms: int | None
) -> int:
    """Move the seat on by one revision, if it is still where the page saw it."""
    again = seat.state == Assignment.State.SUBMITTED
    if again and seat.round.state != Round.State.OPEN:
        raise Locked(_("This round is closed; grades that were submitted cannot be changed here."))
    if again and repeats.met_again([seat]):
        raise Locked(_("These grades count as they are and cannot be changed any more."))
    moved = _MOVE_ON.run(
        pk=seat.pk,
        rater=rater.pk,
        rev=base_rev,
        fence=seat.fence,
        submitted_at=seat.submitted_at or now,
        active_ms=in_bounds(active_ms) or 0,
    )
    if not moved:
        raise StaleTab(
            _(
                "These grades were changed in another tab or on another device. "
                "Yours are kept on this page: look at both, then submit again."
            )
        )
    return base_rev + 1


class LeaseLost(errors.Conflict):
    """The seat went to somebody else; what was entered stays with the person."""

    status = 410


class Withdrawn(LeaseLost):
    """A curator took the seat back while its page was open."""

    code = "withdrawn"


class NewerDraft(errors.Conflict):
    """Another tab or device has saved since; `entries` and `rev` are what is stored."""

    def __init__(self, message: str, *, stored: Mapping[str, str], rev: int) -> None:
        super().__init__(message)
        self.stored = dict(stored)
        self.rev = rev


class RequestReused(errors.Conflict): ...


class UnfitGrade(errors.Invalid):
    code = "unfit"


@transaction.atomic
def save_draft(
    *,
    token: str,
    rater: Rater,
    patch: Patch,
    base_rev: int,
    op_id: UUID,
    reasons: Collection[str],
    now: datetime,
) -> Receipt:
    """Change the draft of a held seat and renew its lease; return the receipt with its digest.

    A request that comes twice gets the first receipt. `reasons` are those for which a response can
    be left without a grade.

    Raises:
        NewerDraft: the draft has moved on since `base_rev`.
        LeaseLost: the seat is somebody else's, or was submitted.
        Withdrawn: a curator took it back.
        RequestReused: `op_id` was that of another request.
        UnfitGrade: the patch holds what cannot be entered here.
        grading.Discarded: the round was discarded.
        grading.NotYours: the token is none of this person's.
    """
    user = rater.user
    assert user is not None
    holding = held(token=token, rater=rater, lock=True)
    seat = holding.assignment
    if receipt := receipt_of(user, op_id):
        if (receipt.assignment_id, receipt.kind) != (seat.pk, "draft"):
            raise RequestReused(_("This request was used for something else. Load the page again."))
        return receipt
    _check_held(seat, token, lost=holding.lost)
    try:
        rounds.check(patch, desk_of(seat, reasons))
    except rounds.UnfitPlace as problem:
        said = sentences.of(problem)
        raise UnfitGrade(said, fields={problem.place: [said]}) from problem
    draft = _changed(seat, rater, patch, base_rev, now)
    leases.extend(assignment=seat, now=now)
    return issue(
        Receipt(
            user=user,
            op_id=op_id,
            assignment=seat,
            kind="draft",
            rev=draft.rev,
            digest=tokens.grades_digest(rounds.values(draft.marks)),
            at=now,
        )
    )


def _check_held(seat: Assignment, token: str, *, lost: bool) -> None:
    if lost or seat.state != Assignment.State.CLAIMED:
        if seat.events.filter(token=token, kind=ClaimEvent.Kind.REASSIGNED).exists():
            raise Withdrawn(
                _("A curator has taken this question back. What you entered stays on this page.")
            )
        raise LeaseLost(
            _(
                "Your time for this question has run out. What you entered stays on this page; "
                "submit it, and it counts unless somebody has taken over."
            )
        )
    if not rounds.allows(rounds.RoundState(seat.round.state), rounds.RoundAct.SUBMIT):
        raise Locked(_("This round is final and takes no grades any more."))


_DRAFT = prepared.PreparedQuery(
    lambda seat: Draft.objects.select_for_update().filter(assignment=seat), seat=int
)
_DRAFTS = prepared.Insert(Draft)
_CHANGE = prepared.Update(
    lambda pk, marks, rev, saved_at: (
        Draft.objects.filter(pk=pk, rev=rev),
        {"marks": marks, "rev": F("rev") + 1, "saved_at": saved_at},
    ),
    pk=int,
    marks=dict,
    rev=int,
    saved_at=datetime,
)


def _changed(seat: Assignment, rater: Rater, patch: Patch, base_rev: int, now: datetime) -> Draft:
    # The seat is locked, so nobody else can begin its draft meanwhile.
    draft = _DRAFT.first(seat=seat.pk) or _DRAFTS.add(
        Draft(assignment=seat, rater=rater, saved_at=now)
    )
    if draft.rev != base_rev:
        raise NewerDraft(
            _("There is a newer draft of this question, from another tab or device."),
            stored=draft.marks,
            rev=draft.rev,
        )
    draft.marks = rounds.patched(draft.marks, patch)
    draft.rev += 1
    draft.saved_at = now
    _CHANGE.run(pk=draft.pk, marks=draft.marks, rev=base_rev, saved_at=now)
    return draft
