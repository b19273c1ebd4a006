import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.judges import deviation
from scoring.stats.plain import Reason, plain


def confused(table, levels=None, **options):
    """Return the confusion of a table: people down, judge across."""
    levels = levels or list(range(len(table)))
    rows = [
        (levels[i], levels[j])
        for i, row in enumerate(table)
        for j, n in enumerate(row)
        for _ in range(n)
    ]
    human, judge = np.array(rows, dtype=float).reshape(-1, 2).T
    made = {
        "judge": judge,
        "human": human,
        "cluster": np.arange(len(rows)),
        "levels": levels,
        "resamples": 0,
    }
    return deviation.confusion(**made | options)


class TestDeviation:
    def test_of_three_responses(self):
        found = deviation.deviation(
            judge=np.array([3.0, 4.0, 5.0, 1.0]),
            human=np.array([2.0, 4.0, 3.0, np.nan]),
            cluster=np.array([0, 1, 2, 3]),
            resamples=0,
        )

        assert (found.shift.value, found.mae.value) == (1, 1)
        assert found.rmse.value == pytest.approx(np.sqrt(5 / 3))
        assert (found.n, found.n_left_out, found.shift.interval_reason) == (
            3,
            1,
            Reason.NOT_RESAMPLED,
        )

    def test_has_intervals_over_questions(self):
        rng = np.random.default_rng(1)
        human = rng.normal(size=300)
        found = deviation.deviation(
            judge=human + 0.5 + rng.normal(size=300), human=human, cluster=np.arange(300) // 3
        )

        assert found.shift.low < 0.5 < found.shift.high
        assert found.rmse.low < found.rmse.value < found.rmse.high
        assert plain(found)["n_clusters"] == 100

    def test_turns_with_the_sides(self):
        rng = np.random.default_rng(2)
        one, two, cluster = rng.normal(size=40), rng.normal(size=40), np.arange(40)
        here = deviation.deviation(judge=one, human=two, cluster=cluster, resamples=0)
        there = deviation.deviation(judge=two, human=one, cluster=cluster, resamples=0)

        assert here.shift.value == pytest.approx(-there.shift.value)
        assert here.mae == there.mae

    def test_of_nothing_is_undefined(self):
        none = np.full(3, np.nan)
        found = deviation.deviation(judge=none, human=none, cluster=np.arange(3))

        assert (found.mae.value, found.mae.reason) == (None, Reason.FEW_PAIRS)

    def test_of_one_question_has_no_interval(self):
        found = deviation.deviation(
            judge=np.arange(4.0), human=np.zeros(4), cluster=np.zeros(4, dtype=int)
        )

        assert found.shift.interval_reason is Reason.FEW_QUESTIONS

    def test_refuses_uneven_columns(self):
        with pytest.raises(ValueError, match="differ in length"):
            deviation.deviation(judge=np.zeros(2), human=np.zeros(3), cluster=np.arange(3))


class TestConfusion:
    def test_of_cohens_table(self):
        # Cohen (1960), table 1: 200 cases, p_o = .70, p_c = .41.
        found = confused([[88, 14, 18], [10, 40, 10], [2, 6, 12]])

        assert found.accuracy.value == pytest.approx(0.70)
        assert found.kappa.value == pytest.approx((0.70 - 0.41) / (1 - 0.41))
        assert found.constant_level == 0
        assert found.constant_accuracy == pytest.approx(0.6)

    def test_has_figures_by_class(self):
        found = confused([[8, 2], [4, 6]])
        low, high = found.classes

        assert (low.precision, low.recall) == (pytest.approx(8 / 12), pytest.approx(0.8))
        assert high.f1 == pytest.approx(12 / 18)
        assert found.macro_f1.value == pytest.approx((16 / 22 + 12 / 18) / 2)
        assert found.constant_macro_f1 == pytest.approx((20 / 30 + 0) / 2)

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30))
    def test_has_the_quadratic_kappa_of_the_definition(self, rows):
        human, judge = (np.array(side, dtype=float) for side in zip(*rows, strict=True))
        found = deviation.confusion(
            judge=judge, human=human, cluster=np.arange(len(rows)), levels=range(4), resamples=0
        )
        seen = np.mean((judge - human) ** 2)
        chance = np.mean((judge[:, None] - human) ** 2)
        if chance:
            assert found.kappa_quadratic.value == pytest.approx(1 - seen / chance)
        else:
            assert found.kappa_quadratic.reason is Reason.ONE_LEVEL

    def test_of_a_constant_judge_is_no_better_than_the_constant(self):
        found = confused([[6, 0], [4, 0]])

        assert found.kappa.value == 0
        assert found.accuracy.value == found.constant_accuracy
        assert found.classes[1].precision is None

    def test_has_intervals(self):
        found = confused([[30, 10], [12, 28]], resamples=500)

        assert found.kappa.low < found.kappa.value < found.kappa.high
        assert plain(found)["table"] == [[30, 10], [12, 28]]

    def test_of_one_level_is_undefined(self):
        found = confused([[5]])

        assert (found.kappa.value, found.kappa.reason) == (None, Reason.ONE_LEVEL)
        assert found.accuracy.value == 1

    def test_of_nothing_is_undefined(self):
        found = confused([[0, 0], [0, 0]], resamples=10)

        assert (found.accuracy.reason, found.constant_level) == (Reason.FEW_PAIRS, None)

    def test_of_one_question_has_no_interval(self):
        found = confused([[2, 1], [1, 2]], cluster=np.zeros(6, dtype=int), resamples=10)

        assert found.kappa.interval_reason is Reason.FEW_QUESTIONS

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"levels": [1, 1]}, "must rise"),
            ({"judge": np.array([0, 0.5, 1, 1])}, "no level of the scale"),
            ({"cluster": np.arange(2)}, "differ in length"),
        ],
    )
    def test_refuses_what_does_not_fit(self, change, words):
        with pytest.raises(ValueError, match=words):
            confused([[1, 1], [1, 1]], **change)
