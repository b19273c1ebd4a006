import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.charts import svg
from scoring.charts.svg import Drawing

TOKENS = (Path(__file__).parents[3] / "static" / "css" / "tokens.css").read_text()


@pytest.fixture
def drawing():
    made = Drawing(100, 50, 'a "label" & more')
    made.line(0, 0, 10, 0, "line")
    made.text(5, 5, "<script>&", ink="text", strong=True)
    made.mark(10, 10, "M0 0z", "s1")
    return made


class TestInks:
    def test_have_the_colours_of_the_pages(self):
        for name, colour in svg.INKS.items():
            found = re.search(rf"--{name}: light-dark\((#\w+)", TOKENS)
            assert found, name
            assert found[1] == colour


class TestDrawing:
    def test_is_a_file_of_its_own_in_light_colours(self, drawing):
        root = ET.fromstring(drawing.file())  # noqa: S314 - our own

        assert root.attrib["width"] == "132"
        assert "var(" not in drawing.file()
        assert root.find("{http://www.w3.org/2000/svg}text").text == "<script>&"

    def test_wears_the_theme_inside_a_page(self, drawing):
        text = drawing.inline()

        assert 'stroke="var(--line)"' in text
        assert "style=" not in text
        assert "<script" not in text
        assert 'aria-label="a &quot;label&quot; &amp; more"' in text


class TestShortened:
    @given(st.text(max_size=80), st.integers(20, 300))
    def test_fits(self, text, room):
        assert svg.width_of(svg.shortened(text, room)) <= max(room, svg.width_of("…"))

    def test_leaves_what_fits(self):
        assert svg.shortened("Kestrel", 100) == "Kestrel"

    def test_knows_that_letters_of_east_asia_are_wide(self):
        assert svg.width_of("物流") == 2 * svg.SIZE
