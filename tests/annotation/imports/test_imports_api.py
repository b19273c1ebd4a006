import pytest

from annotation.files.models import ImportBatch
from annotation.people.models import Role
from annotation.systems.models import Item
from tests import imports, make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/imports/"


def brought() -> ImportBatch:
    return imports.apply(imports.answers(imports.ANSWERS))


def act(client, number, which):
    return client.post(f"{URL}{number}/", {"act": which}, content_type="application/json")


class TestImports:
    def test_are_listed_with_what_they_brought(self, as_curator):
        batch = brought()

        (row,) = as_curator.get(URL).json()["results"]

        assert (row["number"], row["kind"], row["state"]) == (batch.number, "ANSWERS", "APPLIED")
        assert row["counts"]["responses"] == batch.counts["responses"]
        assert as_curator.get(f"{URL}?before={batch.number}").json()["results"] == []

    def test_are_for_curators(self, client):
        client.force_login(make.member(Role.ANALYST))

        assert client.get(URL).status_code == 404


class TestOneImport:
    def test_is_taken_back_where_nothing_is_against_it(self, as_curator):
        batch = brought()

        shown = as_curator.get(f"{URL}{batch.number}/").json()
        undone = act(as_curator, batch.number, "undo")

        assert (shown["against_undo"], shown["done"]) == ([], shown["rows"])
        assert undone.json()["state"] == "UNDONE"
        assert not Item.objects.exists()

    @pytest.mark.parametrize("which", ["resume", "drop"])
    def test_that_is_done_neither_goes_on_nor_is_dropped(self, as_curator, which):
        batch = brought()

        assert act(as_curator, batch.number, which).status_code == 409
        assert ImportBatch.objects.get().state == "APPLIED"

    def test_says_what_it_can_be_told(self, as_curator):
        assert act(as_curator, brought().number, "explode").status_code == 400

    def test_of_another_number_is_none(self, as_curator):
        assert as_curator.get(f"{URL}99/").status_code == 404
