"""The alternative-annotator test: may a judge stand in for one of the people?

Each person in turn is set aside. On every response the judge and that person are compared by how near
each is to the others; who is as near as the other wins, so that both may.

References:
    Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge, section 3.
    Tango (1998), Equivalence test and confidence interval for the difference in proportions for the
    paired-sample design.
"""

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from scipy import special

from scoring.stats import multiple
from scoring.stats.judges.said import AgainstPerson, Alternative
from scoring.stats.plain import Reason
from scoring.stats.resampled.linear import FloatArray, IntArray

Nearness = Literal["rmse", "exact"]
Test = Literal["by_question", "as_published"]
LEAST_PEOPLE = 3
#: A test needs so many responses, and unless it is as published so many questions.
LEAST = 10
T_FROM = 30
PASSES = 0.5
EQUAL = 1e-12
TESTS: dict[Test, str] = {
    "by_question": "Tango’s score test, from thirty responses Student’s t too, clustered by question",
    "as_published": "Student’s t over responses, as published",
}


def alternative(
    *,
    judge: FloatArray,
    people: FloatArray,
    question: IntArray | None = None,
    nearness: Nearness = "rmse",
    epsilon: float = 0.2,
    rate: float = 0.05,
    test: Test = "by_question",
) -> Alternative:
    """Test whether a judge may replace one of the people.

    Args:
        judge: one value a response; NaN is missing.
        people: responses × people; NaN is missing.
        question: of each response, as a number; each response has its own where none are given.
        nearness: how near a mark is to the others'.
        epsilon: what a person costs beyond the judge, as a share of wins.
        rate: of false discoveries.
        test: of each person.

    Raises:
        ValueError: columns are uneven, there is no such nearness or test, or ε or the rate is out of
            range.
    """
    if people.ndim != 2 or len(judge) != len(people):
        raise ValueError("People's marks need a row for each value of the judge.")
    if nearness not in get_args(Nearness) or test not in TESTS:
        raise ValueError(f"There is no nearness {nearness!r} with a test {test!r}.")
    if not (0 <= epsilon < 1 and 0 < rate < 1):
        raise ValueError("ε lies in [0, 1) and the rate of false discoveries in (0, 1).")
    asked = np.arange(len(judge)) if question is None else question
    found = [
        _against(judge, people, j, asked, nearness, epsilon, test) for j in range(people.shape[1])
    ]
    told = _decided(found, rate)
    wins = [one.judge_wins for one in told if one.judge_wins is not None]
    n_people = int((~np.isnan(people)).any(axis=0).sum())
    few = Reason.FEW_PEOPLE if n_people < LEAST_PEOPLE else None
    reason = few or (None if wins else Reason.FEW_SHARED)
    omega = None if reason else sum(one.replaceable for one in told) / len(wins)
    return Alternative(
        winning_rate=omega,
        advantage=None if reason else float(np.mean(wins)),
        passes=None if omega is None else omega >= PASSES,
        reason=reason,
        people=tuple(found if reason else told),
        n_people=n_people,
        n_tested=0 if reason else len(wins),
        epsilon=epsilon,
        rate=rate,
        nearness=nearness,
        test=test,
        method=(
            f"alternative-annotator test, nearness {nearness}, ε {epsilon:g}, {TESTS[test]}, "
            f"false discovery rate {rate:g} (Benjamini and Yekutieli)"
        ),
    )


def _against(
    judge: FloatArray,
    people: FloatArray,
    j: int,
    question: IntArray,
    nearness: Nearness,
    epsilon: float,
    test: Test,
) -> AgainstPerson:
    others = np.delete(people, j, axis=1)
    there = ~np.isnan(judge) & ~np.isnan(people[:, j]) & (~np.isnan(others)).any(axis=1)
    n, n_questions = int(there.sum()), len(np.unique(question[there]))
    if (n if test == "as_published" else n_questions) < LEAST:
        return AgainstPerson(j, n, n_questions, reason=Reason.FEW_SHARED)
    by, own = (_near(side[there], others[there], nearness) for side in (judge, people[:, j]))
    judge_wins, person_wins = by >= own - EQUAL, own >= by - EQUAL
    behind = person_wins.astype(np.float64) - judge_wins
    p = (
        by_t(behind, np.arange(n), epsilon)
        if test == "as_published"
        else by_question(behind, question[there], epsilon)
    )
    return AgainstPerson(j, n, n_questions, float(judge_wins.mean()), float(person_wins.mean()), p)


def _near(values: FloatArray, others: FloatArray, nearness: Nearness) -> FloatArray:
    gap = values[:, None] - others
    if nearness == "exact":
        return np.nansum(np.abs(gap) <= EQUAL, axis=1) / (~np.isnan(gap)).sum(axis=1)  # type: ignore[no-any-return]
    return -np.sqrt(np.nanmean(gap**2, axis=1))  # type: ignore[no-any-return]


def score(behind: FloatArray, epsilon: float) -> float:
    """Return Tango's statistic of the person winning oftener by ε; far below 0 speaks against it.

    Args:
        behind: 1 where the person won alone, −1 where the judge did, 0 where both did.
        epsilon: the difference of the two shares that is tested, in (−1, 1).
    """
    n, person, judge = len(behind), int((behind > 0).sum()), int((behind < 0).sum())
    b = (2 * n - person + judge) * epsilon - person - judge
    root = np.sqrt(b * b + 8 * n * judge * epsilon * (1 - epsilon))
    alone = (root - b) / (4 * n)  # the judge's share of wins alone, likeliest under the hypothesis
    spread = n * (2 * alone + epsilon * (1 - epsilon))
    return float((person - judge - n * epsilon) / np.sqrt(spread)) if spread > EQUAL else np.inf


def by_question(behind: FloatArray, question: IntArray, epsilon: float) -> float:
    """Return the p of the person being better by ε or more, responses to a question going together.

    The score's variance grows as that of the mean does by the questions, and it is set against Student's
    t with one degree of freedom less than there are questions. From thirty responses on it is never
    below the p of `by_t`, which alone is too sure where nearly all responses are won by both.
    """
    z = score(behind, epsilon) / np.sqrt(_growth(behind, question))
    p = float(special.stdtr(len(np.unique(question)) - 1, z))
    return max(p, by_t(behind, question, epsilon)) if len(behind) >= T_FROM else p


def by_t(behind: FloatArray, question: IntArray, epsilon: float) -> float:
    """Return the p of Student's t, one-sided, with the variance of the mean by clusters."""
    variance, n_questions = _variance(behind, question)
    if variance <= EQUAL**2:
        return 0.0 if behind[0] < epsilon else 1.0
    t = (behind.mean() - epsilon) / np.sqrt(variance)
    return float(special.stdtr(n_questions - 1, t))


def _growth(behind: FloatArray, question: IntArray) -> float:
    """Return by how much questions that go together make the variance of the mean larger, from 1."""
    alone = _variance(behind, np.arange(len(behind)))[0]
    return max(1.0, _variance(behind, question)[0] / alone) if alone > 0 else 1.0


def _variance(values: FloatArray, cluster: IntArray) -> tuple[float, int]:
    _names, place = np.unique(cluster, return_inverse=True)
    sums = np.bincount(place, values - values.mean())
    n = len(sums)
    return float((sums**2).sum() * n / (n - 1) / len(values) ** 2), n


def _decided(found: list[AgainstPerson], rate: float) -> list[AgainstPerson]:
    ps = multiple.false_discoveries([one.p for one in found], under="dependence")
    return [
        replace(one, replaceable=p is not None and p <= rate)
        for one, p in zip(found, ps, strict=True)
    ]
