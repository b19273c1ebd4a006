import csv
import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.files.models import ImportBatch, Upload
from annotation.imports import operations as applying
from annotation.people.models import Role
from evalsite import queue
from tests import imports, make
from tests.pages import squeezed

pytestmark = pytest.mark.django_db


def url(name, *args):
    return reverse(name, args=["northport", *args])


def client_of(role=Role.CURATOR):
    client = Client()
    client.force_login(make.member(role))
    return client


def send(client, text=imports.ANSWERS, name="answers.csv", kind="ANSWERS"):
    file = SimpleUploadedFile(name, text.encode())
    return client.post(url("import_new"), {"kind": kind, "file": file})


def mapping(upload, **more):
    """Return what the form of a file's mapping sends if nothing is changed in it."""
    page = client_of().get(url("import_map", upload.number))
    data = {}
    for form in [*page.context["columns"], page.context["options"]]:
        for field in form:
            data[field.html_name] = field.value() or ""
    return {**{key: value for key, value in data.items() if value is not False}, **more}


def text_of(response):
    return squeezed(response.content.decode())


def start(upload):
    """Begin an import in the past, which nobody carries on."""
    return applying.start(upload=upload, by=upload.created_by, now=make.NOW)


class TestImporting:
    def test_goes_from_a_file_to_its_rows_without_scripts(self):
        client = client_of()

        sent = send(client)
        assert sent.url == url("import_map", 1)
        upload = Upload.objects.get()
        assert "What is a pallet?" in text_of(client.get(sent.url))
        checked = client.post(url("import_check", 1), mapping(upload), follow=True)
        assert "Answers of 2 new systems, for 2 new questions" in text_of(checked)
        assert "A base for goods." in text_of(checked)
        applied = client.post(url("import_check", 1), {"act": "import"}, follow=True)

        assert applied.redirect_chain[-1][0] == url("batch", 1)
        assert "4 new, 0 known" in text_of(applied)
        assert models.Response.objects.seen().count() == 4
        assert "answers.csv" in text_of(client.get(url("imports")))

    def test_says_that_a_file_is_here_already(self):
        imports.apply(imports.answers())
        upload = imports.answers()
        client = client_of()

        page = text_of(client.get(url("import_map", upload.number)))
        again = client.post(url("import_check", upload.number), {"act": "import"}, follow=True)

        assert "mported with this mapping already" in page
        assert "Nothing changed" in text_of(again)
        assert again.redirect_chain[-1][0] == url("batch", 1)

    def test_goes_on_in_a_worker_when_the_file_is_large(self, django_capture_on_commit_callbacks):
        upload = imports.answers()
        Upload.objects.update(unpacked=Upload.SMALL + 1)
        client = client_of()

        with django_capture_on_commit_callbacks(execute=True):
            page = text_of(
                client.post(url("import_check", upload.number), {"act": "import"}, follow=True)
            )
        assert "0 of 4 rows" in page
        assert "Look again" in page

        queue.burst()
        done = client.get(url("batch", 1), headers={"HX-Request": "true"})
        assert done.headers["HX-Refresh"] == "true"
        assert ImportBatch.objects.get().state == "APPLIED"


class TestTakingAFile:
    @pytest.mark.parametrize(
        ("text", "name", "says"),
        [
            ("", "a.csv", "The file is empty."),
            ("%PDF-1.7", "a.docx", "not a text file"),
            ("a,a\n1,2\n", "a.csv", "Two columns are called"),
        ],
    )
    def test_says_why_not(self, text, name, says):
        response = send(client_of(), text, name)

        assert response.status_code == 422
        assert says in text_of(response)
        assert Upload.objects.count() == 0

    def test_needs_one(self):
        assert client_of().post(url("import_new"), {}).status_code == 422

    def test_can_be_taken_back(self):
        upload = imports.take()

        client_of().post(url("import_discard", upload.number))

        assert Upload.objects.count() == 0


