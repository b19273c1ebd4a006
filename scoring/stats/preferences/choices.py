"""Choices between two answers, and plain counts of them.

A choice is what one annotator said of one question's two answers: one is better, they are as good, or
both are bad. The last counts as a tie and is counted apart, too.

References:
    Kendall and Babington Smith (1940), On the method of paired comparisons.
"""

import itertools
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from scoring.stats import frame
from scoring.stats.resampled.linear import FloatArray, IntArray


@dataclass(frozen=True)
class Choices:
    """One row a choice; systems, questions and annotators are numbered from 0.

    Attributes:
        first: the system whose answer stood at A.
        second: the one whose answer stood at B.
        worth: 1 where A was chosen, 0 where B was, 0.5 for a tie.
        both_bad: whether the tie was said to be of two bad answers.
        question: that was answered.
        rater: who chose.
        names: of the systems, in the order of their numbers.
        capability: of each question.
        group: of each question, by number: those of one group vary together, as turns of a conversation
            or wordings of one question do, and are one for intervals. None where each stands alone.

    Raises:
        ValueError: rows of different length, a system beside itself, or another worth.
    """

    first: IntArray
    second: IntArray
    worth: FloatArray
    both_bad: IntArray
    question: IntArray
    rater: IntArray
    names: tuple[Hashable, ...]
    capability: IntArray
    group: IntArray | None = None

    def __post_init__(self) -> None:
        rows = (self.first, self.second, self.worth, self.both_bad, self.question, self.rater)
        if len({len(one) for one in rows}) > 1:
            raise ValueError("The columns of choices differ in length.")
        if self.group is not None and len(self.group) != len(self.capability):
            raise ValueError("Each question is of one group and one capability.")
        if (self.first == self.second).any():
            raise ValueError("A choice is between two systems, not one.")
        if not np.isin(self.worth, (0.0, 0.5, 1.0)).all():
            raise ValueError("A choice is worth 1, 0.5 or 0.")
        if (self.both_bad.astype(bool) & (self.worth != 0.5)).any():
            raise ValueError("Where both are bad none is chosen.")

    def __len__(self) -> int:
        return len(self.worth)

    @property
    def n_systems(self) -> int:
        return len(self.names)

    @cached_property
    def cluster(self) -> IntArray:
        """The group of the question of each choice: what intervals take for one."""
        return self.question if self.group is None else self.group[self.question]

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every two systems, the lower number first."""
        return tuple(itertools.combinations(range(self.n_systems), 2))

    def of(self, left: int, right: int) -> tuple[IntArray, FloatArray]:
        """Return the rows in which two systems met, and what they were worth to the left one."""
        forth = (self.first == left) & (self.second == right)
        back = (self.first == right) & (self.second == left)
        rows = np.flatnonzero(forth | back)
        return rows, np.where(forth, self.worth, 1 - self.worth)[rows]

    def kept(self, rows: Sequence[int] | IntArray) -> "Choices":
        """Return some of the choices; systems and questions keep their numbers."""
        return Choices(
            self.first[rows],
            self.second[rows],
            self.worth[rows],
            self.both_bad[rows],
            self.question[rows],
            self.rater[rows],
            self.names,
            self.capability,
            self.group,
        )


#: What a choice is worth to the answer at A, by its value (`annotation.rubrics.rules.CHOICES`).
WORTH = {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.0, 5: 0.0, 6: 0.5}
BOTH_BAD = 6


def of_ratings(ratings: pd.DataFrame, *, purposes: Collection[str] | None = None) -> Choices:
    """Return the choices of a ratings frame that count, for one criterion.

    Systems are named by their releases, in the order of these; questions without a capability count
    as of one of their own.

    Args:
        ratings: the ratings frame; rows of other kinds of mark are left out.
        purposes: of round items, where others than the usual ones count.

    Raises:
        ValueError: choices by several criteria, or of another value.
    """
    counted = frame.default_filter(ratings, purposes=purposes, marks=frame.CHOSEN)
    counted = counted[counted["value"].notna() & counted["against"].notna()]
    if len(set(counted["criterion"])) > 1:
        raise ValueError("Choices by several criteria are counted apart.")
    worth = counted["value"].map(WORTH)
    if worth.isna().any():
        raise ValueError("A choice has a value from 1 to 6.")
    sides = counted["release"], counted["against"]
    names = sorted(
        {name for side in sides for name in side.cat.remove_unused_categories().cat.categories}
    )
    question, first_of = _places(counted["item"])
    return Choices(
        _numbered(counted["release"], names),
        _numbered(counted["against"], names),
        np.asarray(worth, dtype=np.float64),
        np.asarray(counted["value"] == BOTH_BAD, dtype=np.int64),
        question,
        _places(counted["rater"])[0],
        tuple(names),
        np.asarray(counted["capability"].cat.codes, dtype=np.int64)[first_of],
        np.asarray(counted["group"].cat.codes, dtype=np.int64)[first_of],
    )


def _numbered(column: "pd.Series[Any]", names: Sequence[Hashable]) -> IntArray:
    """Return of each row the place of its label among these."""
    place = {name: number for number, name in enumerate(names)}
    known = column.cat.categories.tolist()
    return np.array([place.get(name, -1) for name in known], dtype=np.int64)[column.cat.codes]


def _places(column: "pd.Series[Any]") -> tuple[IntArray, IntArray]:
    """Return the number of each row's thing, and the first row of each thing."""
    codes = np.asarray(column.cat.codes, dtype=np.int64)
    _known, first, place = np.unique(codes, return_index=True, return_inverse=True)
    return place.ravel(), first


