"""When somebody meets an item that they grade twice, so that the second time still fits in.

* The states of a round: where it may go, and what it allows on the way.
* What a draft wants drawn, as it is kept in `Round.draw`, and which stratum an item belongs to.
* What somebody has entered on a grading page: a flat table of places and texts.
* What nearly all responses of one system begin with, and those of no other: it tells who wrote them.
"""

import itertools
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar

from annotation.common import draws as sampling
from annotation.common import scales
from annotation.common.draws import Preference
from annotation.common.scales import Scale
from evalsite.kinds import Choice, Text, Weights, Whole, YesNo
from evalsite.kinds import gettext_noop as _
from evalsite.records import Ask, Record

#: So many other items at least lie between an item and its repeat, for the same person …
MIN_BETWEEN = 2
#: … and so many, up to twice as many, while there is other work.
USUALLY_BETWEEN = 8


@dataclass(frozen=True)
class RoundDesign:
    """What a round hands out: items that come once or twice to the same person, and among how many."""

    n_once: int
    n_twice: int
    n_seats: int
    n_people: int

    @property
    def is_shared(self) -> bool:
        """Whether nobody can count on being given everything."""
        return self.n_people > self.n_seats

    def share(self, n_items: int) -> float:
        """Return how many of these items come to each person, if all do as much."""
        return n_items * min(1.0, self.n_seats / max(1, self.n_people))

    @property
    def fair_share(self) -> int:
        """Return how many items somebody is to grade once before they are asked whether they want more."""
        return math.ceil(self.share(self.n_once + self.n_twice))


