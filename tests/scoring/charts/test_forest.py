import re

import pytest

from scoring.charts import forest, svg
from scoring.charts.forest import Axis, Band, Line, Row

AXIS = Axis(0, 100, "Score")


def marks(made):
    return [attributes for name, attributes, _said in made.parts if name == "path"]


class TestForest:
    def test_draws_what_is_known_and_says_what_is_not(self):
        rows = [Row("Kestrel", 70, 60, 80, "n 12", 0), Row("Heron", None, note="No grades.")]

        text = forest.forest(rows, AXIS, label="l").file()

        assert "70.0 (60.0 to 80.0), n 12" in text
        assert re.search(r'paint-order="stroke"[^>]*>No grades\.<', text)  # set off from the lines
        assert text.count("<path") == 1

    def test_gives_a_system_its_colour_and_shape(self):
        rows = [Row(str(n), 50, ordinal=n) for n in (0, 1)]

        first, second = marks(forest.forest(rows, AXIS, label="l"))

        assert (first["fill"], second["fill"]) == ("s1", "s2")
        assert first["d"] != second["d"]

    def test_keeps_lines_out_of_words_above_them_on_a_phone(self):
        made = forest.forest([Row("a", 1)], AXIS, label="l", lines=[Line(0, "chance")], narrow=True)

        dashed = next(
            n for n, (_name, look, _words) in enumerate(made.parts) if "stroke-dasharray" in look
        )
        said = [words for _name, _attributes, words in made.parts].index("1.0")
        assert dashed < said
        assert made.parts[said][1]["stroke"] == "surface"

    def test_names_bands_that_have_room_and_every_line(self):
        bands = [Band(0, 50, "wide"), Band(50, 51, "a band without any room")]
        made = forest.forest([Row("a", 1)], AXIS, label="l", bands=bands, lines=[Line(0, "chance")])

        said = [words for _name, _attributes, words in made.parts if words]
        assert "wide" in said
        assert "chance" in said
        assert "a band without any room" not in said

    @pytest.mark.parametrize("narrow", [False, True])
    def test_keeps_the_names_of_two_bands_apart(self, narrow):
        bands = [Band(66, 80, "tentative"), Band(80, 100, "reliable")]
        made = forest.forest([Row("a", 1)], Axis(-40, 100), label="l", bands=bands, narrow=narrow)

        first, second = (
            (float(attributes["x"]), svg.width_of(words, 10))
            for _name, attributes, words in made.parts
            if words in {"tentative", "reliable"}
        )
        assert second[0] - second[1] / 2 >= first[0] + first[1] / 2 + 7
        assert second[0] + second[1] / 2 <= made.width

    @pytest.mark.parametrize("narrow", [False, True])
    def test_grows_with_rows_and_heads(self, narrow):
        one = forest.forest([Row("a", 1)], AXIS, label="l", narrow=narrow)
        two = forest.forest([Row("a", 1), Row("b", 1, head="h")], AXIS, label="l", narrow=narrow)

        assert two.height > one.height + 26
        assert two.width == one.width

    def test_refuses_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="finite"):
            forest.forest([Row("a", float("nan"))], AXIS, label="l")
        with pytest.raises(ValueError, match="width"):
            forest.forest([Row("a", 1)], Axis(1, 1), label="l")
