import contextlib
import csv
import gzip
import io
import zipfile
from datetime import timedelta

import openpyxl
import pytest
from django.db import OperationalError

from annotation.files import stored as files
from annotation.files.mappings import AnswerMapping, ColumnTarget, GradeMapping
from annotation.files.models import ImportKind, Upload, UploadChunk
from annotation.imports import uploading
from annotation.people.models import AuditEvent
from evalsite import errors
from tests import full_disk, imports, make

pytestmark = pytest.mark.django_db


def refusal(*args, **kwargs):
    with pytest.raises(errors.FileRefused) as refused:
        imports.take(*args, **kwargs)
    return refused.value.message


def make_workbook(text, padding=0):
    """Return a workbook with the rows of a CSV, and a part of spaces."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in csv.reader(text.decode().splitlines()):
        book.active.append(row)
    book.save(out)
    if padding:
        with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("padding.xml", b" " * padding)
    return out.getvalue()


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
            (b"%PDF-1.7....", "a.docx", "not a text file"),
            (b"a,a\n1,2\n", "a.csv", "Two columns"),
            (b"PK\x03\x04 rubbish", "a.xlsx", "damaged"),
            (b"\x1f\x8b rubbish rubbish", "a.csv.gz", "damaged"),
        ],
    )
    def test_refuses_and_keeps_nothing(self, content, name, says):
        assert says in refusal(content, name)
        assert Upload.objects.count() == UploadChunk.objects.count() == 0

    def test_refuses_what_is_too_large(self, settings):
        settings.FILE_MOST = 1024**2

        assert "larger than 1 MB" in refusal(b"x" * 1_100_000)
        assert UploadChunk.objects.count() == 0

    @pytest.mark.parametrize(
        ("pack", "name"), [(gzip.compress, "a.csv.gz"), (make_workbook, "a.xlsx")]
    )
    def test_judges_what_is_packed_by_what_is_in_it(self, settings, pack, name):
        settings.FILE_MOST = 1024**2
        packed = pack(b"a,b\n" + b"".join(b"%d,some words\n" % n for n in range(100_000)))
        assert len(packed) < settings.FILE_MOST

        assert "Unpacked, the file is larger than 1 MB." in refusal(packed, name)
        assert UploadChunk.objects.count() == 0

    def test_refuses_a_workbook_that_unpacks_to_hundreds_of_times_its_size(self):
        packed = make_workbook(b"a,b\n" + b"1,2\n", padding=30 * 1024**2)

        assert "200 times its size" in refusal(packed, "a.xlsx")

    def test_leaves_what_unpacks_to_much_to_a_worker(self):
        small = imports.take(gzip.compress(imports.ANSWERS.encode()), "a.csv.gz")
        rows = "".join(f"Q{n},Some words?,Some,Kestrel,Yes\n" for n in range(20_000))
        text = f"id,question,standard_answer,system,response\n{rows}"
        large = imports.take(gzip.compress(text.encode()), "b.csv.gz")

        assert (small.is_large, large.is_large) == (False, True)
        assert (small.unpacked, large.unpacked) == (len(imports.ANSWERS.encode()), len(text))

    def test_unpacks_no_more_than_a_beginning_itself(self):
        text = "id,question,standard_answer,system,response\n" + "Q,What?,Some,K,Yes\n" * 500_000
        upload = imports.take(gzip.compress(text.encode()), "a.csv.gz")

        assert (upload.unpacked, upload.is_large, upload.queue) == (None, True, "large")

    def test_looks_at_the_beginning_of_a_large_workbook_in_a_process_of_its_own(self):
        text = b"id,question\n" + b"".join(b"%d,What is %d?\n" % (n, n) for n in range(20_000))
        upload = imports.take(make_workbook(text), "a.xlsx", kind=ImportKind.QUESTIONS)
        layout = files.layout_of(upload)

        assert upload.is_large
        assert [one.name for one in layout.columns] == ["id", "question"]
        assert layout.n_sampled == 1000

    def test_says_what_is_wrong_with_a_large_workbook(self):
        text = b"id,id\n" + b"".join(b"%d,What is %d?\n" % (n, n) for n in range(20_000))

        assert "Two columns" in refusal(make_workbook(text), "a.xlsx")

    def test_opens_no_workbook_itself_that_is_large_as_it_is_sent(self):
        parts = b"PK\x03\x04" + b"\0" * Upload.SMALL  # even their list is for the process to read
        upload = imports.take()
        upload.chunks.update(data=parts)
        upload.size = len(parts)

        assert files.weigh(upload) is None

    def test_refuses_more_while_much_of_somebody_waits(self, settings):
        settings.FILE_MOST = 1000
        for _file in range(7):
            imports.take("id,question,system,response\n" + "Q,What?,K,Yes\n" * 40)

        with pytest.raises(uploading.TooManyImports, match="Bring some of them in"):
            imports.take()

    def test_reads_gzip(self):
        upload = imports.take(gzip.compress(imports.ANSWERS.encode()), "a.csv.gz")

        assert files.layout_of(upload).packed == "gzip"


class TestSetMapping:
    def test_forgets_the_last_check(self):
        upload = imports.answers()
        uploading.set_mapping(
            upload=upload, mapping=AnswerMapping(imports.places(upload), release="2")
        )

        assert Upload.objects.get().report is None

    def test_refuses_a_column_without_a_place(self):
        upload = imports.take("question,shift\nWhat?,early\n")

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
        assert ColumnTarget("late", "ignore").target
