import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.bank.models import Citation
from annotation.people.models import Role
from annotation.sources import operations as sources
from annotation.sources.models import Source
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/sources/"


class TestSources:
    def test_say_how_to_begin(self, client, designer):
        assert "No sources yet" in client.get(URL).content.decode()

    def test_count_the_questions_made_from_each(self, client, designer):
        make.question_version("DRAFT", author=designer)

        [line] = client.get(URL).context["lines"]

        assert (line.number, line.n_questions, line.is_stale) == (1, 1, False)

    def test_mark_what_is_past_its_date(self, client, designer):
        version = make.source_version()
        sources.add_version(
            source=version.source,
            said=sources.SourceSaid(valid_until=make.NOW.date() - timedelta(days=9999)),
            by=designer,
            now=make.NOW,
        )

        [line] = client.get(f"{URL}?stale=yes").context["lines"]

        assert line.is_stale


class TestSourceNew:
    def test_adds_a_source_with_what_it_says(self, client, designer):
        answer = client.post(f"{URL}new/", {"title": "Guide", "kind": "WEB", "text": "Seller."})

        made = Source.objects.get()
        assert answer.url == f"{URL}{made.pk}/"
        assert made.versions.get().text == "Seller."

    def test_refuses_a_title_the_corpus_has(self, client, designer):
        make.source_version("Guide")

        answer = client.post(f"{URL}new/", {"title": "Guide", "kind": "WEB"})

        assert answer.status_code == 422
        assert "Cite that one" in answer.content.decode()


class TestSource:
    def test_shows_its_versions_and_questions(self, client, designer):
        version = make.question_version("DRAFT", author=designer)
        source = version.citations.get().source_version.source

        context = client.get(f"{URL}{source.pk}/").context

        assert [one.pk for one in context["questions"]] == [version.pk]
        assert [one.n_cited for one in context["versions"]] == [1]

    def test_writes_down_what_it_says_now(self, client, designer):
        source = make.source_version().source

        client.post(f"{URL}{source.pk}/", {"text": "Something else."})

        assert source.versions.count() == 2

    def test_is_corrected_in_where_it_comes_from(self, client, designer):
        source = make.source_version("Handbook").source
        here = f"{URL}{source.pk}/"
        form = client.get(here).context["edit_form"]
        sent = {**form.initial, "seen": json.dumps(form.initial["seen"]), "act": "edit"}

        answer = client.post(here, {**sent, "title": "Guide", "licence": "CC0"})
        again = client.post(here, {**sent, "title": "Book"})

        assert (answer.status_code, again.status_code) == (302, 422)
        assert "Somebody else corrected" in again.content.decode()
        page = client.get(here)
        [correction] = page.context["corrections"]
        assert correction.fields == [("title", "Handbook", "Guide"), ("licence", "", "CC0")]
        assert "<h1>Guide" in page.content.decode().replace(' id="heading"', "")

    def test_offers_no_correction_to_those_who_only_read(self, client):
        client.force_login(make.member(Role.ANALYST))
        source = make.source_version().source

        page = client.get(f"{URL}{source.pk}/").content.decode()
        sent = client.post(f"{URL}{source.pk}/", {"act": "edit", "title": "Guide"})

        assert (">Correct</summary>" in page, sent.status_code) == (False, 403)

    def test_reads_a_file(self, client, designer):
        source = make.source_version().source
        file = SimpleUploadedFile("a.md", b"# One\r\n\r\nTwo.")

        client.post(f"{URL}{source.pk}/", {"file": file})

        newest = source.versions.first()
        assert (newest.text, newest.file["format"]) == ("# One\n\nTwo.", "MARKDOWN")

    def test_says_of_a_file_why_it_cannot_be_read(self, client, designer):
        source = make.source_version().source
        file = SimpleUploadedFile("a.pdf", b"%PDF-1.4 cut")

        answer = client.post(f"{URL}{source.pk}/", {"file": file})

        assert answer.status_code == 422
        assert "damaged" in answer.content.decode()
        assert source.versions.count() == 1

    def test_is_kept_from_designers_of_other_collections(self, client, designer):
        version, curator = make.source_version(), make.member(Role.CURATOR)
        shelf = sources.create_collection(
            project=make.project(), name="Closed", note="", by=curator, now=make.NOW
        )
        sources.move(source=version.source, collection=shelf, by=curator, now=make.NOW)

        assert client.get(f"{URL}{version.source_id}/").status_code == 404
        assert client.get(URL).context["lines"] == []
        api = f"/api/v1/projects/northport/sources/{version.source_id}/"
        assert [client.get(api).status_code, client.get(f"{api}checks/").status_code] == [404, 404]

    def test_leads_from_a_paragraph_to_a_question_that_cites_it(self, client, designer):
        version = sources.add_version(
            source=make.source_version().source,
            said=sources.SourceSaid(text="One.\n\nTwo & three."),
            by=designer,
            now=make.NOW,
        )
        page = client.get(f"{URL}{version.source_id}/").content.decode()
        there = f"/p/northport/bank/new/?passage={version.pk}:6-18"
        assert there in page

        [(row, quote)] = client.get(there).context["cited"]

        assert (row.version, row.locator, row.passage) == (version.pk, "paragraph 2", "6-18")
        assert quote == "Two & three."
        given = {"content": "What?", "source": row.version, "locator": "p", "passage": "6-18"}
        client.post("/p/northport/bank/new/", given)
        assert Citation.objects.get().quote == quote

    @pytest.mark.parametrize("passage", ["9:1-2", "x", "1:5", "1:90-99"])
    def test_says_that_a_passage_is_none(self, client, designer, passage):
        make.source_version()

        answer = client.get(f"/p/northport/bank/new/?passage={passage}")

        assert (answer.status_code, answer.context["cited"]) == (200, [])
        assert list(answer.context["messages"])

    def test_compares_two_versions(self, client, designer):
        source = make.source_version().source
        client.post(f"{URL}{source.pk}/", {"text": "What the guide says."})

        change = client.get(f"{URL}{source.pk}/?version=2&against=1").context["change"]

        assert [run.text for run in change.runs if run.kind != "same"] == ["handbook", "guide"]

    def test_is_checked_by_inspectors(self, client):
        client.force_login(make.member(Role.INSPECTOR))
        source = make.source_version().source
        given = {"act": "check", "outcome": "VERIFIED", "how": "Read it.", "number": 1}

        client.post(f"{URL}{source.pk}/", given)

        context = client.get(f"{URL}{source.pk}/").context
        assert context["standing"] == "VERIFIED"
        [line] = client.get(f"{URL}?standing=VERIFIED").context["lines"]
        assert line.standing == "VERIFIED"
        assert client.get(f"{URL}?standing=UNCHECKED").context["lines"] == []


class TestCollections:
    def test_are_begun_and_designers_appointed(self, client):
        designer = make.member(Role.DESIGNER)
        client.force_login(make.member(Role.CURATOR))

        answer = client.post(f"{URL}collections/", {"name": "Tariffs"})
        client.post(answer.url, {"user": designer.pk})

        [one] = client.get(answer.url).context["appointments"]
        assert one.user == designer
        client.post(answer.url, {"act": "end", "appointment": one.pk})
        assert client.get(answer.url).context["appointments"][0].ended_at
