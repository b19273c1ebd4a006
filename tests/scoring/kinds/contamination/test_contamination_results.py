import pytest

from annotation.people.models import Role
from annotation.people.permissions import Scope
from scoring.charts.scatter import Axes
from scoring.engine import queries as run_reading
from scoring.kinds.contamination import queries as contamination_results
from scoring.kinds.contamination.queries import Board, of_params
from tests import make
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db
LINE = {"intercept": 10.0, "slope": 1.0, "r": 0.9, "n": 4}


def distance(studentised=None, reason=None, p=None):
    return {
        "without": LINE,
        "residual": -3.0,
        "studentised": studentised,
        "p": p,
        "p_holm": p,
        "reason": reason,
    }


@pytest.fixture
def board():
    releases = [one.pk for one in interviewed.candidates("Kestrel", "Osprey")]
    run = interviewed.requested(n=1, releases=releases)
    scope = Scope(make.project(), make.member(Role.ANALYST), frozenset({Role.ANALYST}))
    part = {
        "dataset": "Quay",
        "releases": releases,
        "x": [50.0, 80.0],
        "y": [60.0, 20.0],
        "line": LINE,
        "distances": [distance(0.2, p=0.6), distance(-9.0, p=0.001)],
        "flagged": [1],
        "n": 2,
        "reason": None,
        "coefficients": [
            {"name": "pearson", "value": 0.4, "low": None, "high": None, "n": 2, "reason": None}
        ],
    }
    data = {
        "candidates": releases,
        "datasets": ["Quay"],
        "parts": [part],
        "benchmarks": [],
        "losses": [],
        "figures": [
            {"release": releases[0], "name": "MT-Bench", "dataset": "", "value": 7.0},
        ],
    }
    return Board(data, of_params({}), run_reading.of(scope, run.number), "first answers")


class TestBoard:
    def test_names_who_lies_far_below_the_line(self, board):
        assert board.flagged == [("Quay", "Osprey · 1")]
        assert not board.is_empty
        (part,) = board.parts
        assert [one.name for one in part.lines] == ["Kestrel · 1", "Osprey · 1"]
        assert "stroke-dasharray" in part.picture.wide
        assert part.lines[1].cells == ["80", "20.0", "−3.0", "−9.00", "0.001", "0.900"]

    def test_lays_out_what_was_brought_in(self, board):
        assert board.figure_names == ["MT-Bench"]
        assert board.figures == [("Kestrel · 1", ["7"]), ("Osprey · 1", ["–"])]

    def test_writes_systems_and_coefficients_as_rows(self, board):
        rows = list(board.records())

        assert [one["part"] for one in rows] == ["system", "system", "accuracy"]
        assert set(rows[0]) == set(contamination_results.COLUMNS)
        assert rows[1]["studentised"] == -9.0


class TestSegment:
    @pytest.mark.parametrize(
        ("line", "ends"),
        [
            ({"slope": 2.0, "intercept": 0.0}, (0, 0, 50, 100)),
            ({"slope": 0.0, "intercept": 40.0}, (0, 40, 100, 40)),
            ({"slope": -1.0, "intercept": 50.0}, (0, 50, 50, 0)),
        ],
    )
    def test_keeps_within_both_axes(self, line, ends):
        found = contamination_results._segment(line, Axes((0, 100), (0, 100), "", ""), "")

        assert (found.x, found.y, found.to_x, found.to_y) == pytest.approx(ends)
