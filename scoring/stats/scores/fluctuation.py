"""The grades of two rounds as columns, and why the score of one system moved between them.

* Four causes that add up to the change: questions, responses, the same annotators, others.
* Grades of other systems tie the annotators of both rounds together: what did not change of any system
  shows who grades differently now. They count in no score.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse import csgraph

from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import FloatArray, IntArray
from scoring.stats.scores.said import Causes, MovementScenario, Share

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Regraded:
    """One grade: `content` is question, response and criterion in one, equal where unchanged.

    A grade is worth `numerator / denominator` and weighs its denominator within its part: the mark
    above the minimum over the width of the scale, or 1 or 0 over 1 for whether it passes. `own` is
    False of another system, whose grades only tell how strict annotators are.
    """

    question: Label
    content: Label
    rater: Label
    numerator: int
    denominator: int
    own: bool = True
    part: Label = None


@dataclass(frozen=True)
class TwoRounds:
    """A grade a row; labels are numbered from 0, alike in both rounds; `later` is the second.

    A score is the mean of its parts by `weights`, a part the sum of its grades over that of its scales.
    Without `own` all grades are of the system, without `part` all are of one.
    """

    question: IntArray
    content: IntArray
    rater: IntArray
    later: BoolArray
    numerator: IntArray
    denominator: IntArray
    own: BoolArray | None = None
    part: IntArray | None = None
    #: Of every part, in either round.
    weights: tuple[tuple[Fraction, ...], ...] = ((Fraction(1),), (Fraction(1),))

    def __post_init__(self) -> None:
        if any(not self.mine(side).any() for side in (0, 1)):
            raise ValueError("Both rounds need grades.")
        if (self.denominator <= 0).any():
            raise ValueError("A scale has no width.")

    @cached_property
    def value(self) -> FloatArray:
        return self.numerator / self.denominator

    @cached_property
    def counted(self) -> BoolArray:
        """Which grades are of the system."""
        return np.ones(len(self.later), dtype=bool) if self.own is None else self.own

    @cached_property
    def parts(self) -> IntArray:
        return np.zeros(len(self.later), dtype=np.int64) if self.part is None else self.part

    def mine(self, side: int) -> BoolArray:
        """Return which grades are of the system in a round."""
        found: BoolArray = self.counted & (self.later == bool(side))
        return found

    @cached_property
    def units(self) -> tuple[tuple[Fraction, ...], ...]:
        """For each round and part: what a point of a scale weighs, so that a round weighs 1."""
        made = []
        for side in (0, 1):
            parts = list(zip(self.weights[side], self.summed(self.denominator, side), strict=True))
            whole = sum((weight for weight, width in parts if width), Fraction(0)) or 1
            made.append(
                tuple(weight / whole / width if width else Fraction(0) for weight, width in parts)
            )
        return tuple(made)

    def summed(self, column: IntArray, side: int) -> list[int]:
        """Return the sum of a column in every part of a round."""
        mine, sums = self.mine(side), np.zeros(len(self.weights[side]), dtype=np.int64)
        np.add.at(sums, self.parts[mine], column[mine])
        return [int(one) for one in sums]

    @cached_property
    def weight(self) -> FloatArray:
        """What a grade weighs in the score of its round; nothing where it is another system's."""
        unit = np.array([[float(one) for one in side] for side in self.units])
        found: FloatArray = unit[self.later.astype(np.int64), self.parts] * self.denominator
        return found * self.counted

    @cached_property
    def common_questions(self) -> BoolArray:
        return self._in_both(self.question)

    @cached_property
    def unchanged(self) -> BoolArray:
        return self._in_both(self.content)

    @cached_property
    def common_raters(self) -> BoolArray:
        return self._in_both(self.rater)

    def _in_both(self, which: IntArray) -> BoolArray:
        n = int(which.max()) + 1
        first, second = (np.bincount(which[self.mine(side)], minlength=n) > 0 for side in (0, 1))
        both: BoolArray = first & second
        return both

    def mean(self, later: int) -> Fraction:
        """Return the exact score of a round."""
        tops = zip(self.units[later], self.summed(self.numerator, later), strict=True)
        return sum((unit * top for unit, top in tops), Fraction(0))

    def repeated(self, times: IntArray) -> "TwoRounds":
        """Return the grades so many times each; those taken no time are gone.

        Raises:
            ValueError: a round has none left.
        """
        kept = times > 0
        return TwoRounds(
            self.question[kept],
            self.content[kept],
            self.rater[kept],
            self.later[kept],
            self.numerator[kept] * times[kept],
            self.denominator[kept] * times[kept],
            self.counted[kept],
            self.parts[kept],
            self.weights,
        )

    def drift(self) -> Fraction | None:
        """Return the mean absolute difference on what one rater graded unchanged in both rounds."""
        width = int(self.rater.max()) + 1
        key = self.content * width + self.rater
        order = np.lexsort([self.later, key])
        same = (key[order][1:] == key[order][:-1]) & (
            self.later[order][1:] != self.later[order][:-1]
        )
        first, second = order[:-1][same], order[1:][same]
        if not len(first):
            return None
        apart = np.abs(self.numerator[second] - self.numerator[first])
        return Fraction(int(apart.sum()), int(self.denominator[first].sum()))


