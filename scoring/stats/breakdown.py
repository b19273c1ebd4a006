"""Scores of systems within parts of the questions: by difficulty, by subject area, by both.

Every part is scored as if its grades were all there are: within it a capability is the mean of its
criteria, a group and the whole the weighted mean of the capabilities that have questions in it. So
a cell is what the whole becomes when one looks at its part alone.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from scoring.stats import scores
from scoring.stats.estimates import Weight
from scoring.stats.plain import Plain, plain
from scoring.stats.scores import Score
from scoring.stats.sums import Label

#: Stands for what a grade does not say: its capability, difficulty or area.
NOT_SAID = "none"


@dataclass(frozen=True, slots=True)
class PartScore:
    """A score within a part: `at` holds a value for each column the grades were split by.

    One of `capability` and `group` is set; `group` None and `capability` None is the whole.
    """

    at: tuple[Label, ...]
    capability: Label
    group: str | None
    score: Score

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A capability within a part."""

    capability: Label
    at: tuple[Label, ...]


def breakdown(
    ratings: pd.DataFrame,
    *,
    by: Sequence[str] = (),
    wanted: Collection[tuple[Label, ...]] = (),
    weights: Mapping[Label, Weight] | None = None,
    criterion_weights: Mapping[tuple[Label, Label], Weight] | None = None,
    groups: Mapping[str, Sequence[Label]] | None = None,
    seed: int | np.random.Generator = 0,
    resamples: int = 2_000,
    level: float = 0.95,
) -> tuple[PartScore, ...]:
    """Score every release in every part: the whole, groups, capabilities; criteria without parts.

    A missing value of a column is a part of its own, called "none".

    Args:
        ratings: rows of the ratings frame that count.
        by: the columns to split by; none for the whole alone.
        wanted: what was to be graded, as (capability, *part): it is missing where no grades came.
        weights: of capabilities; what is not named weighs 1.
        criterion_weights: by (capability, criterion), likewise.
        groups: capabilities by the name of their group.
        seed: where chance comes from.
        resamples: how many; 0 for no intervals.
        level: of the intervals.

    Raises:
        ValueError: a weight is negative or not a number, or a row lacks what identifies it.
    """
    coded, spots = _coded(ratings, by, wanted)
    members = dict(_members(spots, groups or {}))
    scored = scores.scores(
        coded,
        by=("release", "capability"),
        weights={n: (weights or {}).get(spot.capability, 1) for n, spot in enumerate(spots)},
        criterion_weights={
            (n, criterion): weight
            for n, spot in enumerate(spots)
            for (capability, criterion), weight in (criterion_weights or {}).items()
            if capability == spot.capability
        },
        groups={str(n): spot for n, spot in enumerate(members.values())},
        seed=seed,
        resamples=resamples,
        level=level,
    )
    return tuple(_parts(scored.rows, spots, list(members), with_criteria=not by))


def _coded(
    ratings: pd.DataFrame, by: Sequence[str], wanted: Collection[tuple[Label, ...]]
) -> tuple[pd.DataFrame, list[_Spot]]:
    """Return the frame with the number of its spot in the place of the capability, and the spots.

    Spots are in the order of their capabilities, as `scores` has them without parts: the same
    grades then have the same resamples there and here.
    """
    columns = [_filled(ratings[name]) for name in ("capability", *by)]
    index = pd.MultiIndex.from_arrays(columns)
    codes, found = pd.factorize(index)
    order = sorted(range(len(found)), key=lambda n: (found[n][0] != NOT_SAID, found[n][0]))
    spots = [_Spot(found[n][0], tuple(found[n][1:])) for n in order]
    codes = np.argsort(order)[codes]
    known = {(spot.capability, *spot.at) for spot in spots}
    spots += [_Spot(key[0], tuple(key[1:])) for key in dict.fromkeys(wanted) if key not in known]
    return ratings.assign(capability=pd.Categorical(codes)), spots


def _filled(column: "pd.Series[Any]") -> "pd.Series[Any]":
    plain_ = column.astype(object)
    return plain_.where(plain_.notna(), NOT_SAID)


def _members(
    spots: Sequence[_Spot], groups: Mapping[str, Sequence[Label]]
) -> Iterator[tuple[tuple[tuple[Label, ...], str | None], list[int]]]:
    """Yield the whole and the groups of every part with the numbers of their spots."""
    parts: dict[tuple[Label, ...], list[int]] = {}
    for n, spot in enumerate(spots):
        parts.setdefault(spot.at, []).append(n)
    for at, numbers in parts.items():
        yield (at, None), numbers
        for group, capabilities in groups.items():
            if mine := [n for n in numbers if spots[n].capability in capabilities]:
                yield (at, group), mine


def _parts(
    rows: Sequence[Score],
    spots: Sequence[_Spot],
    members: Sequence[tuple[tuple[Label, ...], str | None]],
    *,
    with_criteria: bool,
) -> Iterator[PartScore]:
    for row in rows:
        if row.level == "group":
            at, group = members[int(row.group or 0)]
            yield PartScore(at, None, group, row)
        elif row.level == "capability" or (row.level == "criterion" and with_criteria):
            spot = spots[row.capability]  # type: ignore[call-overload]
            yield PartScore(spot.at, spot.capability, None, row)
