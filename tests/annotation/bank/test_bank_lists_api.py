import pytest
from django.urls import reverse

from annotation.bank.models import BulkEdit, QuestionVersion, SavedFilter
from annotation.people.models import Role
from evalsite import queue
from tests import make

pytestmark = pytest.mark.django_db


def address(name, *args):
    return reverse(name, args=["northport", *args])


def send(client, name, data, *args):
    return client.post(address(name, *args), data, content_type="application/json")


class TestSavedFilters:
    def test_are_kept_and_listed(self, client, designer):
        sent = {"name": "Mine", "query": {"state": "DRAFT"}, "columns": ["id"], "order": "id"}

        made = send(client, "api_saved_filters", sent)

        assert made.status_code == 201
        [line] = client.get(address("api_saved_filters")).json()["results"]
        assert line == made.json()
        assert (line["query"], line["columns"], line["order"]) == ({"state": "DRAFT"}, ["id"], "id")

    @pytest.mark.parametrize(
        ("sent", "status", "code"),
        [
            ({}, 422, "filter_invalid"),
            ({"name": "A", "query": {"colour": "red"}}, 422, "filter_invalid"),
            ({"name": "A", "is_shared": True}, 403, "not_yours"),
            ({"name": "A", "query": "DRAFT"}, 400, "invalid"),
        ],
    )
    def test_refuse_what_cannot_be(self, client, designer, sent, status, code):
        answer = send(client, "api_saved_filters", sent)

        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert not SavedFilter.objects.exists()


class TestSavedFilter:
    def test_changes_what_is_named_and_nothing_else(self, client):
        client.force_login(make.member(Role.CURATOR))
        saved = make.saved_filter()

        send(client, "api_saved_filter", {"name": "Other", "order": "id"}, saved.pk)

        saved.refresh_from_db()
        assert (saved.name, saved.order, saved.query) == ("Other", "id", {"state": "DRAFT"})

    def test_is_deleted(self, client):
        client.force_login(make.member(Role.CURATOR))
        saved = make.saved_filter()

        assert send(client, "api_saved_filter", {"act": "delete"}, saved.pk).status_code == 204
        assert not SavedFilter.objects.exists()

    def test_is_not_there_for_others(self, client, designer):
        saved = make.saved_filter(shared=False)

        assert client.get(address("api_saved_filter", saved.pk)).status_code == 404


class TestBulkEdits:
    def test_are_tried_out_started_and_read(
        self, client, designer, django_capture_on_commit_callbacks
    ):
        make.question_version("DRAFT", author=designer, external_id="A")
        make.question_version("SUBMITTED", author=designer, external_id="B")

        made = send(
            client, "api_bulk_edits", {"action": "CHANGE", "filters": {}, "domain_id": None}
        )
        assert made.status_code == 201
        assert made.json()["counts"]["changing"] == 1
        with django_capture_on_commit_callbacks(execute=True):
            answer = send(client, "api_bulk_edit", {"act": "start"}, made.json()["number"])
        assert answer.status_code == 202
        assert client.get(answer["Location"]).status_code == 200
        queue.burst()

        found = client.get(address("api_bulk_edit", 1)).json()
        assert (found["state"], found["counts"]["changed"]) == ("DONE", 1)
        assert {one["external_id"]: one["outcome"] for one in found["lines"]} == {
            "A": "DONE",
            "B": "REFUSED",
        }
        assert QuestionVersion.objects.get(question__external_id="A").domain is None

    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            ({}, 400),
            ({"action": "SUBMIT"}, 400),
            ({"action": "SUBMIT", "filters": {}, "questions": [1]}, 400),
            ({"action": "SUBMIT", "questions": [10**9]}, 422),
            ({"action": "CHANGE", "filters": {}}, 422),
            ({"action": "CHANGE", "filters": {}, "capability_id": 10**9}, 422),
        ],
    )
    def test_refuse_what_cannot_be(self, client, designer, sent, status):
        make.question_version("DRAFT", author=designer)

        assert send(client, "api_bulk_edits", sent).status_code == status
        assert not BulkEdit.objects.exists()

    def test_are_dropped(self, client, designer):
        edit = make.bulk_edit()

        assert send(client, "api_bulk_edit", {"act": "drop"}, edit.number).status_code == 204
        assert not BulkEdit.objects.exists()

    def test_are_listed(self, client, designer):
        make.bulk_edit()

        [line] = client.get(address("api_bulk_edits")).json()["results"]

        assert (line["number"], line["state"]) == (1, "PLANNED")
