import sqlite3
from contextlib import closing

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evalsite import queue
from scoring.engine.models import Run
from tests import make
from tests.scoring import suites
from tests.scoring.kinds.suites.test_flexeval_results import TABLES


@pytest.mark.django_db
class TestResultsOfFlexeval:
    def test_come_in_by_the_same_page_and_are_shown(
        self, client, tmp_path, django_capture_on_commit_callbacks
    ):
        path = tmp_path / "results.db"
        with closing(sqlite3.connect(path)) as file:
            file.executescript(TABLES)
        client.force_login(suites.owner(make.project()))
        sent = {
            "file": SimpleUploadedFile("results.db", path.read_bytes()),
            "set_name": "Nightly",
            "system": "Kestrel",
            "release": "2",
        }

        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post("/p/northport/conversations/new/", sent, follow=True)

        run = Run.objects.get()
        assert answer.redirect_chain[-1][0] == f"/p/northport/runs/{run.number}/suite/"
        assert "4 values came in." in answer.content.decode()
        queue.burst("insight")
        page = client.get(f"/p/northport/runs/{run.number}/suite/").content.decode()
        assert "string_length" in page
        assert client.get(f"/p/northport/runs/{run.number}/").status_code == 200
