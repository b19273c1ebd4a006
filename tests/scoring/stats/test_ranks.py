import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.scores import differences as ranks
from scoring.stats.scores import scores
from tests.scoring.ratings import frame_of, rated


def marked(**marks):
    """Score releases on the same questions."""
    records = [
        rated(f"q{i}", mark, release=release)
        for release, values in marks.items()
        for i, mark in enumerate(values)
    ]
    return scores.scores(frame_of(records), resamples=500)


class TestPValue:
    def test_is_that_of_the_paired_t_test(self):
        values = np.random.default_rng(1).normal(0.3, 1, 40)
        rng = np.random.default_rng(0)
        drawn = values[rng.integers(0, 40, (20_000, 40))].mean(axis=1)

        p = resampling.p_value(
            values.mean(), [resampling.Part(drawn, 40)], scheme=resampling.Scheme.MULTINOMIAL
        )

        assert p == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=0.05)

    @pytest.mark.parametrize(
        "parts",
        [
            [],
            [resampling.Part(np.array([1.0, 2.0]), 1)],
            [resampling.Part(np.full(5, np.nan), 5)],
            [resampling.Part(np.ones(5), 5)],
        ],
    )
    def test_is_undefined_without_spread(self, parts):
        assert resampling.p_value(1.0, parts, scheme=resampling.Scheme.MULTINOMIAL) is None


class TestRanking:
    def test_tells_apart_what_differs_beyond_doubt(self):
        rng = np.random.default_rng(2)
        hard = rng.integers(0, 2, 60)
        found = ranks.ranking(
            marked(a=1 + hard + rng.integers(0, 2, 60), b=1 + hard, c=rng.integers(0, 2, 60))
        )

        assert [one.release for one in found.ranks][-1] == "c"
        assert (found.ranks[-1].low, found.ranks[-1].high) == (3, 3)
        assert found.ranks[0].best is not None
        assert found.ranks[0].best > 0.9
        assert sum(one.best or 0 for one in found.ranks) == pytest.approx(1)
        assert json.dumps(found.plain(), allow_nan=False)

    def test_puts_what_cannot_be_told_apart_into_one_group(self):
        found = ranks.ranking(marked(a=[0, 1, 2, 3] * 5, b=[3, 2, 1, 1] * 5))

        assert len(found.groups) == 1
        assert {(one.low, one.high) for one in found.ranks} == {(1, 2)}

    def test_shares_a_rank_between_equals(self):
        found = ranks.ranking(marked(a=[0, 1, 2, 3], b=[0, 1, 2, 3], c=[0, 0, 0, 0]))

        assert [one.release for one in found.ranks] == ["a", "b", "c"]
        assert found.ranks[0].best == found.ranks[1].best == pytest.approx(0.5, abs=0.05)
        assert found.comparisons[0].difference.p is None

    def test_says_who_has_no_score(self):
        found = ranks.ranking(marked(a=[0, 1, 2], b=[None, None, None]))

        assert (found.ranks[1].release, found.ranks[1].low) == ("b", None)
        assert found.ranks[1].reason is Reason.NO_GRADES

    def test_of_nobody_is_empty(self):
        assert ranks.ranking(marked(a=[None])).groups == ()

    @settings(max_examples=25)
    @given(st.integers(0, 1000))
    def test_holds_the_rank_between_its_bounds(self, seed):
        rng = np.random.default_rng(seed)
        found = ranks.ranking(marked(**{n: rng.integers(0, 4, 6) for n in "abcd"}))

        for one in found.ranks:
            assert 1 <= one.low <= one.high <= 4
        assert {release for group in found.groups for release in group} == set("abcd")


@pytest.mark.nightly
@pytest.mark.timeout(3000)
class TestCoverage:
    """Over 60 questions drawn afresh each time, graded twice each; releases b and c are equal."""

    N_QUESTIONS, TRIALS = 60, 800
    RELEASES = {"a": 0.35, "b": 0.0, "c": 0.0, "d": -0.15}

    def drawn(self, rng, n):
        hard = rng.normal(1.5, 0.7, n)
        records = []
        for release, lead in self.RELEASES.items():
            worth = hard + lead + rng.normal(0, 0.4, n)
            marks = np.clip(np.rint(worth[:, None] + rng.normal(0, 0.5, (n, 2))), 0, 3)
            records += [
                rated(f"q{k}", mark, release=release, rater=f"r{i}")
                for k, pair in enumerate(marks)
                for i, mark in enumerate(pair)
            ]
        return frame_of(records)

    def test_of_scores_and_differences_is_93_to_97_percent_and_ranks_hold_the_truth(self):
        rng = np.random.default_rng(11)
        whole = scores.scores(self.drawn(rng, 40_000), resamples=0)
        truth = {release: float(whole.find(release).value) for release in self.RELEASES}
        truth["b"] = truth["c"] = (truth["b"] + truth["c"]) / 2
        score, gap, held, false = dict.fromkeys(truth, 0), {}, 0, 0

        for _ in range(self.TRIALS):
            made = scores.scores(self.drawn(rng, self.N_QUESTIONS), resamples=600, seed=rng)
            for release, value in truth.items():
                one = made.find(release)
                score[release] += one.low <= value <= one.high
            found = ranks.ranking(made)
            for pair in found.comparisons:
                left, right = sorted([str(pair.difference.left), str(pair.difference.right)])
                low, high = pair.difference.low, pair.difference.high
                if pair.difference.left != left:
                    low, high = -high, -low
                gap[left, right] = gap.get((left, right), 0) + (
                    low <= truth[left] - truth[right] <= high
                )
            by = {one.release: one for one in found.ranks}
            # True ranks: a first, b and c share second and third, d last.
            held += (
                by["a"].low <= 1
                and by["d"].high >= 4
                and min(by["b"].low or 9, by["c"].low or 9) <= 2
            )
            false += any(
                one.clear and {one.difference.left, one.difference.right} == {"b", "c"}
                for one in found.comparisons
            )

        shares = [n / self.TRIALS for n in (*score.values(), *gap.values())]
        assert all(0.93 <= share <= 0.97 for share in shares), (score, gap)
        assert held / self.TRIALS >= 0.95
        assert false / self.TRIALS <= 0.05


class TestBest:
    def test_is_not_told_where_one_was_graded_on_what_another_was_not(self):
        records = [rated(f"q{i}", 3 - i % 2, release="a") for i in range(6)]
        records += [rated(f"q{i}", i % 3, release="b") for i in range(12)]

        found = ranks.ranking(scores.scores(frame_of(records), resamples=200))

        assert [one.best for one in found.ranks] == [None, None]

    @pytest.mark.parametrize(("n", "told"), [(2, False), (3, False), (4, True)])
    def test_is_not_told_of_fewer_than_four_questions(self, n, told):
        found = ranks.ranking(marked(a=[3, 2, 3, 2][:n], b=[1, 1, 2, 0][:n]))

        assert [one.best is not None for one in found.ranks] == [told, told]

    def test_of_draws_that_were_never_made_or_never_came_out_is_nobody(self):
        never = np.full(3, np.nan)

        assert ranks._best(["a", "b"], {"a": [never], "b": [never]}) == {}
        assert ranks._best(["a"], {"a": []}) == {}
