import math

import pytest

from scoring.charts import scatter
from scoring.charts.scatter import Axes, Dot

ENDS = Axes((1, 5), (1, 5), "people", "judge")


def parts(made, kind):
    return [attributes for name, attributes, _said in made.parts if name == kind]


class TestScatter:
    def test_draws_a_mark_for_each_dot_in_the_colour_of_its_system(self):
        made = scatter.scatter([Dot(1, 2, 0), Dot(3, 3, 1), Dot(5, 4, 1)], ENDS, label="l")

        assert [one["fill"] for one in parts(made, "path")] == ["s1", "s2", "s2"]
        assert parts(made, "rect") == []

    def test_draws_the_band_and_the_line_of_identity_only_on_one_scale(self):
        dots = [Dot(1, 2, 0)]
        plain = scatter.scatter(dots, ENDS, label="l")
        banded = scatter.scatter(dots, ENDS, label="l", band=1)

        assert len(parts(banded, "rect")) > 0
        assert len(parts(banded, "line")) == len(parts(plain, "line")) + 1

    def test_says_what_its_axes_are(self):
        text = scatter.scatter([Dot(1, 2, 0)], ENDS, label="twenty responses").file()

        assert all(words in text for words in (">people<", ">judge<", "twenty responses"))

    def test_is_smaller_for_a_phone(self):
        wide, narrow = (
            scatter.scatter([Dot(1, 2, 0)], ENDS, label="l", narrow=n) for n in (False, True)
        )

        assert narrow.width < wide.width
        assert narrow.height < wide.height

    def test_refuses_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="finite"):
            scatter.scatter([Dot(math.nan, 2, 0)], ENDS, label="l")
        with pytest.raises(ValueError, match="width"):
            scatter.scatter([Dot(1, 2, 0)], Axes((1, 1), (1, 5), "x", "y"), label="l")


class TestNames:
    def test_stand_below_the_dots_and_above_the_numbers_of_the_axis(self):
        made = scatter.scatter(
            [Dot(2, 1, 0, name="Kim"), Dot(4, 3, 1, name="Lee")], ENDS, label="l"
        )
        said = [words for _name, _attributes, words in made.parts]
        kinds = [name for name, _attributes, _said in made.parts]
        kim = made.parts[said.index("Kim")][1]

        assert max(said.index("Kim"), said.index("Lee")) < kinds.index("path")
        assert kim["paint-order"] == "stroke"
        assert kim["y"] < made.parts[said.index("2")][1]["y"] - 16