def two_rounds(
    before: Sequence[Regraded],
    after: Sequence[Regraded],
    weights: Mapping[Label, Fraction] = MappingProxyType({None: Fraction(1)}),
) -> TwoRounds:
    """Return records as columns; parts have the same weights in both.

    Raises:
        ValueError: a round has no grades, or a scale no width.
        KeyError: a part has no weight.
    """
    records = [*before, *after]
    places = {label: place for place, label in enumerate(weights)}
    return TwoRounds(
        _codes(one.question for one in records),
        _codes(one.content for one in records),
        _codes(one.rater for one in records),
        np.arange(len(records)) >= len(before),
        np.array([one.numerator for one in records], dtype=np.int64),
        np.array([one.denominator for one in records], dtype=np.int64),
        np.array([one.own for one in records], dtype=bool),
        np.array([places[one.part] for one in records], dtype=np.int64),
        (tuple(weights.values()),) * 2,
    )


def _codes(labels: Iterable[Label]) -> IntArray:
    place: dict[Label, int] = {}
    return np.array([place.setdefault(label, len(place)) for label in labels], dtype=np.int64)


Method = Literal["fixed_effects", "lalaeval", "shapley"]
CAUSES = ("questions", "responses", "same_raters", "other_raters")
#: Kinds of questions and of raters, by the number that stands for them in arrays.
KINDS = ("replaced", "changed", "unchanged")
WHO = ("common", "other")


def fixed_effects(rounds: TwoRounds) -> Causes:
    """Split the change by the worth of contents and the severity of raters."""
    moved = _effects(rounds)
    if _is_connected(rounds):
        return _causes(rounds, moved)
    known = (moved[0], None, None, moved[3])
    return _causes(rounds, known, moved[1] + moved[2], Reason.NOT_CONNECTED)


def lalaeval(rounds: TwoRounds) -> Causes:
    """Split the change over the six scenarios as in LalaEval, set right."""
    cells = _Cells(rounds)
    parts = [Fraction(0)] * 4
    middle = (rounds.mean(0) + rounds.mean(1)) / 2
    for kind, who in itertools.product(range(3), range(2)):
        w = [cells.share(side, kind) * cells.within(side, kind, who) for side in (0, 1)]
        a = [cells.mean(side, kind, who) for side in (0, 1)]
        parts[_cause(kind, who)] += (w[0] + w[1]) / 2 * (a[1] - a[0])
        level = (a[0] + a[1]) / 2 - middle
        of_questions = cells.share(1, kind) - cells.share(0, kind)
        of_questions *= (cells.within(0, kind, who) + cells.within(1, kind, who)) / 2
        parts[0] += of_questions * level
        of_raters = 0 if kind == 0 else 3  # who graded replaced questions belongs to those
        parts[of_raters] += (w[1] - w[0] - of_questions) * level
    return _causes(rounds, parts)


