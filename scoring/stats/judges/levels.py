"""Values of judges and people side by side: exact, joined by key, at three levels.

A row is a response. Rows are sorted by system, group and response, so that their order plays no
part. Rows that either side lacks are left out at every level and counted.

Levels: *system*, one mean a system; *item*, within each group over its responses, then the mean
over groups; *pooled*, all responses at once.

References:
    Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics
    using resampling methods, section 2 (system and summary level).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np

from scoring.stats.judges import said
from scoring.stats.resampled.exact import Label, Values
from scoring.stats.resampled.linear import FloatArray, IntArray

Level: TypeAlias = said.Level
LEVELS = said.LEVELS
SENTENCES: dict[Level, str] = {
    "system": "one mean a system over its responses, correlated over systems",
    "item": "correlated within each group over its responses, mean over the groups that vary",
    "pooled": "one correlation over all responses",
}


@dataclass(frozen=True, slots=True)
class LevelRows:
    """Responses with the system each came from and the group it is resampled with.

    `order` sorts them by system, group and response; systems and groups are numbered by label.
    """

    response: tuple[Label, ...]
    system: IntArray
    group: IntArray
    systems: tuple[Label, ...]
    groups: tuple[Label, ...]
    order: IntArray

    def place(self, keys: Sequence[Label], column: Sequence[Any]) -> FloatArray:
        """Return a column in the order of these rows, joined by response; NaN where it has none.

        Raises:
            ValueError: a key is none of these responses, or comes twice.
        """
        at = {label: i for i, label in enumerate(self.response)}
        out = np.full(len(self.response), np.nan)
        seen: set[Label] = set()
        for key, value in zip(keys, column, strict=True):
            if key not in at:
                raise ValueError(f"There is no response {key!r} to put a value beside.")
            if key in seen:
                raise ValueError(f"Response {key!r} has two values.")
            seen.add(key)
            out[at[key]] = np.nan if value is None else value
        return out


@dataclass(frozen=True, slots=True)
class Pairs:
    """What both sides have, sorted by system, group and response.

    `judge` and `human` are numerators over their units; `system` and `group` number the labels.
    """

    judge: FloatArray
    human: FloatArray
    judge_unit: float
    human_unit: float
    system: IntArray
    group: IntArray
    systems: tuple[Label, ...]
    groups: tuple[Label, ...]
    n_judge_only: int
    n_human_only: int
    exact: bool

    @property
    def n(self) -> int:
        return len(self.judge)


@dataclass(frozen=True, slots=True)
class SystemSums:
    """Sums over the rows of each system in each group: systems × groups."""

    judge: FloatArray
    human: FloatArray
    count: FloatArray


@dataclass(frozen=True, slots=True)
class LevelGrid:
    """Rows as groups × slots; a slot is a system and a sample, `valid` says where a row is."""

    judge: FloatArray
    human: FloatArray
    valid: FloatArray
    slot_system: IntArray


def rows(
    *, response: Sequence[Label], system: Sequence[Label], group: Sequence[Label]
) -> LevelRows:
    """Return the rows of a table of responses.

    Raises:
        ValueError: the columns are uneven, a label is missing, a response comes twice, or labels
            of one column cannot be sorted.
    """
    if not len(response) == len(system) == len(group):
        raise ValueError("Responses, systems and groups differ in number.")
    if any(label is None for column in (response, system, group) for label in column):
        raise ValueError("Every row needs a response, a system and a group.")
    if len(set(response)) < len(response):
        raise ValueError("A response comes twice.")
    systems, of_system = _numbered(system)
    groups, of_group = _numbered(group)
    order = np.lexsort((_numbered(response)[1], of_group, of_system))
    return LevelRows(tuple(response), of_system, of_group, systems, groups, order)


def pairs(table: LevelRows, judge: Values, human: Values) -> Pairs:
    """Return the rows that both sides have.

    Raises:
        ValueError: a side has not one value a row.
    """
    if not len(table.response) == len(judge.numerators) == len(human.numerators):
        raise ValueError("A side has not one value for each response.")
    here, there = ~np.isnan(judge.numerators), ~np.isnan(human.numerators)
    kept = table.order[(here & there)[table.order]]
    systems, system = _used(table.systems, table.system[kept])
    groups, group = _used(table.groups, table.group[kept])
    return Pairs(
        judge=judge.numerators[kept],
        human=human.numerators[kept],
        judge_unit=judge.unit,
        human_unit=human.unit,
        system=system,
        group=group,
        systems=systems,
        groups=groups,
        n_judge_only=int((here & ~there).sum()),
        n_human_only=int((there & ~here).sum()),
        exact=judge.exact and human.exact,
    )


def sums(of: Pairs) -> SystemSums:
    """Return what the means of systems are made of, group by group."""
    shape = (len(of.systems), len(of.groups))
    cell = of.system * shape[1] + of.group
    size = shape[0] * shape[1]
    judge, human, count = (
        np.bincount(cell, weights=weights, minlength=size).astype(np.float64).reshape(shape)
        for weights in (of.judge, of.human, None)
    )
    return SystemSums(judge, human, count)


def system_means(of: Pairs) -> tuple[FloatArray, FloatArray]:
    """Return the means of systems, the judge's and the people's, in the order of `systems`."""
    n = len(of.systems)
    count = np.bincount(of.system, minlength=n)
    if of.exact:
        judge, human = (
            np.bincount(of.system, weights=column, minlength=n) for column in (of.judge, of.human)
        )
    else:
        judge, human = (
            np.array([math.fsum(column[of.system == i]) for i in range(n)])
            for column in (of.judge, of.human)
        )
    return judge / count / of.judge_unit, human / count / of.human_unit


def grid(of: Pairs) -> LevelGrid:
    """Return the rows laid out by group."""
    key = of.system * max(1, len(of.groups)) + of.group
    sample = np.arange(of.n) - np.searchsorted(key, key)  # rows are sorted by this very key
    depth = int(sample.max(initial=0)) + 1
    slot = of.system * depth + sample
    shape = (len(of.groups), len(of.systems) * depth)
    judge, human, valid = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    judge[of.group, slot] = of.judge
    human[of.group, slot] = of.human
    valid[of.group, slot] = 1
    used = valid.any(axis=0)
    slots = np.repeat(np.arange(len(of.systems)), depth)
    return LevelGrid(judge[:, used], human[:, used], valid[:, used], slots[used])


def _numbered(labels: Sequence[Label]) -> tuple[tuple[Label, ...], IntArray]:
    try:
        known = sorted(set(labels), key=lambda label: cast("str", label))
    except TypeError as error:
        raise ValueError(f"Labels are of different types: {error}") from error
    number = {label: i for i, label in enumerate(known)}
    return tuple(known), np.array([number[label] for label in labels], dtype=np.int64)


def _used(labels: tuple[Label, ...], codes: IntArray) -> tuple[tuple[Label, ...], IntArray]:
    used, numbers = np.unique(codes, return_inverse=True)
    return tuple(labels[i] for i in used), numbers.astype(np.int64)