class TestMapping:
    def test_needs_every_column_and_keeps_what_was_said(self):
        upload = imports.take("question,shift\nWhat?,early\n")

        response = client_of().post(url("import_check", 1), mapping(upload))

        assert response.status_code == 422
        assert "What is in “shift”?" in text_of(response)
        kept = Upload.objects.get()
        assert [one["column"] for one in kept.mapping["places"]] == ["question"]
        assert kept.mapping_sha == ""

    def test_says_what_cannot_work(self):
        upload = imports.take("question,response\nWhat?,It.\n")

        response = client_of().post(url("import_check", 1), mapping(upload))

        assert response.status_code == 422
        assert "not said which system answered" in text_of(response)

    def test_remembers_what_was_chosen(self):
        upload = imports.take("question,shift\nWhat?,1\n")
        chosen = mapping(upload, **{"c1-target": "question_details", "release": "v7"})
        client_of().post(url("import_check", 1), chosen)

        again = mapping(Upload.objects.get())

        assert (again["c1-target"], again["release"]) == ("question_details", "v7")

    def test_shows_problems_with_row_and_remedy(self):
        upload = imports.answers(imports.ANSWERS + "Q3,,,,Kestrel,No.\n")
        page = text_of(client_of().get(url("import_map", upload.number)))

        assert "There is no question with the id “Q3”." in page
        assert "Rows that cannot be used: 1 of 5" in page
        assert "1 to answer first" in page
        assert '<button class="btn go" type="submit" name="act" value="import" disabled' in page

    def test_refuses_to_apply_a_file_with_problems(self):
        upload = imports.answers(imports.ANSWERS + "Q3,,,,Kestrel,No.\n")
        response = client_of().post(
            url("import_check", upload.number), {"act": "import"}, follow=True
        )

        assert "mend the problems" in text_of(response)
        assert ImportBatch.objects.count() == 0

    def test_shows_hostile_text_as_text(self):
        text = 'question,answer_K\n<script>alert(1)</script>,"<img src=x onerror=alert(1)>"\n'
        page = text_of(client_of().get(url("import_map", imports.answers(text).number)))

        assert "&lt;script&gt;" in page
        assert "<script>alert" not in page
        assert "<img" not in page


class TestProblemsFile:
    def test_holds_all_of_them_and_no_formula(self):
        rows = "".join(f"Q{place},,,,Kestrel,No.\n" for place in range(10, 260))
        upload = imports.answers(imports.ANSWERS + rows, "=cmd().csv")
        response = client_of().get(url("import_problems", upload.number))

        lines = list(csv.DictReader(io.StringIO(b"".join(response).decode())))
        assert len(lines) == 250
        assert lines[0]["row"] == "6"
        assert lines[0]["file"] == "'=cmd().csv"
        assert lines[0]["remedy"]

    def test_needs_a_mapping_first(self):
        upload = imports.take()

        assert client_of().get(url("import_problems", upload.number)).status_code == 302


class TestGrades:
    def test_come_in_by_a_rubric_made_of_the_file(self):
        imports.apply(imports.answers())
        client = client_of()
        send(client, imports.GRADES, "old.csv", "GRADES")
        upload = Upload.objects.get(kind="GRADES")
        scale = {"minimum": "1", "maximum": "5"}
        chosen = mapping(upload, aliases="coh = coherence", new_name="Summary", **scale)

        checked = client.post(url("import_check", upload.number), chosen, follow=True)
        assert "11 grades by 2 people" in text_of(checked)
        assert "On 2 questions and 2 systems." in text_of(checked)
        page = text_of(
            client.post(url("import_check", upload.number), {"act": "import"}, follow=True)
        )

        assert "old" in page
        assert models.Grade.objects.seen().count() == 11

    def test_come_in_by_a_rubric_that_is_there(self):
        imports.apply(imports.answers())
        make.rubric_version("summary", maximum=5, criteria=("coh", "flu"))
        upload = imports.take(imports.GRADES, "old.csv", "GRADES")

        client_of().post(url("import_check", upload.number), mapping(upload, rubric="summary@1"))

        upload.refresh_from_db()
        assert upload.report["ok"]
        assert mapping(upload)["rubric"] == "summary@1"
        assert mapping(upload)["aliases"] == ""

    def test_need_equals_signs_between_names(self):
        upload = imports.take(imports.GRADES, "old.csv", "GRADES")
        sent = mapping(upload, aliases="coh coherence")

        assert client_of().post(url("import_check", upload.number), sent).status_code == 422


class TestThePreview:
    CHAT = (
        '{"id": "1", "question": "Why?", "Pine": [{"role": "system", "content": "You are Pine."}, '
        '{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "For **goods**."}], '
        '"Oak": "For ships."}\n'
    )

    def checked(self, client, **more):
        send(client, self.CHAT, "chat.jsonl")
        targets = {"c2-target": "answer", "c3-target": "answer"}
        sent = mapping(Upload.objects.get(), **targets, **more)
        return text_of(client.post(url("import_check", 1), sent, follow=True))

    def test_is_what_annotators_see(self):
        page = self.checked(client_of())

        assert "<p>For <strong>goods</strong>.</p>" in page
        assert "You are Pine." not in page.partition('id="columns"')[0]

    def test_shows_whole_conversations_where_that_is_chosen(self):
        page = self.checked(client_of(), whole_conversation="on")

        assert 'data-role="system"' in page
        assert "You are Pine.</bdi>" in page


