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
from typing import Literal, cast

import numpy as np
import pandas as pd

from scoring.stats.frame import BoolArray, GradePlaces
from scoring.stats.frame import places as places_of
from scoring.stats.people.said import (
    AnnotatorDispute,
    Disagreement,
    DisputePlace,
    DisputeRules,
    DisputesFigure,
    LabelDispute,
    QuestionDispute,
)
from scoring.stats.plain import Reason
from scoring.stats.resampled.exact import Label
from scoring.stats.resampled.linear import IntArray

USUAL = DisputeRules()
#: Pairs of labels up to which they are counted in a table.
DENSE = 50_000_000
DisagreementRule = Literal["any", "polar", "range", "modal"]
DISAGREEMENT_RULES: tuple[DisagreementRule, ...] = ("any", "polar", "range", "modal")


def disputes(
    ratings: pd.DataFrame,
    *,
    rules: DisputeRules = USUAL,
    weights: Mapping[Label, Fraction] | None = None,
    most: int = 1_000,
) -> DisputesFigure:
    """Find disputes in the rows of a ratings frame, usually after the default filter.

    Args:
        ratings: the ratings frame; rows without a value do not exist for any formula.
        rules: by which a rater stands alone and a response divides.
        weights: of capabilities in C(i); what is not named weighs 1.
        most: how many questions are returned, those with the highest C(k), and the places of
            those alone.
    """
    at = places_of(ratings)
    can = _decidable(at, rules)
    alone, divided = _marked(at, rules, can)
    questions, kept = _questions(at, alone, divided, can, rules, most)
    disputed = np.flatnonzero(_any(at, alone, divided))
    shown = disputed[np.isin(at.of_places("group")[disputed], kept)]
    whole = at.passes >= 0
    nothing = not whole.any() and rules.question in {"near_half", "literal", "share"}
    return DisputesFigure(
        rules,
        bool(at.n and at.size.max() <= 3),
        bool(at.n and rules.question == "literal" and (at.size % 2 == 1).all()),
        Reason.NO_GRADES if not at.n else Reason.NO_THRESHOLD if nothing else None,
        questions,
        len(np.unique(at.code["group"])),
        int((~whole).sum()),
        _raters(at, alone, can.alone[at.place], weights or {}),
        tuple(_place(at, p, alone, divided) for p in shown.tolist()),
        len(disputed),
    )


