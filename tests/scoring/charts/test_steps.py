import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.charts import lines as steps
from scoring.charts.lines import Step


def drawn(*values, before=50.0, narrow=False):
    causes = [Step(f"cause {i}", value) for i, value in enumerate(values)]
    ends = (("before", before), ("after", before + sum(values)))
    return steps.steps(ends[0], causes, ends[1], label="l", axis="a", narrow=narrow)


def bars(made):
    return [attributes for name, attributes, _said in made.parts if name == "rect"]


class TestSteps:
    def test_say_every_step_in_points_with_its_sign(self):
        text = drawn(10, -5, 0).file()

        for said in (">50.0<", ">+10.0<", ">−5.0<", ">0.0<", ">55.0<"):
            assert said in text

    def test_begin_where_the_last_one_ended(self):
        first, second = bars(drawn(10, -5))

        ends = first["x"] + first["width"]
        assert second["x"] + second["width"] == pytest.approx(ends)
        assert first["width"] == pytest.approx(2 * second["width"])

    def test_have_a_line_where_the_score_began(self):
        assert 'stroke-dasharray="4 4"' in drawn(1).file()

    @given(st.lists(st.floats(-30, 30), max_size=5), st.booleans())
    def test_stay_on_the_axis(self, values, narrow):
        made = drawn(*values, narrow=narrow)

        for bar in bars(made):
            assert 0 <= bar["x"] <= bar["x"] + bar["width"] <= made.width + 1

    def test_refuse_what_does_not_add_up(self):
        with pytest.raises(ValueError, match="add up"):
            steps.steps(("a", 50), [Step("one", 1)], ("b", 52), label="l", axis="a")
        with pytest.raises(ValueError, match="finite"):
            steps.steps(("a", 50), [Step("one", float("nan"))], ("b", 52), label="l", axis="a")

    def test_write_names_above_their_line_on_a_phone(self):
        text = drawn(10, narrow=True).inline()

        assert re.search(r'<text x="0" y="80"[^>]*>cause 0</text>', text)
