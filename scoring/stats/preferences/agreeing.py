"""Whether people choose alike: choices as seen from one side, who opposes whom, who repeats oneself.

Sides change from seat to seat. For agreement a choice is turned so that the same words mean the same
answer: as if the lower release stood at A.

References:
    Krippendorff (2011), Computing Krippendorff's alpha-reliability: nominal data.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pandas as pd

from scoring.stats import frame
from scoring.stats.frame import BoolArray
from scoring.stats.people import strata
from scoring.stats.people.said import (
    AnnotatorDispute,
    DisputePlace,
    DisputeRules,
    DisputesFigure,
    QuestionDispute,
)
from scoring.stats.plain import Reason
from scoring.stats.preferences.said import PairAgreement
from scoring.stats.resampled.linear import IntArray

#: A choice as it reads from the other side, by its value.
TURNED = np.array([np.nan, 5, 4, 3, 2, 1, 6])
#: Which answer a turned choice took: 1 the left one, −1 the right one, 0 neither.
TOOK = np.array([0, 1, 1, 0, -1, -1, 0])
#: What is told of disputes here has no rules of its own to choose from.
RULES = DisputeRules(rater="opposed", question="opposed")


def turned(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return the choices of a ratings frame as if the lower release had stood at A.

    `release` and `against` are then the lower and the higher one, and `response` is the pair of
    answers: what two people choose from is one thing, whichever side its answers stood at.

    Args:
        ratings: the ratings frame; rows of other kinds of mark, or without a partner, are left out.
    """
    rows = frame.measured(ratings, frame.CHOSEN)
    rows = rows[rows["against"].notna()]
    sides = rows["release"].to_numpy(), rows["against"].to_numpy()
    names, code = np.unique(np.concatenate(sides), return_inverse=True)
    first, second = code[: len(rows)].astype(np.int64), code[len(rows) :].astype(np.int64)
    low, high = np.minimum(first, second), np.maximum(first, second)
    value = rows["value"].to_numpy(np.float64)
    is_turned = (first > second) & ~np.isnan(value)
    value = np.where(is_turned, TURNED[np.nan_to_num(value).astype(np.int64)], value)
    item = rows["item"].cat.codes.to_numpy(np.int64)
    pair = (item * len(names) + low) * len(names) + high
    _pairs, place = np.unique(pair, return_inverse=True)
    labels = pd.Index(names.tolist()) if len(names) else pd.Index([], dtype="str")
    return rows.assign(
        release=pd.Categorical.from_codes(low, categories=labels),
        against=pd.Categorical.from_codes(high, categories=labels),
        value=value,
        response=pd.Categorical.from_codes(place.ravel(), categories=pd.RangeIndex(len(_pairs))),
    )


def settled(ratings: pd.DataFrame) -> pd.DataFrame:
    """Return choices with those that reviewers settled in the place of given ones, sides as they were.

    Args:
        ratings: the ratings frame, at most one valid adjudicated choice of two answers by a criterion.

    Raises:
        ValueError: two answers were settled twice.
    """
    rows = turned(ratings)
    sides = ratings.loc[rows.index]
    made = frame.settled(rows)
    differs = sides["release"].astype(object) != rows["release"].astype(object)
    value = made["value"].to_numpy(np.float64)
    is_turned = differs.to_numpy() & ~np.isnan(value)
    value = np.where(is_turned, TURNED[np.nan_to_num(value).astype(np.int64)], value)
    return sides.assign(value=value, outcome=made["outcome"], grade_kind=made["grade_kind"])


def by_pair(turned_: pd.DataFrame, *, seed: int = 0) -> tuple[PairAgreement, ...]:
    """Return nominal α of every two systems that met: the mean over capabilities and criteria.

    Args:
        turned_: choices of one orientation that count.
        seed: where chance comes from.
    """
    found = []
    for key, rows in turned_.groupby(["release", "against"], observed=True):
        left, right = cast("tuple[Any, Any]", key)
        by = rows.groupby(["capability", "criterion"], observed=True, dropna=False)
        parts = [strata.from_ratings(some) for _part, some in by]
        made = strata.together(parts, names=("alpha_nominal",), seed=seed)
        (one,) = made.coefficients
        ends = (one.value, one.low, one.high, one.reason, one.interval_reason)
        found.append(PairAgreement(left, right, *ends, made.n_pairable, made.n_clusters))
    return tuple(found)


@dataclass(frozen=True)
class _Places:
    """Choices in order of their places: a place is two answers by one criterion."""

    rows: pd.DataFrame
    place: IntArray
    took: IntArray
    rater: IntArray
    first: IntArray

    @classmethod
    def of(cls, turned_: pd.DataFrame) -> "_Places":
        rows = turned_[turned_["value"].notna()]
        codes = [rows[name].cat.codes.to_numpy(np.int64) for name in ("response", "criterion")]
        key = codes[0] * (int(codes[1].max(initial=0)) + 1) + codes[1]
        _known, first, place = np.unique(key, return_index=True, return_inverse=True)
        took = TOOK[np.asarray(rows["value"], dtype=np.int64)]
        rater = np.asarray(rows["rater"].cat.codes, dtype=np.int64)
        return cls(rows, place.ravel(), took, rater, np.asarray(first, dtype=np.int64))

    def count(self, of: BoolArray) -> IntArray:
        return np.bincount(self.place, of, minlength=len(self.first)).astype(np.int64)

    def told(self, column: str) -> list[Any]:
        """Return a column's label for each place."""
        labels = self.rows[column].iloc[self.first].tolist()
        return [None if one != one else one for one in labels]


