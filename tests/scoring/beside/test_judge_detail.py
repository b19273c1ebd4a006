import json

import pytest

from annotation.systems.models import System
from scoring.beside import detail as judge_detail
from scoring.beside import figures as judge_figures
from scoring.engine.models import Machine
from scoring.shown.wording import NothingYet
from tests.scoring import beside_people

pytestmark = pytest.mark.django_db


def detail(round_, name="good", **options):
    params = beside_people.choice(name, criterion="coh").params() | {"resamples": 60} | options
    return judge_detail.judge_of(round_, params)


class TestJudge:
    def test_is_seen_from_every_side(self, round_):
        data = detail(round_)

        assert (data["n"], data["n_failed"], data["scale"]) == (96, 0, [1, 5])
        assert len(data["levels"]) == 12
        assert len(data["ceilings"]) == 12
        assert data["deviation"]["shift"]["value"] > 0.2
        assert data["alternative"]["n_people"] == 3
        assert data["pairwise"]["cross-fitted"]["n_groups"] == 24
        assert data["soft"]["n_pairs"] == 6
        assert json.dumps(data, allow_nan=False)

    def test_has_a_confusion_on_the_levels_of_the_scale(self, round_):
        found = detail(round_)["confusion"]

        assert found["levels"] == [1, 2, 3, 4, 5]
        assert found["n"] == 96 * 3 - 1
        assert found["rounded"] is False
        assert found["accuracy"]["value"] > found["constant_accuracy"]

    def test_shows_a_sample_and_how_far_people_lie_apart(self, round_, monkeypatch):
        monkeypatch.setattr(judge_detail, "MOST_POINTS", 10)
        found = detail(round_)["scatter"]

        assert (len(found["points"]), found["of"], found["same_scale"]) == (10, 96, True)
        assert 0 < found["band"] <= 2

    def test_names_what_it_may_be_used_for_by_capability(self, round_):
        good, guess = (detail(round_, name)["parts"] for name in ("good", "guess"))

        assert len(good) == 2
        assert {one["use"] for one in good} <= {"person", "screen"}
        assert {one["use"] for one in guess} == {"not"}

    def test_orders_systems_as_people_do(self, round_):
        found = detail(round_)["systems"]

        assert len(found) == 4
        assert [one["human"] for one in found] == sorted(
            (one["human"] for one in found), reverse=True
        )

    def test_finds_its_own_family(self, round_):
        Machine.objects.filter(rater=beside_people.judge("good")).update(family="Harbour")
        System.objects.filter(name__startswith="Harbour").update(family="harbour ")
        System.objects.exclude(name__startswith="Harbour").update(family="others")
        found = detail(round_)["bias"]

        assert found["family"]["difference"]["value"] > 0.05
        assert (found["family"]["n_own"], found["family"]["n_other"]) == (48, 48)
        assert found["length"]["n"] == 96

    def test_guesses_no_family_from_names(self, round_):
        Machine.objects.filter(rater=beside_people.judge("good")).update(family="Harbour")
        told = detail(round_)["bias"]["family"]
        System.objects.filter(name="Harbour").update(family="Harbour")
        alone = detail(round_)["bias"]["family"]

        assert (told["difference"]["value"], told["difference"]["reason"]) == (None, "no_family")
        assert (alone["n_own"], alone["difference"]["reason"]) == (24, "no_family")

    def test_lists_where_it_lies_farthest_from_people(self, round_):
        found = detail(round_, "guess")["apart"]
        gaps = [abs(one["gap"]) for one in found]

        assert gaps == sorted(gaps, reverse=True)
        assert found[0]["n_marks"] in (2, 3)

    def test_needs_a_criterion_that_both_have(self, round_):
        with pytest.raises(NothingYet, match="nothing on this criterion"):
            detail(round_, criterion="style")


class TestBesideTheBoard:
    @pytest.mark.parametrize("level", ["pooled", "system", "item"])
    def test_every_figure_has_the_interval_it_has_on_the_board(self, round_, level):
        mine = detail(round_, "guess")
        names = beside_people.choice("good", "guess", level=level).params()
        board = judge_figures.judges_of(round_, names | {"resamples": 60})
        judge = beside_people.judge("guess")

        on_board = {
            cell["correlation"]["coefficient"]: cell["interval"]
            for cell in board["table"]["cells"]
            if cell["judge"] == judge
        }
        found = {
            cell["correlation"]["coefficient"]: cell["interval"]
            for cell in mine["levels"]
            if cell["correlation"]["level"] == level
        }
        (shift,) = [one["criteria"][0] for one in board["judges"] if one["judge"] == judge]

        assert len(found) == 4
        assert found == on_board
        assert mine["deviation"] == shift["deviation"]
