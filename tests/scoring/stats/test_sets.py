from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import scales
from scoring.stats.people import sets
from scoring.stats.plain import Reason
from scoring.stats.resampled import units
from tests.scoring.marks import units_of


def number(*places):
    return float(scales.one_number(places))


def apart(left, right, distance):
    return sets.distances(np.array([number(*left), number(*right)]), distance)[0, 1]


def value(table, name):
    return sets.agreement(units_of(table), resamples=0).find(name).value


class TestDistances:
    @pytest.mark.parametrize(
        ("left", "right", "jaccard", "masi"),
        [
            ((1, 2), (1, 2), 0, 0),
            ((1,), (1, 2), 1 / 2, 1 - 1 / 2 * 2 / 3),
            ((1, 2), (1, 2, 3, 4), 1 / 2, 1 - 1 / 2 * 2 / 3),
            ((1, 2), (2, 3), 2 / 3, 1 - 1 / 3 * 1 / 3),
            ((1, 2), (3,), 1, 1),
            ((), (), 0, 0),
            ((), (1,), 1, 1),
        ],
    )
    def test_follow_passonneaus_definition(self, left, right, jaccard, masi):
        assert apart(left, right, "jaccard") == pytest.approx(jaccard)
        assert apart(left, right, "masi") == pytest.approx(masi)

    @given(st.lists(st.integers(0, 255), min_size=2, max_size=8, unique=True))
    def test_lie_between_nought_and_one_and_masi_is_never_nearer(self, numbers):
        near, far = (sets.distances(np.array(numbers, float), one) for one in ("jaccard", "masi"))

        assert np.array_equal(near, near.T)
        assert (np.diag(near) == 0).all()
        assert ((near >= 0) & (near <= far + 1e-12) & (far <= 1)).all()

    @pytest.mark.parametrize("wrong", [-1.0, 1.5])
    def test_refuse_what_stands_for_no_set(self, wrong):
        with pytest.raises(ValueError, match="no set of labels"):
            sets.distances(np.array([wrong]), "masi")


class TestAgreement:
    def test_is_as_worked_out_by_hand(self):
        # {1} with {1, 2}, and {1, 2} twice: d is 1/2 by Jaccard and 2/3 by MASI. Both orders of the
        # one pair that differs: D_o = 2d/4 = d/2. {1} once and {1, 2} three times, of 4 marks:
        # D_e = 2·1·3·d/(4·3) = d/2. So alpha is 1 − 1 = 0, by both.
        table = [(number(1), number(1, 2)), (number(1, 2), number(1, 2))]

        assert value(table, "alpha_masi") == pytest.approx(0)
        assert value(table, "alpha_jaccard") == pytest.approx(0)
        assert value(table, "raw") == 0.5

    def test_weighs_by_distance(self):
        # d(1, 12) = 1/2, d(12, 3) = d(1, 3) = 1. Pairs: {1}{12}, {12}{12}, {3}{3}.
        # D_o = 2·(1/2)/6 = 1/6. Marks: {1} once, {12} three times, {3} twice:
        # D_e = 2·(1·3/2 + 3·2·1 + 1·2·1)/(6·5) = 19/30. Alpha = 1 − 5/19 = 14/19.
        table = [
            (number(1), number(1, 2)),
            (number(1, 2), number(1, 2)),
            (number(3), number(3)),
        ]

        assert value(table, "alpha_jaccard") == pytest.approx(14 / 19)

    @given(
        st.lists(
            st.lists(st.integers(0, 7), min_size=2, max_size=4),
            min_size=2,
            max_size=12,
        )
    )
    def test_is_krippendorffs_alpha_pair_by_pair(self, table):
        marks = [float(one) for row in table for one in row]
        if len(set(marks)) < 2:
            return
        observed = sum(
            apart(scales.places(a), scales.places(b), "masi") / (len(row) - 1)
            for row in table
            for a, b in permutations(row, 2)
        ) / len(marks)
        expected = sum(
            apart(scales.places(a), scales.places(b), "masi") for a, b in permutations(marks, 2)
        ) / (len(marks) * (len(marks) - 1))

        assert value(table, "alpha_masi") == pytest.approx(1 - observed / expected)

    def test_has_intervals_over_questions(self):
        rng = np.random.default_rng(1)
        table = [(one, one if n % 4 else one ^ 1) for n, one in enumerate(rng.integers(0, 8, 40))]

        found = sets.agreement(units_of(table), seed=3).find("alpha_masi")

        assert found.low < found.value < found.high

    @pytest.mark.parametrize(
        ("table", "reason"),
        [
            ([], Reason.NO_GRADES),
            ([(1,), (2,)], Reason.ONE_RATER),
            ([(3, 3), (3, 3)], Reason.ONE_LEVEL),
        ],
    )
    def test_says_why_there_is_none(self, table, reason):
        found = sets.agreement(units_of(table))

        assert found.find("alpha_masi").value is None
        assert found.find("alpha_masi").reason is reason

    def test_refuses_numbers_that_are_no_sets(self):
        made = units.units(unit=["a", "a"], rater=["x", "y"], value=[1.5, 2])

        with pytest.raises(ValueError, match="no set of labels"):
            sets.agreement(made)
