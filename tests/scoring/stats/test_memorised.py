import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from scoring.stats.machines import memorised
from scoring.stats.plain import Reason

TOKENS = some.lists(some.floats(-20, 0), min_size=1, max_size=30)
HOW = {"resamples": 200, "seed": 1}


def texts(mean, n, seed):
    rng = np.random.default_rng(seed)
    return [list(-rng.gamma(2, mean / 2, 40)) for _ in range(n)]


class TestLoss:
    def test_is_the_mean_of_the_tokens(self):
        assert memorised.loss([-1.0, -2.0, -6.0]) == 3

    @pytest.mark.parametrize("bad", [[], [0.5], [float("nan")]])
    def test_refuses_what_is_no_log_probability(self, bad):
        with pytest.raises(ValueError, match="log-probabilities"):
            memorised.loss(bad)


class TestMinK:
    def test_averages_the_least_likely_tokens(self):
        assert memorised.min_k([-1, -9, -2, -3, -7, -1, -1, -1, -1, -1], 0.2) == -8
        assert memorised.min_k([-1, -9], 0.2) == -9

    @given(TOKENS, some.floats(0.05, 1))
    def test_is_never_above_the_mean_of_all(self, tokens, share):
        assert memorised.min_k(tokens, share) <= -memorised.loss(tokens) + 1e-9

    @pytest.mark.parametrize("share", [0, 1.5])
    def test_refuses_a_share_out_of_range(self, share):
        with pytest.raises(ValueError, match="share"):
            memorised.min_k([-1], share)


class TestLosses:
    def test_say_by_how_much_the_test_split_is_better_known(self):
        one = memorised.losses(texts(3, 80, 1), texts(1, 90, 2), **HOW)

        assert (one.n_train, one.n_test) == (80, 90)
        assert one.difference == pytest.approx(one.test - one.train)
        assert one.low < one.difference < one.high < -1.5

    def test_without_texts_of_a_kind_are_undefined(self):
        one = memorised.losses([[-1.0]], [], **HOW)

        assert (one.train, one.test, one.difference, one.reason) == (
            1,
            None,
            None,
            Reason.FEW_PAIRS,
        )

    def test_of_one_text_have_no_interval(self):
        one = memorised.losses([[-1.0]], [[-3.0]], **HOW)

        assert (one.difference, one.low, one.reason) == (2, None, None)


class TestArea:
    def test_equals_the_share_of_pairs_in_order(self):
        train, test = [[-5.0], [-3.0], [-3.0]], [[-1.0], [-3.0]]

        one = memorised.area(train, test, share=1, **HOW)

        # -1 beats three; -3 beats one and ties with two: (3 + 1 + 2 · ½) / 6.
        assert one.value == pytest.approx(5 / 6)

    def test_is_near_one_for_known_texts(self):
        known = memorised.area(texts(3, 60, 1), texts(0.5, 60, 2), share=0.2, **HOW)

        assert known.low > 0.95

    def test_of_equal_texts_has_one_half_in_its_interval_as_often_as_it_says(self):
        inside = 0
        for seed in range(0, 200, 2):
            how = {"share": 0.2, "resamples": 200, "seed": seed}
            one = memorised.area(texts(2, 50, seed), texts(2, 50, seed + 1), **how)
            inside += one.low < 0.5 < one.high

        assert 88 <= inside <= 99  # of 100, 95 expected

    @given(some.lists(TOKENS, min_size=1, max_size=6), some.lists(TOKENS, min_size=1, max_size=6))
    def test_turns_round_when_the_splits_do(self, train, test):
        how = {"share": 0.3, "resamples": 2, "seed": 1}
        one, other = memorised.area(train, test, **how), memorised.area(test, train, **how)

        assert math.isclose(one.value + other.value, 1)

    def test_without_texts_is_undefined(self):
        assert memorised.area([], [[-1.0]], share=0.2, **HOW).reason == Reason.FEW_PAIRS
        assert memorised.area([[-1.0]], [[-2.0]], share=0.2, **HOW).low is None


class TestRefusals:
    @pytest.mark.parametrize("bad", [{"resamples": 0}, {"confidence": 0}, {"confidence": 1.0}])
    def test_of_an_interval_that_cannot_be(self, bad):
        how = {**HOW, **bad}

        with pytest.raises(ValueError, match="at least one"):
            memorised.losses([[-1.0]], [[-3.0]], **how)
        with pytest.raises(ValueError, match="at least one"):
            memorised.area([[-1.0]], [[-3.0]], share=0.2, **how)