@dataclass(frozen=True, slots=True)
class Tally:
    """How often two systems met, and how that came out for `left`; `both_bad` are among the ties."""

    left: Hashable
    right: Hashable
    won: int
    tied: int
    both_bad: int
    lost: int

    @property
    def n(self) -> int:
        return self.won + self.tied + self.lost

    @property
    def rate(self) -> float | None:
        """The share that `left` won, a tie counted half."""
        return (self.won + self.tied / 2) / self.n if self.n else None


def tallies(choices: Choices) -> tuple[Tally, ...]:
    """Count every pair of systems, in the order of their numbers."""
    made = []
    for left, right in choices.pairs:
        rows, worth = choices.of(left, right)
        won, lost = int((worth == 1).sum()), int((worth == 0).sum())
        bad = int(choices.both_bad[rows].sum())
        names = choices.names[left], choices.names[right]
        made.append(Tally(*names, won, len(rows) - won - lost, bad, lost))
    return tuple(made)


@dataclass(frozen=True, slots=True)
class Triads:
    """Of three answers that one annotator compared in full and without a tie, how many go in a circle.

    That is A before B, B before C and C before A. By chance a quarter of them do.
    """

    n: int
    n_circular: int

    @property
    def share(self) -> float | None:
        return self.n_circular / self.n if self.n else None


def triads(choices: Choices) -> Triads:
    """Count the triads of one question by one annotator; of a pair that came again the last counts."""
    n_systems = choices.n_systems
    _people, who = np.unique(_one_number(choices.question, choices.rater), return_inverse=True)
    who = who.ravel()
    low = np.minimum(choices.first, choices.second)
    pair = low * n_systems + np.maximum(choices.first, choices.second)
    spot = who * n_systems**2 + pair
    _spots, last = np.unique(spot[::-1], return_index=True)
    rows = len(spot) - 1 - last
    rows = rows[choices.worth[rows] != 0.5]
    enough = np.bincount(who[rows], minlength=int(who.max(initial=-1)) + 1) > 2
    rows = rows[enough[who[rows]]]
    known, at = np.unique(who[rows], return_inverse=True)
    #: 1 where the lower of two systems won, −1 where the higher did, 0 where neither.
    beats = np.zeros((n_systems**2, len(known)), dtype=np.int8)
    lower = (choices.worth[rows] == 1) == (choices.first[rows] < choices.second[rows])
    beats[pair[rows], at.ravel()] = np.where(lower, 1, -1)
    n = circular = 0
    for a, b, c in itertools.combinations(range(n_systems), 3):
        ab, bc, ac = (beats[x * n_systems + y] for x, y in ((a, b), (b, c), (a, c)))
        whole = (ab != 0) & (bc != 0) & (ac != 0)
        n += int(whole.sum())
        circular += int((whole & (ab == bc) & (ab != ac)).sum())
    return Triads(n, circular)


def _one_number(left: IntArray, right: IntArray) -> IntArray:
    """Return pairs of numbers as one each."""
    return left * (int(right.max(initial=0)) + 1) + right
