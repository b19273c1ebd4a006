"""How labels by a machine beside those by people are said. No pandas and no scipy here."""

from dataclasses import dataclass

from scoring.stats.plain import Reason


@dataclass(frozen=True, slots=True)
class Rate:
    """A figure between −1 and 1 with its interval; `reason` says why one of them is missing."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Class:
    """One label: how often people and the machine gave it, and how far the machine found it."""

    label: str
    n_true: int
    n_said: int
    precision: Rate
    recall: Rate
    f1: Rate


@dataclass(frozen=True, slots=True)
class Classified:
    """Labels of a machine against those of people.

    `table` counts parts, people's labels down and the machine's across, in the order of `classes`.
    `constant` is what always saying people's most frequent label would reach: its κ is 0.
    """

    n: int
    n_clusters: int
    classes: tuple[Class, ...]
    table: tuple[tuple[int, ...], ...]
    accuracy: Rate
    macro_f1: Rate
    kappa: Rate
    constant: str
    constant_accuracy: float | None
    constant_macro_f1: float | None
