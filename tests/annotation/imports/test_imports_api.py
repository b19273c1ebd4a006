import pytest

from annotation.files.models import ImportBatch
from annotation.people.models import Role
from annotation.systems.models import Item
from tests import imports, make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/imports/"


@pytest.fixture
def curator(client):
    client.force_login(make.member(Role.CURATOR))
    return client


def brought() -> ImportBatch:
    return imports.apply(imports.answers(imports.ANSWERS))


def act(client, number, which):
    return client.post(f"{URL}{number}/", {"act": which}, content_type="application/json")


class TestImports:
    def test_are_listed_with_what_they_brought(self, curator):
        batch = brought()

        (row,) = curator.get(URL).json()["results"]

        assert (row["number"], row["kind"], row["state"]) == (batch.number, "ANSWERS", "APPLIED")
        assert row["counts"]["responses"] == batch.counts["responses"]
        assert curator.get(f"{URL}?before={batch.number}").json()["results"] == []

    def test_are_for_curators(self, client):
        client.force_login(make.member(Role.ANALYST))

        assert client.get(URL).status_code == 404


class TestOneImport:
    def test_is_taken_back_where_nothing_is_against_it(self, curator):
        batch = brought()

        shown = curator.get(f"{URL}{batch.number}/").json()
        undone = act(curator, batch.number, "undo")

        assert (shown["against_undo"], shown["done"]) == ([], shown["rows"])
        assert undone.json()["state"] == "UNDONE"
        assert not Item.objects.exists()

    @pytest.mark.parametrize("which", ["resume", "drop"])
    def test_that_is_done_neither_goes_on_nor_is_dropped(self, curator, which):
        batch = brought()

        assert act(curator, batch.number, which).status_code == 409
        assert ImportBatch.objects.get().state == "APPLIED"

    def test_says_what_it_can_be_told(self, curator):
        assert act(curator, brought().number, "explode").status_code == 400

    def test_of_another_number_is_none(self, curator):
        assert curator.get(f"{URL}99/").status_code == 404
