"""Disputes: raters who stand alone, questions that divide, and how often grades differ at all.

What counts is the side of the pass mark a grade is on. A rater stands alone on a response (F) when
at least three graded it and every other is on the other side; a response divides its raters (G)
when the smaller side is at least half of them, rounded down. Both rules can be replaced.

References:
    Sun et al. (2024), LalaEval, appendix F.1. The rule printed there for G (exactly half) can never
    hold for an odd number of raters; it is the setting "literal".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
import pandas as pd

from scoring.stats.linear import FloatArray, IntArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason
from scoring.stats.sums import Label

RaterRule = Literal["alone", "median"]
QuestionRule = Literal["near_half", "literal", "share", "range"]
DisagreementRule = Literal["any", "polar", "range", "modal"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How disputes are found; the thresholds belong to the rules that have one.

    `far` is the distance from the others' median (rater rule "median"), `share` the least share of
    the smaller side (question rule "share"), `span` the least range of marks (question rule
    "range"), both distances on the scale of the marks. `w1` and `w2` weigh G and F in C(k).
    """

    rater: RaterRule = "alone"
    question: QuestionRule = "near_half"
    far: float = 2.0
    share: float = 0.4
    span: float = 2.0
    w1: Fraction = Fraction(1, 2)
    w2: Fraction = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class RaterDispute:
    """C(ij): how often a rater stood alone in a capability; C(i) over all where it is None."""

    rater: Label
    capability: Label
    n_alone: int
    n_graded: int
    value: Fraction | None


@dataclass(frozen=True, slots=True)
class QuestionDispute:
    """C(k) as printed, in [0, number of releases] if w1 + w2 = 1, and divided by that number."""

    question: Label
    n_divided: int
    n_alone: int
    n_releases: int
    n_raters: int
    printed: Fraction
    normalised: Fraction


@dataclass(frozen=True, slots=True)
class Place:
    """One response on one criterion: who graded it how, and what the rules make of it."""

    question: Label
    release: Label
    capability: Label
    criterion: Label
    alone: tuple[Label, ...]
    divided: bool
    n_raters: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The share of responses graded at least twice whose grades differ by the rule."""

    rule: DisagreementRule
    capability: Label
    n_disputed: int
    n_pairs: int
    value: Fraction | None
    reason: Reason | None


@dataclass(frozen=True, slots=True)
class Disputes:
    """Everything found; `reason` says why there is nothing, where no grade has a pass mark.

    `few_raters` is true where no response has more than three: there F and the default G
    coincide, and `never` where the question rule cannot hold for the numbers of raters there are.
    """

    rules: Rules
    raters: tuple[RaterDispute, ...]
    questions: tuple[QuestionDispute, ...]
    places: tuple[Place, ...]
    n_without_threshold: int
    few_raters: bool
    never: bool
    reason: Reason | None

    def of_rater(self, rater: Label, capability: Label = None) -> RaterDispute:
        """Return C(ij), or C(i) without a capability.

        Raises:
            KeyError: they graded nothing there.
        """
        for one in self.raters:
            if (one.rater, one.capability) == (rater, capability):
                return one
        raise KeyError((rater, capability))

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class _Cells:
    """Grades sorted by place: `start` and `size` of each place's run."""

    rows: pd.DataFrame
    start: IntArray
    size: IntArray
    passes: IntArray  # −1 where there is no pass mark
    value: FloatArray


def disputes(
    ratings: pd.DataFrame,
    *,
    rules: Rules = Rules(),
    weights: Mapping[Label, Fraction] | None = None,
) -> Disputes:
    """Find disputes in the rows of a ratings frame, usually after the default filter.

    Args:
        ratings: the ratings frame; rows without a value do not exist for any formula.
        rules: by which a rater stands alone and a response divides.
        weights: of capabilities in C(i); what is not named weighs 1.
    """
    cells = _cells(ratings)
    alone, divided = _marked(cells, rules)
    places = tuple(
        _place(cells, p, alone, divided)
        for p in np.flatnonzero(_any(cells, alone, divided)).tolist()
    )
    whole = cells.passes >= 0
    nothing = not whole.any() and rules.question in {"near_half", "literal", "share"}
    sizes = cells.size
    return Disputes(
        rules,
        _raters(cells, alone, weights or {}),
        _questions(cells, alone, divided, rules),
        places,
        int((~whole).sum()),
        bool(len(sizes) and sizes.max() <= 3),
        bool(len(sizes) and rules.question == "literal" and (sizes % 2 == 1).all()),
        Reason.NO_GRADES if not len(sizes) else Reason.NO_THRESHOLD if nothing else None,
    )


