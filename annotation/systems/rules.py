"""What systems put out, as plain values on their way before raters, and which of it is taken by lot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.common import draws as seeds

Message = Mapping[str, Any]
GENERATED = "GENERATED"


#: How the whole of a response is called, among its parts.
WHOLE = "RESPONSE"


@dataclass(frozen=True)
class Output:
    """What a release put out: a response that is there already, or the messages of a new one.

    `origin` and `details` are those of the response; `said_in` is the response it is a part of, and which.
    """

    release_id: int
    messages: Sequence[Message] = ()
    origin: str = GENERATED
    details: Mapping[str, Any] = field(default_factory=dict)
    sample_no: int = 1
    response_id: int | None = None
    said_in: tuple[int, str, int | None] | None = None

    @property
    def place(self) -> tuple[int | None, str, int | None]:
        """Return where it was said: a response and the part of it; None is the whole."""
        return self.said_in or (self.response_id, WHOLE, None)


@dataclass(frozen=True)
class Unit:
    """What is put before raters at once: an item and the outputs that are graded on it.

    The item is one that is there already (`item_id`), or is made of the rest. `chance` is that with
    which the unit came to be among those that could be taken.
    """

    external_id: str
    outputs: Sequence[Output]
    messages: Sequence[Message] = ()
    reference: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""
    capability_id: int | None = None
    domain_id: int | None = None
    difficulty: str = ""
    item_id: int | None = None
    chance: float = 1.0


def of_releases(units: Sequence[Unit], releases: Sequence[int]) -> list[Unit]:
    """Return the units with the outputs of these releases alone; without any, a unit is left out."""
    kept = [
        replace(unit, outputs=[one for one in unit.outputs if one.release_id in releases])
        for unit in units
    ]
    return [unit for unit in kept if unit.outputs]


def take(
    units: Sequence[Unit],
    n: int | None,
    *,
    seed: str,
    sizes: Sequence[float] | None = None,
    even: float = 1.0,
) -> list[Unit]:
    """Return n units by lot (None: all), each with the chance with which it was taken in all.

    Args:
        units: what there is.
        n: how many.
        seed: of the lot.
        sizes: a number for each unit: the larger, the sooner it is taken; None takes all alike.
        even: the share of the n that is spread evenly whatever the sizes.

    Raises:
        ValueError: there are not so many, or none are wanted.
    """
    wanted = len(units) if n is None else n
    if not 1 <= wanted <= len(units):
        raise ValueError(f"From {len(units)} units, {wanted} cannot be taken.")
    keys = _keys(units)
    if sizes is None:
        share = wanted / len(units)
        order = sorted(range(len(units)), key=lambda at: seeds.rank_key(seed, keys[at]))
        return [replace(units[at], chance=units[at].chance * share) for at in order[:wanted]]
    chances = dict(zip(keys, seeds.chances_by_size(sizes, wanted, even=even), strict=True))
    by_key = dict(zip(keys, units, strict=True))
    return [
        replace(by_key[key], chance=by_key[key].chance * chances[key])
        for key in seeds.draw_by_chance(chances, seed=seed)
    ]


def _keys(units: Sequence[Unit]) -> list[str]:
    """Return what lots are drawn by: content, never ids; what has the same name is numbered."""
    seen: Counter[str] = Counter()
    made = []
    for unit in units:
        key = f"publish\n{unit.external_id}"
        made.append(f"{key}\n{seen[key]}" if seen[key] else key)
        seen[key] += 1
    return made
