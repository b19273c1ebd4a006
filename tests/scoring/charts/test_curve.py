import pytest

from scoring.charts import lines as curve
from scoring.charts.lines import CurveCourse as Course

WORDS = ("Questions", "Width", "enough: 10")


def course(name="Kestrel", ordinal=0, points=((2, 40.0), (20, 14.0), (80, 7.0)), now=20):
    return Course(name, ordinal, points, now)


class TestCurve:
    @pytest.mark.parametrize("narrow", [False, True])
    def test_has_a_line_a_system_and_a_sign_where_it_stands(self, narrow):
        both = [course(), course("Heron", 1)]

        text = curve.curve(both, label="l", enough=10, words=WORDS, narrow=narrow).file()

        assert text.count("<polyline") == 2
        assert text.count("<path") == 4  # two where they stand, two in the key
        assert "enough: 10" in text

    def test_falls_from_left_to_right(self):
        made = curve.curve([course()], label="l", enough=10, words=WORDS)

        (line,) = [one[1]["points"] for one in made.parts if one[0] == "polyline"]
        places = [tuple(map(float, one.split(","))) for one in str(line).split()]
        assert places == sorted(places)
        assert [y for _x, y in places] == sorted(y for _x, y in places)

    def test_of_one_number_of_questions_can_be_drawn(self):
        one = course(points=((2, 40.0),), now=2)

        assert "<path" in curve.curve([one], label="l", enough=10, words=WORDS).file()

    def test_refuses_nothing_and_what_is_not_finite(self):
        with pytest.raises(ValueError, match="no width"):
            curve.curve([course(points=())], label="l", enough=10, words=WORDS)
        endless = course(points=((2, float("inf")),))
        with pytest.raises(ValueError, match="finite"):
            curve.curve([endless], label="l", enough=10, words=WORDS)