class TestAnEncoding:
    TEXT = (
        "id;question;system;response\n1;Was heißt „Löschen“?;Kestrel;Entladen über die Kaimauer.\n"
    )

    def upload(self, client):
        file = SimpleUploadedFile("excel.csv", self.TEXT.encode("cp1252"))
        client.post(url("import_new"), {"kind": "ANSWERS", "file": file})
        return Upload.objects.get()

    def test_that_is_not_certain_is_asked_about_with_its_readings(self):
        client = client_of()
        upload = self.upload(client)

        page = text_of(client.get(url("import_map", 1)))
        refused = client.post(url("import_check", 1), mapping(upload))

        assert "Which line reads right?" in page
        assert "Was heißt „Löschen“?" in page
        assert refused.status_code == 422
        assert "1 to answer first" in text_of(refused)

    def test_is_chosen_and_the_file_is_read_so(self):
        client = client_of()
        upload = self.upload(client)

        client.post(url("import_check", 1), {"ask-encoding": "cp1252"})
        client.post(url("import_check", 1), mapping(upload, **{"for-create_missing": "on"}))
        client.post(url("import_check", 1), {"act": "import"})

        assert models.Item.objects.get().question == "Was heißt „Löschen“?"

    def test_that_cannot_be_is_refused(self):
        client = client_of()
        self.upload(client)

        page = client.post(url("import_check", 1), {"ask-encoding": "ascii"}, follow=True)

        assert "cannot be read in the encoding ascii" in text_of(page)

    @pytest.mark.parametrize("said", ["unicode_escape", "idna", "utf-7", "raw_unicode_escape"])
    def test_that_is_none_of_texts_is_refused_with_those_that_are(self, said):
        client = client_of()
        self.upload(client)

        page = text_of(client.post(url("import_check", 1), {"ask-encoding": said}, follow=True))

        assert f"“{said}” is no encoding of texts" in page
        assert "cp1252, cp1253" in page


class TestABatch:
    def test_can_be_undone(self):
        imports.apply(imports.answers())
        client = client_of()
        assert "Undo import" in text_of(client.get(url("batch", 1)))

        page = text_of(client.post(url("batch_undo", 1), follow=True))

        assert "can be imported again" in page
        assert models.Item.objects.count() == 0

    def test_says_why_it_stays(self):
        imports.apply(imports.answers())
        imports.apply(imports.grades())
        client = client_of()

        page = text_of(client.get(url("batch", 1)))
        refused = text_of(client.post(url("batch_undo", 1), follow=True))

        assert "grades: 11" in page
        assert "something was built on it" in refused
        assert models.Item.objects.count() == 2

    def test_links_to_the_round_that_uses_it(self):
        round_ = make.draft_round()
        models.Item.objects.update(batch=imports.apply(imports.answers()))

        page = text_of(client_of().get(url("batch", 1)))

        assert f'<a href="{url("round", round_.number)}">' in page
        assert "Undo import" not in page

    def test_goes_on_when_it_has_stopped(self, django_capture_on_commit_callbacks):
        start(imports.answers())
        client = client_of()
        assert "No progress for a minute" in text_of(client.get(url("batch", 1)))

        with django_capture_on_commit_callbacks(execute=True):
            client.post(url("batch_resume", 1))
        queue.burst()

        assert ImportBatch.objects.get().state == "APPLIED"

    def test_is_dropped_when_it_has_stopped(self):
        start(imports.answers())

        client_of().post(url("batch_drop", 1))

        assert ImportBatch.objects.get().state == "UNDONE"

    def test_can_be_neither_when_it_is_applied(self):
        imports.apply(imports.answers())
        client = client_of()

        for name in ("batch_resume", "batch_drop"):
            page = text_of(client.post(url(name, 1), follow=True))
            assert "This import has not stopped." in page


class TestTheList:
    def test_shows_each_of_many(self):
        for release in range(1, 12):
            imports.apply(imports.answers(release=str(release)))

        assert text_of(client_of().get(url("imports"))).count("answers.csv") == 11

    def test_says_what_to_do_when_it_is_empty(self):
        assert "Nothing imported yet" in text_of(client_of().get(url("imports")))


class TestWhoMay:
    @pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ANALYST, Role.INSPECTOR])
    def test_others_find_nothing(self, role):
        imports.apply(imports.answers())
        client = client_of(role)
        addresses = [url("imports"), url("import_new"), url("import_map", 1), url("batch", 1)]

        assert {client.get(address).status_code for address in addresses} == {404}
        assert client.post(url("batch_undo", 1)).status_code == 404
        assert models.Item.objects.count() == 2

    def test_nobody_reaches_into_another_project(self):
        imports.apply(imports.answers(project=make.project("southgate")))
        make.project()

        assert client_of().get(url("batch", 1)).status_code == 404
        assert client_of().get(url("import_map", 1)).status_code == 404


class TestAFileThatIsHeldBackByName:
    TEXT = b"prompt,chosen,rejected\nWhy?,Because.,No.\n"

    def send(self, client, **more):
        file = SimpleUploadedFile("pairs.csv", self.TEXT)
        return client.post(
            reverse("import_new", args=[make.project().slug]), {"file": file, **more}
        )

    def test_is_offered_to_be_something_else(self, as_curator):
        response = self.send(as_curator)

        assert response.status_code == 422
        assert b'name="anyway"' in response.content

    def test_comes_in_where_somebody_says_so(self, as_curator):
        response = self.send(as_curator, anyway="on")

        assert response.status_code == 302
        assert Upload.objects.get().told == {"shape": "no"}
