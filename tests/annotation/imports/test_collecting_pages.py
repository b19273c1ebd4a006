import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import models
from annotation.rounds import drafting
from evalsite import queue
from tests import make

pytestmark = pytest.mark.django_db


def url(name, *args):
    return reverse(name, args=["northport", *args])


def words(response):
    return " ".join(response.content.decode().split())


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def lacking() -> models.Round:
    """Return a draft one of whose releases lacks an answer."""
    round_ = make.draft_round(n_items=2)
    models.RoundItem.objects.all().delete()
    models.Response.objects.latest("pk").delete()
    drafting.choose_draw(
        round_=round_,
        draw=drafting.Draw(complete_only=False, unanswered=True),
        by=round_.created_by,
        now=make.NOW,
    )
    return round_


class TestRoundCollect:
    def test_is_reached_from_the_draft(self, client, curator):
        lacking()

        assert url("round_collect", 1) in words(client.get(url("round", 1)))

    def test_says_how_many_each_release_lacks(self, client, curator):
        lacking()

        page = words(client.get(url("round_collect", 1)))

        assert page.count('<td class="r num"><b>1</b></td>') == 1
        assert "Download as XLSX" in page

    def test_says_that_nothing_is_missing(self, client, curator):
        make.draft_round()

        assert "Nothing is missing" in words(client.get(url("round_collect", 1)))

    def test_takes_the_sheet_to_the_importer_with_its_mapping(self, client, curator):
        lacking()
        sheet = body(client.get(url("round_collect_sheet", 1, "csv"))).decode("utf-8-sig")
        filled = sheet.rstrip("\r\n").removesuffix(",") + ",The missing answer.\r\n"

        sent = client.post(
            url("round_collect", 1),
            {"file": SimpleUploadedFile("sheet.csv", filled.encode())},
        )

        upload = models.Upload.objects.get()
        assert sent.url == url("import_map", upload.number)
        assert upload.report["problems"] == []
        assert "Import 1 answer" in words(client.get(sent.url))

    def test_leaves_a_large_sheet_to_a_worker_and_tells_what_came_of_it(
        self, client, curator, django_capture_on_commit_callbacks
    ):
        lacking()
        sheet = body(client.get(url("round_collect_sheet", 1, "csv"))).decode("utf-8-sig")
        filled = sheet.rstrip("\r\n").removesuffix(",") + ",The missing answer.\r\n"
        filled += "q,p0,Not answered yet,[],Heron,1,\r\n" * 20_000

        with django_capture_on_commit_callbacks(execute=True):
            sent = client.post(
                url("round_collect", 1),
                {"file": SimpleUploadedFile("sheet.csv", filled.encode())},
                follow=True,
            )
        assert "reading" in words(sent)
        with django_capture_on_commit_callbacks(execute=True):
            queue.burst()

        page = words(client.get(url("round_collect", 1)))
        upload = models.Upload.objects.get(kind="ANSWERS")
        assert "The answers are here." in page
        assert url("import_map", upload.number) in page

    def test_says_what_is_wrong_with_a_large_sheet(
        self, client, curator, django_capture_on_commit_callbacks
    ):
        lacking()
        wrong = b"id,text\n" + b"1,word\n" * 100_000

        with django_capture_on_commit_callbacks(execute=True):
            client.post(url("round_collect", 1), {"file": SimpleUploadedFile("a.csv", wrong)})
        queue.burst()

        assert "no column external_id" in words(client.get(url("round_collect", 1)))
        assert not models.Upload.objects.filter(kind="ANSWERS").exists()

    def test_says_what_is_wrong_with_a_file(self, client, curator):
        lacking()

        refused = client.post(
            url("round_collect", 1), {"file": SimpleUploadedFile("a.csv", b"id,text\n1,2\n")}
        )

        assert refused.status_code == 422
        assert "no column external_id" in words(refused)


class TestCollect:
    def test_makes_a_sheet_for_what_was_chosen(self, client, curator):
        lacking()
        release = models.SystemRelease.objects.get(system__name="Heron")

        page = words(client.get(url("collect"), {"release": release.pk}))
        sheet = client.get(url("collect_sheet", "xlsx"), {"release": release.pk})

        assert "Kestrel" not in page.split("Missing</h2>")[1]
        assert body(sheet)[:2] == b"PK"
        assert io.BytesIO(body(sheet)).getbuffer().nbytes > 1000

    def test_says_what_to_do_where_there_is_no_system(self, client, curator):
        page = words(client.get(url("collect")))

        assert "No systems yet" in page
        assert url("systems") in page.split("No systems yet")[1]
        assert "Try the sheet" not in page

    def test_says_what_to_do_where_there_is_no_question(self, client, curator):
        make.release()

        page = words(client.get(url("collect")))

        assert "No question to answer yet" in page
        assert "Nothing is missing" not in page

    def test_has_no_other_forms(self, client, curator):
        assert client.get(url("collect_sheet", "pdf")).status_code == 404
