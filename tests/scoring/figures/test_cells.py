from fractions import Fraction

from scoring.figures import cells
from scoring.figures.cells import CellRow, Notes
from scoring.stats.plain import plain

ROW = CellRow(
    figure="score",
    release=1,
    node="all",
    criterion="",
    difficulty="",
    domain="",
    value=Fraction(1, 3),
    low=None,
    high=None,
    n_grades=3,
    n_questions=1,
    n_raters=3,
    came=3,
    wanted=None,
    n_parts_missing=0,
    reason=None,
    interval_reason="few_questions",
)


class TestNotes:
    def test_say_each_reason_once(self):
        notes = Notes()

        numbers = [notes.number(text) for text in ("One.", "Two.", "One.", "")]

        assert numbers == [1, 2, 1, None]
        assert notes.texts == ["One.", "Two."]


class TestCell:
    def test_is_rounded_and_keeps_the_exact_share_and_its_address(self):
        cell = cells.cell(ROW, ROW, notes=Notes(), at={"node": "all", "release": 2})

        assert (str(cell.value), cell.exact, cell.at) == ("33.3", "1/3", "at_node=all&at_release=2")

    def test_says_in_a_footnote_why_there_is_no_interval(self):
        notes = Notes()
        cell = cells.cell(ROW, ROW, notes=notes)

        assert cell.note == 1
        assert notes.texts[0].startswith("No interval: it needs four questions")

    def test_is_incomplete_while_grades_that_were_wanted_have_not_come(self):
        found = [
            cells.cell(ROW, ROW, notes=Notes(), came=came, wanted=wanted).is_incomplete
            for came, wanted in ((3, 6), (6, 6), (3, None))
        ]

        assert found == [True, False, False]

    def test_is_read_as_it_is_stored(self):
        stored = list(plain(ROW).values())

        assert stored[6] == {"num": 1, "den": 3, "value": 1 / 3}
        assert CellRow.read(stored) == ROW

    def test_without_a_row_says_that_there_are_no_grades(self):
        assert cells.cell(None, None, notes=Notes()).why == "No valid grades yet."
