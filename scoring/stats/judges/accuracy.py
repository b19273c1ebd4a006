"""How often a judge orders two responses as people do, ties counted, with a calibrated margin.

* Soft pairwise accuracy: does a judge part two systems as surely as people do?
* The alternative-annotator test: may this judge stand in for one of the people?
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special
from scipy import stats as scipy_stats

from scoring.stats import multiple
from scoring.stats.judges import levels
from scoring.stats.judges.levels import Pairs
from scoring.stats.plain import Plain, Reason, plain
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import FloatArray, IntArray

Margin = Literal["cross-fitted", "in-sample", "none"]
SENTENCES: dict[Margin, str] = {
    "cross-fitted": "margin for ties chosen on the other folds of groups",
    "in-sample": "margin for ties chosen on the very pairs it is tested on: too kind to the judge",
    "none": "only equal values are ties of the judge",
}
#: Values nearer than this share of the range are one value: what rounding leaves of equal ones.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class PairwiseAccuracy:
    """Share of pairs decided alike; `margins` has one ε a fold, in the judge's own unit."""

    value: float | None
    low: float | None
    high: float | None
    reason: Reason | None
    interval_reason: Reason | None
    n_pairs: int
    n_groups: int
    n_tied_human: int
    n_tied_judge: int
    n_tied_both: int
    n_agree: int
    margins: tuple[float, ...]
    seed: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


@dataclass(frozen=True, slots=True)
class _Within:
    """Pairs of responses of one group: how far the judge parts them, and whether rightly."""

    group: IntArray
    apart: FloatArray
    human_tied: np.ndarray
    alike: np.ndarray

    def right(self, margin: float | FloatArray) -> np.ndarray:
        tied = self.apart <= margin
        return np.where(tied, self.human_tied, self.alike)


def within_groups(
    of: Pairs,
    *,
    margin: Margin = "cross-fitted",
    folds: int = 5,
    resamples: int = 1_000,
    confidence: float = 0.95,
    seed: int = 0,
) -> PairwiseAccuracy:
    """Return the accuracy over pairs of responses to one item, mean over groups.

    Args:
        of: what both sides have.
        margin: how ε is found.
        folds: of groups, at most as many as there are groups.
        resamples: of groups, for the interval; 0 for none.
        confidence: of the interval.
        seed: of the folds and the resamples.

    Raises:
        ValueError: fewer than two folds, or no such margin.
    """
    if margin not in SENTENCES:
        raise ValueError(f"There is no margin {margin!r}.")
    if folds < 2:
        raise ValueError("Cross-fitting takes at least two folds.")
    rng = np.random.default_rng(seed)
    made = _within(of)
    groups = np.unique(made.group)
    if not len(groups):
        return _nothing(Reason.FEW_PAIRS, margin, seed)
    if margin == "cross-fitted" and len(groups) < 2:
        return _nothing(Reason.FEW_QUESTIONS, margin, seed)
    place = np.searchsorted(groups, made.group)
    chosen = _margins(made, place, len(groups), margin, folds, rng)
    right = made.right(chosen[place])
    size = np.bincount(place)
    each = np.bincount(place, weights=right) / size
    judged = made.apart <= chosen[place]
    found = _interval(each, resamples, confidence, rng)
    return PairwiseAccuracy(
        value=float(each.mean()),
        low=found.low,
        high=found.high,
        reason=None,
        interval_reason=found.reason,
        n_pairs=len(right),
        n_groups=len(groups),
        n_tied_human=int(made.human_tied.sum()),
        n_tied_judge=int(judged.sum()),
        n_tied_both=int((judged & made.human_tied).sum()),
        n_agree=int(right.sum()),
        margins=tuple(float(one) / of.judge_unit for one in np.unique(chosen)),
        seed=seed,
        method=f"mean over groups of the share of pairs; {SENTENCES[margin]}",
    )


