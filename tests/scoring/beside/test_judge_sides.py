import dataclasses

import numpy as np
import pytest

from annotation.rounds.models import Round
from scoring.beside import columns as judge_sides
from scoring.beside import options as judge_choice
from scoring.beside.records import SidesFacts
from scoring.shown.wording import NothingYet
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


@pytest.fixture(name="both")
def _both():
    round_ = beside_people.world()
    return judge_sides.sides(round_, beside_people.choice("good", "guess", "rouge"))


class TestSides:
    def test_hold_people_and_judges_by_criterion(self, both):
        assert both.criteria == ["coh"]
        assert set(both.judges()) == set(both.choice.judges)
        assert both.people()["coh"].range == (1, 5)
        assert both.judged(beside_people.judge("rouge"), "coh").criterion == "score"
        assert both.judged(beside_people.judge("rouge"), "flu") is None
        assert both.human("flu") is None

    def test_say_how_much_was_compared(self, both):
        assert judge_sides.facts(both) == SidesFacts(
            responses=96, graded=96, systems=4, groups=24, raters=3
        )

    def test_of_a_round_that_is_gone_are_refused(self, both):
        gone = beside_people.choice("good").params() | {"rounds": [99]}
        with pytest.raises(ValueError, match="rounds is gone"):
            judge_sides.sides(Round.objects.get(), judge_choice.read_choice(gone))

    def test_of_people_nobody_knows_are_refused(self, both):
        nobody = beside_people.choice("good", raters=("x*",))
        with pytest.raises(NothingYet, match="graded nothing yet"):
            judge_sides.sides(Round.objects.get(), nobody)


class TestScales:
    def test_bring_a_judge_to_the_scale_of_people(self, both):
        human = both.human("coh")
        judged = both.judged(beside_people.judge("good"), "coh")
        scaled = judge_sides.on_the_scale_of(human, judged)
        low, high = judge_sides.span_of(judged)

        assert scaled == pytest.approx(1 + 4 * (judged.values - low) / (high - low))
        assert np.nanmax(judge_sides.human_shares(human)) <= 1

    def test_turn_round_what_is_better_low(self, both):
        judged = both.judged(beside_people.judge("good"), "coh")
        turned = dataclasses.replace(judged, higher_is_better=False)

        assert judge_sides.upwards(turned).floats == pytest.approx(-judged.values)
        assert judge_sides.shares(turned) == pytest.approx(1 - judge_sides.shares(judged))

    def test_of_an_open_range_are_none_but_by_data(self, both):
        judged = dataclasses.replace(
            both.judged(beside_people.judge("rouge"), "coh"), scale_max=float("nan")
        )

        assert judge_sides.shares(judged) is None
        assert judge_sides.on_the_scale_of(both.human("coh"), judged) is None
        assert np.nanmax(judge_sides.shares(judged, by_data=True)) == 1
