import io
import json
import re
import zipfile
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.files.models import Upload
from annotation.people.models import AuditEvent
from evalsite import queue
from scoring.engine.models import Run
from scoring.kinds.interviews import exchange as dialogue_export
from scoring.kinds.interviews.models import Dialogue
from tests import make
from tests.pages import squeezed
from tests.scoring import interviewed
from tests.scoring.dialogues import details

pytestmark = pytest.mark.django_db
PAGE = "/p/northport/interviews/import/"


def sent(data, name="interact_details.json", **more):
    file = SimpleUploadedFile(name, data)
    return {"key": str(uuid4()), "name": "From elsewhere", "file": file, "planned": 5, **more}


def archived(client, run):
    return b"".join(client.get(f"/p/northport/runs/{run.number}/dialogues/dialogues.zip"))


class TestRunDialoguesZip:
    def test_sends_the_dialogues_and_writes_down_who_took_them(self, as_curator):
        run = interviewed.held(n=1)

        data = archived(as_curator, run)

        with zipfile.ZipFile(io.BytesIO(data)) as files:
            assert set(files.namelist()) == {"dialogues.jsonl", "exchanges.csv", "manifest.json"}
        (event,) = AuditEvent.objects.filter(verb="run.exported")
        assert event.data["form"] == "dialogues.zip"


class TestInterviewsImport:
    def test_leaves_a_large_file_to_a_worker_and_tells_what_came_of_it(
        self, as_curator, django_capture_on_commit_callbacks
    ):
        make.project()
        large = json.dumps([details("q-1")]).encode() + b" " * Upload.SMALL
        with django_capture_on_commit_callbacks(execute=True):
            answer = as_curator.post(PAGE, sent(large, new_system="Tern"))
        assert "reading" in as_curator.get(answer.headers["Location"]).content.decode()

        queue.burst()

        there = f"/p/northport/runs/{Run.objects.get().number}/dialogues/"
        page = squeezed(as_curator.get(PAGE).content.decode())
        assert f'<a href="{there}">The dialogues are here.' in page

    def test_brings_in_a_file_of_released_tools_for_a_system_that_is_named(self, as_curator):
        make.project()
        data = json.dumps([details("q-1"), details("q-2")]).encode()

        answer = as_curator.post(
            PAGE, sent(data, new_system="Tern", evaluator="Their evaluator", dataset="knots")
        )

        run = Run.objects.get()
        assert answer.headers["Location"] == f"/p/northport/runs/{run.number}/dialogues/"
        page = as_curator.get(answer.headers["Location"]).content.decode()
        assert "2 dialogues" in page
        assert "knots" in page
        assert {str(one.release) for one in Dialogue.objects.all()} == {"Tern · 1"}
        for end in ("", "interviews/", "evaluators/"):
            assert as_curator.get(f"/p/northport/runs/{run.number}/{end}").status_code == 200

    def test_brings_in_what_was_exported_here(self, as_curator):
        run = interviewed.held(n=1)

        as_curator.post(PAGE, sent(archived(as_curator, run), "dialogues.zip"))

        again = Run.objects.exclude(pk=run.pk).get()
        page = as_curator.get(f"/p/northport/runs/{again.number}/dialogues/").content.decode()
        assert "Demo: made by a script" in page
        assert again.dialogues.count() == 2

    def test_says_what_of_a_file_could_not_be_checked(self, as_curator):
        run = interviewed.held(n=1)
        lines = "".join(dialogue_export.lines(run)).encode()

        as_curator.post(PAGE, sent(lines, "dialogues.jsonl", evaluator="Theirs"))

        again = Run.objects.exclude(pk=run.pk).get()
        for end in ("", "dialogues/"):
            page = as_curator.get(f"/p/northport/runs/{again.number}/{end}").content.decode()
            assert "changes cannot be told." in page
        assert (
            "cannot be told"
            not in as_curator.get(f"/p/northport/runs/{run.number}/").content.decode()
        )

    def test_says_every_problem_and_brings_nothing_in(self, as_curator):
        make.project()

        answer = as_curator.post(
            PAGE, sent(json.dumps([{}, details("")]).encode(), new_system="Tern")
        )

        page = answer.content.decode()
        assert answer.status_code == 422
        assert "entry 1: “all_messages” is no list" in page
        assert "entry 2: “question” is empty" in page
        assert not Run.objects.exists()

    def test_asks_for_a_file(self, as_curator):
        make.project()

        answer = as_curator.post(PAGE, {"key": str(uuid4()), "name": "Nothing"})

        assert answer.status_code == 422

    def test_is_found_from_the_runs_and_its_run_cannot_be_started_again(self, as_curator):
        make.project()
        assert PAGE in as_curator.get("/p/northport/runs/").content.decode()
        as_curator.post(PAGE, sent(json.dumps([details("q-1")]).encode(), new_system="Tern"))
        run = Run.objects.get()

        page = as_curator.get(f"/p/northport/runs/{run.number}/").content.decode()

        assert not re.search(r"\?from=", page)
        assert as_curator.get(f"/p/northport/interviews/new/?from={run.number}").status_code == 200


class TestFlaggedDialogues:
    def test_are_found_and_say_in_words_what_was_found_where(self, as_curator):
        make.project()
        bad, good = details("q-1"), details("q-2")
        bad["all_messages"][1]["content"] = '{"accuracy": {"score": 4}, "overall_score": 4}'
        data = json.dumps([bad, good]).encode()

        as_curator.post(PAGE, sent(data, new_system="Tern"))

        run = Run.objects.get()
        at = f"/p/northport/runs/{run.number}/dialogues/"
        listed = as_curator.get(at, {"what": "flagged"}).content.decode()
        assert "q-1" in listed
        assert "q-2" not in listed
        one = Dialogue.objects.exclude(flags=[]).get()
        page = as_curator.get(f"{at}{one.pk}/").content.decode()
        assert page.count("brings its own verdict") == 1
