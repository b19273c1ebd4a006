import pytest

from scoring.charts import bars
from scoring.charts.bars import Panel, Words

WORDS = Words("Lengths", "Share of parts (%)", ["0 to 10", "10 to 20"])


def boxes(made):
    return [attributes for name, attributes, _said in made.parts if name == "rect"]


class TestRanges:
    def test_draws_shares_of_each_systems_own_parts(self):
        panels = [Panel("Kestrel", 0, [1, 3]), Panel("Heron", 1, [10, 30])]

        made = boxes(bars.ranges(panels, ["0", "10", "20"], WORDS))

        assert [one["height"] for one in made[:2]] == [one["height"] for one in made[2:]]
        assert made[1]["height"] == 3 * made[0]["height"]
        assert (made[0]["fill"], made[2]["fill"]) == ("s1", "s2")

    def test_leads_from_each_bar_to_its_parts_on_a_page_but_not_in_a_file(self):
        made = bars.ranges(
            [Panel("A & B", 0, [1, 0], ["?bar=0", "?bar=1"])], ["0", "5", "9"], WORDS
        )

        assert 'href="?bar=0"' in made.inline()
        assert 'aria-label="A &amp; B, 0 to 10: 1"' in made.inline()
        assert "?bar=1" not in made.inline()  # nothing is behind it
        assert 'role="group"' in made.inline()
        assert "href" not in made.file()

    @pytest.mark.parametrize("narrow", [False, True])
    def test_fits_the_window(self, narrow):
        made = bars.ranges([Panel("K", 0, [1, 1])] * 5, ["0", "1"], WORDS, narrow=narrow)

        assert made.width <= (352 if narrow else 800)
        assert all(one["x"] + one["width"] <= made.width for one in boxes(made))

    def test_refuses_what_cannot_be_drawn(self):
        with pytest.raises(ValueError, match="nothing to draw"):
            bars.ranges([Panel("K", 0, [0, 0])], ["0", "1"], WORDS)
        with pytest.raises(ValueError, match="number of bars"):
            bars.ranges([Panel("K", 0, [1])], ["0"], WORDS)


class TestChoices:
    def test_names_every_choice_with_its_share(self):
        made = bars.choices([Panel("K", 0, [1, 3])], ["NO", "YES"], WORDS, narrow=True)

        said = [words for _name, _attributes, words in made.parts if words]
        assert {"NO", "YES", "25 %", "75 %", "n 4"} <= set(said)
