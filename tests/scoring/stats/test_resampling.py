import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.plain import Reason
from scoring.stats.resampled import linear as resampling
from scoring.stats.resampled.linear import DrawnPart, Scheme
from tests.scoring.ratings import width


def drawn(values, *, scheme=Scheme.MULTINOMIAL, resamples=2000, seed=0):
    sums = np.column_stack([values, np.ones(len(values))])
    rng = np.random.default_rng(seed)
    tops, bases = resampling.resampled_sums(sums, resamples=resamples, rng=rng, scheme=scheme).T
    return tops / bases


def mean_interval(values, **options):
    scheme = options.get("scheme", Scheme.MULTINOMIAL)
    return resampling.interval([DrawnPart(drawn(values, **options), len(values))], scheme=scheme)


def covers(found, truth):
    return found.low <= truth <= found.high


class TestResampledSums:
    def test_draw_as_many_questions_as_there_are(self):
        sums = np.ones((7, 1))

        made = resampling.resampled_sums(
            sums, resamples=50, rng=np.random.default_rng(0), scheme=Scheme.MULTINOMIAL
        )

        assert (made == 7).all()

    @given(st.sampled_from(Scheme), st.integers(1, 60))
    def test_weigh_all_columns_alike(self, scheme, n):
        column = np.arange(n, dtype=float)
        sums = np.column_stack([column, 2 * column])

        made = resampling.resampled_sums(
            sums, resamples=20, rng=np.random.default_rng(n), scheme=scheme
        )

        np.testing.assert_allclose(made[:, 1], 2 * made[:, 0])

    @pytest.mark.parametrize("scheme", list(Scheme))
    def test_spread_like_the_standard_error_of_a_mean(self, scheme):
        values = np.random.default_rng(3).normal(size=400)

        spread = drawn(values, scheme=scheme, resamples=6000).std()

        assert spread == pytest.approx(values.std() / 20, rel=0.05)

    def test_work_in_pieces_of_bounded_memory(self):
        sums = np.ones((3_000, 1))

        made = resampling.resampled_sums(
            sums, resamples=1_500, rng=np.random.default_rng(0), scheme=Scheme.MULTINOMIAL
        )

        assert made.shape == (1_500, 1)
        assert (made == 3_000).all()


class TestScheme:
    def test_is_exact_below_two_thousand_questions(self):
        assert resampling.scheme_for(1_999) is Scheme.MULTINOMIAL
        assert resampling.scheme_for(2_000) is Scheme.MULTIPLIER
        assert "multipliers" in Scheme.MULTIPLIER.sentence