def kept_back(n_others: float) -> float:
    """Return how many others are kept for after the last item that comes twice."""
    return max(MIN_BETWEEN, min(2 * USUALLY_BETWEEN, (n_others + 1) // 2))


def come_first(design: RoundDesign, *, n_open: int, n_once: int, n_twice: int) -> bool:
    """Return whether what somebody is to meet twice comes before anything else now.

    Args:
        design: of the round.
        n_open: how many items that come once they can still be given.
        n_once: how many of these they have been given.
        n_twice: how many they have been given of those that come twice.
    """
    if n_open <= kept_back(design.n_once):
        return True
    if not design.is_shared or n_twice >= design.share(design.n_twice):
        return False
    # Others take seats meanwhile: so a person's share is met early enough for a share of the rest.
    mine = design.share(design.n_once)
    return n_once >= mine - kept_back(mine)


def n_to_come(waiting: Sequence[int], held: Sequence[bool], *, n_once: int, n_twice: int) -> int:
    """Return how many repeats somebody will meet who is given all that is open to them.

    Args:
        waiting: of each item that waits for its second time, how many others they have graded since.
        held: of what they hold, in the order in which they come to it, whether it comes twice.
        n_once: how many items that come once are open to them.
        n_twice: how many that come twice.
    """
    ahead = [*held, *[True] * n_twice, *[False] * n_once]
    since = [before + len(ahead) for before in waiting]
    since += [len(ahead) - place for place, twice in enumerate(ahead, 1) if twice]
    n = 0
    for others in sorted(
        since, reverse=True
    ):  # each that is met again lies between the next two times
        if others + n < MIN_BETWEEN:
            break
        n += 1
    return n


FEWEST_SEATS = 3  # LalaEval: at least three annotators judge every answer
MOST_SEATS = 100
MOST_RELEASES = 8
#: So long a seat is held, in minutes, before somebody else gets it.
SHORTEST_LEASE, LONGEST_LEASE = 1, 7 * 24 * 60
LONGEST_NAME = 200
LONGEST_REASON = 300
LONGEST_SEED = 64


class RoundState(StrEnum):
    DRAFT = "DRAFT"
    OPEN = "OPEN"
    REVIEW = "REVIEW"
    FINAL = "FINAL"


class RoundAct(StrEnum):
    """What may be done to a round, or with it."""

    EDIT_DESIGN = "EDIT_DESIGN"
    PAUSE = "PAUSE"
    CLAIM = "CLAIM"  # take the next free seat
    CLAIM_OFFERED = "CLAIM_OFFERED"  # take a seat that a reviewer added or handed back
    SUBMIT = "SUBMIT"  # finish a seat that is claimed
    READ_INTERIM = "READ_INTERIM"  # figures as of now, never for its annotators
    READ_RESULTS = "READ_RESULTS"
    READ_RESULTS_AS_ANNOTATOR = "READ_RESULTS_AS_ANNOTATOR"
    ADD_SEAT = "ADD_SEAT"
    HAND_BACK = "HAND_BACK"
    ADJUDICATE = "ADJUDICATE"
    INVALIDATE = "INVALIDATE"


class RoundNeed(StrEnum):
    """What must be true before a round moves on; the operation finds out whether it is."""

    ITEMS = "ITEMS"  # at least one item
    RESPONSES = "RESPONSES"  # every item has one to eight responses
    RUBRICS = "RUBRICS"  # every item has a rubric with criteria
    SEATS = "SEATS"  # enough seats on every item, or the owner overrides
    ANNOTATORS = "ANNOTATORS"  # enough people to fill the seats of an item
    OTHERS_WROTE_IT = "OTHERS_WROTE_IT"  # enough of them had no part in writing or inspecting it
    QUALIFIED = (
        "QUALIFIED"  # enough of them have qualified, if that is asked, or the owner overrides
    )
    IDENTITY_CLEARED = "IDENTITY_CLEARED"  # names found in texts are masked or let through
    REFERENCES = "REFERENCES"  # every answer of a trial has its reference grades
    ORDERS_DEALT = "ORDERS_DEALT"  # every seat has its order of slots
    NO_CLAIMS = "NO_CLAIMS"  # nobody holds a seat any more


@dataclass(frozen=True, slots=True)
class Transition:
    source: RoundState
    target: RoundState
    needs: tuple[RoundNeed, ...] = ()


TRANSITIONS = (
    Transition(
        RoundState.DRAFT,
        RoundState.OPEN,
        (
            RoundNeed.ITEMS,
            RoundNeed.RESPONSES,
            RoundNeed.RUBRICS,
            RoundNeed.SEATS,
            RoundNeed.ANNOTATORS,
            RoundNeed.OTHERS_WROTE_IT,
            RoundNeed.QUALIFIED,
            RoundNeed.IDENTITY_CLEARED,
            RoundNeed.REFERENCES,
            RoundNeed.ORDERS_DEALT,
        ),
    ),
    Transition(RoundState.OPEN, RoundState.REVIEW),
    Transition(RoundState.REVIEW, RoundState.FINAL, (RoundNeed.NO_CLAIMS,)),
)

ALLOWS: Mapping[RoundState, frozenset[RoundAct]] = MappingProxyType(
    {
        RoundState.DRAFT: frozenset({RoundAct.EDIT_DESIGN}),
        RoundState.OPEN: frozenset(
            {
                RoundAct.PAUSE,
                RoundAct.CLAIM,
                RoundAct.SUBMIT,
                RoundAct.READ_INTERIM,
                RoundAct.HAND_BACK,
                RoundAct.INVALIDATE,
            }
        ),
        RoundState.REVIEW: frozenset(
            {
                RoundAct.CLAIM_OFFERED,
                RoundAct.SUBMIT,
                RoundAct.READ_INTERIM,
                RoundAct.READ_RESULTS,
                RoundAct.ADD_SEAT,
                RoundAct.HAND_BACK,
                RoundAct.ADJUDICATE,
                RoundAct.INVALIDATE,
            }
        ),
        RoundState.FINAL: frozenset(
            {
                RoundAct.READ_RESULTS,
                RoundAct.READ_RESULTS_AS_ANNOTATOR,
                RoundAct.ADJUDICATE,
                RoundAct.INVALIDATE,
            }
        ),
    }
)

# Who holds a seat while the round pauses may finish it: what was begun is not lost.
STOPPED_BY_PAUSE = frozenset({RoundAct.CLAIM, RoundAct.CLAIM_OFFERED})


def allowed(state: RoundState) -> tuple[RoundState, ...]:
    """Return the states a round in this state may move to."""
    return tuple(step.target for step in TRANSITIONS if step.source == state)


def may_move(state: RoundState, to: RoundState) -> bool:
    return to in allowed(state)


def allows(state: RoundState, act: RoundAct, *, paused: bool = False) -> bool:
    """Return whether a round in this state lets this be done."""
    return act in ALLOWS[state] and not (paused and act in STOPPED_BY_PAUSE)


#: By what items can be told apart, in the order of a stratum's name.
DIMENSIONS = ("capability", "difficulty", "domain")
USUAL = ("capability", "difficulty")
MOST_ITEMS = 1_000_000
#: So many rounds, and so many days, back a question may have been used to be left out.
MOST_ROUNDS, MOST_DAYS = 1000, 3650
#: At most every second item is served twice.
MOST_REPEATS = 50
#: At most so many gold items for a hundred others.
MOST_GOLD = 30


class DrawHow(StrEnum):
    LOT = "LOT"  # one lot over everything
    SHARES = "SHARES"  # a number, shared out over the strata
    QUOTAS = "QUOTAS"  # a number for each stratum


#: As many as eight releases make.
MOST_PAIRS = 28
Pairs = Annotated[
    Annotated[int, Whole(1, MOST_PAIRS)] | None,
    Ask(_("Pairs per question"), _("Empty: every two systems.")),
]


@dataclass(frozen=True)
class DrawWanted(Record):
    """Which items are drawn: of these capabilities (none: of all), at most so many.

    `external_ids` names the items to choose from (none: all); `complete_only` leaves out items
    that one of the releases has not answered, `unanswered` takes even those that nobody has.
    `quotas` are numbers or weights by stratum; `anchors_from` is the number of an earlier round;
    `repeats` says how many percent of the items are served to the same people once more, `gold`
    how many items with known grades are mixed in for a hundred of the others. In a round of pairs,
    `pairs` says how many pairs of answers are compared on each item (none: all).
    """

    component: ClassVar[str] = "Draw"

    capabilities: Sequence[Annotated[int, Whole(1)]] = ()
    external_ids: Sequence[Annotated[str, Text()]] = ()
    n_items: Annotated[
        Annotated[int, Whole(1, MOST_ITEMS)] | None,
        Ask(_("Items"), _("Empty: all that fit.")),
    ] = None
    complete_only: Annotated[
        bool,
        YesNo(),
        Ask(_("Only items all releases answered")),
    ] = True
    unanswered: Annotated[
        bool,
        YesNo(),
        Ask(_("Draw first, collect answers later")),
    ] = False
    how: Annotated[str, Choice(tuple(DrawHow)), Ask(_("Kind of draw"))] = DrawHow.LOT
    strata: Sequence[Annotated[str, Choice(DIMENSIONS)]] = USUAL
    quotas: Annotated[Mapping[str, float], Weights(MOST_ITEMS)] = field(default_factory=dict)
    preference: Annotated[str, Choice(tuple(Preference))] = Preference.EQUAL
    make_up: Annotated[
        bool,
        YesNo(),
        Ask(_("Fill gaps from other strata")),
    ] = False
    avoid_rounds: Annotated[
        int, Whole(0, MOST_ROUNDS), Ask(_("Not from last … rounds"), blank=True)
    ] = 0
    avoid_days: Annotated[int, Whole(0, MOST_DAYS), Ask(_("Not from last … days"), blank=True)] = 0
    anchors_from: Annotated[int, Whole(1)] | None = None
    repeats: Annotated[
        int,
        Whole(0, MOST_REPEATS),
        Ask(
            _("Percent of items to repeat"),
            _("The same people grade them again, untold."),
            blank=True,
        ),
    ] = 0
    gold: Annotated[
        int,
        Whole(0, MOST_GOLD),
        Ask(
            _("Gold items per hundred"),
            _("Items with known grades, mixed in unmarked; they count in no result."),
            blank=True,
        ),
    ] = 0
    pairs: Pairs = None


@dataclass(frozen=True)
class Draw(DrawWanted):
    """What is wanted, and `published`.

    `published` holds what was published for rating, by the item's id as text: `chance` with which
    it was chosen, and the ids of the `responses` that stand for its releases. Nothing else is drawn
    then.
    """

    published: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        kept = asdict(self)
        kept["capabilities"] = sorted(self.capabilities)
        kept["external_ids"] = sorted(self.external_ids)
        kept["strata"] = [one for one in DIMENSIONS if one in self.strata]
        kept["quotas"] = {name: self.quotas[name] for name in sorted(self.quotas)}
        if self.pairs is None:
            del kept["pairs"]
        return kept | {"how": str(self.how), "preference": str(self.preference)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "Draw":
        """Return what a round wants; what an older draft does not say is as it is by default."""
        known = {one.name for one in fields(cls)}
        return cls(**{key: value for key, value in kept.items() if key in known})

    @property
    def is_stratified(self) -> bool:
        return self.how != DrawHow.LOT

    def stratum(self, capability: int | None, difficulty: str, domain: int | None) -> str:
        """Return the name of the stratum; with one lot over everything there is only one."""
        values = {"capability": capability, "difficulty": difficulty, "domain": domain}
        return "|".join(str(values[one] or "") for one in self._dimensions())

    def parts(self, stratum: str) -> dict[str, str]:
        """Return what a stratum's name says, by dimension."""
        return dict(zip(self._dimensions(), stratum.split("|"), strict=False))

    def _dimensions(self) -> list[str]:
        return [one for one in DIMENSIONS if one in self.strata] if self.is_stratified else []

    def goals(self, available: Mapping[str, int]) -> dict[str, int]:
        """Return how many are wanted of each stratum, where there are so many."""
        if self.how == DrawHow.QUOTAS:
            return {name: int(count) for name, count in self.quotas.items() if count}
        total = sum(available.values()) if self.n_items is None else self.n_items
        if self.how == DrawHow.LOT:
            return {"": total}
        weights = {name: weight for name, weight in self.quotas.items() if weight} or available
        return sampling.allocate(total, weights) if any(weights.values()) else {}


def n_repeats(n_items: int, percent: int) -> int:
    """Return how many items are served once more; none where nothing could lie between the two."""
    return (n_items * percent + 50) // 100 if n_items > MIN_BETWEEN + 1 else 0


def n_gold(n_items: int, percent: int) -> int:
    """Return how many gold items go with so many others; at least one where any are wanted."""
    return max(1, (n_items * percent + 50) // 100) if percent and n_items else 0


Entries = Mapping[str, str]
Patch = Mapping[str, str | None]

LONGEST_TEXT = 5000
MOST_SPANS = 50
MOST_POINTS = 100


class UnfitPlace(ValueError):
    """A place or a value that no page of this seat can send; `place` names it."""

    def __init__(self, place: str, message: str) -> None:
        super().__init__(message)
        self.place = place


@dataclass(frozen=True, slots=True)
class SeatDesk:
    """What can be entered on the page of one seat."""

    letters: Collection[str]
    criteria: Mapping[str, Scale]
    reasons: Collection[str]
    #: The criteria that are answered by a text.
    texts: Collection[str] = ()
    #: Which of two answers is better is asked: what is chosen stands at the first.
    of_pairs: bool = False

    @property
    def marked(self) -> Collection[str]:
        """The letters at which a mark, a comment or a reason is given."""
        return sorted(self.letters)[:1] if self.of_pairs else self.letters


def patched(entries: Entries, patch: Patch) -> dict[str, str]:
    """Return the entries after a patch."""
    after = {**entries, **patch}
    return {place: value for place, value in after.items() if value is not None}


def check(patch: Patch, desk: SeatDesk) -> None:
    """Check every place and value of a patch.

    Raises:
        UnfitPlace: one of them does not belong on this desk.
    """
    for place, value in patch.items():
        kind, *rest = place.split("/")
        checker = _CHECKS.get(kind)
        if checker is None or not checker(rest, value, desk):
            raise UnfitPlace(place, _("This cannot be entered here. Load the page again."))


def _mark(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    if len(rest) != 2 or rest[0] not in desk.marked or rest[1] not in desk.criteria:
        return False
    if value is None:
        return True
    try:
        desk.criteria[rest[1]].check(scales.parse(value))
    except ValueError:
        return False
    return True


def _text(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    known = len(rest) == 2 and rest[0] in desk.marked and rest[1] in desk.texts
    return known and (value is None or 0 < len(value) <= scales.LONGEST_ANSWER)


def _cannot(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    return _is_marked(rest, desk) and (value is None or value in desk.reasons)


def _comment(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    return _is_marked(rest, desk) and _is_text(value)


def _evidence(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    if not _of_letter(rest, desk):
        return False
    try:
        return value is None or len(spans(value)) <= MOST_SPANS
    except ValueError:
        return False


def _point(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    known = len(rest) == 1 and rest[0].isascii() and rest[0].isdigit() and len(rest[0]) < 3
    return known and value in {None, "1"}


def _flag(rest: list[str], value: str | None, desk: SeatDesk) -> bool:
    return not rest and _is_text(value)


_CHECKS = {
    "mark": _mark,
    "text": _text,
    "cannot": _cannot,
    "comment": _comment,
    "evidence": _evidence,
    "point": _point,
    "flag": _flag,
}


def _is_marked(rest: list[str], desk: SeatDesk) -> bool:
    return len(rest) == 1 and rest[0] in desk.marked


def _of_letter(rest: list[str], desk: SeatDesk) -> bool:
    return len(rest) == 1 and rest[0] in desk.letters


def _is_text(value: str | None) -> bool:
    return value is None or len(value) <= LONGEST_TEXT


def spans(written: str) -> list[tuple[int, int]]:
    """Read the marked places of a text: JSON of [start, end] pairs, in order, not overlapping.

    Raises:
        ValueError: it is not such a list.
    """
    read = json.loads(written)
    pairs = [_pair(one) for one in read] if isinstance(read, list) else None
    if pairs is None or any(pair is None for pair in pairs):
        raise ValueError("Marked places are pairs of offsets.")
    found = [pair for pair in pairs if pair is not None]
    if any(one[1] > two[0] for one, two in itertools.pairwise(found)):
        raise ValueError("Marked places follow each other and do not overlap.")
    return found


def _pair(one: object) -> tuple[int, int] | None:
    if not isinstance(one, list) or len(one) != 2:
        return None
    start, end = one
    whole = type(start) is int and type(end) is int
    return (start, end) if whole and 0 <= start < end < 10**7 else None


def values(entries: Entries) -> Iterable[tuple[str, str, Decimal | str]]:
    """Yield letter, criterion and value (or text) of every mark: what the digest is made of."""
    for place, value in entries.items():
        if place.startswith(("mark/", "text/")):
            kind, letter, criterion = place.split("/")
            yield letter, criterion, scales.parse(value) if kind == "mark" else value


def of_kind(entries: Entries, kind: str) -> dict[str, str]:
    """Return the entries of one kind by what follows it: {"A": "…"} for comments."""
    start = f"{kind}/"
    return {
        place.removeprefix(start): value
        for place, value in entries.items()
        if place.startswith(start)
    }


#: Signs of each text that are looked at; the fewest responses, and the shortest opening, that count.
HEAD = 240
FEWEST = 3
SHORTEST = 10
#: The share of a system's responses that begin so, and of another's from which on it tells nothing.
MOST, OTHERS = 0.8, 0.5


def shared(heads: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return the opening that tells a system from all others, for those that have one.

    Args:
        heads: the beginnings of what is shown of a system's responses, by system; empty ones count
            for nothing.
    """
    said = {system: [one for one in some if one] for system, some in heads.items()}
    found = {}
    for system, mine in said.items():
        opening = _opening(mine)
        others = (some for other, some in said.items() if other != system and some)
        if opening and all(_share(opening, some) <= OTHERS for some in others):
            found[system] = opening
    return found if len(said) > 1 else {}


def _opening(texts: Sequence[str]) -> str:
    """Return the longest beginning that most of the texts have, up to the end of a word."""
    wanted = max(FEWEST, math.ceil(MOST * len(texts)))
    ordered = sorted(texts)
    common = max(_commons(ordered, wanted), key=len, default="")
    if sum(one == common for one in ordered) > len(ordered) / 2:
        return ""  # the same answer over and over is no opening
    whole = _whole_words(common, ordered)
    return whole if len(whole.strip()) >= SHORTEST else ""


def _commons(ordered: Sequence[str], wanted: int) -> Iterator[str]:
    # In order, texts that begin alike stand together: the first and the last of them tell.
    for start in range(len(ordered) - wanted + 1):
        first, last = ordered[start], ordered[start + wanted - 1]
        pairs = enumerate(zip(first, last, strict=False))
        end = next((place for place, (a, b) in pairs if a != b), min(len(first), len(last)))
        yield first[:end]


def _whole_words(common: str, texts: Sequence[str]) -> str:
    """Return a beginning without a word at its end that goes on differently."""
    goes_on = any(
        one.startswith(common) and one[len(common) : len(common) + 1].isalnum() for one in texts
    )
    if not goes_on or not common or not common[-1].isalnum() or not common[-1].isascii():
        return common
    cut = max((place for place, sign in enumerate(common) if not sign.isalnum()), default=-1)
    return common[: cut + 1]


def _share(opening: str, texts: Sequence[str]) -> float:
    return sum(one.startswith(opening) for one in texts) / len(texts)
