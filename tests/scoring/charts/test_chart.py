import math
import re
import xml.etree.ElementTree as ET

import pytest

from evalsite.text import drawings
from scoring.charts import chart, plot
from scoring.charts.chart import AxisBand, BarPanel, ForestRow, HeatSquare, Point, SystemCourse
from scoring.charts.plot import Dot, RuledValue, Segment

ON = chart.scale(0, 100)
CAPTION = "Share of parts (%)"


def drawn(made, name):
    return next(line.drawn for line in made.lines if line.name == name)


def number(text, attribute):
    return [float(one) for one in re.findall(rf'{attribute}="([\d.]+)%?"', text)]


class TestCharts:
    @pytest.mark.parametrize(
        "made",
        [
            chart.forest([ForestRow("A & <b>", 5, 4, 6, "n 3", 1, "Part <1>")], ON, label='"l"'),
            chart.heat(["a <c>"], [("r & s", [HeatSquare("0.5", 9, 2)])], label="l"),
            chart.choices([BarPanel("K", 0, [1])], ["<no>"], label="l", caption=CAPTION),
            chart.ranges(
                [BarPanel("K", 0, [1])], ["0", "1"], ["0 to 1"], label="l", caption=CAPTION
            ),
            chart.courses([SystemCourse("K <1>", 0, [Point(1, 2.0)])], label="l", caption=CAPTION),
            chart.cloud([Dot(1, 2, None, name="<a>")], ON, ON, label="l", titles=("x", "y")),
        ],
    )
    def test_are_files_whose_texts_are_escaped(self, made):
        root = ET.fromstring(made.file())  # noqa: S314 - our own

        assert root.tag.endswith("svg")
        assert "style=" not in made.file()
        assert "var(" not in made.file()
        assert made.caption in made.file()


class TestForest:
    def test_draws_what_is_known_and_says_what_is_not(self):
        rows = [
            ForestRow("Kestrel", 70, 60, 80, "n 12", 0),
            ForestRow("Heron", None, note="No grades."),
        ]

        made = chart.forest(rows, ON, label="l")

        words = {line.name: line.words for line in made.lines if line.name}
        assert words == {"Kestrel": "70.0 (60.0 to 80.0), n 12", "Heron": "No grades."}
        assert "<path" in drawn(made, "Kestrel")
        assert "<path" not in drawn(made, "Heron")

    def test_gives_a_system_its_colour_and_shape_and_others_a_tick(self):
        rows = [
            ForestRow("first", 50, 40, 60, ordinal=0),
            ForestRow("second", 50, 40, 60, ordinal=1),
        ]
        made = chart.forest([*rows, ForestRow("annotator", 50, 40, 60)], ON, label="l")

        assert 'class="s1"' in drawn(made, "first")
        assert 'class="s2"' in drawn(made, "second")
        assert drawings.TICK in drawn(made, "annotator")
        assert drawings.TICK not in drawings.MARKS

    def test_pales_what_has_no_interval(self):
        made = chart.forest([ForestRow("alone", 50, ordinal=0)], ON, label="l")

        assert "few" in drawn(made, "alone")
        assert 'class="ci"' not in drawn(made, "alone")

    def test_says_each_line_to_who_does_not_see_it(self):
        made = chart.forest([ForestRow("Kestrel", 70, 60, 80)], ON, label="l")

        assert 'aria-label="Kestrel: 70.0 (60.0 to 80.0)"' in drawn(made, "Kestrel")

    def test_names_bands_that_have_room_on_a_phone_and_every_rule(self):
        bands = [AxisBand(0, 50, "wide"), AxisBand(50, 51, "a band without any room")]
        made = chart.forest(
            [ForestRow("a", 1)], ON, label="l", bands=bands, rules=[RuledValue(0, "chance")]
        )

        names = made.lines[0].drawn
        assert ">wide<" in names
        assert ">chance<" in names
        assert "without any room" not in names
        assert 'class="ident" x1="0.00%"' in drawn(made, "a")

    def test_puts_a_title_above_a_part(self):
        made = chart.forest([ForestRow("a", 1, head="Part"), ForestRow("b", 1)], ON, label="l")

        assert [line.name for line in made.lines if line.name] == ["Part", "a", "b"]

    def test_refuses_what_is_not_finite(self):
        with pytest.raises(ValueError, match="finite"):
            chart.forest([ForestRow("a", math.nan)], ON, label="l")
        with pytest.raises(ValueError, match="width"):
            chart.scale(1, 1)


class TestHeat:
    def test_shades_what_is_judged_and_hatches_what_is_not(self):
        squares = [HeatSquare("0.61", 20, 3), None, HeatSquare("0.10", 2, None)]
        made = chart.heat(["A", "B", "C"], [("R1", squares)], label="l")

        text = drawn(made, "R1")
        assert text.count("<rect") == 2
        assert 'class="h3"' in text
        assert 'class="hatch"' in text
        assert 'aria-label="R1: A 0.61, C 0.10"' in text

    def test_writes_a_long_title_in_two_lines(self):
        made = chart.heat(["Semantic understanding"] * 5, [], label="l")

        assert made.lines[0].drawn.count(">Semantic<") == 5


