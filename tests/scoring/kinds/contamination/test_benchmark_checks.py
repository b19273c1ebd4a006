import pytest

from tests import imports, make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _systems():
    make.release("Kestrel")
    make.release("Osprey")


class TestFigureCheck:
    def test_tells_what_would_come_of_it(self):
        report = imports.figures().report

        assert report["ok"]
        assert report["counts"] == {"figures": 3, "known": 0, "empty_cells": 1}
        assert report["names"] == [
            {"name": "MT-Bench", "n": 1, "low": 7.2, "high": 7.2},
            {"name": "accuracy", "n": 2, "low": 55.0, "high": 71.5},
        ]
        assert report["preview"][0] == {
            "system": "Kestrel",
            "figure": "accuracy",
            "dataset": "Quay",
            "value": "71.5",
        }

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ("Merlin,Quay,accuracy,1\n", "unknown_system"),
            ("Kestrel,Quay,accuracy,2\n", "figure_twice"),
            ("Kestrel,Dock,accuracy,high\n", "no_figure_value"),
        ],
    )
    def test_names_the_line_of_what_is_wrong(self, more, code):
        found = imports.problems(imports.figures(imports.FIGURES + more))

        assert [(one, line) for one, line, _column in found] == [(code, 6)]

    def test_refuses_another_value_of_what_was_brought_before(self):
        imports.apply(imports.figures())

        changed = imports.figures(imports.FIGURES.replace("71.5", "80"))
        same = imports.figures(imports.FIGURES + "Osprey,,MT-Bench,6\n", "more.csv")

        assert [one[0] for one in imports.problems(changed)] == ["figure_before"]
        assert same.report["counts"] == {"figures": 1, "known": 3, "empty_cells": 1}