def over_systems(of: Pairs, *, seed: int = 0) -> PairwiseAccuracy:
    """Return the share of pairs of systems whose means a judge orders as people do."""
    judge, human = levels.system_means(of)
    if len(judge) < 2:
        return _nothing(Reason.FEW_PAIRS, "none", seed)
    i, j = np.triu_indices(len(judge), k=1)
    x, y = np.sign(judge[i] - judge[j]), np.sign(human[i] - human[j])
    right = x == y
    return PairwiseAccuracy(
        value=float(right.mean()),
        low=None,
        high=None,
        reason=None,
        interval_reason=Reason.NOT_RESAMPLED,
        n_pairs=len(i),
        n_groups=len(of.groups),
        n_tied_human=int((y == 0).sum()),
        n_tied_judge=int((x == 0).sum()),
        n_tied_both=int(((x == 0) & (y == 0)).sum()),
        n_agree=int(right.sum()),
        margins=(0.0,),
        seed=seed,
        method="share of pairs of systems whose means are ordered alike, ties counted",
    )


def best_margin(apart: FloatArray, gain: FloatArray) -> float:
    """Return the smallest ε with the highest sum of gains over the pairs within it.

    Args:
        apart: how far the judge parts each pair.
        gain: what is won where the pair becomes a tie: its weight, less it, or 0.
    """
    values, place = np.unique(apart, return_inverse=True)
    won = np.cumsum(np.bincount(place.ravel(), weights=gain))
    # ε = 0 makes only equal values ties, whether there are such or not.
    at_zero = won[0] if values[0] == 0 else 0.0
    best = int(np.argmax(won))
    return float(values[best]) if won[best] > at_zero + 1e-12 else 0.0


def _within(of: Pairs) -> _Within:
    order = np.argsort(of.group, kind="stable")
    group, judge, human = of.group[order], of.judge[order], of.human[order]
    size = np.bincount(group, minlength=1)
    start = np.cumsum(size) - size
    left, right, owner = [], [], []
    for n in np.unique(size[size > 1]):
        i, j = np.triu_indices(n, k=1)
        for at in np.flatnonzero(size == n):
            left.append(start[at] + i)
            right.append(start[at] + j)
            owner.append(np.full(len(i), at))
    if not left:
        none = np.zeros(0)
        return _Within(none.astype(np.int64), none, none.astype(bool), none.astype(bool))
    a, b = np.concatenate(left), np.concatenate(right)
    by, told = judge[a] - judge[b], human[a] - human[b]
    apart = np.abs(by)
    if not of.exact:
        apart[apart <= ROUNDING * max(1.0, float(np.abs(judge).max()))] = 0.0
    return _Within(np.concatenate(owner), apart, told == 0, (told != 0) & (by * told > 0))


def _margins(
    made: _Within,
    place: IntArray,
    n_groups: int,
    margin: Margin,
    folds: int,
    rng: np.random.Generator,
) -> FloatArray:
    """Return the ε of every group."""
    if margin == "none":
        return np.zeros(n_groups)
    weight = 1 / np.bincount(place)[place]
    gain = weight * (made.human_tied.astype(np.float64) - made.alike)
    if margin == "in-sample":
        return np.full(n_groups, best_margin(made.apart, gain))
    fold = rng.permutation(n_groups) % min(folds, n_groups)
    chosen = np.zeros(n_groups)
    for one in range(int(fold.max()) + 1):
        other = fold[place] != one
        chosen[fold == one] = best_margin(made.apart[other], gain[other])
    return chosen


def _interval(
    each: FloatArray, resamples: int, confidence: float, rng: np.random.Generator
) -> resampling.Interval:
    n = len(each)
    if resamples == 0:
        return resampling.Interval(None, None, confidence, n, Reason.NOT_RESAMPLED)
    scheme = resampling.scheme_for(n)
    sums = np.stack([each, np.ones(n)], axis=1)
    drawn = resampling.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme)
    part = resampling.Part(drawn[:, 0] / drawn[:, 1], n)
    return resampling.interval([part], scheme=scheme, level=confidence)


def _nothing(reason: Reason, margin: Margin, seed: int) -> PairwiseAccuracy:
    return PairwiseAccuracy(
        None, None, None, reason, reason, 0, 0, 0, 0, 0, 0, (), seed, SENTENCES[margin]
    )


