import contextlib
import gzip
from datetime import timedelta

import pytest
from django.db import OperationalError

from annotation.models import AuditEvent, ImportKind, Upload, UploadChunk
from annotation.operations.imports import uploading
from annotation.queries.imports import files
from annotation.rules.tabular.mappings import AnswerMapping, GradeMapping, Place
from tests import full_disk, imports, make

pytestmark = pytest.mark.django_db


def refusal(*args, **kwargs):
    with pytest.raises(uploading.FileRefused) as refused:
        imports.take(*args, **kwargs)
    return refused.value.message


class TestReceive:
    def test_keeps_the_file_in_pieces_and_what_it_looks_like(self):
        text = imports.ANSWERS + "Q9,What?,It.,,Kestrel," + "x" * 1_100_000 + "\n"

        upload = imports.take(text, "dir/answers.csv")

        assert b"".join(files.chunks(upload)) == text.encode()
        assert upload.chunks.count() > 1
        assert upload.name == "answers.csv"
        assert [one.name for one in files.layout_of(upload).columns][:2] == ["id", "question"]
        assert AuditEvent.objects.filter(verb="import.uploaded").count() == 1

    def test_numbers_files_in_their_project(self):
        imports.take()
        assert imports.take().number == 2
        assert imports.take(project=make.project("other")).number == 1

    @pytest.mark.parametrize(
        ("content", "name", "says"),
        [
            (b"", "a.csv", "empty"),
            (b"a,b\n", "a.csv", "no rows"),
            (b"\x89PNG....", "a.csv", "not a text file"),
            (b"a,b\n1,2\n", "a.docx", "not a kind of file"),
            (b"a,a\n1,2\n", "a.csv", "Two columns"),
            (b"PK\x03\x04 rubbish", "a.xlsx", "damaged"),
            (b"\x1f\x8b rubbish rubbish", "a.csv.gz", "damaged"),
        ],
    )
    def test_refuses_and_keeps_nothing(self, content, name, says):
        assert says in refusal(content, name)
        assert Upload.objects.count() == UploadChunk.objects.count() == 0

    def test_refuses_what_is_too_large(self):
        assert "larger than 1 MB" in refusal(b"x" * 1_100_000, most=1024**2)
        assert UploadChunk.objects.count() == 0

    def test_reads_gzip(self):
        upload = imports.take(gzip.compress(imports.ANSWERS.encode()), "a.csv.gz")

        assert files.layout_of(upload).zipped


class TestSetMapping:
    def test_forgets_the_last_check(self):
        upload = imports.answers()
        uploading.set_mapping(
            upload=upload, mapping=AnswerMapping(imports.places(upload), release="2")
        )

        assert Upload.objects.get().report is None

    def test_refuses_a_column_without_a_place(self):
        upload = imports.take("question,shift\nWhat?,1\n")

        with pytest.raises(uploading.MappingIncomplete) as refused:
            uploading.set_mapping(upload=upload, mapping=AnswerMapping(imports.places(upload)))

        assert list(refused.value.fields) == ["shift"]

    def test_refuses_a_rubric_that_is_not_there(self):
        upload = imports.take("doc,system,a_b\nQ,K,1\n", kind=ImportKind.GRADES)
        mapping = GradeMapping(imports.places(upload), "Old", "gone@2")

        with pytest.raises(uploading.MappingIncomplete, match="gone@2"):
            uploading.set_mapping(upload=upload, mapping=mapping)


@pytest.mark.django_db(transaction=True)
class TestForgetHalves:
    def test_takes_away_what_a_full_disk_cut_off(self):
        def pieces():
            yield b"id,question\n" + b"x" * 1_100_000
            stack.enter_context(full_disk.full())
            yield b"x" * 1_100_000

        whole = imports.take()
        with contextlib.ExitStack() as stack, pytest.raises(OperationalError):
            uploading.receive(
                project=whole.project,
                kind=ImportKind.ANSWERS,
                name="answers.csv",
                pieces=pieces(),
                by=whole.created_by,
                now=make.NOW,
            )
        assert Upload.objects.count() == 2

        assert uploading.forget_halves(now=make.NOW + uploading.HALF) == 0
        assert uploading.forget_halves(now=make.NOW + uploading.HALF + timedelta(seconds=1)) == 1

        assert Upload.objects.get() == whole
        assert set(UploadChunk.objects.values_list("upload", flat=True)) == {whole.pk}


class TestThrowAway:
    def test_takes_the_pieces_too(self):
        upload = imports.take()

        uploading.throw_away(upload=upload, by=upload.created_by, now=make.NOW)

        assert Upload.objects.count() == UploadChunk.objects.count() == 0

    def test_refuses_a_file_that_was_imported(self):
        upload = imports.answers()
        imports.apply(upload)

        with pytest.raises(uploading.StillNeeded):
            uploading.throw_away(upload=upload, by=upload.created_by, now=make.NOW)


class TestAddColumns:
    def test_offers_what_came_up_later(self):
        upload = imports.take()

        uploading.add_columns(upload=upload, names=["late", "id", "late"])

        assert [one.name for one in files.layout_of(upload).columns][-1] == "late"
        assert Place("late", "ignore").target
