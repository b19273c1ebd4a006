import csv
import io

import pytest

from scoring.results import graded
from scoring.results import sheets as sheets_of_scores
from tests.scoring import reads
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


def rows(sheet):
    return list(csv.DictReader(io.StringIO("".join(sheet.lines()), newline="")))


class TestParts:
    def test_hold_a_line_for_every_cell_and_say_the_weights(self):
        world = spread()
        cut = reads.cut_of(world.round, {"w.g-GENERAL": ["2"], "difficulty": ["SIMPLE"]})
        made = reads.breakdown_of(cut)

        found = rows(sheets_of_scores.parts(made, cut))

        assert len(found) == len(made.rows)
        first = found[0]
        assert (first["system"], first["difficulty"]) in {("System 1", ""), ("System 2", "")}
        assert "weights: Coherence 2, Law 1, Companies 1" in first["convention"]
        assert "Difficulty: simple" in first["convention"]
        assert {one["area"] for one in found} == {"", "Air", "Cargo"}


class TestGrades:
    def test_hold_a_line_for_every_grade_without_names_of_people(self):
        world = spread()
        cell = graded.cell(reads.cut_of(world.round), {"at_release": ["2"]})

        found = rows(sheets_of_scores.grades(cell, with_people=False))

        assert len(found) == 72
        assert {one["system"] for one in found} == {"System 2"}
        assert {one["annotator"] for one in found} == {f"Annotator {n}" for n in (1, 2, 3)}

    def test_name_people_to_those_who_may_know(self):
        world = spread(n_items=3)
        cell = graded.cell(reads.cut_of(world.round), {})

        found = rows(sheets_of_scores.grades(cell, with_people=True))

        assert found[0]["annotator"].startswith("northport-annotator-")

    def test_disarm_what_a_spreadsheet_takes_for_a_formula(self):
        world = spread(n_items=3)
        world.round.grades.update(reason="=1+1")
        cell = graded.cell(reads.cut_of(world.round), {})

        assert rows(sheets_of_scores.grades(cell, with_people=False))[0]["reason"] == "'=1+1"
