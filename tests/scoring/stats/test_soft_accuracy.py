import itertools

import numpy as np
import pytest

from scoring.stats.judges import accuracy as soft_accuracy
from scoring.stats.plain import Reason, plain
from tests.scoring.stats.test_pairwise_accuracy import pairs_of


def exact_p(gaps):
    """Return the p over all exchanges, not a sample of them."""
    seen = sum(gaps)
    sums = [
        sum(s * g for s, g in zip(signs, gaps, strict=True))
        for signs in itertools.product((1, -1), repeat=len(gaps))
    ]
    return np.mean([one >= seen - 1e-9 for one in sums])


class TestSoftAccuracy:
    def test_of_a_judge_like_people_is_one(self):
        values = np.random.default_rng(1).normal(size=60)
        found = soft_accuracy.soft_accuracy(pairs_of(values, 3 * values + 1, n_systems=3))

        assert found.value == 1
        assert (found.n_pairs, found.n_left_out) == (3, 0)

    def test_of_a_judge_against_people_is_none(self):
        human = np.tile([1.0, 5.0], 12) + np.arange(24) / 100
        found = soft_accuracy.soft_accuracy(pairs_of(-human, human, n_systems=2))

        assert found.value == pytest.approx(0, abs=0.01)

    def test_comes_near_the_exchange_of_all(self):
        rng = np.random.default_rng(5)
        judge, human = rng.integers(0, 9, 20), rng.integers(0, 4, 20)
        of = pairs_of(judge, human, n_systems=2)
        found = soft_accuracy.soft_accuracy(of, permutations=20_000)
        p = [exact_p((side[0::2] - side[1::2]).tolist()) for side in (judge, human)]

        assert found.value == pytest.approx(1 - abs(p[0] - p[1]), abs=0.01)

    def test_is_kind_where_people_cannot_tell(self):
        human = np.tile([1.0, 0.0, 0.0, 1.0], 50)
        judge = np.tile([2.0, 1.0], 100) + np.random.default_rng(6).normal(size=200)
        found = soft_accuracy.soft_accuracy(pairs_of(judge, human, n_systems=2))

        assert 0.4 < found.value < 0.6

    def test_leaves_out_systems_without_a_common_group(self):
        human = [1, np.nan, 2, np.nan, np.nan, 3, np.nan, 4]
        found = soft_accuracy.soft_accuracy(pairs_of([1.0] * 8, human, n_systems=2))

        assert (found.value, found.reason, found.n_left_out) == (None, Reason.FEW_PAIRS, 1)
        assert plain(found)["method"].startswith("1 −")

    def test_refuses_no_permutation(self):
        with pytest.raises(ValueError, match="at least one permutation"):
            soft_accuracy.soft_accuracy(pairs_of([1, 2], [1, 2], n_systems=2), permutations=0)
