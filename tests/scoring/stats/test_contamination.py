import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from scoring.stats.machines import contamination
from scoring.stats.plain import Reason

SYSTEMS = some.lists(
    some.tuples(some.integers(0, 100), some.integers(0, 100)), min_size=4, max_size=9
)


def found(pairs):
    x, y = np.array(pairs, float).T
    return contamination.against_accuracy(x, y)


class TestAgainstAccuracy:
    def test_gives_the_line_and_the_residual_of_a_worked_example(self):
        # Anscombe (1973), third set: the third point lies off a line the others lie on.
        x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
        y = [7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73]

        one = found(list(zip(x, y, strict=True)))

        assert one.line.slope == pytest.approx(0.4997, abs=1e-4)
        assert one.line.intercept == pytest.approx(3.0025, abs=1e-4)
        assert one.line.r == pytest.approx(0.81629, abs=1e-5)
        off = one.distances[2]
        assert (off.without.intercept, off.without.slope) == pytest.approx(
            (4.0056, 0.3454), abs=1e-4
        )
        assert off.studentised == pytest.approx(1203.54, rel=1e-4)
        assert one.flagged() == ()  # it lies above the line

    def test_flags_a_system_far_below_the_line_of_the_others(self):
        rng = np.random.default_rng(1)
        x = np.linspace(30, 90, 10)
        y = 20 + 0.8 * x + rng.normal(0, 1, 10)
        y[7] -= 25

        assert contamination.against_accuracy(x, y).flagged() == (7,)

    def test_flags_by_chance_about_as_often_as_it_says(self):
        rng = np.random.default_rng(2)
        x = np.linspace(30, 90, 8)
        often = sum(
            bool(contamination.against_accuracy(x, x + rng.normal(0, 5, 8)).flagged())
            for _ in range(1_000)
        )

        assert 25 <= often <= 75  # of 1,000 at 5 %

    def test_finds_that_yi_spoils_the_correlation_of_the_papers_table(self, golden):
        with (golden / "kieval" / "tables15_19_full.csv").open() as file:
            rows = [one for one in csv.DictReader(file) if one["dataset"] == "C-Eval"]

        one = found([(float(row["acc_5shot"]), float(row["overall"])) for row in rows])

        yi = [row["model"] for row in rows].index("Yi 6B")
        assert one.line.r == pytest.approx(0.427, abs=0.0015)
        assert one.distances[yi].without.r == pytest.approx(0.924, abs=0.0015)
        assert min(one.distances, key=lambda each: each.studentised) == one.distances[yi]

    @given(SYSTEMS, some.integers(1, 9), some.integers(-50, 50))
    def test_does_not_depend_on_the_unit_of_accuracy(self, pairs, factor, shift):
        one, other = found(pairs), found([(x * factor + shift, y) for x, y in pairs])

        for left, right in zip(one.distances, other.distances, strict=True):
            assert left.reason == right.reason
            if left.studentised is not None:
                assert left.studentised == pytest.approx(right.studentised, rel=1e-6, abs=1e-8)

    @pytest.mark.parametrize(
        ("pairs", "reason"),
        [([(1, 2)], Reason.FEW_PAIRS), ([(1, 2), (1, 3)], Reason.CONSTANT_REFERENCE)],
    )
    def test_is_undefined_with_a_reason(self, pairs, reason):
        one = found(pairs)

        assert (one.line, one.reason) == (None, reason)
        assert {each.reason for each in one.distances} == {reason}

    def test_knows_no_distance_of_few_systems_or_of_those_that_lie_on_a_line(self):
        few, exact = found([(1, 2), (2, 1), (3, 3)]), found([(1, 1), (2, 2), (3, 3), (4, 4)])
        alone = found([(1, 1), (1, 2), (1, 3), (4, 4)])

        assert {one.reason for one in few.distances} == {Reason.FEW_PAIRS}
        assert {one.reason for one in exact.distances} == {Reason.NO_SPREAD}
        assert alone.distances[3].reason == Reason.CONSTANT_REFERENCE

    def test_refuses_what_does_not_fit(self):
        with pytest.raises(ValueError, match="every system"):
            contamination.against_accuracy(np.array([1.0, 2.0]), np.array([1.0, np.nan]))
