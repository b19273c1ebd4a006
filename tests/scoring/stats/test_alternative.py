import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as scipy_stats

from benchmarks import coverage
from scoring.stats.judges import standing_in as alternative
from scoring.stats.plain import Reason, plain


def people(rng, n=200, m=4, noise=1.0):
    truth = rng.normal(3, 1, n)
    return truth, truth[:, None] + rng.normal(0, noise, (n, m))


class TestAlternative:
    def test_passes_a_judge_who_knows_the_truth(self):
        truth, marks = people(np.random.default_rng(1))
        found = alternative.alternative(judge=truth, people=marks, epsilon=0.1)

        assert (found.winning_rate, found.passes, found.n_tested) == (1, True, 4)
        assert found.advantage > 0.5

    def test_fails_a_judge_who_guesses(self):
        rng = np.random.default_rng(2)
        _, marks = people(rng, noise=0.3)
        found = alternative.alternative(judge=rng.normal(3, 1, 200), people=marks, epsilon=0.1)

        assert (found.winning_rate, found.passes) == (0, False)

    def test_follows_the_definition(self):
        rng = np.random.default_rng(3)
        _, marks = people(rng, n=60, m=3)
        marks[rng.random(marks.shape) < 0.2] = np.nan
        judge = rng.normal(3, 1, 60)
        found = alternative.alternative(
            judge=judge, people=marks, epsilon=0.15, test="as_published"
        )
        for j in range(3):
            behind, wins = [], []
            for i in range(60):
                others = [marks[i, k] for k in range(3) if k != j and not np.isnan(marks[i, k])]
                if np.isnan(marks[i, j]) or not others:
                    continue
                by = -np.sqrt(np.mean([(judge[i] - one) ** 2 for one in others]))
                own = -np.sqrt(np.mean([(marks[i, j] - one) ** 2 for one in others]))
                wins.append(by >= own)
                behind.append(float(own >= by) - float(by >= own))
            told = found.people[j]

            assert (told.n, told.judge_wins) == (len(wins), pytest.approx(np.mean(wins)))
            assert told.p == pytest.approx(
                scipy_stats.ttest_1samp(behind, 0.15, alternative="less").pvalue
            )

    def test_counts_equal_labels_where_asked(self):
        marks = np.tile([[1.0, 1.0, 0.0]], (40, 1))
        found = alternative.alternative(judge=np.ones(40), people=marks, nearness="exact")

        assert [one.judge_wins for one in found.people] == [1, 1, 1]
        assert [one.person_wins for one in found.people] == [1, 1, 0]
        assert plain(found)["nearness"] == "exact"

    def test_of_a_judge_always_as_near_as_people(self):
        marks = np.ones((12, 3))
        found = alternative.alternative(judge=np.ones(12), people=marks, epsilon=0.0)

        assert {one.p for one in found.people} == {1.0}
        assert found.winning_rate == 0

    def test_does_not_depend_on_the_order_of_people(self):
        truth, marks = people(np.random.default_rng(5))
        one = alternative.alternative(judge=truth, people=marks)
        two = alternative.alternative(judge=truth, people=marks[:, ::-1])

        assert (one.winning_rate, one.advantage) == (two.winning_rate, pytest.approx(two.advantage))

    def test_holds_the_rate_of_false_discoveries(self):
        # Benjamini and Yekutieli: of m = 3 the smallest p must be at most rate / (3 · (1 + 1/2 + 1/3)).
        truth, marks = people(np.random.default_rng(8), n=40, m=3)
        p = sorted(
            one.p or 0.0 for one in alternative.alternative(judge=truth, people=marks).people
        )
        bounds = [one * 3 * (11 / 6) / (at + 1) for at, one in enumerate(p)]
        for rate in (0.001, 0.01, 0.05, 0.2, 0.5):
            found = alternative.alternative(judge=truth, people=marks, rate=rate)
            most = max((at + 1 for at, one in enumerate(bounds) if one <= rate), default=0)

            assert found.winning_rate == pytest.approx(most / 3)

    def test_needs_three_people(self):
        truth, marks = people(np.random.default_rng(6), m=2)
        found = alternative.alternative(judge=truth, people=marks)

        assert (found.passes, found.reason) == (None, Reason.FEW_PEOPLE)

    @pytest.mark.parametrize("question", [None, np.arange(36) // 4])
    def test_needs_ten_questions_in_common(self, question):
        truth, marks = people(np.random.default_rng(7), n=9 if question is None else 36)
        found = alternative.alternative(judge=truth, people=marks, question=question)

        assert found.reason is Reason.FEW_SHARED
        assert {one.reason for one in found.people} == {Reason.FEW_SHARED}

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"epsilon": 1.0}, "ε lies"),
            ({"nearness": "f1"}, "no nearness"),
            ({"test": "wilcoxon"}, "a test"),
            ({"judge": np.zeros(3)}, "a row for each"),
        ],
    )
    def test_refuses_what_does_not_fit(self, change, words):
        with pytest.raises(ValueError, match=words):
            alternative.alternative(**{"judge": np.zeros(20), "people": np.zeros((20, 3))} | change)


