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

from scoring.stats.frame import BoolArray, Places
from scoring.stats.frame import places as places_of
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import IntArray

RaterRule = Literal["alone", "median"]
QuestionRule = Literal["near_half", "literal", "share", "range"]
#: Pairs of labels up to which they are counted in a table.
DENSE = 50_000_000
DisagreementRule = Literal["any", "polar", "range", "modal"]
DISAGREEMENT_RULES: tuple[DisagreementRule, ...] = ("any", "polar", "range", "modal")


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
    response: Label
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

    `questions` are those with the highest C(k) of `n_questions`, `places` the disputed ones of
    those questions, of `n_places` in all. `few_raters` is true where no response has more than
    three: there F and the default G coincide, and `never` where the question rule cannot hold for
    the numbers of raters there are.
    """

    rules: Rules
    raters: tuple[RaterDispute, ...]
    questions: tuple[QuestionDispute, ...]
    places: tuple[Place, ...]
    n_questions: int
    n_places: int
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


def disputes(
    ratings: pd.DataFrame,
    *,
    rules: Rules = Rules(),
    weights: Mapping[Label, Fraction] | None = None,
    most: int = 1_000,
) -> Disputes:
    """Find disputes in the rows of a ratings frame, usually after the default filter.

    Args:
        ratings: the ratings frame; rows without a value do not exist for any formula.
        rules: by which a rater stands alone and a response divides.
        weights: of capabilities in C(i); what is not named weighs 1.
        most: how many questions are returned, those with the highest C(k), and the places of
            those alone.
    """
    at = places_of(ratings)
    alone, divided = _marked(at, rules)
    questions, kept = _questions(at, alone, divided, rules, most)
    disputed = np.flatnonzero(_any(at, alone, divided))
    shown = disputed[np.isin(at.of_places("group")[disputed], kept)]
    whole = at.passes >= 0
    nothing = not whole.any() and rules.question in {"near_half", "literal", "share"}
    return Disputes(
        rules,
        _raters(at, alone, weights or {}),
        questions,
        tuple(_place(at, p, alone, divided) for p in shown.tolist()),
        len(np.unique(at.code["group"])),
        len(disputed),
        int((~whole).sum()),
        bool(at.n and at.size.max() <= 3),
        bool(at.n and rules.question == "literal" and (at.size % 2 == 1).all()),
        Reason.NO_GRADES if not at.n else Reason.NO_THRESHOLD if nothing else None,
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
    return _ratios(places_of(ratings), rule, span, share)


def disagreements(ratings: pd.DataFrame) -> dict[DisagreementRule, tuple[Disagreement, ...]]:
    """Return the ratio of disagreement by every rule, each with its usual threshold."""
    at = places_of(ratings)
    return {rule: _ratios(at, rule, 2.0, 0.8) for rule in DISAGREEMENT_RULES}


def _ratios(
    at: Places, rule: DisagreementRule, span: float, share: float
) -> tuple[Disagreement, ...]:
    if not at.n:
        return ()
    counted = at.size > 1
    if rule == "polar":
        counted &= at.lowest(at.passes.astype(np.float64)) >= 0
    met = _disagrees(at, rule, span, share) & counted
    capability = at.of_places("capability")
    return tuple(
        _ratio(
            rule,
            None if code < 0 else at.labels["capability"][code],
            int((met & (capability == code)).sum()),
            int((counted & (capability == code)).sum()),
        )
        for code in np.unique(capability).tolist()
    )


def _ratio(rule: DisagreementRule, capability: Label, disputed: int, n: int) -> Disagreement:
    if n:
        return Disagreement(rule, capability, disputed, n, Fraction(disputed, n), None)
    return Disagreement(rule, capability, 0, 0, None, Reason.NO_OVERLAP)


def _disagrees(at: Places, rule: DisagreementRule, span: float, share: float) -> BoolArray:
    if rule == "any":
        return at.highest(at.value) > at.lowest(at.value)
    if rule == "range":
        return at.highest(at.value) - at.lowest(at.value) >= span
    if rule == "polar":
        passed = at.total((at.passes == 1).astype(np.int64))
        return (passed > 0) & (passed < at.size)
    order = np.lexsort([at.value, at.place])
    new = np.diff(at.value[order], prepend=np.nan) != 0
    new |= np.diff(at.place[order], prepend=-1) != 0
    runs = np.flatnonzero(new)
    lengths = np.diff(np.append(runs, len(order)))
    most = np.zeros(at.n, dtype=np.int64)
    np.maximum.at(most, at.place[order][runs], lengths)
    return most / at.size < share


def _marked(at: Places, rules: Rules) -> tuple[IntArray, IntArray]:
    """Return who stands alone (a grade each) and which place divides (a place each)."""
    if not at.n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    known = at.lowest(at.passes.astype(np.float64)) >= 0
    passed = at.total(np.maximum(at.passes, 0))
    m = at.size
    if rules.rater == "median":
        alone = _far(at, rules.far)
    else:
        side = np.where(at.passes == 1, passed[at.place], (m - passed)[at.place])
        alone = (side == 1) & (m[at.place] >= 3) & known[at.place]
    smaller = np.minimum(passed, m - passed)
    divided = {
        "near_half": known & (m >= 2) & (smaller >= m // 2),
        "literal": known & (2 * passed == m),
        "share": known & (m >= 2) & (smaller >= rules.share * m - 1e-12) & (smaller > 0),
        "range": (m >= 2) & (at.highest(at.value) - at.lowest(at.value) >= rules.span),
    }[rules.question]
    return alone.astype(np.int64), divided.astype(np.int64)


def _far(at: Places, far: float) -> BoolArray:
    """Return which grades lie far from the median of the others; places of one size at a time."""
    found = np.zeros(len(at.value), dtype=np.bool_)
    for size in np.unique(at.size[at.size >= 3]).tolist():
        rows = at.start[at.size == size][:, None] + np.arange(size)
        marks = at.value[rows]
        for i in range(size):
            others = np.median(np.delete(marks, i, axis=1), axis=1)
            found[rows[:, i]] = np.abs(marks[:, i] - others) >= far
    return found


def _any(at: Places, alone: IntArray, divided: IntArray) -> IntArray:
    return np.maximum(np.minimum(at.total(alone), 1), divided) if at.n else divided


def _place(at: Places, place: int, alone: IntArray, divided: IntArray) -> Place:
    start, size = int(at.start[place]), int(at.size[place])
    single = (start + np.flatnonzero(alone[start : start + size])).tolist()
    return Place(
        at.label("group", start),
        at.label("release", start),
        at.label("response", start),
        at.label("capability", start),
        at.label("criterion", start),
        tuple(at.label("rater", row) for row in single),
        bool(divided[place]),
        size,
    )


def _raters(
    at: Places, alone: IntArray, weights: Mapping[Label, Fraction]
) -> tuple[RaterDispute, ...]:
    width = len(at.labels["capability"]) + 1
    cell = at.code["rater"] * width + at.code["capability"] % width  # without: the last one
    graded = np.bincount(cell)
    single = np.bincount(cell, weights=alone, minlength=len(graded)).astype(np.int64)
    by_rater: dict[Label, list[RaterDispute]] = {}
    for one in np.flatnonzero(graded).tolist():
        rater, capability = divmod(one, width)
        name = at.labels["rater"][rater]
        part = None if capability == width - 1 else at.labels["capability"][capability]
        n_alone, n_graded = int(single[one]), int(graded[one])
        found = RaterDispute(name, part, n_alone, n_graded, Fraction(n_alone, n_graded))
        by_rater.setdefault(name, []).append(found)
    made: list[RaterDispute] = []
    for name in sorted(by_rater, key=str):
        parts = sorted(by_rater[name], key=lambda one: str(one.capability))
        named = [one for one in parts if one.capability is not None]
        made += [*named, _overall(name, parts, weights)]
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
    at: Places, alone: IntArray, divided: IntArray, rules: Rules, most: int
) -> tuple[tuple[QuestionDispute, ...], IntArray]:
    """Return the questions with the highest C(k), and their codes."""
    n = len(at.labels["group"])
    if not at.n:
        return (), np.zeros(0, dtype=np.int64)
    question = at.of_places("group")
    g = np.bincount(question, weights=divided, minlength=n).astype(np.int64)
    f = np.bincount(question, weights=at.total(alone), minlength=n).astype(np.int64)
    releases = _distinct(question, at.of_places("release"), n)
    raters = _distinct(at.code["group"], at.code["rater"], n)
    there = np.flatnonzero(releases)
    rough = (float(rules.w1) * g + float(rules.w2) * f / np.maximum(raters, 1)) / np.maximum(
        releases, 1
    )
    first = there[np.argsort(-rough[there], kind="stable")][:most]
    made = [
        _question(
            at.labels["group"][k], int(g[k]), int(f[k]), int(releases[k]), int(raters[k]), rules
        )
        for k in first.tolist()
    ]
    return tuple(sorted(made, key=lambda one: (-one.normalised, str(one.question)))), first


def _question(
    name: Label, g: int, f: int, releases: int, raters: int, rules: Rules
) -> QuestionDispute:
    printed = rules.w1 * g + rules.w2 * Fraction(f, raters)
    return QuestionDispute(name, g, f, releases, raters, printed, printed / releases)


def _distinct(of: IntArray, what: IntArray, n: int) -> IntArray:
    """Count the different labels of `what` for each of `n` labels."""
    width = int(what.max(initial=0)) + 1
    pairs = of * width + what
    seen = np.flatnonzero(np.bincount(pairs)) if n * width <= DENSE else np.unique(pairs)
    return np.bincount(seen // width, minlength=n)
