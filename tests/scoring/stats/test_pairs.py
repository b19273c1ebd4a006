from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import pairs
from scoring.stats.reasons import Reason
from tests.scoring import marks
from tests.scoring.marks import units_of


def only(table, **options):
    (found,) = pairs.pairs(units_of(table, **options), weights="nominal")
    return found


def slow_kappa(rows, weight):
    n = len(rows)
    raw = sum((Fraction(weight(a, b)) for a, b in rows), Fraction(0)) / n
    chance = sum((Fraction(weight(a, b)) for a, _ in rows for _, b in rows), Fraction(0)) / n**2
    return (raw - chance) / (1 - chance)


class TestPairs:
    def test_of_the_kappa_paradox(self):
        found = only([(1, 1)] * 118 + [(1, 0)] * 5 + [(0, 1)] * 2, levels=[0, 1])

        assert (round(found.value, 3), found.raw, found.n_units) == (-0.023, 0.944, 125)

    @given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20))
    def test_equal_the_definition(self, rows):
        weights = {
            "nominal": lambda a, b: int(a == b),
            "linear": lambda a, b: 1 - Fraction(abs(a - b), 3),
            "quadratic": lambda a, b: 1 - Fraction((a - b) ** 2, 9),
        }
        for name, weight in weights.items():
            (found,) = pairs.pairs(units_of(rows, levels=range(4)), weights=name, resamples=0)
            if found.reason is None:
                assert found.value == pytest.approx(float(slow_kappa(rows, weight)), abs=1e-9)

    def test_have_an_interval_around_them(self):
        table = marks.many(200, 2).tolist()
        (found,) = pairs.pairs(units_of(table, levels=range(5)))

        assert found.low < found.value < found.high
        assert found.plain()["n_clusters"] == 200

    def test_are_one_for_every_two_raters(self):
        found = pairs.pairs(units_of([[0, 1, 0], [1, 1, 1]], levels=[0, 1]), resamples=0)

        assert [one[:2] for one in pairs.heatmap(found)] == [(0, 1), (0, 2), (1, 2)]
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
