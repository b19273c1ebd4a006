"""What stands in the form of a grading page: drafted, submitted, or entered and refused.

Part of annotation.queries.faces: nothing here holds a system, a release or a response either.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import F, Q

from annotation.models import Assignment, ClaimEvent, FlagAnswer, Grade, Remark
from annotation.rules import entries, scales, tokens
from evalsite import prepared


@dataclass(frozen=True)
class Entered:
    """What stands in the form: by field name, as text."""

    values: dict[str, str] = field(default_factory=dict)
    cannot: dict[str, str] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)
    #: Marked places and the flag, which have no fields: as in annotation.rules.entries.
    others: dict[str, str] = field(default_factory=dict)
    #: What a curator answered to the flag.
    answer: list[str] = field(default_factory=list)

    def table(self) -> dict[str, str]:
        """Return everything as a table of places (annotation.rules.entries)."""
        marks = {
            name.replace("mark-", "mark/", 1).replace("-", "/", 1): value
            for name, value in self.values.items()
        }
        cannot = {f"cannot/{letter}": reason for letter, reason in self.cannot.items()}
        comments = {f"comment/{letter}": text for letter, text in self.comments.items() if text}
        return {**marks, **cannot, **comments, **self.others}


def mark_name(letter: str, criterion: str) -> str:
    """Return the name of a mark in forms."""
    return f"mark-{letter}-{criterion}"


def drafted(table: Mapping[str, str]) -> Entered:
    """Return a draft as it stands in the form."""
    marks = entries.of_kind(table, "mark")
    return Entered(
        values={mark_name(*place.split("/")): value for place, value in marks.items()},
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
    ).values_list("assignment_id", "slot__position", "criterion__key", "value", "reason")
    for seat_pk, position, key, value, reason in grades:
        letter = tokens.letter(position or 0)
        if value is None:
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


_LAST = prepared.Query(
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
