import json

import pytest

from scoring.beside import figures as judge_figures
from scoring.shown.wording import NothingYet
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def params(*names, **options):
    return beside_people.choice(*names, **options).params() | {"resamples": 60}


def value(data, judge, coefficient="pearson"):
    (found,) = [
        cell["correlation"]["value"]
        for cell in data["table"]["cells"]
        if cell["judge"] == beside_people.judge(judge)
        and cell["correlation"]["coefficient"] == coefficient
    ]
    return found


class TestJudges:
    def test_stand_beside_people_with_a_ceiling(self, round_):
        data = judge_figures.judges_of(round_, params("good", "guess", "rouge"))

        assert value(data, "good") > 0.6
        assert abs(value(data, "guess")) < 0.35
        ceiling = data["table"]["ceilings"]["coh"][0]
        assert ceiling["value"] > 0.6
        assert json.dumps(data, allow_nan=False)

    def test_say_how_far_they_are_from_people(self, round_):
        data = judge_figures.judges_of(round_, params("good", "rouge"))
        good = data["judges"][0]["criteria"][0]

        assert good["deviation"]["shift"]["low"] > 0
        assert (good["own"], good["scale"]) == ("coherence", [1, 5])

    @pytest.mark.parametrize("level", ["system", "item"])
    def test_are_compared_at_every_level(self, round_, level):
        data = judge_figures.judges_of(round_, params("good", level=level))

        assert {one["correlation"]["level"] for one in data["table"]["cells"]} == {level}
        assert value(data, "good", "kendall_b") > 0.3


class TestPairs:
    def test_tell_which_of_two_agrees_better(self, round_):
        data = judge_figures.pairs_of(round_, params("good", "guess", criterion="coh"))
        one = data["compared"][0]

        assert one["permutation"]["difference"] > 0.3
        assert one["permutation"]["p_holm"] < 0.1
        assert len(data["between"]) == 4
        assert json.dumps(data, allow_nan=False)

    def test_need_a_criterion_of_the_people(self, round_):
        with pytest.raises(NothingYet, match="nothing on this criterion"):
            judge_figures.pairs_of(round_, params("good", criterion="style"))
