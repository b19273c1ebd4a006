"""The alternative-annotator test: may this judge stand in for one of the people?

Each person in turn is set aside. On every response the judge and that person are compared by how
near each is to the *others'* marks: the share of equal marks on scales of few levels (`accuracy`),
or less the root of the mean squared distance (`rmse`). Where the judge is at least as near it wins,
and so does the person; ties are won by both. Person j can be replaced if the judge's share of wins
is above the person's less ε, tested one-sided: Student's t from thirty responses on, below that
Wilcoxon's signed ranks. ε is what people cost beyond a judge (0.2 for experts, 0.1 for a crowd).

Over the people the false discovery rate is held by Benjamini and Yekutieli's procedure. The
*winning rate* ω is the share of people that may be replaced; the judge passes from one half on. The
*advantage* ρ is the mean share of wins: the probability that the judge is as good as somebody.

Reference:
    Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge, section 3.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import special
from scipy import stats as scipy_stats

from scoring.stats import multiple
from scoring.stats.linear import FloatArray
from scoring.stats.plain import Plain, plain
from scoring.stats.reasons import Reason

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