def of_labels(
    ratings: pd.DataFrame, *, most: int = 1_000
) -> tuple[tuple[LabelDispute, ...], tuple[DisputePlace, ...]]:
    """Return the questions whose responses were not all given the same label, most divided first.

    Args:
        ratings: rows on criteria whose marks are labels; of several, sets are the same or not.
        most: how many questions × criteria are returned, and the places of those alone.
    """
    at = places_of(ratings)
    if not at.n:
        return (), ()
    pairs = at.size * (at.size - 1) // 2
    apart = pairs - _equal_pairs(at)
    width = len(at.labels["criterion"])
    spot = at.of_places("group") * width + at.of_places("criterion")
    n_apart, n_pairs = (np.bincount(spot, weights=one).astype(np.int64) for one in (apart, pairs))
    raters = _distinct(spot[at.place], at.code["rater"], len(n_pairs))
    divided = np.flatnonzero(n_apart)
    order = divided[np.argsort(-n_apart[divided] / n_pairs[divided], kind="stable")][:most]
    found = tuple(
        LabelDispute(
            cast("str", at.labels["group"][one // width]),
            cast("str", at.labels["criterion"][one % width]),
            Fraction(int(n_apart[one]), int(n_pairs[one])),
            int(n_apart[one]),
            int(n_pairs[one]),
            int(raters[one]),
        )
        for one in order.tolist()
    )
    shown = np.flatnonzero((apart > 0) & np.isin(spot, order))
    nobody = np.zeros(len(at.value), dtype=np.int64)
    return found, tuple(_place(at, one, nobody, apart) for one in shown.tolist())


def _equal_pairs(at: GradePlaces) -> IntArray:
    """Return of each place how many pairs of marks are equal."""
    place, lengths = _runs(at)
    found = np.bincount(place, weights=lengths * (lengths - 1) // 2, minlength=at.n)
    return found.astype(np.int64)


def _runs(at: GradePlaces) -> tuple[IntArray, IntArray]:
    """Return the place of every mark that differs from the others there, and how many gave it."""
    order = np.lexsort([at.value, at.place])
    new = np.diff(at.value[order], prepend=np.nan) != 0
    new |= np.diff(at.place[order], prepend=-1) != 0
    runs = np.flatnonzero(new)
    return at.place[order][runs], np.diff(np.append(runs, len(order)))


def disagreements(ratings: pd.DataFrame) -> dict[str, tuple[Disagreement, ...]]:
    """Return the ratio of disagreement by every rule, each with its usual threshold."""
    at = places_of(ratings)
    return {rule: _ratios(at, rule, 2.0, 0.8) for rule in DISAGREEMENT_RULES}


def _ratios(
    at: GradePlaces, rule: DisagreementRule, span: float, share: float
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
        return Disagreement(capability, rule, Fraction(disputed, n), disputed, n, None)
    return Disagreement(capability, rule, None, 0, 0, Reason.NO_OVERLAP)


def _disagrees(at: GradePlaces, rule: DisagreementRule, span: float, share: float) -> BoolArray:
    if rule == "any":
        return at.highest(at.value) > at.lowest(at.value)
    if rule == "range":
        return at.highest(at.value) - at.lowest(at.value) >= span
    if rule == "polar":
        passed = at.total((at.passes == 1).astype(np.int64))
        return (passed > 0) & (passed < at.size)
    place, lengths = _runs(at)
    most = np.zeros(at.n, dtype=np.int64)
    np.maximum.at(most, place, lengths)
    return most / at.size < share


@dataclass(frozen=True, slots=True)
class _Can:
    """At which places a rater can stand alone, and which can divide; `known` has a pass mark."""

    alone: BoolArray
    divide: BoolArray
    known: BoolArray

    @property
    def either(self) -> BoolArray:
        return self.alone | self.divide


def _decidable(at: GradePlaces, rules: DisputeRules) -> _Can:
    if not at.n:
        return _Can(*(np.zeros(0, dtype=np.bool_) for _part in range(3)))
    known = at.lowest(at.passes.astype(np.float64)) >= 0
    return _Can(
        (at.size >= 3) & (known | (rules.rater == "median")),
        (at.size >= 2) & (known | (rules.question == "range")),
        known,
    )


def _marked(at: GradePlaces, rules: DisputeRules, can: _Can) -> tuple[IntArray, IntArray]:
    """Return who stands alone (a grade each) and which place divides (a place each)."""
    if not at.n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    passed, m = at.total(np.maximum(at.passes, 0)), at.size
    if rules.rater == "median":
        alone = _far(at, rules.far)
    else:
        alone = np.where(at.passes == 1, passed[at.place], (m - passed)[at.place]) == 1
    smaller = np.minimum(passed, m - passed)
    divided = {
        "near_half": smaller >= m // 2,
        "literal": 2 * passed == m,
        "share": (smaller >= rules.share * m - 1e-12) & (smaller > 0),
        "range": at.highest(at.value) - at.lowest(at.value) >= rules.span,
    }[rules.question]
    return (
        (alone & can.alone[at.place]).astype(np.int64),
        (divided & can.divide).astype(np.int64),
    )


def _far(at: GradePlaces, far: float) -> BoolArray:
    """Return which grades lie far from the median of the others; places of one size at a time."""
    found = np.zeros(len(at.value), dtype=np.bool_)
    for size in np.unique(at.size[at.size >= 3]).tolist():
        rows = at.start[at.size == size][:, None] + np.arange(size)
        marks = at.value[rows]
        for i in range(size):
            others = np.median(np.delete(marks, i, axis=1), axis=1)
            found[rows[:, i]] = np.abs(marks[:, i] - others) >= far
    return found


def _any(at: GradePlaces, alone: IntArray, divided: IntArray) -> IntArray:
    return np.maximum(np.minimum(at.total(alone), 1), divided) if at.n else divided


def _place(at: GradePlaces, place: int, alone: IntArray, divided: IntArray) -> DisputePlace:
    start, size = int(at.start[place]), int(at.size[place])
    single = (start + np.flatnonzero(alone[start : start + size])).tolist()
    return DisputePlace(
        cast("str", at.label("group", start)),
        at.label("release", start),
        cast("int", at.label("response", start)),
        at.label("capability", start),
        cast("str", at.label("criterion", start)),
        bool(divided[place]),
        tuple(at.label("rater", row) for row in single),
        size,
    )


def _raters(
    at: GradePlaces, alone: IntArray, can: BoolArray, weights: Mapping[Label, Fraction]
) -> tuple[AnnotatorDispute, ...]:
    width = len(at.labels["capability"]) + 1
    cell = at.code["rater"] * width + at.code["capability"] % width  # without: the last one
    graded = np.bincount(cell)
    there = np.flatnonzero(graded)
    # Of what could not stand alone, whether that is because there is no pass mark.
    single, able, unmarked = (
        np.bincount(cell, weights=one, minlength=len(graded)).astype(np.int64)
        for one in (alone, can, at.passes < 0)
    )
    by_rater: dict[Label, list[AnnotatorDispute]] = {}
    for one in there.tolist():
        rater, capability = divmod(one, width)
        name = at.labels["rater"][rater]
        part = None if capability == width - 1 else at.labels["capability"][capability]
        n = int(able[one])
        value = Fraction(int(single[one]), n) if n else None
        why = _why(n, int(unmarked[one]))
        found = AnnotatorDispute(False, name, part, value, int(single[one]), n, why)
        by_rater.setdefault(name, []).append(found)
    made: list[AnnotatorDispute] = []
    for name in sorted(by_rater, key=str):
        parts = sorted(by_rater[name], key=lambda one: str(one.capability))
        named = [one for one in parts if one.capability is not None]
        made += [*named, _overall(name, parts, weights)]
    return tuple(made)


def _why(n: int, n_unmarked: int) -> Reason | None:
    """Return why nothing can be said: without pass marks, or among fewer than three."""
    if n:
        return None
    return Reason.NO_THRESHOLD if n_unmarked else Reason.UNDER_THREE


def _overall(
    rater: Label, parts: Sequence[AnnotatorDispute], weights: Mapping[Label, Fraction]
) -> AnnotatorDispute:
    known = [one for one in parts if one.value is not None]
    weighed = [(weights.get(one.capability, Fraction(1)), one) for one in known]
    total = sum((weight for weight, _one in weighed), Fraction(0))
    value = (
        sum((weight * (one.value or 0) for weight, one in weighed), Fraction(0)) / total
        if total
        else None
    )
    n_alone, n_graded = (
        sum(getattr(one, name) for one in parts) for name in ("n_alone", "n_graded")
    )
    no_weight = Reason.NO_WEIGHT if known and not total else None
    reason = no_weight if known else parts[0].reason
    return AnnotatorDispute(True, rater, None, value, n_alone, n_graded, reason)


def _questions(
    at: GradePlaces, alone: IntArray, divided: IntArray, can: _Can, rules: DisputeRules, most: int
) -> tuple[tuple[QuestionDispute, ...], IntArray]:
    """Return the questions with the highest C(k), and their codes."""
    n = len(at.labels["group"])
    if not at.n:
        return (), np.zeros(0, dtype=np.int64)
    question, able = at.of_places("group"), can.either
    g, f, places, unmarked = (
        np.bincount(question, weights=one, minlength=n).astype(np.int64)
        for one in (divided, at.total(alone), able, ~can.known)
    )
    releases = _distinct(question, at.of_places("release"), n)
    group, rater = (at.code[name][able[at.place]] for name in ("group", "rater"))
    raters = _distinct(group, rater, n)
    there = np.flatnonzero(releases)
    rough = (float(rules.w1) * g + float(rules.w2) * f / np.maximum(raters, 1)) / np.maximum(
        places, 1
    )
    first = there[np.argsort(-rough[there], kind="stable")][:most]
    counts = np.stack([g, f, releases, raters, places, unmarked], axis=1)[first].tolist()
    made = [
        _question(at.labels["group"][k], some, rules)
        for k, some in zip(first.tolist(), counts, strict=True)
    ]
    return tuple(sorted(made, key=lambda one: (-(one.normalised or 0), str(one.question)))), first


def _question(name: Label, counts: Sequence[int], rules: DisputeRules) -> QuestionDispute:
    g, f, releases, raters, places, unmarked = counts
    of = cast("str", name)
    weight = rules.w1 + rules.w2
    reason = Reason.NO_WEIGHT if places and not weight else _why(places, unmarked)
    if reason is not None:
        return QuestionDispute(of, None, None, g, f, releases, raters, places, reason)
    printed = rules.w1 * g + rules.w2 * Fraction(f, raters)
    share = printed / (places * weight)
    return QuestionDispute(of, printed, share, g, f, releases, raters, places, None)


def _distinct(of: IntArray, what: IntArray, n: int) -> IntArray:
    """Count the different labels of `what` for each of `n` labels."""
    width = int(what.max(initial=0)) + 1
    pairs = of * width + what
    seen = np.flatnonzero(np.bincount(pairs)) if n * width <= DENSE else np.unique(pairs)
    return np.bincount(seen // width, minlength=n)
