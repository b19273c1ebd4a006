import pytest

from annotation.files.mappings import ColumnTarget
from annotation.files.scores import FigureMapping

PLACES = (ColumnTarget("who", "system"), ColumnTarget("what", "figure"), ColumnTarget("n", "value"))
NAMES = ["who", "what", "n"]


class TestFigureMapping:
    def test_is_the_same_after_it_was_stored(self):
        mapping = FigureMapping(PLACES, release="1")

        assert FigureMapping.from_dict(mapping.as_dict()).as_dict() == mapping.as_dict()

    @pytest.mark.parametrize(
        ("mapping", "codes"),
        [
            (FigureMapping(PLACES), set()),
            (FigureMapping(PLACES[::2], figure="MT-Bench"), {"column_without_target"}),
            (FigureMapping(PLACES[::2]), {"column_without_target", "no_figure_column"}),
            (FigureMapping(PLACES[1:]), {"column_without_target", "no_figure_system"}),
            (FigureMapping(PLACES[:2]), {"column_without_target", "no_figure_value_column"}),
            (
                FigureMapping((*PLACES[:2], ColumnTarget("n", "grade"))),
                {"unknown_target", "no_figure_value_column"},
            ),
        ],
    )
    def test_says_why_it_cannot_be_used(self, mapping, codes):
        assert {one.code for one in mapping.faults(NAMES)} == codes