def disagreement(
    ratings: pd.DataFrame,
    *,
    rule: DisagreementRule = "any",
    span: float = 2.0,
    share: float = 0.8,
) -> tuple[Disagreement, ...]:
    """Return the ratio of disagreement of every capability.

    Args:
        ratings: the ratings frame.
        rule: "any" grades differ; "polar": some pass and some do not; "range" of the marks is at
            least `span`; "modal": the most frequent mark has less than `share`.
        span: for "range".
        share: for "modal".
    """
    cells = _cells(ratings)
    several = cells.size > 1
    met = _disagrees(cells, rule, span, share)
    capability = cells.rows["capability"].to_numpy(object)[cells.start]
    made = []
    for one in dict.fromkeys(capability.tolist()):
        mine = np.array([each == one or (each is None and one is None) for each in capability])
        made.append(_ratio(cells, rule, one, mine & several, met))
    return tuple(made)


def _ratio(
    cells: _Cells,
    rule: DisagreementRule,
    capability: Label,
    mine: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
    met: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
) -> Disagreement:
    if rule == "polar":
        mine = mine & (np.minimum.reduceat(cells.passes, cells.start) >= 0)
    n, disputed = int(mine.sum()), int((mine & met).sum())
    if n:
        return Disagreement(rule, capability, disputed, n, Fraction(disputed, n), None)
    return Disagreement(rule, capability, 0, 0, None, Reason.NO_OVERLAP)


