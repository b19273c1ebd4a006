import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import ImportBatch, Item, Role, Upload
from scoring.models import BenchmarkFigure
from tests import imports, make

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/imports/"


@pytest.fixture
def curator(client):
    client.force_login(make.member(Role.CURATOR))
    return client


def post(client, kind="choices", text=imports.CHOICES, name="quay.csv", **more):
    file = SimpleUploadedFile(name, text.encode())
    return client.post(f"{URL}{kind}/", {"file": file, **more})


class TestChoices:
    def test_come_in_once_however_often_they_are_sent(self, curator):
        first = post(curator, dataset="Quay")
        again = post(curator, dataset="Quay")

        assert (first.status_code, first.json()["state"]) == (201, "APPLIED")
        assert first.json()["counts"]["items"] == 2
        assert again.json()["import"] == first.json()["import"]
        assert (Item.objects.count(), Upload.objects.count()) == (2, 1)

    def test_are_only_checked_where_that_is_wanted(self, curator):
        found = post(curator, dataset="Quay", only_check=True)

        assert (found.status_code, found.json()["import"]) == (200, None)
        assert found.json()["counts"] == {"new_items": 2, "known_items": 0}
        assert not (Item.objects.exists())
        assert not (Upload.objects.exists())

    def test_take_columns_of_other_names(self, curator):
        text = "frage,one,two,right\nWhy?,a,b,a\n"
        columns = {"frage": "question", "one": "option", "two": "option"}

        found = post(curator, text=text, dataset="Own", columns=json.dumps(columns))

        assert found.status_code == 201, found.json()
        assert Item.objects.get().extra["options"] == {"A": "a", "B": "b"}

    def test_bring_nothing_where_a_line_is_wrong(self, curator):
        found = post(curator, text=imports.CHOICES.replace("gull,C,", "gull,E,"), dataset="Quay")

        assert (found.status_code, found.json()["code"]) == (422, "file_has_problems")
        assert list(found.json()["fields"]) == ["line 3, answer"]
        assert not (Item.objects.exists())
        assert not (Upload.objects.exists())

    @pytest.mark.parametrize(
        ("more", "status"),
        [({}, 422), ({"columns": "[1]", "dataset": "Quay"}, 400), ({"name": "x.pdf"}, 422)],
    )
    def test_say_what_cannot_be_used(self, curator, more, status):
        assert post(curator, **more).status_code == status
        assert not (ImportBatch.objects.exists())
        assert not (Upload.objects.exists())


class TestFigures:
    def test_come_in_for_the_systems_that_are_here(self, curator):
        make.release("Kestrel")
        make.release("Osprey")

        found = post(curator, "figures", imports.FIGURES, "figures.csv")

        assert found.json()["counts"] == {"figures": 3, "known": 0}
        assert BenchmarkFigure.objects.count() == 3
