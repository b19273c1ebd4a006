import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


class TestSystems:
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

        sent = {"name": "Merlin", "family": "falcon"}
        client.post(reverse("system", args=["northport", made.pk]), sent)

        made.refresh_from_db()
        assert (made.name, made.family) == ("Merlin", "falcon")
        page = client.get(reverse("systems", args=["northport"])).content.decode()
        assert "family falcon" in page

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

    def test_is_told_what_it_may_use(self, client, curator):
        made = make.release("Kestrel", "1")

        client.post(
            reverse("release", args=["northport", made.pk]),
            {
                "label": "1",
                "web_access": "no",
                "tools": "yes",
                "context_length": "8192",
                "knowledge_until": "2025-06",
            },
        )

        made.refresh_from_db()
        assert made.attributes == [
            "no web access",
            "tools",
            "context of 8192 tokens",
            "knowledge until 2025-06",
        ]
        page = client.get(reverse("system", args=["northport", made.system.pk])).content.decode()
        assert "knowledge until 2025-06" in page

    def test_is_read_but_not_changed_by_an_analyst(self, client):
        client.force_login(make.member(Role.ANALYST))
        made = make.release("Kestrel", "1")
        url = reverse("release", args=["northport", made.pk])

        assert "Known</" in client.get(url).content.decode()
        assert client.post(url, {"label": "2"}).status_code == 403

    def test_is_handed_out_with_what_is_known_of_it(self, client, curator):
        made = make.release("=Kestrel", "1")
        models.SystemRelease.objects.filter(pk=made.pk).update(tools=True, retrieval=False)
        make.response(make.item(), made)

        told = client.get(reverse("releases_csv", args=["northport"])).content.decode("utf-8-sig")

        assert told.splitlines() == [
            "system,family,release,web_access,retrieval,tools,context_length,knowledge_until,"
            "n_responses,n_items,notes",
            "'=Kestrel,,1,,no,yes,,,1,1,",
        ]
