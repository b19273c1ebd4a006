import json

import pytest

from scoring.beside import detail as judge_detail
from scoring.beside import options as judge_choice
from scoring.endpoints.models import Judge
from scoring.engine.models import Judgment
from tests.scoring import beside_people, judged, rounds

pytestmark = pytest.mark.django_db


@pytest.fixture(name="round_")
def _round():
    return rounds.graded()


def readings(round_, judge, criterion="grade", own="grade"):
    """Return what lies behind the scores of a judge that ran over the round."""
    choice = judge_choice.BesideChoice(
        rounds=(round_.number,),
        judges=(judge,),
        criteria={criterion: {judge: own}},
        criterion=criterion,
    )
    data = judge_detail.judge_of(round_, {**choice.params(), "resamples": 60})
    assert json.dumps(data, allow_nan=False)
    return data["readings"]


def ran(round_, **settings):
    judge = judged.judge(**settings)
    judged.ran(round_, judge)
    return judge


class TestOf:
    def test_tells_readings_and_their_spread(self, round_):
        judge = ran(round_, repeats=3, temperature=2.0)

        found = readings(round_, judge.rater_id)

        means = Judgment.objects.filter(rater=judge.rater, repeat=0)
        spread = [one.sd for one in means]
        assert (found["n"], found["n_scored"], found["n_readings"]) == (8, 8, 3)
        assert (found["n_valid"], found["fewest_valid"]) == (3, 3)
        assert found["sd"] == pytest.approx(sum(spread) / len(spread))
        assert (found["n_weighted"], found["mass"], found["order"]) == (0, None, None)
        assert sum(one["n"] for one in found["parts"]) == found["distribution"]["n"] == 8

    def test_tells_how_much_probability_weighed_scores_capture(self, round_):
        judge = ran(round_, kind="geval", repeats=2)

        found = readings(round_, judge.rater_id)

        assert found["n_weighted"] > 0
        assert 0.5 <= found["least_mass"] <= found["mass"] <= 1

    def test_tells_what_the_opposite_order_does(self, round_):
        judge = ran(round_, repeats=2, turned=True, temperature=1.0)

        found = readings(round_, judge.rater_id)["order"]

        gaps = [
            one.judgments.get(repeat=2).value - one.judgments.get(repeat=1).value
            for one in judge.runs.get().steps.all()
        ]
        assert found["shift"]["value"] == pytest.approx(sum(gaps) / len(gaps))
        assert found["shift"]["low"] <= found["shift"]["value"] <= found["shift"]["high"]

    def test_of_imported_scores_has_a_distribution_alone(self):
        round_ = beside_people.world()

        found = readings(round_, beside_people.judge("good"), "coh", "coherence")

        assert found["distribution"]["n"] == 96
        assert (found["n_readings"], found["n_valid"], found["sd"]) == (0, None, None)
        assert not Judge.objects.exists()
