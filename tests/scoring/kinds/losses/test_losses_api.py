from uuid import uuid4

import pytest

from annotation.people.models import Role
from scoring.engine.models import Run
from tests import make
from tests.scoring import interviewed, weighed

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/losses/"


def post(client, **given):
    usual = {
        "key": str(uuid4()),
        "name": "In March",
        "releases": [one.pk for one in interviewed.candidates()],
        "seed": 7,
    }
    return client.post(URL, {**usual, **given}, content_type="application/json")


class TestStart:
    def test_estimates_and_starts_once(self, client):
        client.force_login(make.member(Role.CURATOR))
        sources = {
            "train_over": weighed.brought("old", 2),
            "test_over": weighed.brought("new", 2),
            "key": str(uuid4()),
        }

        counted = post(client, **sources, estimate=True).json()
        started, again = (post(client, **sources) for _time in range(2))

        assert counted["calls"] == 8
        assert (started.status_code, started.json()["kind"]) == (201, "LOSSES")
        assert started.json()["number"] == again.json()["number"]
        assert Run.objects.count() == 1
