import pytest
from django.urls import reverse

from annotation.bankfile import operations as files
from annotation.files import stored as room
from annotation.files.models import ImportKind, Upload, UploadChunk
from annotation.imports import uploading
from evalsite import errors
from tests import make

pytestmark = pytest.mark.django_db
MB = 1024 * 1024
LINE = b"question,answer_A\nWhere?,Here.\n"


def upload(data: bytes = LINE, project=None) -> Upload:
    home = project or make.project()
    return uploading.receive(
        project=home,
        kind=ImportKind.ANSWERS,
        name="a.csv",
        pieces=[data],
        by=make.user("northport-owner"),
        now=make.NOW,
    )


def begun(home, n: int) -> None:
    """Let a file be under way of which so many MB have arrived."""
    there = Upload.objects.create(
        project=home,
        number=99,
        kind=ImportKind.ANSWERS,
        sha="",
        size=0,
        created_by=make.user("northport-owner"),
        created_at=make.NOW,
    )
    UploadChunk.objects.bulk_create(
        UploadChunk(upload=there, ordinal=one, data=b"") for one in range(n)
    )


class TestKept:
    def test_counts_files_and_what_has_arrived_of_those_under_way(self):
        home = make.project()
        upload()
        begun(home, 2)

        assert room.kept(home) == len(LINE) + 2 * MB
        assert room.kept(make.project("southport")) == 0


class TestTrouble:
    def test_refuses_another_file_of_the_same_project_and_keeps_nothing_of_it(self, settings):
        settings.PROJECT_FILES = 1
        home = make.project()
        begun(home, 1)

        with pytest.raises(errors.FileRefused, match="EVALSITE_PROJECT_FILES"):
            upload()
        with pytest.raises(errors.FileRefused, match="1 MB"):
            files.receive(
                project=home,
                name="b.zip",
                pieces=[b"x"],
                by=make.user("northport-owner"),
                now=make.NOW,
            )
        with pytest.raises(errors.NotNow):
            files.ask_export(
                project=home, named=False, by=make.user("northport-owner"), now=make.NOW
            )

        assert Upload.objects.filter(project=home).count() == 1
        assert upload(project=make.project("southport")).size

    def test_is_seen_while_a_file_arrives(self, settings):
        settings.PROJECT_FILES = 1
        line = b"Where is it?,Here.\n" * 4000

        with pytest.raises(errors.FileRefused, match="as much as they may"):
            upload(b"question,answer_A\n" + line * (uploading.LOOK_EVERY + 2) * 14)

        assert not Upload.objects.exists()
        assert not UploadChunk.objects.exists()

    def test_is_none_where_the_operator_sets_no_limit(self, settings):
        settings.PROJECT_FILES = 0
        begun(make.project(), 3)

        assert room.trouble(make.project()) == ""

    def test_is_told_where_a_bank_would_be_written(self, settings, client):
        settings.PROJECT_FILES = 1
        begun(make.project(), 1)
        client.force_login(make.user("northport-owner"))

        answer = client.post(reverse("bank_export", args=["northport"]), follow=True)

        assert answer.status_code == 200
        assert "EVALSITE_PROJECT_FILES" in answer.content.decode()