def _disagrees(
    cells: _Cells, rule: DisagreementRule, span: float, share: float
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    if not len(cells.start):
        return np.zeros(0, dtype=np.bool_)
    high = np.maximum.reduceat(cells.value, cells.start)
    low = np.minimum.reduceat(cells.value, cells.start)
    if rule == "any":
        return high > low
    if rule == "range":
        return high - low >= span
    if rule == "polar":
        passed = np.add.reduceat((cells.passes == 1).astype(np.int64), cells.start)
        return (passed > 0) & (passed < cells.size)
    place = np.repeat(np.arange(len(cells.start)), cells.size)
    order = np.lexsort([cells.value, place])
    new = np.diff(cells.value[order], prepend=np.nan) != 0
    new |= np.diff(place[order], prepend=-1) != 0
    runs = np.flatnonzero(new)
    lengths = np.diff(np.append(runs, len(order)))
    most = np.zeros(len(cells.start), dtype=np.int64)
    np.maximum.at(most, place[order][runs], lengths)
    return most / cells.size < share


def _cells(ratings: pd.DataFrame) -> _Cells:
    marked = ratings[ratings["value"].notna()]
    names = ["group", "release", "response", "capability", "criterion", "rater"]
    rows = pd.DataFrame({name: marked[name] for name in names})
    rows["value"], rows["pass_at"] = marked["value"], marked["pass_at"]
    rows["scale_min"] = marked["scale_min"]
    codes = [
        rows[name].cat.codes.to_numpy()
        for name in ("rater", "criterion", "response", "release", "group")
    ]
    order = np.lexsort(codes)
    rows = rows.iloc[order].reset_index(drop=True)
    for name in names:
        rows[name] = rows[name].astype(object).where(rows[name].notna(), None)
    keys = np.column_stack([code[order] for code in codes[1:]]) if len(order) else np.zeros((0, 4))
    new = np.ones(len(keys), dtype=np.bool_)
    new[1:] = (keys[1:] != keys[:-1]).any(axis=1)
    start = np.flatnonzero(new)
    value = rows["value"].to_numpy(np.float64)
    return _Cells(rows, start, np.diff(np.append(start, len(keys))), _passes(rows, value), value)


def _passes(rows: pd.DataFrame, value: FloatArray) -> IntArray:
    """Return 1 where a grade passes, 0 where not, −1 where its criterion has no pass mark."""
    mark = rows["pass_at"].to_numpy(np.float64)
    from_zero = np.isnan(mark) & (rows["scale_min"].to_numpy(np.float64) == 0)
    passed = np.where(from_zero, value > 0, value >= mark).astype(np.int64)
    passed[np.isnan(mark) & ~from_zero] = -1
    return passed


def _marked(cells: _Cells, rules: Rules) -> tuple[IntArray, IntArray]:
    """Return who stands alone (a grade each) and which place divides (a place each)."""
    if not len(cells.start):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    place = np.repeat(np.arange(len(cells.start)), cells.size)
    known = np.minimum.reduceat(cells.passes, cells.start) >= 0
    passed = np.add.reduceat(np.maximum(cells.passes, 0), cells.start)
    m = cells.size
    side = np.where(cells.passes == 1, passed[place], (m - passed)[place])
    alone = (side == 1) & (m[place] >= 3) & known[place]
    if rules.rater == "median":
        alone = _far(cells, rules.far)
    smaller = np.minimum(passed, m - passed)
    divided = {
        "near_half": known & (m >= 2) & (smaller >= m // 2),
        "literal": known & (2 * passed == m),
        "share": known & (m >= 2) & (smaller >= rules.share * m - 1e-12) & (smaller > 0),
        "range": (m >= 2)
        & (
            np.maximum.reduceat(cells.value, cells.start)
            - np.minimum.reduceat(cells.value, cells.start)
            >= rules.span
        ),
    }[rules.question]
    return alone.astype(np.int64), divided.astype(np.int64)


def _far(cells: _Cells, far: float) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    found = np.zeros(len(cells.value), dtype=np.bool_)
    for start, size in zip(cells.start.tolist(), cells.size.tolist(), strict=True):
        if size < 3:
            continue
        marks = cells.value[start : start + size]
        for i in range(size):
            others = np.median(np.delete(marks, i))
            found[start + i] = abs(marks[i] - others) >= far
    return found


def _any(cells: _Cells, alone: IntArray, divided: IntArray) -> IntArray:
    if not len(cells.start):
        return divided
    return np.maximum(np.maximum.reduceat(alone, cells.start), divided)


def _place(cells: _Cells, place: int, alone: IntArray, divided: IntArray) -> Place:
    start, size = int(cells.start[place]), int(cells.size[place])
    rows = cells.rows.iloc[start : start + size]
    first = rows.iloc[0]
    single = rows["rater"].to_numpy(object)[alone[start : start + size] == 1]
    return Place(
        first["group"],
        first["release"],
        first["capability"],
        first["criterion"],
        tuple(single.tolist()),
        bool(divided[place]),
        size,
    )


def _raters(
    cells: _Cells, alone: IntArray, weights: Mapping[Label, Fraction]
) -> tuple[RaterDispute, ...]:
    counted: dict[Label, dict[Label, list[int]]] = {}
    names = zip(cells.rows["rater"], cells.rows["capability"], alone.tolist(), strict=True)
    for rater, capability, single in names:
        mine = counted.setdefault(rater, {}).setdefault(capability, [0, 0])
        mine[0] += single
        mine[1] += 1
    made: list[RaterDispute] = []
    for rater in sorted(counted, key=str):
        parts = [
            RaterDispute(rater, capability, n[0], n[1], Fraction(n[0], n[1]))
            for capability, n in sorted(counted[rater].items(), key=lambda pair: str(pair[0]))
        ]
        made += [*parts, _overall(rater, parts, weights)]
    return tuple(made)


def _overall(
    rater: Label, parts: Sequence[RaterDispute], weights: Mapping[Label, Fraction]
) -> RaterDispute:
    weighed = [(weights.get(one.capability, Fraction(1)), one) for one in parts]
    total = sum((weight for weight, _one in weighed), Fraction(0))
    value = (
        sum((weight * (one.value or 0) for weight, one in weighed), Fraction(0)) / total
        if total
        else None
    )
    n_alone, n_graded = (
        sum(getattr(one, name) for one in parts) for name in ("n_alone", "n_graded")
    )
    return RaterDispute(rater, None, n_alone, n_graded, value)


def _questions(
    cells: _Cells, alone: IntArray, divided: IntArray, rules: Rules
) -> tuple[QuestionDispute, ...]:
    singles = np.add.reduceat(alone, cells.start) if len(cells.start) else alone
    groups = cells.rows["group"].to_numpy(object)
    by_question: dict[Label, list[int]] = {}
    for place, start in enumerate(cells.start.tolist()):
        by_question.setdefault(groups[start], []).append(place)
    made = []
    for question, places in by_question.items():
        releases: set[Label] = set()
        raters: set[Label] = set()
        for place in places:
            run = slice(int(cells.start[place]), int(cells.start[place] + cells.size[place]))
            releases.add(cells.rows["release"].iloc[run.start])
            raters.update(cells.rows["rater"].iloc[run])
        g, f = int(divided[places].sum()), int(singles[places].sum())
        printed = rules.w1 * g + rules.w2 * Fraction(f, len(raters))
        made.append(
            QuestionDispute(
                question, g, f, len(releases), len(raters), printed, printed / len(releases)
            )
        )
    return tuple(sorted(made, key=lambda one: (-one.normalised, str(one.question))))
