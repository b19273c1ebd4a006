import re
import xml.etree.ElementTree as ET

import pytest

from scoring.beside import pictures as judge_pictures
from scoring.beside.board import Detail, JudgeBoard
from scoring.shown.sheet import NothingDrawn
from tests.scoring import beside_people
from tests.scoring.beside.test_judge_board import made

pytestmark = pytest.mark.django_db


@pytest.fixture(name="round_", autouse=True)
def _round():
    return beside_people.world()


def one(name="good"):
    return made("judge", f"judge={beside_people.judge(name)}")


class TestJudges:
    def test_draws_every_judge_as_a_ring_on_the_band_of_people(self):
        drawn = judge_pictures.judges(JudgeBoard(*made("judges")))

        assert all(f">{name}<" in drawn.file() for name in ("good", "guess", "rouge"))
        assert all('class="people"' in line for line in drawn.drawings)
        assert all('class="jd"' in line for line in drawn.drawings)
        ET.fromstring(drawn.file())  # noqa: S314 - our own

    def test_is_no_file_where_there_is_no_coefficient(self):
        data, options = made("judges")
        data["table"]["cells"] = []

        with pytest.raises(NothingDrawn):
            judge_pictures.judges(JudgeBoard(data, options)).file()

    def test_begins_below_nought_where_a_judge_goes_against_people(self):
        data, options = made("judges")
        for cell in data["table"]["cells"]:
            cell["interval"]["low"] = -0.3
        drawn = judge_pictures.judges(JudgeBoard(data, options))

        assert (drawn.on.start, drawn.on.end, drawn.on.ticks) == (-0.5, 1, (-0.5, 0, 0.5, 1))


class TestParts:
    def test_draws_every_capability_beside_its_own_people(self):
        detail = Detail(*one())
        drawn = judge_pictures.parts(detail)

        assert ">Facts<" in drawn.file()
        assert ">Routes<" in drawn.file()
        bands = [re.findall(r'class="people" x="([0-9.]+)%', line) for line in drawn.drawings]
        assert bands == [[f"{100 * one.people_low:.2f}"] for one in detail.parts]


class TestCloud:
    def test_draws_a_mark_a_response_that_leads_to_it(self):
        drawn = judge_pictures.cloud(Detail(*one()), "/here/?")

        assert drawn.count('class="pt"') == 96
        assert drawn.count('href="/here/?response=') == 96
        assert drawn.count('tabindex="0"') == 1

    def test_leads_nowhere_in_a_file(self):
        drawn = judge_pictures.cloud_file(Detail(*one()))

        assert "<a " not in drawn
        ET.fromstring(drawn)  # noqa: S314 - our own

    def test_has_no_band_where_scales_differ(self):
        data, options = one("rouge")
        with_band = judge_pictures.cloud(Detail(data, options))
        data["scatter"]["same_scale"] = False

        drawn = judge_pictures.cloud(Detail(data, options))

        assert 'class="people"' in with_band
        assert 'class="people"' not in drawn

    def test_draws_nothing_without_responses(self):
        data, options = one()
        data["scatter"]["points"] = []

        with pytest.raises(NothingDrawn):
            judge_pictures.cloud(Detail(data, options))
        assert judge_pictures.shown(Detail(data, options), "/?") == ""
