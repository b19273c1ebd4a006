import numpy as np
import pytest
from scipy import stats as scipy_stats

from scoring.stats.judges import accuracy as alternative
from scoring.stats.plain import Reason


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
        found = alternative.alternative(judge=judge, people=marks, epsilon=0.15)
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
        found = alternative.alternative(judge=np.ones(40), people=marks, nearness="accuracy")

        assert [one.judge_wins for one in found.people] == [1, 1, 1]
        assert [one.person_wins for one in found.people] == [1, 1, 0]
        assert found.plain()["nearness"] == "accuracy"

    def test_uses_signed_ranks_below_thirty_responses(self):
        truth, marks = people(np.random.default_rng(4), n=20)
        found = alternative.alternative(judge=truth, people=marks)

        assert {one.test for one in found.people} == {"Wilcoxon's signed ranks, one-sided"}
        assert found.advantage > 0.5

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

    def test_needs_ten_common_responses(self):
        truth, marks = people(np.random.default_rng(7), n=9)
        found = alternative.alternative(judge=truth, people=marks)

        assert found.reason is Reason.FEW_SHARED
        assert {one.reason for one in found.people} == {Reason.FEW_SHARED}

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"epsilon": 1.0}, "ε lies"),
            ({"nearness": "f1"}, "no nearness"),
            ({"judge": np.zeros(3)}, "a row for each"),
        ],
    )
    def test_refuses_what_does_not_fit(self, change, words):
        with pytest.raises(ValueError, match=words):
            alternative.alternative(**{"judge": np.zeros(20), "people": np.zeros((20, 3))} | change)
