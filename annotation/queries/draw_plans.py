"""What a draft would draw just now, and what it would miss: the same for the page and the deed."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from annotation.models import Round, RoundItem
from annotation.queries import anchors, draws, gold
from annotation.queries.draws import Candidate
from annotation.rules import draws as rules
from annotation.rules import sampling, seeds
from annotation.rules.draws import Draw, How
from annotation.rules.sampling import Preference, Stratum

Purpose = RoundItem.Purpose
Unknown = RoundItem.Unknown


@dataclass(frozen=True, slots=True)
class Planned:
    """An item as it would stand in the round."""

    candidate: Candidate
    purpose: str
    stratum: str
    probability: float | None
    unknown: str = ""

    @property
    def occasion(self) -> int:
        return 2 if self.purpose == Purpose.REPEAT else 1


@dataclass(frozen=True)
class Anchors:
    """How many anchors are wanted of an earlier round, and what there is."""

    round: Round
    wanted: int
    available: int
    drawn: int
    n_returning: int

    @property
    def missing(self) -> int:
        return self.wanted - self.drawn


@dataclass(frozen=True)
class Gold:
    """How many items with known grades are wanted beside the others, and what there is."""

    wanted: int
    available: int
    drawn: int

    @property
    def missing(self) -> int:
        return self.wanted - self.drawn


@dataclass(frozen=True)
class Plan:
    """What would be drawn: in draw order, repeats at the end."""

    items: Sequence[Planned]
    strata: Sequence[Stratum]
    n_eligible: int
    #: How many more there are of each stratum that lack answers.
    unanswered: Mapping[str, int]
    anchors: Anchors | None = None
    gold: "Gold | None" = None

    @property
    def n_repeats(self) -> int:
        return sum(one.purpose == Purpose.REPEAT for one in self.items)

    @property
    def n_responses(self) -> int:
        return sum(len(one.candidate.responses) for one in self.items)

    @property
    def n_first(self) -> int:
        return len(self.items) - self.n_repeats

    @property
    def wanted(self) -> int:
        return sum(one.wanted for one in self.strata)

    @property
    def available(self) -> int:
        return sum(one.available for one in self.strata)

    @property
    def drawn(self) -> int:
        return sum(one.drawn for one in self.strata)

    @property
    def missing(self) -> int:
        return sum(one.missing for one in self.strata)

    @property
    def recent(self) -> int:
        return sum(one.recent for one in self.strata)

    @property
    def drawn_recent(self) -> int:
        return sum(one.drawn_recent for one in self.strata)


def plan(round_: Round, wanted: Draw, now: datetime) -> Plan:
    """Return what would be drawn by this design."""
    releases = list(round_.systems.order_by("release_id").values_list("release_id", flat=True))
    listed = list(draws.listed(round_, releases, wanted, now))
    pool = [one for one in listed if one.fits] if releases else []
    known, mixed_in = _gold(round_, wanted, pool)
    pool = [one for one in pool if one.key not in known]
    strata = {one.key: _stratum(wanted, one) for one in pool}
    tied, sample, found = _anchors(round_, wanted, pool, strata)
    by_key = {one.key: one for one in pool}
    chance = {pick.key: pick.probability * by_key[pick.key].chance for pick in sample.picks}
    named = Unknown.NAMED if wanted.external_ids else ""
    first = [
        Planned(by_key[key], Purpose.ANCHOR, strata[key], None, Unknown.ANCHOR)
        if key in tied
        else Planned(
            by_key[key], Purpose.NORMAL, strata[key], None if named else chance[key], named
        )
        for key in [*chance, *tied]
    ]
    first += [
        Planned(one, Purpose.GOLD, _stratum(wanted, one), None, Unknown.GOLD)
        for one in known.values()
    ]
    first.sort(key=lambda one: seeds.rank_key(round_.seed, one.candidate.key))
    return Plan(
        items=[*first, *_repeats(round_, wanted, first)],
        strata=[one for one in sample.strata if one.wanted or one.available],
        n_eligible=len(pool),
        unanswered=Counter(_stratum(wanted, one) for one in listed if not one.fits),
        anchors=found,
        gold=mixed_in,
    )


def _gold(
    round_: Round, wanted: Draw, pool: Sequence[Candidate]
) -> tuple[dict[str, Candidate], Gold | None]:
    """Choose by lot the items whose grades are known, before anything else is drawn."""
    if not wanted.gold:
        return {}, None
    usable = gold.usable(round_, pool)
    count = rules.n_gold(_n_first(wanted, len(pool)), wanted.gold)
    ranked = sorted(usable, key=lambda one: seeds.rank_key(round_.seed, f"gold\n{one.key}"))
    chosen = {one.key: one for one in ranked[:count]}
    return chosen, Gold(count, len(usable), len(chosen))


def _n_first(wanted: Draw, n_pool: int) -> int:
    """Return how many items are drawn by lot, where there are so many."""
    if wanted.how == How.QUOTAS:
        return min(n_pool, sum(wanted.goals({}).values()))
    return n_pool if wanted.n_items is None else min(n_pool, wanted.n_items)


def _stratum(wanted: Draw, of: Candidate) -> str:
    return wanted.stratum(of.capability_id, of.difficulty, of.domain_id)


def _sample(
    round_: Round, wanted: Draw, pool: Sequence[Candidate], strata: Mapping[str, str]
) -> sampling.Sample:
    available = Counter(strata[one.key] for one in pool)
    return sampling.draw(
        [sampling.Unit(one.key, strata[one.key], one.priority, one.recent) for one in pool],
        wanted.goals(available),
        seed=round_.seed,
        preference=Preference(wanted.preference),
        make_up=wanted.make_up,
    )


def _anchors(
    round_: Round, wanted: Draw, pool: Sequence[Candidate], strata: Mapping[str, str]
) -> tuple[Sequence[str], sampling.Sample, Anchors | None]:
    """Choose the items that tie this round to an earlier one: most unchanged pairs first, then by lot.

    What is drawn beside them comes with them: they are never more than that.
    """
    tie = wanted.anchors_from
    before = None if tie is None else anchors.earlier(round_).filter(number=tie).first()
    if before is None:
        return [], _sample(round_, wanted, pool, strata), None
    pairs = anchors.unchanged(before, pool)
    count = _n_anchors(wanted, len(pool))
    ranked = sorted(
        pairs, key=lambda key: (-pairs[key], seeds.rank_key(round_.seed, f"anchor\n{key}"))
    )

    def beside(n: int) -> sampling.Sample:
        tied = set(ranked[:n])
        fresh = [one for one in pool if one.key not in tied]
        return _sample(round_, wanted, fresh, strata)

    n_tied = min(count, len(ranked))
    sample = beside(n_tied)
    if n_tied > len(sample.picks):  # they take from the lot what it lacks
        count = n_tied = bisect_left(
            range(1, n_tied + 1), True, key=lambda n: n > len(beside(n).picks)
        )
        sample = beside(n_tied)
    returning = anchors.n_returning(round_, before)
    return ranked[:n_tied], sample, Anchors(before, count, len(pairs), n_tied, returning)


def _n_anchors(wanted: Draw, n_pool: int) -> int:
    """Return how many anchors go with the draw: they come on top of a number, and out of all."""
    if wanted.how == How.QUOTAS:
        return sampling.n_anchors(sum(wanted.goals({}).values()))
    if wanted.n_items is None:
        return sampling.n_anchors(n_pool, of_all=True)
    return sampling.n_anchors(wanted.n_items)


def _repeats(round_: Round, wanted: Draw, first: Sequence[Planned]) -> list[Planned]:
    """Choose by lot what the same people grade once more, of what was drawn afresh."""
    count = rules.n_repeats(len(first), wanted.repeats)
    fresh = [one for one in first if one.purpose == Purpose.NORMAL]
    ranked = sorted(
        fresh, key=lambda one: seeds.rank_key(round_.seed, f"repeat\n{one.candidate.key}")
    )
    return [
        Planned(one.candidate, Purpose.REPEAT, one.stratum, None, Unknown.REPEAT)
        for one in ranked[:count]
    ]
