import pytest

from annotation import models
from annotation.systems import operations as systems
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db


def create(name: str = "Kestrel", **more) -> models.System:
    return systems.create_system(
        project=make.project(), name=name, by=make.user("northport-owner"), now=make.NOW, **more
    )


def edit(system: models.System, name: str, aliases: list[str], **more) -> models.System:
    return systems.edit_system(
        system=system,
        name=name,
        aliases=aliases,
        by=make.user("northport-owner"),
        now=make.at(1),
        **more,
    )


class TestCreateSystem:
    def test_gives_every_system_a_colour_of_its_own(self):
        assert [create(name).colour for name in ("A", "B", "C")] == [1, 2, 3]

    def test_adds_the_first_release_as_well(self):
        made = create(release="2026-01", notes="warm")

        assert [(one.label, one.notes) for one in made.releases.all()] == [("2026-01", "warm")]

    def test_refuses_a_name_twice(self):
        create()

        with pytest.raises(errors.NameTaken):
            create()


class TestEditSystem:
    def test_writes_a_change_of_name_down(self):
        made = create()

        edit(made, "Merlin", ["Kestrel"])

        event = models.AuditEvent.objects.get(verb="system.renamed")
        assert event.data == {"old": "Kestrel", "new": "Merlin"}
        assert models.System.objects.get().aliases == ["Kestrel"]

    def test_writes_nothing_down_where_nothing_changed(self):
        made = create()
        before = models.AuditEvent.objects.count()

        edit(made, "Kestrel", [])

        assert models.AuditEvent.objects.count() == before

    def test_tells_the_family_of_its_model(self):
        made = create(family="falcon ")

        edit(made, "Kestrel", [])
        assert models.System.objects.get().family == "falcon"

        edit(made, "Kestrel", [], family="hawk")
        assert models.System.objects.get().family == "hawk"
        event = models.AuditEvent.objects.get(verb="system.family_changed")
        assert event.data == {"old": "falcon", "new": "hawk"}

    def test_refuses_the_name_of_another(self):
        create("Merlin")

        with pytest.raises(errors.NameTaken):
            edit(create(), "Merlin", [])


class TestReleases:
    def test_are_added_and_changed(self):
        by = make.user("northport-owner")
        release = systems.add_release(system=create(), label="1", by=by, now=make.NOW)

        systems.edit_release(release=release, label="1.0", notes="cold", by=by, now=make.NOW)

        assert [(one.label, one.notes) for one in models.SystemRelease.objects.all()] == [
            ("1.0", "cold")
        ]

    def test_have_a_name_once_in_their_system(self):
        by, system = make.user("northport-owner"), create(release="1")

        with pytest.raises(errors.NameTaken):
            systems.add_release(system=system, label="1", by=by, now=make.NOW)
