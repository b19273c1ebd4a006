import pytest

from scoring.results import asked
from scoring.results import queries as results
from tests.scoring import reads
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


class TestCut:
    def test_without_anything_asks_for_the_figure_of_every_other_page(self):
        round_ = spread().round

        chosen = reads.cut_of(round_)

        assert chosen.is_usual
        assert chosen.params == results.params(round_)

    def test_has_one_address_however_it_was_written(self):
        world = spread()
        law = f"w.c-{world.law.pk}"
        one = reads.cut_of(world.round, {"difficulty": ["DIFFICULT", "SIMPLE"], law: ["2.0"]})
        other = reads.cut_of(
            world.round,
            {law: ["2"], "difficulty": ["SIMPLE", "DIFFICULT", ""], "w.g-GENERAL": ["1"]},
        )

        assert one.query == other.query == f"{law}=2&difficulty=SIMPLE&difficulty=DIFFICULT"
        assert one.params == other.params

    def test_offers_each_choice_away(self):
        world = spread()
        chosen = reads.cut_of(world.round, {"difficulty": ["SIMPLE"], "domain": [world.sea.pk]})

        assert [(chip.title, chip.without) for chip in chosen.chips] == [
            ("simple", f"domain={world.sea.pk}"),
            ("Sea", "difficulty=SIMPLE"),
        ]

    def test_says_in_words_what_differs(self):
        world = spread()
        chosen = reads.cut_of(world.round, {"difficulty": ["SIMPLE"], "w.g-GENERAL": ["1/3"]})

        assert chosen.said() == [("Difficulty", "simple"), ("Weight of General", "1/3")]

    def test_that_cannot_be_used_tells_everything_that_is_wrong(self):
        with pytest.raises(asked.BadCut) as refusal:
            reads.cut_of(spread().round, {"w.g-GENERAL": ["-1"], "difficulty": ["x"]})

        assert set(refusal.value.fields) == {"w.g-GENERAL", "difficulty"}

    def test_that_cannot_be_used_leaves_the_usual_with_what_was_typed(self):
        round_ = spread().round

        chosen = asked.lenient(reads.reading(round_), {"w.g-GENERAL": ["-1"]})

        assert chosen.is_usual
        assert "“-1” is no weight" in chosen.problem
        assert chosen.form[0].used == "-1"