def shapley(rounds: TwoRounds) -> Causes:
    """Split the change over the six scenarios so that no order of the causes is preferred."""
    cells = _Cells(rounds)
    worth = {
        subset: _score(cells, subset)
        for size in range(5)
        for subset in itertools.combinations(range(4), size)
    }
    parts = []
    for cause in range(4):
        value = Fraction(0)
        for subset, score in worth.items():
            if cause not in subset:
                more = tuple(sorted((*subset, cause)))
                n = len(subset)
                orders = Fraction(math.factorial(n) * math.factorial(3 - n), math.factorial(4))
                value += orders * (worth[more] - score)
        parts.append(value)
    return _causes(rounds, parts)


METHODS: Mapping[Method, Callable[[TwoRounds], Causes]] = {
    "fixed_effects": fixed_effects,
    "lalaeval": lalaeval,
    "shapley": shapley,
}


def intervals(
    rounds: TwoRounds,
    *,
    method: Method = "fixed_effects",
    resamples: int = 500,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> dict[str, resampling.Interval]:
    """Return the interval of every cause, of both scores and of the change, by resampling questions.

    A question that both rounds have is drawn with its grades of both, of all systems. How many questions an
    interval rests on, and so its width, is counted for each cause: replaced questions on the side
    that has fewer, questions with another response, or all.
    """
    rng = np.random.default_rng(seed)
    used = np.flatnonzero(np.bincount(rounds.question) > 0)
    n = len(used)
    names = (*CAUSES, "together", "before", "after", "change")
    drawn = np.full((resamples, len(names)), np.nan)
    for row in range(resamples):
        times = np.zeros(int(used[-1]) + 1, dtype=np.int64)
        np.add.at(times, used[rng.integers(0, n, n)], 1)
        try:
            found = METHODS[method](rounds.repeated(times[rounds.question]))
        except ValueError:  # a round was not drawn at all
            continue
        values = [getattr(found, name) for name in names]
        drawn[row] = [np.nan if value is None else float(value) for value in values]
    rests_on = _rests_on(rounds)
    asked = len(np.unique(rounds.question[rounds.counted]))
    return {
        name: resampling.interval(
            [resampling.DrawnPart(drawn[:, place], rests_on.get(name) or asked)],
            scheme=resampling.Scheme.MULTINOMIAL,
            level=level,
        )
        for place, name in enumerate(names)
    }


def _rests_on(rounds: TwoRounds) -> dict[str, int]:
    """Return how many questions the causes rest on that do not rest on all."""
    alone = ~rounds.common_questions[rounds.question]
    changed = rounds.counted & ~alone & ~rounds.unchanged[rounds.content]
    sides = [alone & rounds.mine(side) for side in (1, 0)]
    return {
        "questions": min(len(np.unique(rounds.question[side])) for side in sides),
        "responses": len(np.unique(rounds.question[changed])),
        "before": len(np.unique(rounds.question[rounds.mine(0)])),
        "after": len(np.unique(rounds.question[rounds.mine(1)])),
    }


def scenarios(rounds: TwoRounds) -> tuple[MovementScenario, ...]:
    """Return the six scenarios of the paper, with the joint share of each and its mean."""
    cells = _Cells(rounds)
    return tuple(
        MovementScenario(
            KINDS[kind],
            WHO[who],
            cells.share(0, kind) * cells.within(0, kind, who),
            cells.share(1, kind) * cells.within(1, kind, who),
            cells.known(0, kind, who),
            cells.known(1, kind, who),
        )
        for kind, who in itertools.product(range(3), range(2))
    )


def _causes(
    rounds: TwoRounds,
    parts: Sequence[Share | None],
    together: Share | None = None,
    reason: Reason | None = None,
) -> Causes:
    before, after = rounds.mean(0), rounds.mean(1)
    questions, responses, same_raters, other_raters = parts
    return Causes(
        before=before,
        after=after,
        change=after - before,
        questions=questions,
        responses=responses,
        same_raters=same_raters,
        other_raters=other_raters,
        together=together,
        drift=rounds.drift(),
        reason=reason,
    )


def _cause(kind: int, who: int) -> int:
    return kind if kind < 2 else 2 + who


class _Cells:
    """Exact sums of the six scenarios in both rounds."""

    def __init__(self, rounds: TwoRounds) -> None:
        changed = rounds.common_questions[rounds.question].astype(np.int64)
        kind = changed + (changed & rounds.unchanged[rounds.content])
        who = 1 - rounds.common_raters[rounds.rater].astype(np.int64)
        cell = kind * 2 + who
        self._top = [_by_cell(rounds, rounds.numerator, side, cell) for side in (0, 1)]
        self._base = [_by_cell(rounds, rounds.denominator, side, cell) for side in (0, 1)]

    def share(self, side: int, kind: int) -> Fraction:
        """The share of a kind of questions in a round."""
        return sum(self._base[side][2 * kind : 2 * kind + 2], Fraction(0))

    def within(self, side: int, kind: int, who: int) -> Fraction:
        """The share of a kind of raters among a kind of questions; the other round's if none."""
        for one in (side, 1 - side):
            if whole := self.share(one, kind):
                return self._base[one][2 * kind + who] / whole
        return Fraction(0)

    def known(self, side: int, kind: int, who: int) -> Fraction | None:
        base = self._base[side][2 * kind + who]
        return self._top[side][2 * kind + who] / base if base else None

    def mean(self, side: int, kind: int, who: int) -> Fraction:
        """The mean of a scenario in a round; the other round's if it has none there."""
        here, there = self.known(side, kind, who), self.known(1 - side, kind, who)
        return here if here is not None else there if there is not None else Fraction(0)


def _by_cell(rounds: TwoRounds, column: IntArray, side: int, cell: IntArray) -> list[Fraction]:
    """Return what the grades of each of the six scenarios come to in a round, weighed."""
    mine, units = rounds.mine(side), rounds.units[side]
    sums = np.zeros((len(units), 6), dtype=np.int64)
    np.add.at(sums, (rounds.parts[mine], cell[mine]), column[mine])
    rows = zip(units, sums.tolist(), strict=True)
    weighed = [[unit * one for one in row] for unit, row in rows]
    return [sum(of_cell, Fraction(0)) for of_cell in zip(*weighed, strict=True)]


def _score(cells: _Cells, moved: tuple[int, ...]) -> Fraction:
    """Return the score after some of the causes have come."""
    questions, raters = int(0 in moved), int(3 in moved)
    total = Fraction(0)
    for kind, who in itertools.product(range(3), range(2)):
        mix = questions if kind == 0 else raters
        share = cells.share(questions, kind) * cells.within(mix, kind, who)
        total += share * cells.mean(int(_cause(kind, who) in moved), kind, who)
    return total


# ---------------------------------------------------------------- fixed effects


def _is_connected(rounds: TwoRounds) -> bool:
    """Return whether contents and rater-rounds of the system hang together, by whichever grades."""
    n_contents = int(rounds.content.max()) + 1
    side = n_contents + _sides(rounds)
    n = int(side.max()) + 1
    edges = sparse.coo_array((np.ones(len(side)), (rounds.content, side)), shape=(n, n))
    _count, piece = csgraph.connected_components(edges, directed=False)
    mine = rounds.counted
    return len(np.unique(piece[np.concatenate([rounds.content[mine], side[mine]])])) == 1


def _sides(rounds: TwoRounds) -> IntArray:
    n: int = int(rounds.rater.max()) + 1
    sides: IntArray = rounds.later * n + rounds.rater
    return sides


def _effects(rounds: TwoRounds) -> tuple[float, float, float, float]:
    n_raters = int(rounds.rater.max()) + 1
    beta, severity = _solved(rounds, rounds.denominator.astype(np.float64), n_raters)
    w = _shares(rounds, rounds.content)
    v = _shares(rounds, rounds.rater)
    whole = float(w[1] @ beta - w[0] @ beta)
    responses = _responses(rounds, w, beta)
    common = rounds.common_raters
    drift = float((v.mean(axis=0) * (severity[1] - severity[0]))[common].sum())
    mix = float(v[1] @ severity[1] - v[0] @ severity[0]) - drift
    left = _left(rounds, beta, severity)
    return (
        whole - responses,
        responses,
        drift + float(left[common[rounds.rater]].sum()),
        mix + float(left[~common[rounds.rater]].sum()),
    )


def _left(rounds: TwoRounds, beta: FloatArray, severity: FloatArray) -> FloatArray:
    """Return what a grade adds to the change beyond its content's worth and its rater's severity.

    Where other systems say how strict somebody is, the system's own grades need not say the same; what
    is left belongs to who gave them.
    """
    worth = beta[rounds.content] + severity[rounds.later.astype(np.int64), rounds.rater]
    left: FloatArray = np.where(rounds.later, 1, -1) * rounds.weight * (rounds.value - worth)
    return left


def _solved(rounds: TwoRounds, weight: FloatArray, n_raters: int) -> tuple[FloatArray, FloatArray]:
    """Return β by content and s by round × rater, of least norm in what the design leaves open.

    Contents are taken out first: what is left is a system over rater-rounds alone.
    """
    side, n_contents = _sides(rounds), int(rounds.content.max()) + 1
    table = sparse.csr_array((weight, (rounds.content, side)), shape=(n_contents, 2 * n_raters))
    top = weight * rounds.value
    of_content = np.asarray(table.sum(axis=1)).ravel()
    of_content[of_content == 0] = 1.0  # a number that no content has
    content_top = np.bincount(rounds.content, weights=top, minlength=n_contents)
    side_top = np.bincount(side, weights=top, minlength=2 * n_raters)
    scaled = sparse.diags_array(1 / of_content) @ table
    left = np.diag(np.asarray(table.sum(axis=0)).ravel()) - (table.T @ scaled).toarray()
    right = side_top - table.T @ (content_top / of_content)
    severity: FloatArray = np.linalg.lstsq(left, right, rcond=1e-12)[0]
    beta: FloatArray = (content_top - table @ severity) / of_content
    return beta, severity.reshape(2, n_raters)


def _shares(rounds: TwoRounds, which: IntArray) -> FloatArray:
    """Return rounds × labels: the share of a round's weight."""
    n, weight = int(which.max()) + 1, rounds.weight
    shares: FloatArray = np.stack(
        [
            np.bincount(which[m], weights=weight[m], minlength=n)
            for m in (~rounds.later, rounds.later)
        ]
    )
    return shares


def _responses(rounds: TwoRounds, shares: FloatArray, beta: FloatArray) -> float:
    """Return Σ w̄ Δβ over the questions of both rounds whose content changed."""
    n = int(rounds.question.max()) + 1
    question_of = np.zeros(len(beta), dtype=np.int64)
    question_of[rounds.content] = rounds.question
    alone = np.where(rounds.unchanged, 0.0, 1.0)
    weight = [np.bincount(question_of, weights=w * alone, minlength=n) for w in shares]
    worth = [np.bincount(question_of, weights=w * alone * beta, minlength=n) for w in shares]
    common = (weight[0] > 0) & (weight[1] > 0)
    means = [part[common] / base[common] for part, base in zip(worth, weight, strict=True)]
    middle = (weight[0][common] + weight[1][common]) / 2
    return float((middle * (means[1] - means[0])).sum())
