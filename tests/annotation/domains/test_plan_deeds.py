from datetime import date

import pytest

from annotation import models
from annotation.domains import operations as plan
from annotation.domains.operations import PlanSpot
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def spot(domain: models.Domain | None = None) -> PlanSpot:
    return PlanSpot(make.capability().pk, "SIMPLE", domain.pk if domain else None)


def write(wanted: dict[PlanSpot, int]) -> list[models.PlanCell]:
    by = make.user("northport-owner")
    return plan.set_wanted(project=make.project(), wanted=wanted, by=by, now=make.NOW)


def ask(cell: models.PlanCell, designer: models.User, n: int = 2, due_on: date | None = None):
    by = make.user("northport-owner")
    return plan.assign(cell=cell, designer=designer, n=n, due_on=due_on, by=by, now=make.NOW)


class TestSetWanted:
    def test_writes_changes_and_takes_away(self):
        write({spot(): 3, spot(make.domain()): 2})
        assert models.PlanCell.objects.count() == 2

        changed = write({spot(): 5, spot(make.domain()): 0})

        assert len(changed) == 2
        assert models.PlanCell.objects.get().wanted == 5
        assert models.AuditEvent.objects.filter(verb="plan.wanted").count() == 4

    def test_leaves_what_is_the_same_alone(self):
        write({spot(): 3})

        assert write({spot(): 3, PlanSpot(make.capability().pk, "DIFFICULT"): 0}) == []

    @pytest.mark.parametrize("n", [-1, plan.MOST_WANTED + 1])
    def test_refuses_numbers_out_of_range(self, n):
        with pytest.raises(plan.OutOfRange):
            write({spot(): n})

    def test_refuses_what_is_of_another_project_and_writes_nothing(self):
        elsewhere = make.capability("Tone", in_=make.project("southgate"))

        with pytest.raises(plan.NoSuchPlace):
            write({spot(): 1, PlanSpot(elsewhere.pk, "SIMPLE"): 1})

        assert not models.PlanCell.objects.exists()

    @pytest.mark.parametrize(
        "place", [PlanSpot(0, "SIMPLE"), PlanSpot(1, "EASY"), PlanSpot(1, "SIMPLE", 0)]
    )
    def test_refuses_places_that_do_not_exist(self, place):
        with pytest.raises(plan.NoSuchPlace):
            write({place: 1})

    def test_refuses_to_take_away_what_somebody_was_asked_for(self):
        [cell] = write({spot(): 3})
        ask(cell, make.member(Role.DESIGNER))

        with pytest.raises(plan.StillAssigned, match="Take that back first"):
            write({spot(): 0})


class TestAssign:
    def test_asks_and_asking_again_changes_it(self):
        cell, designer = make.plan_cell(), make.member(Role.DESIGNER)

        ask(cell, designer, n=2)
        ask(cell, designer, n=4, due_on=date(2026, 4, 1))

        share = models.PlanShare.objects.get()
        assert (share.n, share.due_on) == (4, date(2026, 4, 1))

    def test_refuses_somebody_who_does_not_write(self):
        with pytest.raises(plan.NoWriter):
            ask(make.plan_cell(), make.member(Role.ANNOTATOR))

    def test_refuses_nothing_at_all(self):
        with pytest.raises(plan.OutOfRange):
            ask(make.plan_cell(), make.member(Role.DESIGNER), n=0)


class TestRelease:
    def test_takes_back_what_was_asked(self):
        share = ask(make.plan_cell(), make.member(Role.DESIGNER))

        plan.release(share=share, by=make.user("northport-owner"), now=make.NOW)

        assert not models.PlanShare.objects.exists()
        assert models.AuditEvent.objects.filter(verb="plan.released").exists()
