"""What inspection shows of designers: how much came back, why, how long it took, who needs help."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import NamedTuple

#: Fewer decisions than this say nothing about a designer.
ENOUGH = 5


class Handed(NamedTuple):
    """A version that was handed in: by whom, and what became of it. There may be very many."""

    designer: int
    returned: bool
    #: Seconds until it was decided; none while it waits.
    waited: float | None
    #: Seconds since the version before it came back; none if it is no mended one.
    mended: float | None = None


@dataclass(frozen=True, slots=True)
class MedianSpell:
    """The middle of some spells of time, and how many there are. None: there is none yet."""

    median: timedelta | None
    n: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What became of what somebody handed in. Shares rest on `n_decided`, never on what waits."""

    n_submitted: int
    n_decided: int
    n_returned: int
    #: Of the questions that were decided for the first time: how many were accepted then.
    n_first: int
    n_at_once: int
    inspecting: MedianSpell
    mending: MedianSpell

    @property
    def return_rate(self) -> float | None:
        """The share of decisions that sent a version back; none without a decision."""
        return self.n_returned / self.n_decided if self.n_decided else None


def figures(handed: Iterable[Handed]) -> Figures:
    rows = list(handed)
    decided = [one for one in rows if one.waited is not None]
    first = [one for one in decided if one.mended is None]
    return Figures(
        n_submitted=len(rows),
        n_decided=len(decided),
        n_returned=sum(one.returned for one in decided),
        n_first=len(first),
        n_at_once=sum(not one.returned for one in first),
        inspecting=spell(one.waited for one in rows if one.waited is not None),
        mending=spell(one.mended for one in rows if one.mended is not None),
    )


def spell(spells: Iterable[float]) -> MedianSpell:
    """Return the middle of some spells of time, each in seconds."""
    seconds = list(spells)
    middle = timedelta(seconds=median(seconds)) if seconds else None
    return MedianSpell(middle, len(seconds))


def by_designer(handed: Iterable[Handed]) -> dict[int, Figures]:
    rows: dict[int, list[Handed]] = {}
    for one in handed:
        rows.setdefault(one.designer, []).append(one)
    return {designer: figures(theirs) for designer, theirs in rows.items()}


@dataclass(frozen=True, slots=True)
class ReasonShare:
    """How often a reason was named, of all reasons that were."""

    reason: str
    n: int
    of: int

    @property
    def percent(self) -> int:
        return round(100 * self.n / self.of)


def by_reason(counts: Mapping[str, int]) -> list[ReasonShare]:
    """Return the reasons that were named, by how often each was, the most frequent first."""
    total = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [ReasonShare(reason, n, total) for reason, n in ranked]


@dataclass(frozen=True, slots=True)
class RetrainingNeed:
    """Why a designer stands on the retraining list (LalaEval, appendix F.1)."""

    n_returned: int
    n_decided: int
    too_many: bool
    invalidated: tuple[str, ...]

    @property
    def is_there(self) -> bool:
        return self.too_many or bool(self.invalidated)


def need(
    n_returned: int, n_decided: int, invalidated: Sequence[str], limit_percent: int
) -> RetrainingNeed:
    """Return what speaks for retraining somebody.

    Args:
        n_returned: of the versions they handed in, decided since they were settled last.
        n_decided: so many of these were decided in all.
        invalidated: their questions that were invalidated since.
        limit_percent: from which share of returns on; ENOUGH decisions are needed.
    """
    too_many = n_decided >= ENOUGH and 100 * n_returned > limit_percent * n_decided
    return RetrainingNeed(n_returned, n_decided, too_many, tuple(invalidated))
