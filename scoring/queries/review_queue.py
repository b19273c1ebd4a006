"""What waits at the review desk of a round: disputed questions, flags, what somebody took up by hand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.models import Decision, Round, RoundItem
from annotation.queries import flags, reviews
from annotation.rules import reviews as rules
from scoring.queries.disputes import Disputes, Question

SIZE = 50
ONLY = ("open", "decided", "all")


@dataclass(frozen=True, slots=True)
class Line:
    """A question at the review desk: why it is there, and what was decided last."""

    place: int
    key: str
    question: str
    dispute: Question | None
    n_flags: int
    taken_up: bool
    decided: Decision | None
    waits: bool

    @property
    def is_open(self) -> bool:
        return self.decided is None or self.waits

    @property
    def rank(self) -> tuple[bool, bool, float, int, int]:
        """Return what comes first: what waits for a second reviewer, by hand, C(k), flags."""
        printed = self.dispute.printed if self.dispute else 0.0
        return (not self.waits, not self.taken_up, -printed, -self.n_flags, self.place)


@dataclass(frozen=True, slots=True)
class Queue:
    lines: list[Line]
    n_open: int
    n_decided: int
    #: From which line on the next page begins; None on the last.
    later: int | None


def queue(round_: Round, disputes: Disputes, *, only: str = "open", start: int = 0) -> Queue:
    """Return a page of the questions at the review desk, the most pressing first."""
    found = sorted(_lines(round_, disputes), key=lambda one: one.rank)
    n_open = sum(one.is_open for one in found)
    wanted = [one for one in found if only == "all" or one.is_open == (only == "open")]
    page = wanted[start : start + SIZE]
    later = start + SIZE if start + SIZE < len(wanted) else None
    return Queue(page, n_open, len(found) - n_open, later)


def _lines(round_: Round, disputes: Disputes) -> list[Line]:
    disputed = {one.key: one for one in disputes.all_questions}
    flagged = Counter(
        flags.unanswered(flags.of(round_)).values_list(
            "slot__assignment__round_item__item", flat=True
        )
    )
    decided = reviews.standings(round_)
    rows = RoundItem.objects.filter(round=round_, occasion=1).select_related("item")
    return [
        _line(one, disputed.get(one.item.group), flagged, decided.get(one.item_id, ()))
        for one in rows.defer("face").order_by("ordinal")
        if one.item.group in disputed or one.item_id in flagged or one.item_id in decided
    ]


def _line(
    place: RoundItem,
    dispute: Question | None,
    flagged: Mapping[int, int],
    decisions: Sequence[Decision],
) -> Line:
    settling = [one for one in decisions if rules.Act(one.act) in rules.SETTLES]
    # Taken up after the last decision, it is open once more.
    up = bool(decisions) and decisions[0].act == Decision.Act.TAKE_UP
    last = settling[0] if settling and not up else None
    return Line(
        place.ordinal + 1,
        place.item.external_id,
        place.item.question,
        dispute,
        flagged.get(place.item_id, 0),
        up,
        last,
        waits=any(getattr(one, "effect", None) is None for one in decisions),
    )
