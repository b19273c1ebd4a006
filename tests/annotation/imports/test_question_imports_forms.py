"""Questions come into the bank through the pages of imports."""

import io

import openpyxl
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.bank.models import Question, QuestionVersion
from annotation.files.models import Upload
from annotation.people.models import Role
from tests import imports, make

pytestmark = pytest.mark.django_db
#: Long enough that no other encoding reads as well.
CHINESE = "什么是货运托盘？请说明它的用途、常见尺寸以及在仓库和运输过程中的使用方法。"


def url(name, *args):
    return reverse(name, args=["northport", *args])


def client_of(role=Role.CURATOR, **more):
    client = Client()
    client.force_login(make.member(role, **more))
    return client


def send(client, content=imports.QUESTIONS, name="questions.csv", kind="QUESTIONS"):
    data = content.encode() if isinstance(content, str) else content
    file = SimpleUploadedFile(name, data)
    return client.post(url("import_new"), {"kind": kind, "file": file})


def mapping(client, upload, **more):
    """Return what the form of a file's mapping sends if nothing else is chosen."""
    page = client.get(url("import_map", upload.number))
    data = {}
    for form in [*page.context["columns"], page.context["options"]]:
        for field in form:
            data[field.html_name] = field.value() or ""
    return {**{key: value for key, value in data.items() if value is not False}, **more}


def text_of(response):
    return response.content.decode()


def brought(client, content=imports.QUESTIONS, name="questions.csv", **more):
    """Send a file, check it and import it; return the page of the check and the last one."""
    send(client, content, name)
    upload = Upload.objects.latest("number")
    data = mapping(client, upload, **{"create_missing": "on", "make_sources": "on", **more})
    checked = client.post(url("import_check", upload.number), data, follow=True)
    return checked, client.post(url("import_check", upload.number), {"act": "import"}, follow=True)


class TestBringingIn:
    def test_goes_from_a_file_to_drafts_without_scripts(self):
        client = client_of()
        assert "kind=QUESTIONS" in text_of(client.get(url("questions")))

        checked, applied = brought(client)

        assert checked.context["report"]["counts"]["new_questions"] == 3
        assert "3 new, 0 unchanged" in " ".join(text_of(checked).split())
        assert "Handbook" in text_of(checked)
        assert applied.redirect_chain[-1][0] == url("batch", 1)
        assert Question.objects.count() == 3
        shown = text_of(client.get(url("questions") + "?batch=1"))
        assert "C-1" in shown
        assert "C-3" in shown
        assert "C-1" not in text_of(client.get(url("questions") + "?batch=2"))

    def test_reads_a_workbook_and_refuses_its_formulas(self):
        book = openpyxl.Workbook()
        for row in (
            ["编号", "问题", "有效期至"],
            ["C-1", "What?", "2026年1月31日"],
            ["C-2", "=A1", None],
        ):
            book.active.append(row)
        file = io.BytesIO()
        book.save(file)

        checked, _ = brought(client_of(), file.getvalue(), "a.xlsx")

        assert "The cell holds a formula" in text_of(checked)
        assert not Question.everything.exists()

    @pytest.mark.parametrize(
        ("content", "says"),
        [
            ("id,question\nC-1,\n", "The cell is empty."),
            ("id,question\nC-1,What?\nC-1,Who?\n", "stands in line 2 with another content"),
            ("id,question\nC-1,What?\nC-1,What?\n", "says the same as line 2"),
            ("id,question,difficulty\nC-1,What?,odd\n", "is no difficulty"),
            ("id,question\nC-1,Wh\xe4t?\n".encode("latin-1"), "Which line reads right?"),
            ("id,question\nC-1,问题?\n".encode("gb18030"), "Which line reads right?"),
            (f"id,question\nC-1,{CHINESE}\n".encode("gb18030"), "1 new"),
            ("id,question\nC-1,What?\n".encode("utf-16"), "1 new"),
        ],
    )
    def test_says_what_is_wrong(self, content, says):
        client = client_of()
        page = send(client, content)
        if page.status_code == 302:
            upload = Upload.objects.get()
            data = mapping(client, upload)
            page = client.post(url("import_check", upload.number), data, follow=True)

        assert says in text_of(page)
        assert not Question.everything.exists()

    def test_says_which_capability_and_source_are_missing(self):
        client = client_of()
        make.capability("Something else")

        checked, _ = brought(client, create_missing="", make_sources="")

        assert "There is no capability “Factuality”" in text_of(checked)
        assert "The corpus has no source “Handbook”" in text_of(checked)
        assert not Question.everything.exists()

    def test_needs_a_column_with_the_question(self):
        client = client_of()
        send(client, "id,tags\nC-1,sea\n")

        page = client.post(url("import_check", 1), mapping(client, Upload.objects.get()))

        assert page.status_code == 422
        assert "No column holds the question." in text_of(page)

    def test_shows_what_a_capability_means_where_one_is_chosen(self):
        capability = make.capability("Reading")
        models.Capability.objects.update(definition="To understand what is written.")
        client = client_of()
        send(client)
        data = mapping(client, Upload.objects.get(), capability=str(capability.pk))

        page = text_of(client.post(url("import_check", 1), data, follow=True))

        assert "To understand what is written." in page
        assert reverse("capability_help", args=["northport"]) in page

    def test_points_out_what_asks_the_same(self):
        make.question_version("DRAFT", external_id="B-1")
        rows = "id,question\nC-1,What is a bill of lading??\nC-2,Who pays demurrage in a port?\n"
        rows += "C-3,Who pays the demurrage in a port?\n"

        checked, _ = brought(client_of(), rows)

        assert "Much like “B-1” in the bank" in text_of(checked)
        assert "Much like “C-2” in line 3" in text_of(checked)
        assert checked.context["report"]["counts"]["near_duplicates"] == 2
        assert Question.objects.count() == 4  # a warning keeps nothing out

    def test_asks_before_a_changed_question_gets_a_new_version(self):
        client = client_of()
        brought(client)
        make.taken_to("ACCEPTED", QuestionVersion.objects.get(question__external_id="C-2"))
        changed = imports.QUESTIONS.replace("The buyer.", "The buyer does.")

        refused, _ = brought(client, changed)
        assert "The bank has another “C-2”: answer differ" in text_of(refused)
        checked, _ = brought(client, changed, new_versions="on")

        assert checked.context["report"]["counts"]["new_versions"] == 1
        version = QuestionVersion.objects.get(question__external_id="C-2", number=2)
        assert (version.state, version.answer) == ("DRAFT", "The buyer does.")

    def test_says_why_a_changed_draft_is_left_alone(self):
        client = client_of()
        brought(client)
        changed = imports.QUESTIONS.replace("The buyer.", "The buyer does.")

        checked, _ = brought(client, changed, new_versions="on")

        assert "is being written or inspected already" in text_of(checked)


