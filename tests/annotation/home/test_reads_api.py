import pytest
from django.urls import reverse

from tests import make

pytestmark = pytest.mark.django_db


class TestErrors:
    def test_have_one_shape(self, client):
        answer = client.get(reverse("api_me"))

        assert answer.status_code == 401
        assert answer.json() == {"code": "signed_out", "message": "Sign in to go on.", "fields": {}}

    def test_say_nothing_of_what_one_may_not_know(self, client):
        make.project("southgate")
        client.force_login(make.user("lena"))

        there = client.get(reverse("api_items", args=["southgate"]))
        nowhere = client.get(reverse("api_items", args=["nowhere"]))

        assert (there.status_code, there.content) == (404, nowhere.content)


class TestMe:
    def test_says_who_asks_and_as_what(self, client, curator):
        answer = client.get(reverse("api_me")).json()

        assert answer["username"] == "northport-curator"
        assert answer["may_start_projects"] is False
        assert answer["projects"] == [
            {"slug": "northport", "name": "Northport", "roles": ["CURATOR"]}
        ]


class TestItems:
    def test_come_page_by_page(self, client, curator):
        for n in range(60):
            make.item(f"Q{n:02}")

        first = client.get(reverse("api_items", args=["northport"])).json()
        second = client.get(reverse("api_items", args=["northport"]) + first["next"]).json()

        ids = [item["external_id"] for page in (first, second) for item in page["results"]]
        assert ids == [f"Q{n:02}" for n in range(60)]
        assert second["next"] is None

    def test_are_read_one_by_one(self, client, curator):
        item = make.item("Q1")
        make.response(item, make.release())

        answer = client.get(reverse("api_item", args=["northport", item.pk])).json()

        assert (answer["external_id"], answer["n_responses"]) == ("Q1", 1)


class TestSystems:
    def test_come_with_their_releases(self, client, curator):
        make.response(make.item(), make.release("Kestrel", "1"))

        (system,) = client.get(reverse("api_systems", args=["northport"])).json()["results"]

        assert (system["name"], system["releases"][0]["n_responses"]) == ("Kestrel", 1)


class TestRubrics:
    def test_come_with_criteria_and_levels(self, client, curator):
        make.rubric_version()

        (listed,) = client.get(reverse("api_rubrics", args=["northport"])).json()["results"]
        one = client.get(reverse("api_rubric", args=["northport", "factuality", 1])).json()

        assert listed == one
        assert [level["value"] for level in one["criteria"][0]["levels"]] == [
            "0.0000",
            "1.0000",
            "2.0000",
        ]
