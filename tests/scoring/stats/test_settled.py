import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import frame
from scoring.stats.scores import scores


def ratings(rows):
    """Return a frame from (response, rater, value, kind) and whether it is valid."""
    kept = list(rows)
    return frame.frame(
        {
            "group": [f"q{row[0]}" for row in kept],
            "response": [row[0] for row in kept],
            "release": [1] * len(kept),
            "criterion": ["grade"] * len(kept),
            "rater": [row[1] for row in kept],
            "value": [row[2] for row in kept],
            "grade_kind": [row[3] for row in kept],
            "valid": [row[4] if len(row) > 4 else True for row in kept],
            "scale_min": [0] * len(kept),
            "scale_max": [2] * len(kept),
        }
    )


def counted(rows):
    return frame.default_filter(rows)["value"].tolist()


class TestSettled:
    def test_puts_the_adjudicated_value_in_place_of_each_that_was_given(self):
        # Grade(q): ΣAS/ΣTS was (2 + 0 + 1 + 2) / 8; with place 1 settled as 2: (2 + 2 + 1 + 2) / 8.
        rows = ratings(
            [
                (1, "a", 2, "GIVEN"),
                (1, "b", 0, "GIVEN"),
                (2, "a", 1, "GIVEN"),
                (2, "b", 2, "GIVEN"),
                (1, "r", 2, "ADJUDICATED"),
            ]
        )

        made = frame.settled(rows)

        assert counted(made) == [2, 2, 1, 2]
        assert float(scores.scores(frame.default_filter(made)).find(1).value) == 7 / 8
        assert counted(rows) == [2, 0, 1, 2]

    def test_counts_an_adjudicated_grade_once_where_no_other_stands(self):
        rows = ratings([(1, "a", 2, "GIVEN", False), (1, "r", 0, "ADJUDICATED")])

        assert counted(frame.settled(rows)) == [0]

    def test_leaves_out_an_adjudication_that_was_taken_back(self):
        rows = ratings([(1, "a", 2, "GIVEN"), (1, "r", 0, "ADJUDICATED", False)])

        assert frame.settled(rows) is rows

    def test_gives_a_value_to_what_could_not_be_graded(self):
        rows = ratings([(1, "a", None, "GIVEN"), (1, "r", 1, "ADJUDICATED")])

        assert counted(frame.settled(rows)) == [1]

    @given(
        st.lists(
            st.tuples(st.integers(1, 4), st.sampled_from("ab"), st.integers(0, 2)),
            min_size=1,
            unique_by=lambda row: row[:2],
        ),
        st.dictionaries(st.integers(1, 4), st.integers(0, 2), min_size=1),
    )
    def test_keeps_the_number_of_grades_of_a_place_and_touches_no_other(self, given_, decided):
        rows = [(*row, "GIVEN") for row in given_]
        rows += [(place, "r", value, "ADJUDICATED") for place, value in decided.items()]

        made = frame.default_filter(frame.settled(ratings(rows)))

        for place in {row[0] for row in given_}:
            before = [value for where, _rater, value in given_ if where == place]
            after = made[made["response"] == place]["value"].tolist()
            wanted = [decided[place]] * len(before) if place in decided else before
            assert after == wanted

    def test_refuses_two_adjudicated_grades_of_one_place(self):
        rows = ratings([(1, "r", 0, "ADJUDICATED"), (1, "s", 1, "ADJUDICATED")])

        with pytest.raises(ValueError, match="adjudicated twice"):
            frame.settled(rows)


class TestWithStruck:
    def test_counts_what_was_given_and_declared_invalid_and_nothing_else(self):
        rows = ratings([(1, "a", 2, "GIVEN", False), (1, "r", 0, "ADJUDICATED", False)])

        made = frame.with_struck(rows)

        assert counted(made) == [2]
        assert isinstance(made, pd.DataFrame)
        assert counted(rows) == []
