import io
import json
import zipfile
from datetime import timedelta
from uuid import uuid4

import pytest

from annotation.common import beats
from annotation.files.models import Upload, UploadChunk
from annotation.imports import lists, wholes
from annotation.imports import operations as imports
from annotation.imports import uploading as limits
from annotation.people.models import Role
from evalsite import queue
from scoring.engine.models import Run
from scoring.kinds.interviews import exchange as interviews_exchange
from scoring.kinds.interviews.exchange import DialoguesWish
from scoring.kinds.interviews.files import DialogueSource
from scoring.kinds.suites.conversations import jobs
from scoring.kinds.suites.conversations import operations as conversations
from scoring.kinds.suites.models import Conversation
from tests import make
from tests.scoring import suites
from tests.scoring.dialogues import details

pytestmark = pytest.mark.django_db


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    return lambda: django_capture_on_commit_callbacks(execute=True)


def hand_in(content=None, by=None, **wish):
    given = {"set_name": "Talks", "system": "Kestrel", "file_name": "talks.jsonl", **wish}
    return jobs.hand_in(
        project=make.project(),
        wish=conversations.SetWish(**given),
        pieces=[suites.lines() if content is None else content],
        by=by or make.member(Role.CURATOR),
        now=make.NOW,
    )


def read(upload, after=0):
    wholes.read_whole(upload_id=upload.pk, clock=lambda: make.NOW + timedelta(seconds=after))
    upload.refresh_from_db()
    return upload.report


class TestHandInTalks:
    def test_leaves_the_file_to_a_worker(self, committed):
        with committed():
            upload = hand_in()
        assert imports.state_of(upload, None) == "checking"

        queue.burst()

        upload.refresh_from_db()
        assert imports.state_of(upload, None) == "imported"
        assert upload.report["counts"] == {"set": "Talks", "new": 2, "known": 0}
        assert Conversation.objects.seen().count() == 2
        assert (upload.size, UploadChunk.objects.count()) == (0, 0)

    def test_refuses_conversations_of_nobody(self):
        with pytest.raises(conversations.NoName):
            hand_in(system=" ")

        assert not Upload.objects.exists()

    def test_refuses_more_while_many_large_files_of_somebody_wait(self):
        curator = make.member(Role.CURATOR)
        large = suites.lines() + b"\n" * Upload.SMALL
        for _file in range(limits.FILES):
            hand_in(large, by=curator)

        with pytest.raises(limits.TooManyImports):
            hand_in(large, by=curator)

        assert Upload.objects.count() == limits.FILES


class TestHandInDialogues:
    def test_leaves_the_file_to_a_worker(self, committed):
        wish = DialoguesWish(
            "From elsewhere", "interact_details.json", DialogueSource("Tern", "1"), "Theirs"
        )
        with committed():
            upload = interviews_exchange.hand_in_dialogues(
                project=make.project(),
                key=uuid4(),
                wish=wish,
                pieces=[json.dumps([details("q-1")]).encode()],
                by=make.member(Role.CURATOR),
                now=make.NOW,
            )

        queue.burst()

        upload.refresh_from_db()
        run = Run.objects.get()
        assert (run.state, run.name) == (Run.State.DONE, "From elsewhere")
        assert upload.report["counts"] == {"run": run.number}


class TestIsLarge:
    def test_goes_by_what_is_in_an_archive(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as parts:
            parts.writestr("dialogues.jsonl", b" " * (wholes.SMALL + 1))

        assert wholes.is_large(packed, 1000)
        assert not wholes.is_large(io.BytesIO(b"PK rubbish"), 1000)
        assert wholes.is_large(io.BytesIO(), wholes.SMALL + 1)


class TestRead:
    def test_tells_why_nothing_came_in(self):
        report = read(hand_in(suites.lines() + b"\n{}"))

        assert report["ok"] is False
        assert "1 of 3 conversations cannot be used" in report["refused"]
        assert any("Line 3" in one for one in report["told"])
        assert not Conversation.objects.exists()

    def test_comes_twice_and_changes_nothing(self):
        upload = hand_in()

        assert read(upload) == read(upload, after=100)
        assert Conversation.objects.count() == 2

    def test_leaves_a_file_alone_that_another_worker_is_at(self):
        upload = hand_in()
        upload.report = {**upload.report, "tries": 1}
        upload.save()

        assert read(upload, after=30)["running"]

    def test_goes_on_with_a_file_whose_worker_is_gone(self):
        upload = hand_in()
        upload.report = {**upload.report, "tries": 1}
        upload.save()

        assert read(upload, after=61)["ok"]

    def test_gives_up_a_file_over_which_its_workers_end(self):
        upload = hand_in()
        upload.report = {**upload.report, "tries": beats.TRIES}
        upload.save()

        assert "its worker ended over it" in read(upload, after=61)["refused"]


class TestSweep:
    def test_rings_for_a_file_that_nobody_is_at(self, committed):
        upload = hand_in()

        with committed():
            wholes.sweep(make.NOW + timedelta(seconds=30))
        assert not queue.waiting("bulk")
        with committed():
            wholes.sweep(make.NOW + timedelta(seconds=61))

        assert queue.waiting("bulk") == [("annotation.jobs.read_whole", {"upload_id": upload.pk})]

    def test_forgets_after_a_day_what_came_of_a_file(self):
        upload = hand_in()
        wholes.sweep(make.NOW + timedelta(days=2))
        assert Upload.objects.exists()  # not read yet

        read(upload)
        wholes.sweep(make.NOW + timedelta(days=2))

        assert not Upload.objects.exists()


class TestImports:
    def test_know_nothing_of_files_that_are_read_whole(self, committed):
        upload = hand_in()

        with committed():
            assert imports.ring_again(now=make.NOW + timedelta(days=2)) == 0
            imports.sweep(make.NOW + timedelta(days=2))

        assert Upload.objects.filter(pk=upload.pk).exists()
        assert not lists.uploads(upload.project).exists()
        assert not lists.list_waiting(upload.project)
