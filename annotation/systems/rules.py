"""What systems put out, as plain values on their way before raters, and which of it is taken by lot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from annotation.common import draws as seeds

Message = Mapping[str, Any]
GENERATED = "GENERATED"


@dataclass(frozen=True)
class Output:
    """What a release put out: a response that is there already, or the messages of a new one.

    `origin` and `details` are those of the response.
    """

    release_id: int
    messages: Sequence[Message] = ()
    origin: str = GENERATED
    details: Mapping[str, Any] = field(default_factory=dict)
    sample_no: int = 1
    response_id: int | None = None


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


def take(units: Sequence[Unit], n: int | None, *, seed: str) -> list[Unit]:
    """Return n units by lot (None: all), each with the chance with which it was taken in all.

    Raises:
        ValueError: there are not so many, or none are wanted.
    """
    wanted = len(units) if n is None else n
    if not 1 <= wanted <= len(units):
        raise ValueError(f"From {len(units)} units, {wanted} cannot be taken.")
    share = wanted / len(units)
    ranked = sorted(units, key=lambda unit: seeds.rank_key(seed, f"publish\n{unit.external_id}"))
    return [replace(unit, chance=unit.chance * share) for unit in ranked[:wanted]]
