import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from scoring.charts import svg

TOKENS = (Path(__file__).parents[3] / "static" / "css" / "tokens.css").read_text()


class TestInks:
    def test_have_the_colours_of_the_pages(self):
        for name, colour in svg.INKS.items():
            found = re.search(rf"--{name}: light-dark\((#\w+)", TOKENS)
            assert found, name
            assert found[1] == colour


class TestShortened:
    @given(st.text(max_size=80), st.integers(20, 300))
    def test_fits(self, text, room):
        assert svg.width_of(svg.shortened(text, room)) <= max(room, svg.width_of("…"))

    def test_leaves_what_fits(self):
        assert svg.shortened("Kestrel", 100) == "Kestrel"

    def test_knows_that_letters_of_east_asia_are_wide(self):
        assert svg.width_of("物流") == 2 * svg.SIZE
