"""What a draft wants drawn, as it is kept in `Round.draw`, and which stratum an item belongs to."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from typing import Any

from annotation.rules import sampling
from annotation.rules.repeats import MIN_BETWEEN
from annotation.rules.sampling import Preference

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


class How(StrEnum):
    LOT = "LOT"  # one lot over everything
    SHARES = "SHARES"  # a number, shared out over the strata
    QUOTAS = "QUOTAS"  # a number for each stratum


@dataclass(frozen=True)
class Draw:
    """Which items are drawn: of these capabilities (none: of all), at most so many.

    `external_ids` names the items to choose from (none: all); `complete_only` leaves out items
    that one of the releases has not answered, `unanswered` takes even those that nobody has.
    `quotas` are numbers or weights by stratum; `anchors_from` is the number of an earlier round;
    `repeats` says how many percent of the items are served to the same people once more, `gold`
    how many items with known grades are mixed in for a hundred of the others.

    `published` holds what was published for rating, by the item's id as text: `chance` with which
    it was chosen, and the ids of the `responses` that stand for its releases. Nothing else is drawn
    then.
    """

    capabilities: Sequence[int] = ()
    external_ids: Sequence[str] = ()
    n_items: int | None = None
    complete_only: bool = True
    unanswered: bool = False
    how: str = How.LOT
    strata: Sequence[str] = USUAL
    quotas: Mapping[str, float] = field(default_factory=dict)
    preference: str = Preference.EQUAL
    make_up: bool = False
    avoid_rounds: int = 0
    avoid_days: int = 0
    anchors_from: int | None = None
    repeats: int = 0
    gold: int = 0
    published: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        kept = asdict(self)
        kept["capabilities"] = sorted(self.capabilities)
        kept["external_ids"] = sorted(self.external_ids)
        kept["strata"] = [one for one in DIMENSIONS if one in self.strata]
        kept["quotas"] = {name: self.quotas[name] for name in sorted(self.quotas)}
        return kept | {"how": str(self.how), "preference": str(self.preference)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> "Draw":
        """Return what a round wants; what an older draft does not say is as it is by default."""
        known = {one.name for one in fields(cls)}
        return cls(**{key: value for key, value in kept.items() if key in known})

    @property
    def is_stratified(self) -> bool:
        return self.how != How.LOT

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
        if self.how == How.QUOTAS:
            return {name: int(count) for name, count in self.quotas.items() if count}
        total = sum(available.values()) if self.n_items is None else self.n_items
        if self.how == How.LOT:
            return {"": total}
        weights = {name: weight for name, weight in self.quotas.items() if weight} or available
        return sampling.allocate(total, weights) if any(weights.values()) else {}


def n_repeats(n_items: int, percent: int) -> int:
    """Return how many items are served once more; none where nothing could lie between the two."""
    return (n_items * percent + 50) // 100 if n_items > MIN_BETWEEN + 1 else 0


def n_gold(n_items: int, percent: int) -> int:
    """Return how many gold items go with so many others; at least one where any are wanted."""
    return max(1, (n_items * percent + 50) // 100) if percent and n_items else 0