class TestChoices:
    def test_name_every_choice_with_its_share(self):
        made = chart.choices([BarPanel("K", 0, [1, 3])], ["NO", "YES"], label="l", caption=CAPTION)

        said = [(line.name, line.words) for line in made.lines]
        assert said == [("K", "n 4"), ("NO", "25 %"), ("YES", "75 %")]
        assert number(drawn(made, "YES"), " width")[0] == pytest.approx(75 / 80 * 100, abs=0.01)

    def test_wear_the_mark_of_their_system(self):
        made = chart.choices([BarPanel("K", 3, [1])], ["NO"], label="l", caption=CAPTION)

        assert made.lines[0].ordinal == 3


class TestRanges:
    def test_draw_shares_of_each_systems_own_parts(self):
        panels = [BarPanel("Kestrel", 0, [1, 3]), BarPanel("Heron", 1, [10, 30])]

        made = chart.ranges(panels, ["0", "10", "20"], ["a", "b"], label="l", caption=CAPTION)

        heights = [
            number("".join(re.findall(r"<rect[^>]*>", line.drawn)), " height")
            for line in made.lines
            if line.drawn
        ]
        assert heights[0] == heights[1]
        assert heights[0][1] == pytest.approx(3 * heights[0][0], abs=0.2)

    def test_lead_from_each_bar_to_its_parts_on_a_page_but_not_in_a_file(self):
        panels = [BarPanel("A & B", 0, [1, 0], ["?bar=0", "?bar=1"])]
        made = chart.ranges(
            panels, ["0", "5", "9"], ["0 to 5", "5 to 9"], label="l", caption=CAPTION
        )

        text = made.lines[1].drawn
        assert 'href="?bar=0"' in text
        assert 'aria-label="A &amp; B, 0 to 5: 1"' in text
        assert "?bar=1" not in text  # nothing is behind it
        assert 'role="group"' in text
        assert "href" not in made.file()

    def test_refuse_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="nothing to draw"):
            chart.ranges([BarPanel("K", 0, [0, 0])], ["0"], ["a", "b"], label="l", caption="")
        with pytest.raises(ValueError, match="number of bars"):
            chart.ranges([BarPanel("K", 0, [1])], ["0"], ["a", "b"], label="l", caption="")


class TestCourses:
    def test_join_the_places_of_a_system_and_leave_out_what_it_lacks(self):
        series = [
            SystemCourse("K", 0, [Point(1, 2.0, 1.0, 3.0), Point(2, 3.0)]),
            SystemCourse("H", 1, [Point(2, 1.0)]),
        ]
        made = chart.courses(series, label="l", caption=CAPTION)

        text = made.lines[-1].drawn
        assert text.count('class="ci"') == 1
        assert text.count('class="pt"') == 3
        assert [(line.name, line.ordinal) for line in made.lines[:-1]] == [("K", 0), ("H", 1)]

    def test_mark_where_a_round_stands_alone_and_what_is_enough(self):
        widths = [Point(n, 40 / n) for n in (3, 6, 12)]
        made = chart.courses(
            [SystemCourse("K", 0, widths, now=6)],
            label="l",
            caption=CAPTION,
            up=chart.scale(0, 20),
            rules=[RuledValue(10, "enough: 10 points")],
        )

        text = made.lines[-1].drawn
        assert text.count('class="pt"') == 1
        assert text.count('class="ci"') == 2
        assert "enough: 10 points" in text

    def test_write_as_many_numbers_as_fit_on_a_phone(self):
        made = chart.courses(
            [SystemCourse("K", 0, [Point(n, 1.0) for n in range(1, 41)])],
            label="l",
            caption=CAPTION,
        )

        titles = re.findall(r'text-anchor="middle">(\d+)<', made.lines[-1].drawn)
        assert titles == [str(n) for n in range(1, 41, 4)]

    def test_refuse_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="nothing to draw"):
            chart.courses([SystemCourse("K", 0, [])], label="l", caption=CAPTION)
        with pytest.raises(ValueError, match="finite"):
            chart.courses([SystemCourse("K", 0, [Point(1, math.inf)])], label="l", caption=CAPTION)


class TestCloud:
    def test_names_marks_towards_the_middle(self):
        dots = [Dot(10, 50, None, name="left"), Dot(90, 50, None, name="right")]
        text = chart.cloud(dots, ON, ON, label="l", titles=("x", "y")).lines[0].drawn

        assert re.search(r'dx="10" text-anchor="start">left<', text)
        assert re.search(r'dx="-10" text-anchor="end">right<', text)

    def test_draws_lines_under_the_marks(self):
        lines = [Segment(0, 0, 100, 100), Segment(0, 50, 100, 50, is_dashed=True)]
        text = plot.scatter([Dot(1, 1, 0)], ON, ON, label="l", segments=lines)

        assert text.index('class="ident"') < text.index("<path")
        assert 'class="axis"' in text
