import pytest

from scoring.charts import lines as course
from scoring.charts.lines import Course, Point


def marks(made):
    return [attributes for name, attributes, _said in made.parts if name == "path"]


class TestCourse:
    @pytest.mark.parametrize("narrow", [False, True])
    def test_draws_every_place_with_its_interval(self, narrow):
        points = [Point(1, 0.2, 0.1, 0.4), Point(3, 0.5)]

        made = course.course([Course("K", 2, points)], label="l", axis="Turn", narrow=narrow)

        assert len(marks(made)) == 3  # two points, one in the key
        assert (
            sum(
                one.get("stroke") == "s3" and one["stroke-width"] == 2
                for _n, one, _s in made.parts
                if "x1" in one
            )
            == 1
        )
        assert {"1", "2", "3", "Turn", "K"} <= {said for _n, _a, said in made.parts}

    def test_sets_systems_apart_and_breaks_a_long_key(self):
        many = [Course(f"A system of a long name {n}", n, [Point(1, 1.0)]) for n in range(4)]

        made = course.course(many, label="l", axis="Turn", narrow=True)

        assert len({one["transform"] for one in marks(made)[4:]}) == 4
        assert made.height > course.course(many[:1], label="l", axis="Turn", narrow=True).height

    def test_leaves_late_places_out(self):
        made = course.course(
            [Course("K", 0, [Point(1, 1.0), Point(99, 1.0)])], label="l", axis="Turn"
        )

        assert len(marks(made)) == 2

    def test_refuses_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="nothing"):
            course.course([Course("K", 0, [])], label="l", axis="Turn")
        with pytest.raises(ValueError, match="finite"):
            course.course([Course("K", 0, [Point(1, float("nan"))])], label="l", axis="Turn")
