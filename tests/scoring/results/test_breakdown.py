import pytest

from scoring.results import cells as breakdown
from tests.scoring import reads
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return spread()


class TestTheNestedTable:
    def test_goes_down_the_tree_to_difficulties_and_areas(self, world):
        lines = reads.breakdown_of(reads.cut_of(world.round)).lines("score")

        law = f"c-{world.law.pk}"
        titles = [(line.title, line.kind) for line in lines]
        assert titles[:4] == [
            ("Overall", "group"),
            ("General", "group"),
            ("Coherence", "capability"),
            ("simple", "difficulty"),
        ]
        mine = [line for line in lines if line.key.startswith(f"{law}/SIMPLE/")]
        assert {line.below for line in mine} == {f"{law}/SIMPLE"}
        assert {line.title for line in mine} <= {"Air", "Cargo", "Sea"}
        assert next(line for line in lines if line.key == law).has_parts

    def test_leaves_areas_to_the_files_when_it_grows_too_long(self, world, monkeypatch):
        monkeypatch.setattr(breakdown, "MOST_LINES", 12)
        made = reads.breakdown_of(reads.cut_of(world.round))

        assert made.leaves_out_areas
        assert "area" not in {line.kind for line in made.lines("score")}

    def test_names_criteria_where_there_are_several(self):
        round_ = spread(criteria=("grade", "wording")).round

        lines = reads.breakdown_of(reads.cut_of(round_)).lines("accuracy")

        assert [line.title for line in lines if line.kind == "criterion"][:2] == [
            "Grade",
            "Wording",
        ]

    def test_marks_cells_in_which_grades_are_missing(self):
        world = spread(n_items=0, state="OPEN")
        made = reads.breakdown_of(reads.cut_of(world.round))

        assert made.is_empty

        world = spread(n_items=6, number=2, state="OPEN")
        world.round.grades.filter(rater=world.round.annotators.first().rater).delete()
        cell = reads.breakdown_of(reads.cut_of(world.round)).lines("score")[0].cells[0]
        assert (cell.came, cell.wanted, cell.is_incomplete) == (12, 18, True)


class TestACell:
    def test_is_what_the_overall_score_becomes_under_the_same_filters(self, world):
        made = reads.breakdown_of(reads.cut_of(world.round))
        checked = 0
        for level in ("SIMPLE", "DIFFICULT"):
            for area in ("", world.air.pk, world.cargo.pk):
                query = {"difficulty": [level], **({"domain": [area]} if area else {})}
                alone = reads.result_of(reads.cut_of(world.round, query))
                for line in alone.headline:
                    at = {"node": "all", "difficulty": level, "domain": str(area)}
                    cell = made.cell("score", line.name.release, at, made.notes)
                    assert (cell.exact, cell.n_grades) == (
                        line.overall.exact,
                        line.overall.n_grades,
                    )
                    checked += cell.n_grades > 0
        assert checked > 6

    def test_of_the_whole_and_the_groups_is_that_of_the_scores(self, world):
        chosen = reads.cut_of(world.round, {"w.g-GENERAL": ["3"]})
        made, result = reads.breakdown_of(chosen), reads.result_of(chosen)

        for line in result.headline:
            whole = made.cell("score", line.name.release, {"node": "all"}, made.notes)
            general = made.cell("score", line.name.release, {"node": "g-GENERAL"}, made.notes)
            assert (whole.exact, whole.low, whole.high) == (
                line.overall.exact,
                line.overall.low,
                line.overall.high,
            )
            assert general.exact == line.cells[1].exact


class TestTheCrossTable:
    def test_has_a_line_for_each_area_and_a_column_for_each_difficulty(self, world):
        made = reads.breakdown_of(reads.cut_of(world.round))

        cross = made.cross("score", made.names[0].release)

        assert [line.title for line in cross] == [
            "All areas",
            "Air",
            "Cargo",
            "Sea",
            "Without an area",
        ]
        assert len(cross[0].cells) == 4
        n = [[cell.n_grades for cell in line.cells] for line in cross]
        assert n[0][0] == sum(n[0][1:]) == 72
        assert n[0][0] == n[1][0] + n[3][0] + n[4][0]  # Air counts Cargo, which lies within it

    def test_shows_the_first_system_unless_one_is_asked_for(self, world):
        made = reads.breakdown_of(reads.cut_of(world.round))
        places = {str(n): name.release for n, name in enumerate(made.names, start=1)}

        assert breakdown.chosen_release("", made.names, places) == made.names[0]
        assert breakdown.chosen_release("2", made.names, places) == made.names[1]
        assert breakdown.chosen_release("9", [], places) is None
