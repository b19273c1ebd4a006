from decimal import Decimal

import pytest

from annotation import models
from annotation.operations import taxonomy
from annotation.operations.taxonomy import CapabilityText, DomainText
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
        assert (made.weight, made.difficulties) == (Decimal("0.5"), {"SIMPLE": "One word."})

    def test_changes_one_and_writes_that_down(self):
        made = save("Terms")

        save("Terminology", old=made)

        assert models.Capability.objects.get().name == "Terminology"
        assert models.AuditEvent.objects.filter(verb="capability.changed").count() == 1

    @pytest.mark.parametrize("below", [False, True])
    def test_refuses_the_name_of_a_sibling(self, below):
        parent = save("Factuality") if below else None
        save("Terms", parent=parent)

        with pytest.raises(taxonomy.NameTaken):
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

        with pytest.raises(taxonomy.StillUsed, match="1 question"):
            remove(made)

    def test_refuses_while_it_has_parts(self):
        made = save("Factuality")
        save("Terms", parent=made)

        with pytest.raises(taxonomy.StillUsed, match="1 part"):
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

        with pytest.raises(taxonomy.StillUsed, match="round"):
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
