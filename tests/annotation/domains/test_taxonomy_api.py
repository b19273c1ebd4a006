import pytest
from django.urls import reverse

from annotation import models
from tests import make

pytestmark = pytest.mark.django_db


def send(client, name: str, data: dict[str, object], *args):
    url = reverse(name, args=["northport", *args])
    return client.post(url, data, content_type="application/json")


class TestDomains:
    def test_are_added_and_listed_with_their_stock(self, client, curator):
        made = send(client, "api_domains", {"name": "Air", "priority": "P0"})
        assert made.status_code == 201

        [line] = client.get(reverse("api_domains", args=["northport"])).json()["results"]

        assert (line["name"], line["priority"], line["wanted"]) == ("Air", "P0", 0)
        assert line["stock"] == {"accepted": 0, "inspected": 0, "drafted": 0}

    def test_refuse_a_taken_name_at_the_field(self, client, curator):
        send(client, "api_domains", {"name": "Air"})

        answer = send(client, "api_domains", {"name": "Air"})

        assert (answer.status_code, answer.json()["code"]) == (422, "name_taken")
        assert "name" in answer.json()["fields"]


class TestDomain:
    def test_changes_what_is_named_and_nothing_else(self, client, curator):
        made = make.domain()
        priority = made.priority
        models.Domain.objects.filter(pk=made.pk).update(definition=" As it was typed. \n")

        send(client, "api_domain", {"completeness_note": "All."}, made.pk)

        made.refresh_from_db()
        assert made.definition == " As it was typed. \n"
        assert (made.completeness_note, made.priority) == ("All.", priority)

    def test_is_not_put_below_one_that_is_not_there(self, client, curator):
        answer = send(client, "api_domain", {"parent": 10**9}, make.domain().pk)

        assert (answer.status_code, "parent" in answer.json()["fields"]) == (400, True)


class TestCapabilities:
    def test_are_added_with_rubric_and_difficulties(self, client, curator):
        key = make.rubric_version().rubric.key
        said = {"SIMPLE": {"definition": "One.", "example": "Two?"}}

        made = send(
            client, "api_capabilities", {"name": "Tone", "rubric": key, "difficulties": said}
        ).json()

        assert made["rubric"] == key
        assert made["difficulties"][0] == {
            "difficulty": "SIMPLE",
            "definition": "One.",
            "example": "Two?",
        }

    def test_refuse_a_rubric_that_is_not_there(self, client, curator):
        answer = send(client, "api_capabilities", {"name": "Tone", "rubric": "none"})

        assert answer.status_code == 400


class TestCapability:
    def test_keeps_the_other_difficulties_when_one_changes(self, client, curator):
        made = make.capability()
        models.Capability.objects.filter(pk=made.pk).update(
            difficulties={"SIMPLE": "One.", "DIFFICULT": {"definition": "All."}}
        )

        send(client, "api_capability", {"difficulties": {"SIMPLE": {"example": "A?"}}}, made.pk)

        made.refresh_from_db()
        assert made.difficulties == {
            "SIMPLE": {"definition": "One.", "example": "A?"},
            "DIFFICULT": {"definition": "All."},
        }


class TestRemoving:
    @pytest.mark.parametrize("kind", ["domain", "capability"])
    def test_takes_away_what_nothing_uses(self, client, curator, kind):
        plural = {"domain": "api_domains", "capability": "api_capabilities"}[kind]
        made = send(client, plural, {"name": "A slip"}).json()

        answer = send(client, f"api_{kind}_remove", {}, made["id"])

        assert (answer.status_code, answer.content) == (204, b"")
        assert client.get(reverse(f"api_{kind}", args=["northport", made["id"]])).status_code == 404

    def test_leaves_what_is_used(self, client, curator):
        used = make.capability()
        make.item("Q01", capability_=used)

        answer = send(client, "api_capability_remove", {}, used.pk)

        assert answer.status_code == 409
        assert models.Capability.objects.filter(pk=used.pk).exists()