def opposed(turned_: pd.DataFrame, *, most: int = 1_000) -> DisputesFigure:
    """Return the pairs of answers of which some people chose one and some the other.

    Somebody stands alone where two or more chose, and all of them chose the other answer. A question's
    share is that of its pairs of answers, by criterion, that divide people.

    Args:
        turned_: choices of one orientation that count.
        most: how many questions are returned, those most divided, and the places of those alone.
    """
    at = _Places.of(turned_)
    if not len(at.rows):
        return DisputesFigure(RULES, False, False, Reason.NO_GRADES, (), 0, 0, (), (), 0)
    left, right = at.count(at.took == 1), at.count(at.took == -1)
    divided = (left > 0) & (right > 0)
    others = np.where(at.took == 1, right[at.place], left[at.place])
    own = np.where(at.took == 1, left[at.place], right[at.place])
    chose = at.took != 0
    alone = chose & (own == 1) & (others >= 2)
    could = chose & ((left + right)[at.place] >= 3)
    people = at.rows["rater"].cat.categories
    questions, shown = _questions(at, divided, alone, most)
    order = np.argsort(at.place, kind="stable")
    runs = np.split(order, np.cumsum(np.bincount(at.place))[:-1])
    places = [
        DisputePlace(
            question,
            release,
            n,
            capability,
            criterion,
            True,
            tuple(people[one] for one in at.rater[runs[n][alone[runs[n]]]].tolist()),
            len(runs[n]),
            against,
        )
        for n, (question, release, against, capability, criterion) in enumerate(
            zip(*(at.told(name) for name in _TOLD), strict=True)
        )
        if divided[n] and question in shown
    ]
    return DisputesFigure(
        RULES,
        False,
        False,
        None,
        questions,
        at.rows["group"].nunique(),
        0,
        _alone(at, alone, could),
        tuple(places),
        int(divided.sum()),
    )


_TOLD = ("group", "release", "against", "capability", "criterion")


def _questions(
    at: _Places, divided: BoolArray, alone: BoolArray, most: int
) -> tuple[tuple[QuestionDispute, ...], set[Hashable]]:
    group = at.rows["group"].cat.codes.to_numpy(np.int64)
    names = at.rows["group"].cat.categories
    n = len(names)
    of = group[at.first]
    n_places = np.bincount(of, minlength=n)
    n_divided = np.bincount(of, divided, minlength=n).astype(np.int64)
    n_alone = np.bincount(group, alone, minlength=n).astype(np.int64)
    share = n_divided / np.maximum(n_places, 1)
    order = [g for g in np.argsort(-share, kind="stable").tolist() if n_places[g]][:most]
    by_group = at.rows.groupby("group", observed=True)
    raters = by_group["rater"].nunique()
    systems = pd.concat(
        [at.rows[["group", name]].rename(columns={name: "one"}).astype(object) for name in _SIDES]
    )
    releases = systems.groupby("group")["one"].nunique()
    found = tuple(
        QuestionDispute(
            cast("str", names[g]),
            None,
            Fraction(int(n_divided[g]), int(n_places[g])),
            int(n_divided[g]),
            int(n_alone[g]),
            int(releases[names[g]]),
            int(raters[names[g]]),
            int(n_places[g]),
            None,
        )
        for g in order
    )
    return found, {one.question for one in found}


_SIDES = ("release", "against")


def _alone(at: _Places, alone: BoolArray, could: BoolArray) -> tuple[AnnotatorDispute, ...]:
    """Return how often each person stands alone: by capability, then in all of them."""
    table = at.rows[["rater", "capability"]].assign(alone=alone, could=could)
    found = []
    for by in (["rater", "capability"], ["rater"]):
        sums = table.groupby(by, observed=True, dropna=False)[["alone", "could"]].sum()
        for key, row in zip(sums.index.tolist(), sums.itertuples(index=False), strict=True):
            rater, capability = key if len(by) == 2 else (key, None)
            n, n_alone = int(cast("Any", row.could)), int(cast("Any", row.alone))
            found.append(
                AnnotatorDispute(
                    len(by) == 1,
                    rater,
                    None if capability != capability else capability,
                    Fraction(n_alone, n) if n else None,
                    n_alone,
                    n,
                    None if n else Reason.UNDER_THREE,
                )
            )
    return tuple(found)


@dataclass(frozen=True)
class Alike:
    """Of each choice how many others chose on the same answers, and how many of them the same."""

    met: IntArray
    same: IntArray


def alike(turned_: pd.DataFrame) -> Alike:
    """Count how many chose alike; a choice is one of six, so that much better is not better.

    Args:
        turned_: choices of one orientation that have a value, at most one by an annotator on a pair.
    """
    codes = [turned_[name].cat.codes.to_numpy(np.int64) for name in ("response", "criterion")]
    place = codes[0] * (int(codes[1].max(initial=0)) + 1) + codes[1]
    _places, at = np.unique(place, return_inverse=True)
    at = at.ravel()
    spot = at * len(TURNED) + turned_["value"].to_numpy(np.float64).astype(np.int64)
    return Alike(np.bincount(at)[at] - 1, np.bincount(spot)[spot] - 1)


def again(turned_: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that somebody chose from twice: `rater`, `criterion` and whether `same`.

    Args:
        turned_: choices of one orientation, of both occasions.
    """
    rows = turned_[turned_["value"].notna()]
    key = ["rater", "response", "criterion"]
    first, second = (rows.loc[rows["occasion"] == n, [*key, "value"]] for n in (1, 2))
    both = first.merge(second, on=key, suffixes=("", "_again"))
    return both[["rater", "criterion"]].assign(same=both["value"] == both["value_again"])
