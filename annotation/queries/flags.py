"""What annotators have asked about questions of a round, for those who answer."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, QuerySet

from annotation.models import FlagAnswer, Remark, Round
from evalsite import keyset

SIZE = 50


@dataclass(frozen=True)
class Line:
    """A flag, what it is about, and the answer that stands."""

    pk: int
    item: str
    question: str
    asked_by: str
    text: str
    at: datetime
    answer: str
    answered_at: datetime | None


@dataclass(frozen=True)
class Tally:
    n: int
    n_open: int


def of(round_: Round) -> "QuerySet[Remark]":
    """Return the flags that stand in a round."""
    return Remark.objects.flags().filter(slot__assignment__round=round_)


def unanswered(flags: "QuerySet[Remark]") -> "QuerySet[Remark]":
    return flags.exclude(Exists(FlagAnswer.objects.filter(flag=OuterRef("pk"))))


def tally(round_: Round) -> Tally:
    flags = of(round_)
    return Tally(flags.count(), unanswered(flags).count())


def page_of(
    round_: Round, *, every: bool = False, after: str = ""
) -> tuple[list[Line], keyset.Page[Remark]]:
    """Return a page of flags, the newest first; `every` shows answered ones too."""
    rows = of(round_) if every else unanswered(of(round_))
    rows = rows.select_related("rater__user__person", "slot__assignment__round_item__item")
    found = keyset.page(rows.prefetch_related("answers"), by=["-at", "-pk"], after=after, size=SIZE)
    return [_line(row) for row in found.rows], found


def _line(row: Remark) -> Line:
    assert row.slot is not None
    place = row.slot.assignment.round_item
    answers = sorted(row.answers.all(), key=lambda one: (one.at, one.pk))
    return Line(
        pk=row.pk,
        item=place.item.external_id,
        question=str(place.face.get("question", "")),
        asked_by=row.rater.user.display_name if row.rater.user else "",
        text=row.text,
        at=row.at,
        answer=answers[-1].text if answers else "",
        answered_at=answers[-1].at if answers else None,
    )
