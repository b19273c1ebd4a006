from fractions import Fraction

import numpy as np
import pytest

from scoring.stats.scores.fluctuation import Regraded, two_rounds


class TestTwoRounds:
    def test_know_what_both_have(self):
        made = two_rounds(
            [Regraded("q1", "q1a", "x", 1, 2), Regraded("q2", "q2a", "y", 2, 2)],
            [Regraded("q1", "q1b", "x", 2, 2), Regraded("q3", "q3a", "z", 0, 4)],
        )

        assert made.common_questions.tolist() == [True, False, False]
        assert not made.unchanged.any()
        assert made.common_raters.tolist() == [True, False, False]
        assert (made.mean(0), made.mean(1)) == (Fraction(3, 4), Fraction(1, 3))
        assert made.drift() is None

    def test_measure_drift_on_what_one_rater_graded_twice(self):
        made = two_rounds(
            [Regraded(1, 1, "x", 2, 2), Regraded(1, 1, "y", 0, 2)],
            [Regraded(1, 1, "x", 1, 2), Regraded(1, 1, "z", 0, 2)],
        )

        assert made.drift() == Fraction(1, 2)

    def test_repeated_weigh_their_times(self):
        made = two_rounds(
            [Regraded(1, 1, 1, 1, 1), Regraded(2, 2, 1, 0, 1)], [Regraded(1, 1, 1, 1, 1)]
        )

        assert made.repeated(np.array([3, 1, 1])).mean(0) == Fraction(3, 4)

    def test_need_grades_in_both(self):
        record = Regraded(1, 1, 1, 1, 1)
        with pytest.raises(ValueError, match="Both rounds"):
            two_rounds([record], [])
        with pytest.raises(ValueError, match="Both rounds"):
            two_rounds([record], [record]).repeated(np.array([1, 0]))

    def test_need_scales_with_a_width(self):
        with pytest.raises(ValueError, match="no width"):
            two_rounds([Regraded(1, 1, 1, 0, 0)], [Regraded(1, 1, 1, 1, 1)])
