from uuid import uuid4

import pytest

from annotation.people.models import AuditEvent
from evalsite import queue
from scoring.engine.models import Run
from tests.scoring import interviewed, run_rows, weighed

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/losses/new/"


def at(run, end="losses/"):
    return f"/p/northport/runs/{run.number}/{end}"


def opened(client, url, capture):
    with capture(execute=True):
        client.get(url)
    queue.burst("insight")
    return client.get(url).content.decode()


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
        assert "Nobody to ask yet" in as_curator.get(PAGE).content.decode()


class TestRunLosses:
    def test_shows_losses_and_min_k(self, as_analyst, django_capture_on_commit_callbacks):
        run = weighed.done(n=2)

        page = opened(as_analyst, f"{at(run)}?share=30", django_capture_on_commit_callbacks)

        for words in ("Kestrel · 1", "Min-30%, area", "2 + 2", "Scripted, not a measurement"):
            assert words in page
        assert at(run) in as_analyst.get(at(run, "")).content.decode()

    def test_sends_a_file_that_is_recorded(self, as_analyst, django_capture_on_commit_callbacks):
        run = weighed.done(n=1)
        file = at(run, "losses/losses.csv")
        assert as_analyst.get(file).headers["Location"] == at(run)
        opened(as_analyst, at(run), django_capture_on_commit_callbacks)

        lines = b"".join(as_analyst.get(file)).decode().splitlines()

        assert lines[0].startswith("system,train_loss")
        assert len(lines) == 3
        assert AuditEvent.objects.filter(verb="run.exported").count() == 1

    def test_is_none_of_another_kind_of_run(self, as_analyst):
        assert as_analyst.get(at(run_rows.run())).status_code == 404