class TestUndoing:
    def test_says_why_an_import_stays(self):
        client = client_of()
        brought(client)
        make.taken_to("SUBMITTED", QuestionVersion.objects.get(question__external_id="C-1"))

        page = text_of(client.get(url("batch", 1)))

        assert "submitted questions: 1" in page

    def test_takes_questions_back(self):
        client = client_of()
        brought(client)

        client.post(url("batch_undo", 1))

        assert not Question.everything.exists()


class TestDesigners:
    def test_bring_in_drafts_of_their_own(self):
        client = client_of(Role.DESIGNER)

        brought(client)

        author = QuestionVersion.objects.get(question__external_id="C-1").author
        assert author == make.member(Role.DESIGNER)
        assert "author" not in client.get(url("import_map", 1)).context["options"].fields

    def test_see_nothing_but_what_they_brought(self):
        imports.apply(imports.answers())
        brought(client_of())
        client = client_of(Role.DESIGNER)

        listed = text_of(client.get(url("imports")))

        assert "answers.csv" not in listed
        assert "questions.csv" not in listed
        assert {
            client.get(url(name, n)).status_code for name in ("import_map", "batch") for n in (1, 2)
        } == {404}
        assert client.post(url("batch_undo", 2)).status_code == 404
        assert [
            value
            for value, _ in client.get(url("import_new")).context["form"]["kind"].field.choices
        ] == ["QUESTIONS"]
        assert send(client, imports.ANSWERS, kind="ANSWERS").status_code == 422

    def test_cannot_write_under_another_name(self):
        make.member(Role.CURATOR)
        client = client_of(Role.DESIGNER)
        send(client)
        data = mapping(client, Upload.objects.get(), author="northport-curator")

        client.post(url("import_check", 1), {**data, "create_missing": "on", "make_sources": "on"})
        client.post(url("import_check", 1), {"act": "import"})

        assert {one.author for one in QuestionVersion.objects.all()} == {make.member(Role.DESIGNER)}
