import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.charts import waterfall
from scoring.charts.waterfall import Step


def drawn(*values, before=0.5):
    steps = [Step(f"cause {i}", value) for i, value in enumerate(values)]
    return waterfall.waterfall(before, steps, before + sum(values), ends=("before", "after"))


class TestWaterfall:
    def test_shows_every_step_in_points(self):
        figure = drawn(0.1, -0.05)

        (bar,) = figure.data
        assert list(bar.x) == ["before", "cause 0", "cause 1", "after"]
        assert list(bar.text) == ["50.0", "+10.0", "−5.0", "55.0"]
        assert list(bar.base) == pytest.approx([0, 50, 60, 0])
        assert bar.type == "bar"  # what the vendored bundle draws
        json.dumps(figure.to_plotly_json())

    @given(st.lists(st.floats(-0.1, 0.1), max_size=5))
    def test_leaves_room_for_every_height(self, values):
        low, high = drawn(*values).layout.yaxis.range

        height = 50.0
        for value in values:
            height += 100 * value
            assert low <= height <= high

    def test_refuses_steps_that_do_not_add_up(self):
        with pytest.raises(ValueError, match="add up"):
            waterfall.waterfall(0.5, [Step("one", 0.1)], 0.7, ends=("a", "b"))
        with pytest.raises(ValueError, match="finite"):
            waterfall.waterfall(0.5, [Step("one", float("nan"))], 0.7, ends=("a", "b"))