METHOD = "1 − mean |p by people − p by judge| over pairs of systems, one-sided paired permutation"
CHUNK_CELLS = 4_000_000
CLOSE = 1e-12  # sums nearer than this, for their size, are equal


@dataclass(frozen=True, slots=True)
class SoftAccuracy:
    """`n_pairs` pairs of systems entered; `n_left_out` share no group and did not."""

    value: float | None
    reason: Reason | None
    n_pairs: int
    n_left_out: int
    n_groups: int
    permutations: int
    seed: int
    method: str

    def plain(self) -> Plain:
        return plain(self)


def soft_accuracy(of: Pairs, *, permutations: int = 1_000, seed: int = 0) -> SoftAccuracy:
    """Return the soft pairwise accuracy over the systems' means in each group.

    Raises:
        ValueError: fewer than one permutation.
    """
    if permutations < 1:
        raise ValueError("A permutation test takes at least one permutation.")
    sums = levels.sums(of)
    there = sums.count > 0
    i, j = np.triu_indices(len(of.systems), k=1)
    both = there[i] & there[j]
    enough = both.sum(axis=1) >= 2
    i, j, both = i[enough], j[enough], both[enough]
    left_out = int((~enough).sum())
    if not len(i):
        return SoftAccuracy(
            None, Reason.FEW_PAIRS, 0, left_out, len(of.groups), permutations, seed, METHOD
        )
    with np.errstate(invalid="ignore", divide="ignore"):
        judge, human = sums.judge / sums.count, sums.human / sums.count
    by, told = (np.where(both, side[i] - side[j], 0.0).T for side in (judge, human))
    p_judge, p_human = _p_values([by, told], permutations, np.random.default_rng(seed))
    value = float(1 - np.abs(p_human - p_judge).mean())
    return SoftAccuracy(value, None, len(i), left_out, len(of.groups), permutations, seed, METHOD)


