import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import frame
from scoring.stats.resampled import units
from tests.scoring import marks


class TestUnits:
    def test_counts_levels_whether_used_or_not(self):
        made = units.units(unit=["a", "a", "b"], rater=[7, 9, 7], value=[1, 3, 3], levels=[1, 2, 3])

        assert made.counts.tolist() == [[1, 0, 1], [0, 0, 1]]
        assert (made.n_units, made.n_marks, made.n_raters, made.n_clusters) == (2, 3, 2, 2)
        assert made.matrix.tolist() == [[0, 2], [2, -1]]

    def test_leaves_out_what_is_missing(self):
        made = units.units(unit=[1, 1, 2], rater=[1, 2, 1], value=[0.0, 1.0, np.nan])

        assert (made.n_units, made.n_marks) == (1, 2)

    @given(marks.tables())
    def test_every_unit_has_the_counts_of_its_kind(self, table):
        made = marks.units_of(table)
        if not made.n_marks:
            return
        rows, kind = made.kinds

        assert (rows[kind] == made.counts).all()
        assert len(np.unique(rows, axis=0)) == len(rows)

    def test_finds_kinds_of_very_many_levels(self):
        made = units.units(
            unit=[0, 0, 1, 1], rater=[0, 1, 0, 1], value=[1, 2, 1, 2], levels=np.arange(100)
        )

        assert len(made.kinds[0]) == 1

    def test_finds_kinds_of_many_levels(self):
        table = [[k % 15, (3 * k) % 15, (7 * k) % 15] for k in range(30)]
        made = marks.units_of(table, levels=range(15))
        rows, kind = made.kinds

        assert (rows[kind] == made.counts).all()
        assert len(rows) == 15

    def test_without_a_rater_keeps_the_units(self):
        made = units.units(unit=[1, 1, 2], rater=[1, 2, 1], value=[0, 1, 1])

        assert made.without(0).counts.sum(axis=1).tolist() == [1, 0]

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"value": [0, 5]}, "The mark 5 is no level"),
            ({"value": [0, 0.5]}, "no level"),
            ({"value": [0, -1]}, "The mark -1 is no level"),
            ({"value": [0, np.inf]}, "The mark inf is no level"),
            ({"levels": []}, "The mark 0 is no level"),
            ({"value": [0]}, "differ in length"),
            ({"cluster": [1]}, "differ in length"),
            ({"unit": [1, 1], "rater": [3, 3]}, "marked a unit twice"),
            ({"unit": [1, 1], "cluster": [1, 2]}, "belongs to two clusters"),
        ],
    )
    def test_refuses(self, given, message):
        columns = {"unit": [1, 2], "rater": [1, 2], "value": [0, 1], "levels": [0, 1]} | given

        with pytest.raises(ValueError, match=message):
            units.units(**columns)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"value": [0, 1, 2, 3, 9]}, "The mark 9 is no level"),
            ({"levels": [0, 1, 3, 7], "value": [0, 1, 3, 3, 2]}, "The mark 2 is no level"),
            ({"unit": [1, 2, 3, 4, 1], "rater": [1] * 5}, "marked a unit twice"),
            ({"unit": [1, 2, 3, 4, 4], "cluster": [1, 2, 3, 4, 5]}, "belongs to two clusters"),
        ],
    )
    def test_looks_at_the_last_part_as_at_the_first(self, given, message, monkeypatch):
        monkeypatch.setattr(units, "AT_ONCE", 2)
        columns = {
            "unit": [1, 2, 3, 4, 4],
            "rater": [1, 1, 1, 1, 2],
            "value": [0, 1, 2, 3, 2],
            "levels": [0, 1, 2, 3],
            "cluster": [1, 2, 3, 4, 4],
        }

        assert units.units(**columns).level.tolist() == [0, 1, 2, 3, 2]
        with pytest.raises(ValueError, match=message):
            units.units(**columns | given)

    def test_refuses_a_double_mark_in_a_wide_space_too(self):
        with pytest.raises(ValueError, match="twice"):
            units._refuse_double(np.array([10**5, 10**5]), np.array([10**5, 10**5]))


class TestFromRatings:
    def test_takes_a_response_on_a_criterion_as_unit_and_its_question_as_cluster(self):
        made = units.from_ratings(
            frame.frame(
                {
                    "group": ["k1", "k1", "k1", "k2"],
                    "release": ["A"] * 4,
                    "response": ["r1", "r1", "r1", "r2"],
                    "criterion": ["c", "d", "c", "c"],
                    "rater": ["x", "x", "y", "x"],
                    "value": [1, 2, 1, None],
                    "scale_min": [0] * 4,
                    "scale_max": [2] * 4,
                }
            ),
            levels=[0, 1, 2],
        )

        assert made.counts.tolist() == [[0, 2, 0], [0, 0, 1]]
        assert made.n_clusters == 1


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=30))
def test_labels_may_be_any_numbers(labels):
    made = units.units(unit=labels, rater=range(len(labels)), value=[1.0] * len(labels))

    assert made.n_units == len(set(labels))
