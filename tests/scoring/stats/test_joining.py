import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from scoring.stats import frame
from tests.scoring.ratings import frame_of, rated, record_lists


def machine(value, **more):
    return rated(
        "g2", value, rater="m", scale_min=None, scale_max=None, label="tie", text="So.", **more
    )


class TestJoined:
    def test_puts_one_below_the_other_with_sorted_labels(self):
        made = frame.joined([frame_of([rated("g3", 1)]), frame_of([machine(0.5)])])

        assert made["group"].tolist() == ["g3", "g2"]
        assert made["group"].cat.categories.tolist() == ["g2", "g3"]
        assert made["value"].tolist() == [1.0, 0.5]
        assert made["scale_max"].tolist()[0] == 3
        assert np.isnan(made["scale_max"].tolist()[1])
        assert made["label"].isna().tolist() == [True, False]
        assert {name: str(made[name].dtype) for name in frame.COLUMNS} == frame.COLUMNS

    def test_leaves_a_single_frame_as_it_is(self):
        only = frame_of([rated("g", 1)])

        assert frame.joined([only]) is only

    @settings(max_examples=25)
    @given(record_lists(), record_lists())
    def test_is_the_frame_of_all_records(self, left, right):
        joined = frame.joined([frame_of(left), frame_of(right)])

        pd.testing.assert_frame_equal(joined, frame_of([*left, *right]), check_dtype=False)

    def test_refuses_nothing_and_labels_of_two_types(self):
        with pytest.raises(ValueError, match="no ratings frame"):
            frame.joined([])
        with pytest.raises(ValueError, match="Labels of rater differ"):
            frame.joined([frame_of([rated("g", 1, rater=1)]), frame_of([rated("g", 1)])])