class TestInterval:
    # Efron and Tibshirani (1993), table 2.1: survival of the seven treated mice, mean 86.86,
    # standard error of the mean 25.24 by formula; the plug-in one (n instead of n - 1) is 23.36.
    def test_stands_on_the_bootstrap_error_of_the_mouse_data(self):
        mice = np.array([94, 197, 16, 38, 99, 141, 23], dtype=float)

        draws = drawn(mice, resamples=100_000)

        assert draws.mean() == pytest.approx(86.86, abs=0.3)
        assert draws.std() == pytest.approx(23.36, abs=0.2)
        found = mean_interval(mice, resamples=100_000)
        low, high = np.quantile(draws, [0.025, 0.975])
        assert found.low < low < 86.86 < high < found.high

    def test_nears_the_t_interval_for_well_behaved_means(self):
        values = np.random.default_rng(5).normal(size=30)

        found = mean_interval(values, resamples=40_000)

        half = 2.0452 * values.std(ddof=1) / np.sqrt(30)
        assert found.high - found.low == pytest.approx(2 * half, rel=0.03)
        assert found.n_clusters == 30

    @given(st.integers(0, 2**31), st.floats(-5, 5), st.floats(0.1, 5))
    def test_moves_and_stretches_with_the_values(self, seed, shift, stretch):
        values = np.random.default_rng(seed).normal(size=9)

        plain = mean_interval(values, resamples=200)
        moved = mean_interval(shift + stretch * values, resamples=200)

        assert moved.low == pytest.approx(shift + stretch * plain.low, abs=1e-9)
        assert moved.high == pytest.approx(shift + stretch * plain.high, abs=1e-9)

    def test_adds_independent_parts(self):
        rng = np.random.default_rng(1)
        halves = [0.5 * drawn(rng.normal(size=40), seed=seed) for seed in (1, 2)]

        both = resampling.interval(
            [DrawnPart(half, 40) for half in halves], scheme=Scheme.MULTINOMIAL
        )
        one = resampling.interval([DrawnPart(halves[0], 40)], scheme=Scheme.MULTINOMIAL)

        assert both.n_clusters == 80
        assert width(both) == pytest.approx(np.sqrt(2) * width(one), rel=0.25)

    @pytest.mark.parametrize("sizes", [[], [1], [2], [3], [2, 2], [3, 1], [2, 2, 1]])
    def test_refuses_fewer_than_four_questions_or_three_beyond_the_parts(self, sizes):
        parts = [DrawnPart(np.array([0.1, 0.2]), n) for n in sizes]

        found = resampling.interval(parts, scheme=Scheme.MULTINOMIAL)

        assert (found.low, found.high, found.reason) == (None, None, Reason.FEW_QUESTIONS)

    @pytest.mark.parametrize("sizes", [[4], [3, 2], [2, 2, 2], [4, 1]])
    def test_is_there_from_four_questions_or_three_beyond_the_parts(self, sizes):
        rng = np.random.default_rng(1)
        parts = [DrawnPart(drawn(rng.normal(size=n)), n) for n in sizes]

        found = resampling.interval(parts, scheme=Scheme.MULTINOMIAL)

        assert found.reason is None
        assert found.pooled == (min(sizes) < 4)

    def test_of_small_parts_is_that_of_the_t_test_with_one_variance(self):
        # Two samples of three: the classic two-sample test of Student (1908).
        left, right = np.array([1.0, 4.0, 2.0]), np.array([6.0, 9.0, 8.0])
        parts = [
            DrawnPart(drawn(left, resamples=20_000), 3),
            DrawnPart(-drawn(right, resamples=20_000), 3),
        ]
        known = stats.ttest_ind(left, right)

        found = resampling.interval(parts, scheme=Scheme.MULTINOMIAL)

        bounds = known.confidence_interval()
        assert (found.low, found.high) == pytest.approx((bounds.low, bounds.high), abs=0.1)

    def test_of_a_part_of_one_question_takes_the_variance_of_the_others(self):
        values, weight = np.array([1.0, 4.0, 2.0, 5.0, 3.0]), 0.25
        parts = [
            DrawnPart((1 - weight) * drawn(values, resamples=20_000), 5, 1 - weight),
            DrawnPart(np.full(20_000, weight * 7.0), 1, weight),
        ]

        found = resampling.interval(parts, scheme=Scheme.MULTINOMIAL)

        se = np.sqrt(values.var(ddof=1) * ((1 - weight) ** 2 / 5 + weight**2))
        half = stats.t.ppf(0.975, 4) * se
        centre = (1 - weight) * values.mean() + weight * 7
        assert (found.low, found.high) == pytest.approx((centre - half, centre + half), abs=0.06)

    @given(st.lists(st.integers(1, 4), min_size=2, max_size=4), st.integers(0, 99))
    def test_stays_within_the_values_there_are(self, sizes, seed):
        rng = np.random.default_rng(seed)
        parts = [DrawnPart(drawn(rng.random(n), resamples=99), n, 0.5) for n in sizes]

        found = resampling.interval(parts, scheme=Scheme.MULTINOMIAL, within=(0.9, 1.1))

        if found.pooled:
            assert found.low >= 0.9
            assert found.high <= 1.1

    def test_refuses_where_no_question_differs(self):
        assert mean_interval(np.ones(9)).reason is Reason.NO_SPREAD

    def test_refuses_where_most_resamples_are_empty(self):
        draws = np.array([0.1, np.nan, np.nan, 0.3, np.nan])

        found = resampling.interval([DrawnPart(draws, 5)], scheme=Scheme.MULTINOMIAL)

        assert found.reason is Reason.EMPTY_RESAMPLES


@pytest.mark.nightly
@pytest.mark.timeout(300)
class TestQuantiles:
    @given(
        st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
        st.floats(0, 1),
    )
    def test_are_those_of_numpy_to_the_last_digit(self, values, level):
        column = np.array(values)

        found = resampling._quantiles(column, level, 1 - level)

        assert found == np.quantile(column, [level, 1 - level]).tolist()
        assert column.tolist() == values


class TestCoverage:
    @pytest.mark.parametrize("n_questions", [30, 100])
    def test_is_93_to_97_percent_from_thirty_questions_on(self, n_questions):
        hits, trials = 0, 3_000
        rng = np.random.default_rng(n_questions)
        truth = 3 * 0.6
        for _ in range(trials):
            ability = rng.beta(3, 2, n_questions)  # marks of a question share its difficulty
            n_marks = rng.integers(3, 9, n_questions)
            tops = rng.binomial(3 * n_marks, ability).astype(float)
            sums = np.column_stack([tops, n_marks.astype(float)])
            made = resampling.resampled_sums(
                sums, resamples=1_000, rng=rng, scheme=Scheme.MULTINOMIAL
            )
            draws = made[:, 0] / made[:, 1]
            found = resampling.interval([DrawnPart(draws, n_questions)], scheme=Scheme.MULTINOMIAL)
            hits += covers(found, truth)

        assert 0.93 <= hits / trials <= 0.97

    def test_holds_for_the_multiplier_too(self):
        hits, trials, n = 0, 2_000, 60
        rng = np.random.default_rng(4)
        for _ in range(trials):
            sums = np.column_stack([rng.binomial(12, 0.8, n).astype(float), np.full(n, 12.0)])
            made = resampling.resampled_sums(
                sums, resamples=1_000, rng=rng, scheme=Scheme.MULTIPLIER
            )
            draws = made[:, 0] / made[:, 1]
            found = resampling.interval([DrawnPart(draws, n)], scheme=Scheme.MULTIPLIER)
            hits += covers(found, 0.8)

        assert 0.93 <= hits / trials <= 0.97
