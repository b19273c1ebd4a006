import pytest
from django.urls import reverse

from annotation import models
from annotation.models import Role
from tests import counting, make

pytestmark = pytest.mark.django_db


@pytest.fixture
def curator(client):
    client.force_login(make.member(Role.CURATOR))


class TestSystems:
    def test_asks_the_database_as_often_for_many_as_for_few(self, client, curator):
        item = make.item()

        def grow(n: int) -> None:
            make.response(item, make.release(f"S{n}"))

        assert counting.growth(client, reverse("systems", args=["northport"]), grow) == 0

    def test_say_where_they_come_from_when_there_are_none(self, client, curator):
        page = client.get(reverse("systems", args=["northport"])).content.decode()

        assert "No systems yet" in page


class TestSystem:
    def test_is_added_with_names_by_which_it_may_give_itself_away(self, client, curator):
        client.post(
            reverse("system_new", args=["northport"]),
            {"name": "Kestrel", "aliases": "Falco\n\n Falco \nBird Ltd", "release": "1"},
        )

        made = models.System.objects.get()
        assert made.aliases == ["Falco", "Bird Ltd"]
        assert made.releases.get().label == "1"

    def test_is_renamed(self, client, curator):
        made = make.release("Kestrel").system

        client.post(reverse("system", args=["northport", made.pk]), {"name": "Merlin"})

        made.refresh_from_db()
        assert made.name == "Merlin"

    def test_says_that_a_name_is_taken(self, client, curator):
        make.release("Merlin")
        made = make.release("Kestrel").system

        answer = client.post(reverse("system", args=["northport", made.pk]), {"name": "Merlin"})

        assert answer.status_code == 422
        assert "has a system called" in answer.content.decode()


class TestRelease:
    def test_is_added_and_changed(self, client, curator):
        made = make.release("Kestrel", "1")

        client.post(reverse("release_new", args=["northport", made.system.pk]), {"label": "2"})
        client.post(
            reverse("release", args=["northport", made.pk]), {"label": "1.0", "notes": "cold"}
        )

        labels = models.SystemRelease.objects.order_by("label").values_list("label", flat=True)
        assert list(labels) == ["1.0", "2"]
