import pytest

from annotation.people.models import Role
from annotation.systems.models import System, SystemRelease
from tests import make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/systems/"


@pytest.fixture
def send(client):
    client.force_login(make.member(Role.CURATOR))

    def sent(place="", body=None):
        return client.post(f"{URL}{place}", body or {}, content_type="application/json")

    return sent


class TestSystems:
    def test_are_added_with_a_first_release(self, send):
        said = send("", {"name": "Kestrel", "aliases": ["Windhover"], "release": "2"})

        assert said.status_code == 201
        assert [one["label"] for one in said.json()["releases"]] == ["2"]
        assert System.objects.get().aliases == ["Windhover"]

    def test_of_one_name_there_is_one(self, send):
        send("", {"name": "Kestrel"})

        again = send("", {"name": "Kestrel"})

        assert (again.status_code, list(again.json()["fields"])) == (422, ["name"])
        assert System.objects.count() == 1


class TestASystem:
    def test_keeps_what_is_not_named(self, send):
        made = send("", {"name": "Kestrel", "aliases": ["Windhover"], "family": "falcons"}).json()

        said = send(f"{made['id']}/", {"name": "Hobby"}).json()

        kept = System.objects.get()
        assert (said["name"], said["aliases"]) == ("Hobby", ["Windhover"])
        assert kept.family == "falcons"

    def test_of_another_project_is_none(self, send):
        elsewhere = make.release("Owl", in_=make.project("elsewhere")).system

        assert send(f"{elsewhere.pk}/", {"name": "Mine"}).status_code == 404


class TestReleases:
    def test_are_added_and_changed_field_by_field(self, send):
        made = send("", {"name": "Kestrel"}).json()
        place = f"{made['id']}/releases/"
        first = send(place, {"label": "1", "tools": True, "context_length": 8000})
        release = SystemRelease.objects.get()

        changed = send(f"{place}{release.pk}/", {"notes": "In spring.", "tools": None})

        assert (first.status_code, changed.status_code) == (201, 200)
        release.refresh_from_db()
        assert (release.label, release.notes) == ("1", "In spring.")
        assert (release.tools, release.context_length) == (None, 8000)

    @pytest.mark.parametrize(
        ("body", "field"), [({}, "label"), ({"label": "1", "context_length": 0}, "context_length")]
    )
    def test_say_what_cannot_be_used(self, send, body, field):
        made = send("", {"name": "Kestrel"}).json()

        said = send(f"{made['id']}/releases/", body)

        assert (said.status_code, list(said.json()["fields"])) == (400, [field])

    def test_belong_to_the_system_of_the_address(self, send):
        mine, other = make.release("Kestrel"), make.release("Heron")

        said = send(f"{mine.system_id}/releases/{other.pk}/", {"label": "x"})

        assert said.status_code == 404