def behind(person, judge, n):
    """Return who won alone: 1 for the person, −1 for the judge, 0 where both did."""
    return np.repeat([1.0, -1.0, 0.0], [person, judge, n - person - judge])


class TestScore:
    def test_is_as_tango_published_it_for_lenses(self):
        # Tango (1998): 44 pairs, one of them discordant, tested against a difference of 0.1.
        assert alternative.score(behind(1, 0, 44), 0.1) == pytest.approx(-1.709, abs=0.001)

    @pytest.mark.parametrize(("end", "z"), [(-0.517, 1.96), (-0.026, -1.96)])
    def test_is_196_at_the_ends_of_a_published_interval(self, end, z):
        # Bentur et al. (2009), as Fagerland, Lydersen and Laake (2014) recompute it.
        assert alternative.score(behind(1, 7, 21), end) == pytest.approx(z, abs=0.005)

    @given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 40), st.floats(0.02, 0.3))
    def test_takes_the_likeliest_shares_under_the_hypothesis(self, person, judge, both, epsilon):
        n = person + judge + both

        def surprise(alone):
            rest = 1 - 2 * alone - epsilon
            likely = np.log([alone + epsilon, alone, rest])
            return -float(likely @ [person, judge, both])

        found = optimize.minimize_scalar(
            surprise, bounds=(1e-9, (1 - epsilon) / 2 - 1e-9), method="bounded"
        ).x
        spread = np.sqrt(n * (2 * found + epsilon * (1 - epsilon)))

        assert alternative.score(behind(person, judge, n), epsilon) == pytest.approx(
            (person - judge - n * epsilon) / spread, rel=1e-3
        )

    def test_of_nothing_but_ties_without_an_allowance_speaks_against_nothing(self):
        assert alternative.score(np.zeros(12), 0.0) == np.inf


class TestByQuestion:
    @given(st.integers(10, 40), st.integers(2, 5), st.integers(0, 10**6))
    def test_gains_nothing_from_responses_told_twice(self, n, times, seed):
        once = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], n)
        told, asked = np.repeat(once, times), np.repeat(np.arange(n), times)

        assert alternative.by_t(told, asked, 0.2) == pytest.approx(
            alternative.by_t(once, np.arange(n), 0.2), abs=1e-9
        )
        assert alternative.by_question(told, asked, 0.2) >= alternative.by_t(told, asked, 0.2) - (
            1.0 if n * times < alternative.T_FROM else 1e-12
        )

    @pytest.mark.parametrize("design", coverage.IN_THEIR_PLACE)
    def test_passes_a_judge_who_is_worse_by_all_that_is_allowed_in_one_of_twenty(self, design):
        found = coverage.passed(design, trials=2000, seed=1)

        assert found <= coverage.most_passed(2000)

    def test_holds_where_the_published_test_does_not(self):
        few = next(one for one in coverage.IN_THEIR_PLACE if one.each > 1)

        assert coverage.passed(few, trials=500, seed=1, test="as_published") > 0.09