def _p_values(
    sides: list[FloatArray], permutations: int, rng: np.random.Generator
) -> list[FloatArray]:
    """Return for each side the p of every pair: groups × pairs in, pairs out."""
    n_groups, n_pairs = sides[0].shape
    seen = [side.sum(axis=0) for side in sides]
    slack = [CLOSE * np.maximum(1.0, np.abs(side).sum(axis=0)) for side in sides]
    count = [np.zeros(n_pairs) for _ in sides]
    at_once = max(1, CHUNK_CELLS // max(n_groups, n_pairs))
    for start in range(0, permutations, at_once):
        signs = rng.integers(0, 2, (min(at_once, permutations - start), n_groups)) * 2.0 - 1.0
        for place, side in enumerate(sides):
            count[place] += (signs @ side >= seen[place] - slack[place]).sum(axis=0)
    return [(1 + one) / (1 + permutations) for one in count]


Nearness = Literal["accuracy", "rmse"]
LEAST_PEOPLE = 3
LEAST_RESPONSES = 10
T_FROM = 30
PASSES = 0.5
EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Against:
    """The judge against one person, by their number among the columns."""

    person: int
    n: int
    judge_wins: float | None
    person_wins: float | None
    p: float | None
    replaceable: bool
    reason: Reason | None
    test: str


@dataclass(frozen=True, slots=True)
class Alternative:
    """`winning_rate` = ω, `advantage` = ρ, both over the people who could be tested."""

    winning_rate: float | None
    advantage: float | None
    passes: bool | None
    reason: Reason | None
    people: tuple[Against, ...]
    n_people: int
    n_tested: int
    epsilon: float
    rate: float
    nearness: Nearness
    method: str

    def plain(self) -> Plain:
        return plain(self)


def alternative(
    *,
    judge: FloatArray,
    people: FloatArray,
    nearness: Nearness = "rmse",
    epsilon: float = 0.2,
    rate: float = 0.05,
) -> Alternative:
    """Test whether a judge may replace one of the people.

    Args:
        judge: one value a response; NaN is missing.
        people: responses × people; NaN is missing.
        nearness: how near a mark is to the others'.
        epsilon: what a person costs beyond the judge, as a share of wins.
        rate: of false discoveries.

    Raises:
        ValueError: columns are uneven, or ε or the rate is out of range.
    """
    if people.ndim != 2 or len(judge) != len(people):
        raise ValueError("People's marks need a row for each value of the judge.")
    if nearness not in ("accuracy", "rmse"):
        raise ValueError(f"There is no nearness {nearness!r}.")
    if not (0 <= epsilon < 1 and 0 < rate < 1):
        raise ValueError("ε lies in [0, 1) and the rate of false discoveries in (0, 1).")
    n_people = int((~np.isnan(people)).any(axis=0).sum())
    found = [_against(judge, people, j, nearness, epsilon) for j in range(people.shape[1])]
    tested = [one for one in found if one.p is not None]
    reason = (
        Reason.FEW_PEOPLE if n_people < LEAST_PEOPLE else Reason.FEW_SHARED if not tested else None
    )
    method = (
        f"alternative-annotator test, {nearness}, ε {epsilon:g}, "
        f"false discovery rate {rate:g} (Benjamini and Yekutieli)"
    )
    if reason is not None:
        return Alternative(
            None, None, None, reason, tuple(found), n_people, 0, epsilon, rate, nearness, method
        )
    told = tuple(_decided(found, rate))
    wins = [one.judge_wins for one in told if one.judge_wins is not None and one.p is not None]
    omega = sum(one.replaceable for one in told) / len(tested)
    return Alternative(
        winning_rate=omega,
        advantage=float(np.mean(wins)),
        passes=omega >= PASSES,
        reason=None,
        people=told,
        n_people=n_people,
        n_tested=len(tested),
        epsilon=epsilon,
        rate=rate,
        nearness=nearness,
        method=method,
    )


def _against(
    judge: FloatArray, people: FloatArray, j: int, nearness: Nearness, epsilon: float
) -> Against:
    others = np.delete(people, j, axis=1)
    there = ~np.isnan(judge) & ~np.isnan(people[:, j]) & (~np.isnan(others)).any(axis=1)
    n = int(there.sum())
    if n < LEAST_RESPONSES:
        return Against(j, n, None, None, None, False, Reason.FEW_SHARED, "")
    by, own = (_near(side[there], others[there], nearness) for side in (judge, people[:, j]))
    judge_wins, person_wins = by >= own - EQUAL, own >= by - EQUAL
    behind = person_wins.astype(np.float64) - judge_wins
    test, p = _test(behind, epsilon)
    return Against(j, n, float(judge_wins.mean()), float(person_wins.mean()), p, False, None, test)


def _near(values: FloatArray, others: FloatArray, nearness: Nearness) -> FloatArray:
    gap = values[:, None] - others
    if nearness == "accuracy":
        return np.nansum(np.abs(gap) <= EQUAL, axis=1) / (~np.isnan(gap)).sum(axis=1)  # type: ignore[no-any-return]
    return -np.sqrt(np.nanmean(gap**2, axis=1))  # type: ignore[no-any-return]


def _test(behind: FloatArray, epsilon: float) -> tuple[str, float]:
    """Return the p of the person being better by ε or more."""
    n = len(behind)
    if n < T_FROM:
        found = (
            scipy_stats.wilcoxon(behind - epsilon, alternative="less", method="asymptotic")
            if (np.abs(behind - epsilon).max() > EQUAL)
            else None
        )
        return "Wilcoxon's signed ranks, one-sided", 1.0 if found is None else float(found.pvalue)
    spread = behind.std(ddof=1)
    if spread <= EQUAL:
        return "Student's t, one-sided", 0.0 if behind[0] < epsilon else 1.0
    t = (behind.mean() - epsilon) / (spread / np.sqrt(n))
    return "Student's t, one-sided", float(special.stdtr(n - 1, t))


def _decided(found: list[Against], rate: float) -> list[Against]:
    tested = [one for one in found if one.p is not None]
    found_p = multiple.false_discoveries([one.p for one in tested], under="dependence")
    may = {
        one.person for one, p in zip(tested, found_p, strict=True) if p is not None and p <= rate
    }
    return [
        Against(
            one.person,
            one.n,
            one.judge_wins,
            one.person_wins,
            one.p,
            one.person in may,
            one.reason,
            one.test,
        )
        for one in found
    ]
