import re
import xml.etree.ElementTree as ET
from fractions import Fraction
from types import SimpleNamespace

import pytest

from scoring.movement.board import Fall, waterfalls
from scoring.movement.queries import ShownMovement
from tests.scoring import moved

CHOSEN = SimpleNamespace(
    before=SimpleNamespace(name="July"),
    after=SimpleNamespace(name="September"),
    system=SimpleNamespace(name="Kestrel & Co", colour=3),
)


def fall(title="", **more):
    intervals = more.pop("intervals", {})
    return Fall(
        title, ShownMovement(moved.whole(moved.figure(None, intervals, **more)), "score"), CHOSEN
    )


def bars(drawn):
    return [float(one) for one in re.findall(r'<rect[^>]* width="([0-9.]+)%"', drawn)]


class TestFall:
    def test_has_a_line_for_each_score_and_each_cause(self):
        rows = waterfalls([fall(questions=-0.1, responses=0.35)])[0].rows

        assert [one.title for one in rows][:3] == ["July", "Other questions", "Other responses"]
        assert [one.value for one in rows] == ["50.0", "−10.0", "+35.0", "0.0", "0.0", "75.0"]

    def test_is_full_where_a_step_is_sure_and_dashed_where_it_could_be_chance(self):
        ends = {"responses": (0.2, 0.5), "questions": (-0.3, 0.1)}
        rows = waterfalls([fall(intervals=ends, questions=-0.1, responses=0.35)])[0].rows

        assert [one.look for one in rows][:3] == ["total", "", "up"]
        assert 'class="down unsure"' in rows[1].drawing
        assert 'class="up sure"' in rows[2].drawing

    def test_draws_bars_as_long_as_the_steps_on_one_axis_for_all(self):
        first, second = waterfalls(
            [fall(questions=-0.1, responses=0.35), fall(questions=0.05, responses=0.2)]
        )

        assert bars(first.rows[1].drawing)[0] == pytest.approx(
            2 * bars(second.rows[1].drawing)[0], abs=0.02
        )
        assert first.ruler == second.ruler

    def test_has_the_interval_of_a_score(self):
        rows = waterfalls([fall(intervals={"before": (0.4, 0.6)})])[0].rows

        assert (rows[0].low, rows[0].high) == (40, 60)
        assert 'class="ci"' in rows[0].drawing
        assert 'class="ci"' not in rows[-1].drawing

    def test_refuses_steps_that_do_not_add_up(self):
        with pytest.raises(ValueError, match="add up"):
            fall(change=Fraction(1, 4), responses=0.2)

    def test_is_a_file_with_names_and_figures(self):
        text = fall("Tone <1>", intervals={"responses": (0.2, 0.3)}).file()

        root = ET.fromstring(text)  # noqa: S314 - our own
        assert root.attrib["aria-label"] == "Kestrel & Co: Tone <1>"
        assert ">+25.0, 20.0 to 30.0</text>" in text
        assert "var(" not in text
