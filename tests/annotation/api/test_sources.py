import json

import pytest
from django.urls import reverse

from annotation.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def designer(client):
    found = make.member(Role.DESIGNER)
    client.force_login(found)
    return found


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
