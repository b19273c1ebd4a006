import pytest

from annotation.people.models import Role
from annotation.rubrics import queries as examples
from annotation.rubrics.models import Rubric
from tests import make

pytestmark = pytest.mark.django_db
PATH = "/api/v1/projects/northport/rubrics/examples/"


class TestRubricExamples:
    def test_are_told_with_their_levels_and_written_once(self, client):
        client.force_login(make.member(Role.CURATOR))

        told = client.get(PATH).json()["results"]
        first = client.post(PATH, content_type="application/json").json()["added"]
        again = client.post(PATH, content_type="application/json").json()["added"]

        assert {one["key"] for one in told} == {
            one["key"] for one in examples.list_rubrics_examples()
        }
        assert told[0]["criteria"][0]["levels"]
        assert len(first) == len(told) == Rubric.objects.count()
        assert again == []

    def test_are_written_as_chosen(self, client):
        client.force_login(make.member(Role.CURATOR))

        answer = client.post(PATH, {"keys": ["acceptable"]}, content_type="application/json")

        assert [one["key"] for one in answer.json()["added"]] == ["acceptable"]
        assert Rubric.objects.get().key == "acceptable"
