import pytest

from annotation.files import cells as records


class TestBroken:
    def test_holds_its_problem_and_nothing_else(self):
        record = records.broken("too_deep", 4, "[[[")

        assert record.cells == {}
        assert [(one.code, one.line, one.found) for one in record.problems] == [
            ("too_deep", 4, "[[[")
        ]


class TestIsBlank:
    @pytest.mark.parametrize(
        ("value", "blank"), [(None, True), (" ", True), ([], True), (0, False)]
    )
    def test_knows_cells_that_say_nothing(self, value, blank):
        assert records.is_blank(value) is blank
