"""Everything drawn by lot comes from a seed by name, so that a draw can be made again.

* Draw a stratified sample by lot: the same seed over the same units draws the same sample.
* Draw with unequal chances that are known: some units sooner than others, and each with a chance above 0.
"""

import hashlib
import hmac
import json
import math
import random  # noqa: TID251  here lots are made
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np


def generator(seed: int | str, *scope: str) -> np.random.Generator:
    """Return a generator of its own for this seed and scope."""
    return np.random.Generator(np.random.PCG64(int.from_bytes(_digest(seed, scope))))


def python_lot(seed: int) -> random.Random:
    """Return Python's own lot, by which another program's draw can be made again."""
    return random.Random(seed)  # noqa: S311  nothing of it is secret


def integer(seed: int | str, *scope: str, below: int) -> int:
    """Return one number from 0 to below − 1.

    Raises:
        ValueError: below is not positive.
    """
    if below < 1:
        raise ValueError("There is no number to draw below 1.")
    return int.from_bytes(_digest(seed, scope)) % below


def rank_key(seed: str, value: str) -> str:
    """Return a key to sort by: an order by lot that depends on content, never on ids."""
    return _digest(seed, ("rank", value)).hex()


def _digest(seed: int | str, scope: tuple[str, ...]) -> bytes:
    # JSON keeps ("a", "bc") apart from ("ab", "c"), and the seed 5 from the seed "5".
    message = json.dumps([seed, *scope]).encode()
    return hmac.digest(b"evalsite seed 1", message, hashlib.sha256)


ALGORITHM = "strata-1"

#: METHODS, process 9: anchors are the larger of a tenth and thirty, at most half of the round.
ANCHOR_SHARE = Fraction(1, 10)
FEWEST_ANCHORS = 30


class Preference(StrEnum):
    """When P0 goes before P1."""

    EQUAL = "EQUAL"  # never: the lot alone decides
    SHORT = "SHORT"  # where a stratum falls short: used ones again, and what others make up
    FIRST = "FIRST"  # always


@dataclass(frozen=True, slots=True)
class DrawUnit:
    """Something that can be drawn; `key` is its content, never an id."""

    key: str
    stratum: str = ""
    priority: int = 3
    recent: bool = False


@dataclass(frozen=True, slots=True)
class Pick:
    key: str
    stratum: str
    probability: float


@dataclass(frozen=True, slots=True)
class DrawnStratum:
    """What was wanted of a stratum, what there was, and what came of it."""

    name: str
    wanted: int
    available: int
    recent: int
    drawn: int
    drawn_recent: int = 0

    @property
    def missing(self) -> int:
        return max(0, self.wanted - self.drawn)

    @property
    def made_up(self) -> int:
        """Return how many were drawn on top, for what other strata lack."""
        return max(0, self.drawn - self.wanted)


@dataclass(frozen=True, slots=True)
class DrawnSample:
    """What was drawn, in its order by lot; `chances` has every unit, drawn or not."""

    picks: tuple[Pick, ...]
    strata: tuple[DrawnStratum, ...]
    chances: Mapping[str, float]


def allocate(total: int, weights: Mapping[str, Fraction | float]) -> dict[str, int]:
    """Return whole shares of a total by weight: those with the largest remainder are rounded up.

    Raises:
        ValueError: the total or a weight is negative, or all weights are 0.
    """
    exact = {name: Fraction(weight) for name, weight in weights.items()}
    whole = sum(exact.values(), Fraction())
    if total < 0 or min(exact.values(), default=Fraction()) < 0 or (total and not whole):
        raise ValueError("A total from 0 is shared out by weights from 0, at least one above it.")
    shares = {name: total * weight / whole if whole else whole for name, weight in exact.items()}
    given = {name: int(share) for name, share in shares.items()}
    rest = sorted(shares, key=lambda name: (given[name] - shares[name], name))
    for name in rest[: total - sum(given.values())]:
        given[name] += 1
    return given


def draw(
    units: Iterable[DrawUnit],
    wanted: Mapping[str, int],
    *,
    seed: str,
    preference: Preference = Preference.EQUAL,
    make_up: bool = False,
) -> DrawnSample:
    """Draw so many of each stratum, and say what is missing.

    Args:
        units: what could be drawn, in any order.
        wanted: how many of each stratum; of one that is not named, none.
        seed: of the round.
        preference: when priority decides before the lot.
        make_up: what one stratum lacks is drawn from others that are wanted too.

    Raises:
        ValueError: two units have the same key, or a quota is negative.
    """
    strata: dict[str, list[DrawUnit]] = defaultdict(list)
    for unit in units:
        strata[unit.stratum].append(unit)
    names = sorted({*strata, *wanted})
    if min(wanted.values(), default=0) < 0:
        raise ValueError("A quota is 0 or more.")
    goals = {name: wanted.get(name, 0) for name in names}
    if make_up:
        goals = _made_up(goals, strata)
    chances: dict[str, float] = {}
    ranks: dict[str, str] = {}
    picks: list[Pick] = []
    found = []
    for name in names:
        taken = _from_classes(strata[name], goals[name], preference, seed, chances, ranks)
        picks += (Pick(one.key, name, chances[one.key]) for one in taken)
        found.append(
            DrawnStratum(
                name,
                wanted.get(name, 0),
                len(strata[name]),
                sum(one.recent for one in strata[name]),
                len(taken),
                sum(one.recent for one in taken),
            )
        )
    if len(chances) < sum(len(members) for members in strata.values()):
        raise ValueError("Two units have the same key.")
    picks.sort(key=lambda pick: ranks[pick.key])
    return DrawnSample(tuple(picks), tuple(found), chances)


