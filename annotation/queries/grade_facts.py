"""What a grade refers to, as plain values: looked up once, and shared by all rows that have it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class ItemFacts:
    pk: int
    external_id: str
    group: str
    capability_id: int | None
    capability: str
    difficulty: str
    domain: str
    priority: str


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    pk: int
    system: str
    label: str
    colour: int = 0


@dataclass(frozen=True, slots=True)
class CriterionFacts:
    key: str
    name: str
    rubric_version: str
    scale_min: Decimal | None
    scale_max: Decimal | None
    pass_at: Decimal | None
    #: The words of levels, by their values.
    labels: Mapping[Decimal, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class RaterFacts:
    pk: int
    label: str
    kind: str


@dataclass(frozen=True, slots=True)
class SeatFacts:
    purpose: str
    occasion: int
    inclusion_p: float | None


#: Of a mark that was given outside a seat.
UNSEATED = SeatFacts(purpose="NORMAL", occasion=1, inclusion_p=None)
