from scoring.charts import bars as heat
from scoring.charts.bars import Square


class TestHeat:
    def test_shades_what_is_judged_and_leaves_the_rest_grey(self):
        row = ("Annotator 1", [Square("0.90", 20, 4), Square("0.10", 3, None), None])

        made = heat.heat(["A", "Customs and trade compliance", "C"], [row], label="l")

        inks = [attributes["fill"] for name, attributes, _said in made.parts if name == "rect"]
        said = [words for *_more, words in made.parts if words]
        assert inks == ["accent", "sunk"]
        assert "n 20" in said
        assert "Customs" in said
