import numpy as np
import pytest
from scipy import stats as scipy_stats

from scoring.stats.judges import deviation as bias
from scoring.stats.plain import Reason, plain


def told(rng, n=400, size=4):
    cluster = np.arange(n) // size
    human = rng.random(n)
    return {"judge": human + rng.normal(0, 0.1, n), "human": human, "cluster": cluster}


class TestLength:
    def test_finds_what_was_put_in(self):
        rng = np.random.default_rng(1)
        one = told(rng)
        length = 2.0 ** rng.integers(4, 10, 400)
        found = bias.bias(**one | {"judge": one["judge"] + 0.05 * np.log2(length)}, length=length)

        assert found.length.slope.low < 0.05 < found.length.slope.high
        assert found.length.correlation.low > 0
        assert plain(found)["n"] == 400

    def test_is_the_correlation_of_what_regressions_leave(self):
        rng = np.random.default_rng(2)
        one = told(rng, n=60, size=60)
        length = rng.integers(10, 900, 60).astype(float)
        found = bias.bias(**one, length=length, resamples=0)
        left = [
            side - np.polyval(np.polyfit(one["human"], side, 1), one["human"])
            for side in (one["judge"], np.log2(length))
        ]

        assert found.length.correlation.value == pytest.approx(
            scipy_stats.pearsonr(*left).statistic
        )
        assert found.length.slope.value == pytest.approx(
            np.polyfit(np.log2(length), one["judge"] - one["human"], 1)[0]
        )
        assert found.length.slope.interval_reason is Reason.FEW_QUESTIONS

    def test_overall_is_the_correlation_with_its_logarithm(self):
        rng = np.random.default_rng(7)
        one = told(rng)
        length = rng.integers(10, 900, 400).astype(float)
        found = bias.bias(**one | {"judge": one["judge"] + length / 900}, length=length).length

        known = scipy_stats.pearsonr(one["judge"] + length / 900, np.log2(length)).statistic
        assert found.overall.value == pytest.approx(known)
        assert found.overall.low < known < found.overall.high

    def test_overall_does_not_depend_on_unit_or_place(self):
        rng = np.random.default_rng(8)
        one, length = told(rng, n=40), rng.integers(10, 900, 40).astype(float)
        moved = one | {"judge": one["judge"] * 3 + 1e6}

        first, second = (
            bias.bias(**each, length=far, resamples=0).length.overall.value
            for each, far in ((one, length), (moved, length * 7))
        )

        assert first == pytest.approx(second)

    def test_of_a_fair_judge_is_about_none(self):
        rng = np.random.default_rng(3)
        found = bias.bias(**told(rng), length=rng.integers(10, 900, 400).astype(float))

        assert found.length.slope.low < 0 < found.length.slope.high

    def test_needs_lengths_that_are_known_and_differ(self):
        rng = np.random.default_rng(4)
        assert bias.bias(**told(rng)).length.slope.reason is Reason.NO_LENGTHS
        flat = bias.bias(**told(rng), length=np.full(400, 8.0))
        assert flat.length.correlation.reason is Reason.NO_GROUP_VARIES
        assert flat.length.overall.reason is Reason.NO_GROUP_VARIES


class TestPositions:
    def test_show_who_is_preferred(self):
        rng = np.random.default_rng(5)
        one = told(rng)
        position = np.tile([1.0, 2.0, 3.0, 4.0], 100)
        found = bias.bias(
            **one | {"judge": one["judge"] + 0.2 * (position == 1)}, position=position
        )

        assert found.positions[0].residual.value == pytest.approx(0.15, abs=0.03)
        assert sum(p.residual.value for p in found.positions) == pytest.approx(0, abs=1e-9)
        assert [p.n for p in found.positions] == [100] * 4

    def test_are_none_where_there_is_one(self):
        found = bias.bias(**told(np.random.default_rng(6)), position=np.ones(400), resamples=0)

        assert (found.positions, found.position_reason) == ((), Reason.NO_POSITIONS)


class TestFamily:
    def test_finds_a_judge_who_prefers_its_own(self):
        rng = np.random.default_rng(7)
        one = told(rng)
        own = np.tile([1.0, 0.0, 0.0, np.nan], 100)
        found = bias.bias(**one | {"judge": one["judge"] + 0.1 * (own == 1)}, own=own)

        assert found.family.difference.low < 0.1 < found.family.difference.high
        assert (found.family.n_own, found.family.n_other) == (100, 200)

    def test_turns_with_the_families(self):
        rng = np.random.default_rng(8)
        one, own = told(rng), np.tile([1.0, 0.0, 0.0, 1.0], 100)
        here, there = (bias.bias(**one, own=side, resamples=0) for side in (own, 1 - own))

        assert here.family.difference.value == pytest.approx(-there.family.difference.value)
        assert here.family.difference.interval_reason is Reason.NOT_RESAMPLED

    def test_needs_both_sides(self):
        found = bias.bias(**told(np.random.default_rng(9)), own=np.ones(400), resamples=0)

        assert found.family.difference.reason is Reason.NO_FAMILY


def test_refuses_uneven_columns():
    with pytest.raises(ValueError, match="differ in length"):
        bias.bias(**told(np.random.default_rng(1)), length=np.ones(3))


def test_of_nothing_is_undefined():
    none = np.full(3, np.nan)
    found = bias.bias(judge=none, human=none, cluster=np.arange(3), length=np.ones(3))

    assert (found.n, found.n_clusters) == (0, 0)
    assert found.length.slope.reason is Reason.NO_LENGTHS
