import pytest

from tests.scoring import reads, rounds
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


class TestBreakdownOf:
    def test_counts_what_was_wanted_where_nothing_has_come(self):
        world = spread(n_items=3, state="OPEN")
        world.round.grades.all().delete()

        made = reads.breakdown_of(reads.cut_of(world.round))

        assert made.is_empty
        found = {(row.node, row.wanted, row.came, row.reason) for row in made.rows}
        assert ("all", 9, 0, "no_grades") in found
        assert (f"c-{world.law.pk}", 3, 0, "no_grades") in found

    def test_has_no_row_for_what_was_never_drawn(self):
        world = spread(n_items=3)
        made = reads.breakdown_of(reads.cut_of(world.round))

        assert {row.domain for row in made.rows} == {
            "",
            str(world.air.pk),
            str(world.cargo.pk),
        }

    def test_of_a_round_without_areas_or_difficulties_is_the_scores(self):
        round_ = rounds.graded()
        made = reads.breakdown_of(reads.cut_of(round_))

        assert {row.domain for row in made.rows} == {""}
        assert len(made.lines("score")) == 2
