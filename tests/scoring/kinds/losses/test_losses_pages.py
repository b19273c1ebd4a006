from uuid import uuid4

import pytest

from scoring.engine.models import Run
from tests.scoring import interviewed, weighed

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/losses/new/"


class TestLossesNew:
    def test_says_what_it_would_take_and_starts(self, as_curator):
        data = {
            "deed": "estimate",
            "key": str(uuid4()),
            "name": "In March",
            "train_over": weighed.brought("old", 2),
            "test_over": weighed.brought("new", 2),
            "releases": [one.pk for one in interviewed.candidates()],
            "seed": 7,
        }

        counted = as_curator.post(PAGE, data).content.decode()
        started = as_curator.post(PAGE, {**data, "deed": "start"})

        assert "Start the run" in counted
        run = Run.objects.get()
        assert started.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert (run.kind, len(run.config["items"])) == ("LOSSES", 4)
        again = as_curator.get(f"{PAGE}?from={run.number}")
        assert again.context["form"]["texts"].value() == 2

    def test_tells_what_to_do_when_nobody_can_be_asked(self, as_curator):
        assert "Nobody to ask" in as_curator.get(PAGE).content.decode()
