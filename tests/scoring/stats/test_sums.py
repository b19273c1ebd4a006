from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import frame
from scoring.stats.resampled import exact as sums

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["K", "H"]),
        st.integers(min_value=0, max_value=8).map(lambda n: n / 4),
    ),
    min_size=1,
    max_size=30,
)


def table(rows, **more):
    columns = {
        "group": [row[0] for row in rows],
        "release": [row[1] for row in rows],
        "value": [row[2] for row in rows],
        "criterion": ["grade"] * len(rows),
        "rater": [f"r{place}" for place in range(len(rows))],
        "scale_min": [0] * len(rows),
        "scale_max": [2] * len(rows),
        "pass_at": [1] * len(rows),
    }
    return frame.frame({**columns, **more})


def by_release(made) -> dict[object, tuple[Fraction, Fraction, int, int]]:
    found = {}
    for cell in made.cells:
        block = made.blocks[cell.block]
        found[cell.release] = (
            Fraction(int(block.num[cell.row].sum()), made.unit),
            Fraction(int(block.den[cell.row].sum()), made.unit),
            int(block.passed[cell.row].sum()),
            int(block.count[cell.row].sum()),
        )
    return found


class TestGradeSums:
    def test_adds_marks_ranges_passes_and_counts(self):
        made = sums.grade_sums(table([("q1", "K", 2), ("q1", "K", 0.5), ("q2", "H", 1)]))

        assert by_release(made) == {"K": (Fraction(5, 2), 4, 1, 2), "H": (1, 2, 1, 1)}
        assert (made.exact, made.n_questions) == (True, 2)

    @given(ROWS)
    def test_loses_nothing_and_knows_no_order(self, rows):
        made = by_release(sums.grade_sums(table(rows)))

        assert made == by_release(sums.grade_sums(table(rows[::-1])))
        assert sum(one[0] for one in made.values()) == sum(Fraction(row[2]) for row in rows)
        assert sum(one[3] for one in made.values()) == len(rows)

    def test_starts_from_the_lowest_mark_of_the_scale(self):
        rows = [("q1", "K", 1), ("q1", "K", 5)]
        made = sums.grade_sums(table(rows, scale_min=[1, 1], scale_max=[5, 5]))
        of_top = sums.grade_sums(
            table(rows, scale_min=[1, 1], scale_max=[5, 5]), convention="of_top"
        )

        assert by_release(made)["K"][:2] == (4, 8)
        assert by_release(of_top)["K"][:2] == (6, 10)

    def test_refuses_grades_without_a_question(self):
        with pytest.raises(ValueError, match="no group"):
            sums.grade_sums(table([("q1", "K", 1), (None, "K", 1)]))

    def test_refuses_sums_beyond_what_is_exact(self):
        rows = [("q1", "K", 1)]

        with pytest.raises(ValueError, match="summed exactly"):
            sums.grade_sums(table(rows, value=[1e15], scale_max=[1e16]))
