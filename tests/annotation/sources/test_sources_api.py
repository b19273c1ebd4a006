import json

import pytest
from django.urls import reverse

from tests import make

pytestmark = pytest.mark.django_db


def send(client, address, body):
    return client.post(address, json.dumps(body), content_type="application/json")


class TestSources:
    def test_takes_one_into_the_corpus_and_lists_it(self, client, designer):
        here = reverse("api_sources", args=["northport"])

        made = send(client, here, {"title": "Guide", "text": "The seller loads."})

        assert made.status_code == 201
        assert [one["title"] for one in client.get(here).json()["results"]] == ["Guide"]


class TestSource:
    def test_writes_down_what_it_says_now(self, client, designer):
        version = make.source_version()
        here = reverse("api_source", args=["northport", version.source_id])

        body = send(client, here, {"text": "The buyer loads."}).json()

        assert [one["number"] for one in body["versions"]] == [2, 1]


class TestSourceEdits:
    def test_correct_the_fields_that_are_sent(self, client, designer):
        version = make.source_version("Handbook")
        here = reverse("api_source_edits", args=["northport", version.source_id])

        body = send(client, here, {"licence": "CC0"}).json()

        assert (body["title"], body["licence"]) == ("Handbook", "CC0")
        [edit] = client.get(here).json()["results"]
        assert (edit["before"], edit["after"]) == ({"licence": ""}, {"licence": "CC0"})
        assert edit["by"] == str(designer.public_id)

    def test_refuse_a_title_the_corpus_has(self, client, designer):
        version = make.source_version("Handbook")
        make.source_version("Guide")
        here = reverse("api_source_edits", args=["northport", version.source_id])

        answer = send(client, here, {"title": "Guide"})

        assert (answer.status_code, answer.json()["code"]) == (422, "title_taken")
