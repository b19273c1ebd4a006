from datetime import date

import pytest

from annotation import models
from annotation.domains import plan
from annotation.domains.plan import Stock
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def box(domain: models.Domain | None = None) -> plan.PlanBox:
    """Return the cell of simple questions of factuality."""
    return plan.matrix(make.project(), domain=domain).rows[0].boxes[0]


class TestLines:
    def test_count_questions_below_an_area_too(self):
        version = make.question_version()
        above = models.Domain.objects.create(project=make.project(), name="Freight")
        models.Domain.objects.filter(pk=version.domain_id).update(parent=above)
        make.plan_cell(3, domain_=above)

        [line] = plan.lines(make.project())

        assert (line.stock, line.missing) == (Stock(accepted=1), 2)

    def test_come_with_what_is_missing_most_first(self):
        make.plan_cell(2)
        make.plan_cell(5, domain_=make.domain())

        assert [line.missing for line in plan.lines(make.project())] == [5, 2]

    def test_say_what_nobody_was_asked_for(self):
        cell = make.plan_cell(5)
        models.PlanShare.objects.create(cell=cell, designer=make.member(Role.DESIGNER), n=2)

        assert plan.line_of(cell).unassigned == 3


class TestMatrix:
    def test_takes_the_larger_of_the_whole_and_the_sum_of_its_areas(self):
        make.plan_cell(2)
        make.plan_cell(5, domain_=make.domain())

        assert (box().wanted, box().missing) == (5, 5)
        assert box(make.domain()).wanted == 5

    def test_draws_bars_in_shares_of_the_longest(self):
        make.question_version()
        make.question_version("SUBMITTED")
        make.plan_cell(4)

        assert box().bars == [("b1", "0.0%", "25.0%"), ("b2", "25.0%", "25.0%")]
        assert box().goal == "100.0%"

    def test_counts_questions_that_say_no_kind_apart(self):
        make.capability()
        make.question_version("DRAFT", text=make.question_text(capability_id=None))

        assert plan.matrix(make.project(), domain=None).without == 1

    def test_keeps_the_order_of_the_tree_when_asked(self):
        make.plan_cell(1)
        other = make.capability("Tone")
        models.PlanCell.objects.create(
            project=make.project(), capability=other, difficulty="SIMPLE", wanted=9
        )

        def names(**order):
            rows = plan.matrix(make.project(), domain=None, **order).rows
            return [row.capability.name for row in rows]

        assert names() == ["Tone", "Factuality"]
        assert names(gaps_first=False) == ["Factuality", "Tone"]


class TestTasksOf:
    def test_count_what_their_author_wrote_and_nobody_else(self):
        mine, other = make.member(Role.DESIGNER), make.member(Role.DESIGNER, username="other")
        models.PlanShare.objects.create(
            cell=make.plan_cell(5), designer=mine, n=2, due_on=date(2026, 3, 1)
        )
        make.question_version(author=mine)
        make.question_version("DRAFT", author=mine)
        make.question_version(author=other)

        [task] = plan.tasks_of(make.project(), mine)

        assert (task.stock, task.left, task.done) == (Stock(1, 0, 1), 0, False)
        assert task.is_late(date(2026, 3, 2))

    def test_are_none_for_somebody_who_was_not_asked(self):
        assert plan.tasks_of(make.project(), make.member(Role.DESIGNER)) == []
