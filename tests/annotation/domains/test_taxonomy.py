from decimal import Decimal

import pytest

from annotation import models
from annotation.common import trees
from annotation.domains import operations as taxonomy
from annotation.domains.operations import CapabilityText, DomainText
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def save(name: str, old: models.Capability | None = None, **text) -> models.Capability:
    return taxonomy.save_capability(
        project=make.project(),
        text=CapabilityText(name, **text),
        by=make.user("northport-owner"),
        now=make.NOW,
        old=old,
    )


def remove(capability: models.Capability) -> None:
    taxonomy.remove_capability(capability=capability, by=make.user("northport-owner"), now=make.NOW)


class TestSaveCapability:
    def test_adds_one_with_everything_that_is_said_of_it(self):
        made = save(
            "Terms", weight=Decimal("0.5"), difficulties={"SIMPLE": "One word.", "DIFFICULT": ""}
        )

        made.refresh_from_db()
        assert made.weight == Decimal("0.5")
        assert made.difficulties == {"SIMPLE": {"definition": "One word."}}

    def test_keeps_a_definition_and_an_example_of_each_difficulty(self):
        said = {"definition": "One word.", "example": "What is a pallet?"}

        made = save("Terms", difficulties={"SIMPLE": said})

        simple, intermediate, _difficult = made.described
        assert (simple.definition, simple.example) == ("One word.", "What is a pallet?")
        assert (intermediate.definition, intermediate.example) == ("", "")

    def test_still_reads_what_was_stored_before_there_were_examples(self):
        made = save("Terms")
        made.difficulties = {"SIMPLE": "One word."}

        assert made.described[0].definition == "One word."

    def test_changes_one_and_writes_that_down(self):
        made = save("Terms")

        save("Terminology", old=made)

        assert models.Capability.objects.get().name == "Terminology"
        assert models.AuditEvent.objects.filter(verb="capability.changed").count() == 1

    @pytest.mark.parametrize("below", [False, True])
    def test_refuses_the_name_of_a_sibling(self, below):
        parent = save("Factuality") if below else None
        save("Terms", parent=parent)

        with pytest.raises(errors.NameTaken):
            save("Terms", parent=parent)

    def test_refuses_a_place_below_itself(self):
        top = save("Factuality")
        part = save("Terms", parent=save("Concepts", parent=top))

        with pytest.raises(taxonomy.BelowItself):
            save("Factuality", old=top, parent=part)


class TestRemoveCapability:
    def test_takes_away_one_that_nothing_uses(self):
        remove(save("Terms"))

        assert not models.Capability.objects.exists()

    def test_refuses_while_questions_belong_to_it(self):
        made = save("Terms")
        make.item(capability_=made)

        with pytest.raises(errors.StillUsed, match="1 question"):
            remove(made)

    def test_refuses_while_it_has_parts(self):
        made = save("Factuality")
        save("Terms", parent=made)

        with pytest.raises(errors.StillUsed, match="1 part"):
            remove(made)

    def test_refuses_while_a_round_uses_it(self):
        made = save("Terms")
        round_ = models.Round.objects.create(
            project=make.project(),
            number=1,
            name="First",
            seed="1",
            secret=b"1",
            created_by=make.user("northport-owner"),
            created_at=make.NOW,
        )
        models.RoundRubric.objects.create(
            round=round_, capability=made, rubric_version=make.rubric_version()
        )

        with pytest.raises(errors.StillUsed, match="round"):
            remove(made)


class TestSaveDomain:
    def test_adds_changes_and_removes(self):
        by, project = make.user("northport-owner"), make.project()
        made = taxonomy.save_domain(
            project=project, text=DomainText("Air", priority="P0"), by=by, now=make.NOW
        )
        taxonomy.save_domain(
            project=project, text=DomainText("Air freight"), by=by, now=make.NOW, old=made
        )

        assert models.Domain.objects.get().name == "Air freight"

        taxonomy.remove_domain(domain=made, by=by, now=make.NOW)

        assert not models.Domain.objects.exists()


def area(name: str, parent: models.Domain | None = None) -> models.Domain:
    return taxonomy.save_domain(
        project=make.project(),
        text=DomainText(name, parent=parent),
        by=make.user("northport-owner"),
        now=make.NOW,
    )


def order(parent: models.Domain | None = None) -> list[str]:
    return [one.name for one in models.Domain.objects.filter(parent=parent)]


class TestMove:
    def move(self, node, parent=None, before=None):
        by = make.user("northport-owner")
        return taxonomy.move(node=node, parent=parent, before=before, by=by, now=make.NOW)

    def test_puts_an_area_before_another_one(self):
        _air, sea, road = area("Air"), area("Sea"), area("Road")

        self.move(road, before=sea)

        assert order() == ["Air", "Road", "Sea"]
        assert models.AuditEvent.objects.filter(verb="domain.moved").count() == 1

    def test_puts_an_area_below_another_one_as_its_last_part(self):
        air, sea = area("Air"), area("Sea")
        area("Lines", parent=air)

        self.move(sea, parent=air)

        assert (order(), order(air)) == (["Air"], ["Lines", "Sea"])

    def test_refuses_a_place_below_itself(self):
        air = area("Air")
        lines = area("Lines", parent=air)

        with pytest.raises(taxonomy.BelowItself):
            self.move(air, parent=lines)

        assert order() == ["Air"]

    def test_refuses_a_place_where_the_name_is_taken(self):
        air = area("Air")
        area("Sea", parent=air)
        sea = area("Sea")

        with pytest.raises(errors.NameTaken):
            self.move(sea, parent=air)


class TestStep:
    def step(self, node, step):
        by = make.user("northport-owner")
        return taxonomy.step(node=node, step=trees.TreeStep(step), by=by, now=make.NOW)

    def test_moves_by_one(self):
        air, sea = area("Air"), area("Sea")

        self.step(sea, "up")
        assert order() == ["Sea", "Air"]
        self.step(air, "in")
        assert (order(), order(sea)) == (["Sea"], ["Air"])
        self.step(models.Domain.objects.get(name="Air"), "out")
        assert order() == ["Sea", "Air"]

    def test_refuses_where_there_is_nowhere_to_go(self):
        with pytest.raises(taxonomy.NoSuchStep):
            self.step(area("Air"), "up")


class TestRemoveDomain:
    def remove(self, node):
        taxonomy.remove_domain(domain=node, by=make.user("northport-owner"), now=make.NOW)

    def test_refuses_while_a_draft_of_the_bank_is_about_it(self):
        version = make.question_version("DRAFT")

        with pytest.raises(errors.StillUsed, match="1 question"):
            self.remove(version.domain)

    def test_refuses_while_the_plan_wants_questions_of_it_and_says_what_to_do(self):
        air = area("Air")
        make.plan_cell(domain_=air)

        with pytest.raises(errors.StillUsed, match="Set those numbers to 0"):
            self.remove(air)
