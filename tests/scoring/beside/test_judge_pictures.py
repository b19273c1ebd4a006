import pytest

from scoring.beside import pictures as judge_pictures
from scoring.beside.board import Board, Detail
from scoring.shown.sheet import NothingToDraw
from tests.scoring import beside_people
from tests.scoring.beside.test_judge_board import made

pytestmark = pytest.mark.django_db


@pytest.fixture(name="round_", autouse=True)
def _round():
    return beside_people.world()


def one(name="good"):
    return made("judge", f"judge={beside_people.judge(name)}")


class TestJudges:
    def test_draws_every_judge_and_the_band_of_people(self):
        drawn = judge_pictures.judges(Board(*made("judges")), narrow=False)

        assert all(f">{name}<" in drawn.file() for name in ("good", "guess", "rouge"))
        assert any(kind == "rect" and one["fill"] == "sunk" for kind, one, _said in drawn.parts)

    def test_draws_nothing_where_there_is_no_coefficient(self):
        data, options = made("judges")
        data["table"]["cells"] = []

        with pytest.raises(NothingToDraw):
            judge_pictures.judges(Board(data, options), narrow=False)


class TestParts:
    def test_draws_every_capability(self):
        text = judge_pictures.parts(Detail(*one()), narrow=True).file()

        assert ">Facts<" in text
        assert ">Routes<" in text


class TestCloud:
    def test_draws_a_mark_a_response(self):
        assert judge_pictures.cloud(Detail(*one()), narrow=False).file().count("<path") == 96

    def test_has_no_band_where_scales_differ(self):
        data, options = one("rouge")
        data["scatter"]["same_scale"] = False

        drawn = judge_pictures.cloud(Detail(data, options), narrow=False)

        assert not [kind for kind, _attributes, _said in drawn.parts if kind == "rect"]

    def test_draws_nothing_without_responses(self):
        data, options = one()
        data["scatter"]["points"] = []

        with pytest.raises(NothingToDraw):
            judge_pictures.cloud(Detail(data, options), narrow=False)
