from types import SimpleNamespace

from evalsite.templatetags.notes import noted


def cell(why=""):
    return SimpleNamespace(why=why)


class TestNoted:
    def test_says_each_reason_once_and_numbers_the_cells_that_have_it(self):
        rows = [
            ("first", [cell("too few"), cell()]),
            ("second", [cell("all alike"), cell("too few")]),
        ]

        found = noted(iter(rows))

        assert found.texts == ["too few", "all alike"]
        assert [[number for _cell, number in cells] for _name, cells in found.rows] == [
            [1, None],
            [2, 1],
        ]
        assert [name for name, _cells in found.rows] == ["first", "second"]

    def test_of_whole_cells_says_nothing(self):
        assert noted([("first", [cell()])]).texts == []
