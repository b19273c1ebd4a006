"""What the API really answers, in the world of tests/who_may.py, against what its document promises."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from annotation.people.models import Role
from evalsite import queue
from evalsite.contract import document as routes
from evalsite.contract.document import JSON
from tests import answers
from tests.doors.api import API
from tests.who_may_world import ANONYMOUS, STRANGER, World

READ = [one for one in routes.routes() if one.name in API and API[one.name].got]


def heard(answer):
    """Return status, media type and body."""
    media = answer.headers.get("Content-Type", "").partition(";")[0]
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, media, json.loads(body) if media == JSON else body


@pytest.mark.nightly
@pytest.mark.django_db
@pytest.mark.parametrize("route", READ, ids=lambda one: one.name)
class TestAnAnswer:
    def test_is_as_the_document_has_it(self, route, django_capture_on_commit_callbacks):
        world = World()
        url = reverse(route.name, kwargs=dict(API[route.name].kwargs(world)))
        wrong = []
        for actor in (Role.OWNER, Role.ANALYST, Role.ANNOTATOR, STRANGER, ANONYMOUS):
            client = Client()
            if actor != ANONYMOUS:
                client.force_login(world.people[actor])
            with django_capture_on_commit_callbacks(execute=True):
                first = heard(client.get(url))
            queue.burst()
            for said in (first, heard(client.get(url))):
                found = answers.problems(route.address, "GET", *said)
                wrong += [f"{actor} {said[0]}: {one}" for one in found]

        assert not wrong, "\n".join([route.name, *dict.fromkeys(wrong)])


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["api_rounds", "api_questions", "api_runs"])
class TestARefusal:
    def test_of_what_was_sent_is_as_the_document_has_it(self, name):
        (route,) = (one for one in routes.routes() if one.name == name)
        world = World()
        client = Client()
        client.force_login(world.people[Role.OWNER])
        url = reverse(name, kwargs=dict(API[name].kwargs(world)))

        said = heard(client.get(f"{url}?nonsense=1"))

        assert said[0] == 400
        assert answers.problems(route.address, "GET", *said) == []


class TestProblems:
    ADDRESS = "/api/v1/projects/"

    def test_are_none_where_all_is_as_promised(self):
        said = {"results": [{"slug": "northport", "name": "Northport"}]}

        assert answers.problems(self.ADDRESS, "GET", 200, JSON, said) == []

    @pytest.mark.parametrize(
        "said",
        [
            {"results": [{"slug": "northport", "name": 7}]},
            {"results": [{"slug": "northport"}]},
            {"results": [{"slug": "northport", "name": "Northport", "secret": 1}]},
            {"results": [], "next": None},
            [],
        ],
    )
    def test_are_found_in_every_other_answer(self, said):
        assert answers.problems(self.ADDRESS, "GET", 200, JSON, said)