def _from_classes(
    members: list[DrawUnit],
    goal: int,
    preference: Preference,
    seed: str,
    chances: dict[str, float],
    ranks: dict[str, str],
) -> list[DrawUnit]:
    """Empty one class after the other until the goal is reached."""
    classes: dict[tuple[bool, int], list[DrawUnit]] = defaultdict(list)
    for one in members:
        first = preference == Preference.FIRST or (preference == Preference.SHORT and one.recent)
        classes[one.recent, one.priority if first else 0].append(one)
    taken: list[DrawUnit] = []
    for key in sorted(classes):
        ready = classes[key]
        count = min(len(ready), goal - len(taken))
        chances.update(dict.fromkeys((one.key for one in ready), count / len(ready)))
        if not count:
            continue
        ranks.update((one.key, rank_key(seed, one.key)) for one in ready)
        taken += sorted(ready, key=lambda one: ranks[one.key])[:count]
    return taken


def _made_up(goals: dict[str, int], strata: Mapping[str, list[DrawUnit]]) -> dict[str, int]:
    """Share what some strata lack among the others that are wanted, those of P0 first."""
    lack = sum(max(0, goal - len(strata[name])) for name, goal in goals.items())
    spare = {
        name: len(strata[name]) - goal
        for name, goal in goals.items()
        if 0 < goal < len(strata[name])
    }
    tops: dict[int, dict[str, int]] = defaultdict(dict)
    for name, count in spare.items():
        tops[min(one.priority for one in strata[name])][name] = count
    raised = dict(goals)
    for top in sorted(tops):
        group = tops[top]
        for name, count in allocate(min(lack, sum(group.values())), group).items():
            raised[name] += count
            lack -= count
    return raised


def n_anchors(n_fresh: int, *, of_all: bool = False) -> int:
    """Return how many anchors a round has: the larger of a tenth and thirty, at most half.

    Args:
        n_fresh: the items that are drawn beside the anchors.
        of_all: anchors are taken out of these items, instead of coming on top of them.
    """
    if of_all:
        return min(max(FEWEST_ANCHORS, -(-n_fresh // 10)), n_fresh // 2)
    share = ANCHOR_SHARE / (1 - ANCHOR_SHARE)
    return min(max(FEWEST_ANCHORS, -(-n_fresh * share.numerator // share.denominator)), n_fresh)


def chances_by_size(sizes: Sequence[float], n: int, *, even: float) -> list[float]:
    """Return with which chance each of these is among n that are drawn; together they are n.

    A share of the n is spread evenly, so that nothing is without a chance, and the rest in proportion to
    size. What would come out above 1 is certain to be drawn; the others share what that leaves.

    Args:
        sizes: 0 or more; where all are 0, chances are equal.
        n: how many are drawn, from 1 to all of them.
        even: the share that is spread evenly, above 0 and up to 1.

    Raises:
        ValueError: a size is negative or no number, or `n` or `even` lies outside.

    References:
        Särndal, Swensson and Wretman (1992), Model assisted survey sampling, section 3.6.2.
    """
    if not 1 <= n <= len(sizes) or not 0 < even <= 1:
        raise ValueError("From 1 to all are drawn, and a share above 0 of them is spread evenly.")
    if not all(0 <= one < float("inf") for one in sizes):
        raise ValueError("A size is a number from 0.")
    total = sum(sizes)
    shares = [even / len(sizes) + ((1 - even) * one / total if total else 0) for one in sizes]
    certain: set[int] = set()
    while True:
        left = n - len(certain)
        others = [place for place in range(len(sizes)) if place not in certain]
        rest = sum(shares[place] for place in others)
        above = {place for place in others if left * shares[place] >= rest * (1 - 1e-12)}
        if not above:
            break
        certain |= above
    return [1.0 if place in certain else left * share / rest for place, share in enumerate(shares)]


def draw_by_chance(chances: Mapping[str, float], *, seed: str) -> list[str]:
    """Return as many keys as the chances are together, each drawn with its own, in an order by lot.

    They are laid end to end in an order by lot, and taken at equal steps from a start by lot:
    systematic sampling in random order, which keeps every chance exactly and the number fixed.

    Raises:
        ValueError: a chance is not above 0 and at most 1, or their sum is no whole number.

    References:
        Hartley and Rao (1962), Sampling with unequal probabilities and without replacement.
    """
    total = math.fsum(chances.values())
    n = round(total)
    if not all(0 < one <= 1 for one in chances.values()) or abs(total - n) > 1e-6:
        raise ValueError("Chances lie above 0 and at most at 1, and are a whole number together.")
    order = sorted(chances, key=lambda key: rank_key(seed, key))
    open_ = [key for key in order if chances[key] < 1]
    start = (integer(seed, "start", below=2**52) + 0.5) / 2**52
    ends = np.cumsum([chances[key] for key in open_])
    if open_:
        ends[-1] = n - (len(order) - len(open_))
    steps = np.ceil(ends - start)
    there = np.diff(steps, prepend=0) > 0
    taken = {key for key, here in zip(open_, there, strict=True) if here}
    return [key for key in order if key in taken or chances[key] == 1]
