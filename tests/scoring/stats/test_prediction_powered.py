import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.judges import prediction_powered
from scoring.stats.judges.prediction_powered import powered_mean
from scoring.stats.plain import Reason, plain


def drawn(rng, n=1_000, share=0.2, noise=0.5, size=1):
    """Return responses whose true mean is 3, of which a share was graded, question by question."""
    cluster = np.arange(n) // size
    of_cluster = rng.normal(0, 0.7, n // size + 1)[cluster]
    truth = 3 + of_cluster + rng.normal(0, 0.7, n)
    judge = 2 * truth + rng.normal(0, noise, n) + 1
    inclusion = np.full(n, share)
    chosen = (rng.random(n // size + 1) < share)[cluster]
    return {
        "judge": judge,
        "human": np.where(chosen, truth, np.nan),
        "inclusion": inclusion,
        "cluster": cluster,
    }


class TestPoweredMean:
    def test_equals_the_published_form_where_all_had_the_same_chance(self):
        # PPI++ (section 6): human mean + λ (judge's mean of all − judge's mean of the graded).
        one = drawn(np.random.default_rng(1))
        found = powered_mean(**one)
        graded = ~np.isnan(one["human"])
        apart = one["judge"].mean() - one["judge"][graded].mean()
        cov = np.cov(one["human"][graded], one["judge"][graded])
        n, rest = graded.sum(), (~graded).sum()
        share = cov[0, 1] / cov[1, 1]

        assert found.share == pytest.approx(share, rel=0.05)
        assert found.powered.value == pytest.approx(
            one["human"][graded].mean() + found.share * apart
        )
        assert found.humans.value == pytest.approx(one["human"][graded].mean())
        assert found.n_human == n == 1_000 - rest

    def test_saves_human_grades_with_a_good_judge(self):
        found = powered_mean(**drawn(np.random.default_rng(2), noise=0.1))

        assert found.powered.high - found.powered.low < found.humans.high - found.humans.low
        assert found.effective > 3 * found.n_human
        assert found.saved == found.effective - found.n_human

    def test_never_saves_more_than_nobody_graded(self):
        # Five grades that by chance differ more than all others do, and a judge that agrees with each.
        judge = np.array([1.0, 4.0, 2.0, 4.0, 1.0] + [2.0, 3.0] * 15)
        human = np.full(35, np.nan)
        human[:5] = [1.0, 4.0, 2.1, 4.0, 1.0]
        found = powered_mean(
            judge=judge, human=human, inclusion=np.full(35, 5 / 35), cluster=np.arange(35)
        )

        assert found.saved == pytest.approx(30)
        assert found.powered.high - found.powered.low > (found.humans.high - found.humans.low) / 3

    def test_counts_the_share_that_was_fitted(self):
        rng, held, times = np.random.default_rng(10), 0, 1_000
        for _ in range(times):
            judge = rng.normal(size=200)
            human = np.full(200, np.nan)
            human[:5] = judge[:5] + rng.normal(0, 0.5, 5)
            found = powered_mean(
                judge=judge, human=human, inclusion=np.full(200, 5 / 200), cluster=np.arange(200)
            )
            held += found.powered.low <= 0 <= found.powered.high

        assert held / times > 0.94

    def test_loses_nothing_with_a_judge_who_guesses(self):
        one = drawn(np.random.default_rng(3))
        found = powered_mean(**one | {"judge": np.random.default_rng(4).normal(size=1_000)})

        assert found.effective >= found.n_human
        assert found.powered.value == pytest.approx(found.humans.value, abs=0.05)

    @given(st.floats(0.1, 50), st.floats(-100, 100))
    def test_does_not_depend_on_the_judges_scale(self, width, shift):
        one = drawn(np.random.default_rng(5), n=200)
        here, there = (
            powered_mean(**one),
            powered_mean(**one | {"judge": width * one["judge"] + shift}),
        )

        assert there.powered.value == pytest.approx(here.powered.value, abs=1e-6)
        assert there.powered.low == pytest.approx(here.powered.low, abs=1e-6)

    def test_weighs_by_the_chance_of_having_been_chosen(self):
        # Half has mean 0 and was chosen with 0.5, half mean 1 chosen with 0.1: the mean is 1/2.
        rng = np.random.default_rng(6)
        truth = np.repeat([0.0, 1.0], 5_000)
        inclusion = np.repeat([0.5, 0.1], 5_000)
        human = np.where(rng.random(10_000) < inclusion, truth, np.nan)
        judge = rng.normal(size=10_000)
        found = powered_mean(
            judge=judge, human=human, inclusion=inclusion, cluster=np.arange(10_000)
        )

        assert np.nanmean(human) < 0.2
        assert found.powered.low < 0.5 < found.powered.high

    def test_is_the_peoples_mean_where_all_was_graded(self):
        one = drawn(np.random.default_rng(7), share=1.0)
        found = powered_mean(**one)

        assert found.powered == found.humans
        assert found.share == 0

    def test_fills_scores_that_the_judge_lacks(self):
        one = drawn(np.random.default_rng(8))
        one["judge"][::10] = np.nan
        found = powered_mean(**one)

        assert found.n_imputed == 100
        assert found.powered.low < 3 < found.powered.high

    def test_widens_with_questions_that_share_responses(self):
        one = drawn(np.random.default_rng(9), size=10)
        apart = powered_mean(**one | {"cluster": np.arange(1_000)})
        found = powered_mean(**one)

        assert found.humans.high - found.humans.low > apart.humans.high - apart.humans.low
        assert found.n_clusters < apart.n_clusters

    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"inclusion": np.zeros(1_000)}, Reason.NOT_RANDOM),
            ({"inclusion": np.full(1_000, np.nan)}, Reason.NOT_RANDOM),
            ({"inclusion": np.full(1_000, 1.5)}, Reason.NOT_RANDOM),
            ({"inclusion": np.full(1_000, 0.6)}, Reason.OTHER_FRAME),
            ({"inclusion": np.full(1_000, 1.0)}, Reason.OTHER_FRAME),
            ({"human": np.full(1_000, np.nan)}, Reason.NO_GRADES),
            ({"judge": np.full(1_000, np.nan)}, Reason.NO_SCORES),
            ({"cluster": np.zeros(1_000, dtype=int)}, Reason.FEW_QUESTIONS),
        ],
    )
    def test_is_refused_with_a_reason(self, change, reason):
        found = powered_mean(**drawn(np.random.default_rng(1)) | change)

        assert (found.powered.value, found.powered.reason) == (None, reason)
        assert plain(found)["effective"] is None

    @pytest.mark.parametrize(
        ("n_graded", "reason"),
        [(85, Reason.OTHER_FRAME), (87, None), (163, None), (165, Reason.OTHER_FRAME)],
    )
    def test_allows_a_sample_four_standard_errors_of_chance(self, n_graded, reason):
        # Of 500 questions a quarter is 125, with a standard error of √(500 · ¼ · ¾) = 9.68.
        one = drawn(np.random.default_rng(1), 2_000, 0.25, size=4)
        human = np.where(one["cluster"] < n_graded, one["judge"] / 2, np.nan)

        assert powered_mean(**one | {"human": human}).powered.reason == reason

    def test_of_equal_grades_has_no_interval(self):
        one = drawn(np.random.default_rng(1))
        one["human"][~np.isnan(one["human"])] = 2.0
        found = powered_mean(**one)

        assert found.powered.value == pytest.approx(2, rel=1e-12)
        assert found.powered.reason == Reason.NO_SPREAD
        assert found.effective is None

    @pytest.mark.parametrize("change", [{"judge": np.zeros(3)}, {"confidence": 1.0}])
    def test_refuses_what_does_not_fit(self, change):
        with pytest.raises(ValueError, match=r"differ in length|between 0 and 1"):
            powered_mean(**drawn(np.random.default_rng(1)) | change)


@pytest.mark.nightly
class TestCoverage:
    @pytest.mark.parametrize(
        ("n", "share", "size"), [(500, 0.2, 1), (1_000, 0.3, 1), (2_000, 0.25, 4)]
    )
    def test_of_the_intervals_is_what_they_promise(self, n, share, size):
        rng = np.random.default_rng(n + size)
        times, held = 2_000, 0
        for _ in range(times):
            found = prediction_powered.powered_mean(**drawn(rng, n, share, size=size))
            held += found.powered.low <= 3 <= found.powered.high
        assert 0.93 <= held / times <= 0.97
