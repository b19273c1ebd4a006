import pytest

from annotation import models
from annotation.domains.models import Capability
from scoring.figures import labels as branches
from tests.scoring import rounds
from tests.scoring.spread import spread

pytestmark = pytest.mark.django_db


class TestCapabilities:
    def test_stand_in_the_order_of_the_tree_below_their_groups(self):
        world = spread()

        tree = branches.capabilities(world.round)

        assert [(one.key, one.below, one.depth) for one in tree.branches] == [
            ("all", "", 0),
            ("g-GENERAL", "all", 1),
            (f"c-{world.coherence.pk}", "g-GENERAL", 2),
            ("g-DOMAIN", "all", 1),
            (f"t-{world.facts.pk}", "g-DOMAIN", 2),
            (f"c-{world.law.pk}", f"t-{world.facts.pk}", 3),
            (f"c-{world.companies.pk}", f"t-{world.facts.pk}", 3),
        ]
        assert tree.groups["g-DOMAIN"] == (world.law.pk, world.companies.pk)

    def test_that_are_graded_themselves_stand_beside_those_below_them(self):
        round_ = rounds.graded(capabilities=("A", "B"))
        a, b = Capability.objects.order_by("name")
        Capability.objects.filter(pk=b.pk).update(parent=a)

        tree = branches.capabilities(round_)

        keys = [one.key for one in tree.branches]
        assert keys == ["all", f"t-{a.pk}", f"c-{a.pk}", f"c-{b.pk}"]

    def test_have_no_kinds_when_all_are_of_one(self):
        assert branches.capabilities(rounds.graded()).kinds == {}

    def test_of_items_that_have_none_are_a_line_of_their_own(self):
        tree = branches.capabilities(rounds.graded(about=[{"capability": None}, {}]))

        assert tree.branches[-1].key == "c-none"


class TestCriteria:
    def test_are_those_of_the_rubrics_each_once(self):
        round_ = rounds.graded(criteria=("grade", "wording"))

        found = branches.criteria(round_)

        assert [[one.key for one in some] for some in found.values()] == [["grade", "wording"]]


class TestDomains:
    def test_are_those_drawn_with_what_stands_above_them(self):
        world = spread()

        found = branches.domains(world.round)

        assert [(one.title, one.depth) for one in found.branches] == [
            ("Air", 1),
            ("Cargo", 2),
            ("Sea", 1),
            ("Without an area", 1),
        ]
        assert found.below(world.air.pk) == [world.air.pk, world.cargo.pk]

    def test_leave_out_areas_that_were_not_drawn(self):
        world = spread()
        models.Domain.objects.create(project=world.home, name="Rail")

        assert "Rail" not in {one.title for one in branches.domains(world.round).branches}
