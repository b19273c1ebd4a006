import numpy as np
import pytest

from scoring.stats import multiple
from scoring.stats.judges import pairs
from scoring.stats.plain import plain
from scoring.stats.resampled import exact
from tests.scoring import judged_beside as beside


def made():
    good, human = beside.noisy(6, 12, noise=0.3)
    rng = np.random.default_rng(1)
    noisy = np.round(good + rng.normal(0, 2, good.shape), 2)
    columns = {"good": good, "noisy": noisy, "copy": good}
    values = {name: exact.values(one.ravel()) for name, one in columns.items()}
    return beside.rows_of(6, 12), values, exact.values(human.ravel())


class TestBetween:
    def test_has_every_two_judges_once(self):
        table, judges, _ = made()

        found = pairs.between(table, judges, "pooled", names=["kendall_b"])

        assert [(one.left, one.right) for one in found] == [
            ("good", "noisy"),
            ("good", "copy"),
            ("noisy", "copy"),
        ]
        assert found[1].correlation.value == 1
        assert found[0].correlation.value == found[2].correlation.value
        assert plain(found[0])["interval"] is None

    def test_against_some_has_a_row_for_each_judge_and_intervals(self):
        table, judges, human = made()

        found = pairs.between(
            table, judges, "system", against={"people": human}, names=["pearson"], resamples=60
        )

        assert [(one.left, one.right) for one in found] == [(name, "people") for name in judges]
        assert found[0].interval.low < found[0].correlation.value


class TestCompared:
    def test_tests_every_two_and_corrects_for_their_number(self):
        table, judges, human = made()

        found = pairs.compared(table, judges, human, "item", coefficient="pearson", resamples=199)

        for name in ("permutation", "williams"):
            ps = [getattr(one, name).p for one in found]
            assert [getattr(one, name).p_holm for one in found] == multiple.holm(ps)
        good_noisy, good_copy, _ = found
        assert good_noisy.permutation.p < 0.05
        assert (good_copy.permutation.p, good_copy.williams.p) == (1, None)
        assert plain(found[0])["left"] == "good"

    def test_is_each_test_alone(self):
        table, judges, human = made()
        options = {"coefficient": "spearman", "alternative": "greater"}

        found = pairs.compared(
            table, judges, human, "system", swapped="items", resamples=50, seed=2, **options
        )

        sides = (table, judges["good"], judges["noisy"], human, "system")
        known = pairs.permutation(*sides, swapped="items", resamples=50, seed=2, **options)
        assert found[0].permutation.p == known.p
        assert found[0].williams.p == pytest.approx(pairs.williams(*sides, **options).p)
