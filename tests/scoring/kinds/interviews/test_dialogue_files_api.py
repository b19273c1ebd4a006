import json
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.files.models import Upload
from evalsite import queue
from scoring.engine.models import Run
from tests import make
from tests.scoring import interviewed
from tests.scoring.dialogues import details

pytestmark = pytest.mark.django_db
URL = "/api/v1/projects/northport/interviews/import/"


def post(client, data, **more):
    file = SimpleUploadedFile("interact_details.json", data)
    return client.post(URL, {"key": str(uuid4()), "name": "From elsewhere", "file": file, **more})


class TestBringIn:
    def test_makes_a_run_that_is_over(self, as_curator):
        make.project()

        answer = post(as_curator, json.dumps([details("q-1")]).encode(), system="Tern")

        assert answer.status_code == 201, answer.json()
        assert (answer.json()["kind"], answer.json()["state"]) == ("KIEVAL", "DONE")

    def test_leaves_a_large_file_to_a_worker(self, as_curator, django_capture_on_commit_callbacks):
        make.project()
        large = json.dumps([details("q-1")]).encode() + b" " * Upload.SMALL

        with django_capture_on_commit_callbacks(execute=True):
            answer = post(as_curator, large, system="Tern")
        assert (answer.status_code, answer.json()["state"]) == (202, "checking")
        queue.burst()

        told = as_curator.get(answer.headers["Location"]).json()
        assert (told["state"], told["problems"]) == ("imported", {})
        assert told["counts"] == {"run": Run.objects.get().number}

    def test_says_what_is_wrong_with_a_large_file(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        make.project()
        with django_capture_on_commit_callbacks(execute=True):
            answer = post(as_curator, b"[1]" + b" " * Upload.SMALL, system="Tern")
        queue.burst()

        told = as_curator.get(answer.headers["Location"]).json()
        assert told["state"] == "refused"
        assert "entry 1: This is no object." in told["problems"]["file"]

    def test_says_what_is_wrong(self, as_curator):
        make.project()

        answer = post(as_curator, b"[1]", system="Tern")

        assert (answer.status_code, answer.json()["code"]) == (422, "file_refused")
        assert answer.json()["fields"]["file"] == ["entry 1: This is no object."]
        assert not Run.objects.exists()


class TestArchive:
    def test_comes_in_again(self, as_curator):
        run = interviewed.held(n=1)

        url = f"/api/v1/projects/northport/runs/{run.number}/dialogues.zip"
        answer = post(as_curator, b"".join(as_curator.get(url)))

        assert answer.status_code == 201, answer.json()
        assert answer.json()["scripted"]
