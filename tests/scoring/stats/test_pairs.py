import numpy as np
import pytest
from statsmodels.stats import inter_rater

from scoring.stats.people import agreement as pairs
from scoring.stats.plain import Reason, plain
from tests.scoring import definitions, marks
from tests.scoring.marks import units_of


def only(table, **options):
    (found,) = pairs.pairs(units_of(table, **options), weights="nominal")
    return found


def equal_the_definition(n, seed):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        q = int(rng.integers(2, 6))
        rows = rng.integers(0, q, (int(rng.integers(2, 16)), 2)).tolist()
        units = units_of(rows, levels=range(q))
        for name in ("nominal", "linear", "quadratic"):
            (found,) = pairs.pairs(units, weights=name, resamples=0)
            exact = definitions.kappa(rows, q, name)
            assert (found.value is None) == (exact is None)
            assert exact is None or found.value == pytest.approx(float(exact), abs=1e-9)


class TestPairs:
    def test_of_the_kappa_paradox(self):
        found = only([(1, 1)] * 118 + [(1, 0)] * 5 + [(0, 1)] * 2, levels=[0, 1])

        assert (round(found.value, 3), found.raw, found.n_units) == (-0.023, 0.944, 125)

    def test_equal_the_definition(self):
        equal_the_definition(150, seed=1)

    @pytest.mark.nightly
    @pytest.mark.timeout(3000)
    def test_equal_the_definition_on_very_many_designs(self):
        equal_the_definition(10_000, seed=2)

    @pytest.mark.nightly
    @pytest.mark.timeout(3000)
    def test_lie_in_93_to_97_percent_of_their_intervals(self):
        rng = np.random.default_rng(3)

        def drawn(n):
            worth = np.repeat(rng.normal(1.5, 1, n), 2) + rng.normal(0, 0.5, 2 * n)
            table = np.rint(worth[:, None] + rng.normal(0, 0.6, (2 * n, 2)) + [0, 0.3])
            rows = np.clip(table, 0, 3).astype(int).tolist()
            return units_of(rows, levels=range(4), cluster=np.arange(2 * n) // 2)

        (whole,) = pairs.pairs(drawn(30_000), resamples=0)
        found = [pairs.pairs(drawn(60), seed=rng)[0] for _ in range(1_500)]

        hits = np.mean([one.low <= whole.value <= one.high for one in found])
        assert 0.93 <= hits <= 0.97

    def test_have_an_interval_around_them(self):
        table = marks.many(200, 2).tolist()
        (found,) = pairs.pairs(units_of(table, levels=range(5)))

        assert found.low < found.value < found.high
        assert plain(found)["n_clusters"] == 200

    def test_are_one_for_every_two_raters(self):
        found = pairs.pairs(units_of([[0, 1, 0], [1, 1, 1]], levels=[0, 1]), resamples=0)

        assert [(one.left, one.right) for one in found] == [(0, 1), (0, 2), (1, 2)]
        assert found[0].interval_reason is Reason.NOT_RESAMPLED

    @pytest.mark.parametrize(
        ("table", "reason"),
        [([[0, None], [None, 1]], Reason.NO_OVERLAP), ([[1, 1], [1, 1]], Reason.ONE_LEVEL)],
    )
    def test_are_undefined_with_a_reason(self, table, reason):
        found = only(table, levels=[0, 1])

        assert (found.value, found.reason) == (None, reason)

    def test_of_nobody_are_none(self):
        assert pairs.pairs(units_of([[None, None]])) == ()

    def test_of_one_question_have_no_interval(self):
        found = only([[0, 1], [1, 1]], cluster=[0, 0])

        assert found.interval_reason is Reason.FEW_QUESTIONS


class TestKappas:
    @pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
    @pytest.mark.parametrize("seed", range(5))
    def test_are_those_of_statsmodels(self, weights, seed):
        tables = np.random.default_rng(seed).integers(0, 20, (3, 4, 4)).astype(np.float64)
        wt = None if weights == "nominal" else weights

        found = pairs.kappas(tables, pairs.weight_matrix(np.arange(4.0), weights))

        expected = [inter_rater.cohens_kappa(one, wt=wt, return_results=False) for one in tables]
        assert found == pytest.approx(expected, abs=1e-9)
