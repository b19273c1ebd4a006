import re
from pathlib import Path

from scoring.charts import svg as palette

TOKENS = Path(__file__).parents[3] / "static" / "css" / "tokens.css"


def light(name):
    found = re.search(rf"--{name}: light-dark\((#\w+)", TOKENS.read_text())
    assert found
    return found[1]


class TestPalette:
    def test_has_the_colours_of_the_pages(self):
        assert tuple(light(f"s{n}") for n in range(1, 9)) == palette.COLOURS
        assert tuple(light(name) for name in ("muted", "line", "surface")) == (
            palette.MUTED,
            palette.LINE,
            palette.SURFACE,
        )

    def test_gives_64_systems_different_looks(self):
        assert len({palette.LIGHT.look(n) for n in range(64)}) == 64
