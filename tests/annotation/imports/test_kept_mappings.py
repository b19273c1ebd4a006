import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from annotation import models
from annotation.files.models import ImportKind, KeptMapping, Upload
from annotation.imports import uploading
from annotation.imports.matching import kept
from annotation.people.models import Role
from tests import imports, make

pytestmark = pytest.mark.django_db

ODD = "nr,ask,said\nQ1,What is a pallet?,A base.\n"
TARGETS = {"nr": "external_id", "ask": "question", "said": "response"}


def odd(text=ODD, name="april.csv", **options):
    """Return a file whose columns only a person can place, of one system."""
    return imports.answers(text, name, TARGETS, system="Kestrel", **options)


def keep(upload, name="April export"):
    return kept.keep(upload=upload, name=name, by=upload.created_by, now=make.NOW)


class TestKeep:
    def test_is_offered_for_a_file_of_the_same_columns_and_no_other(self):
        one = keep(odd())

        again = imports.take(ODD.replace("base", "flat base"), "may.csv")
        other = imports.take("nr,asked,said\n1,2,3\n", "other.csv")

        assert list(kept.offered(again)) == [one]
        assert list(kept.offered(other)) == []

    def test_is_offered_within_its_project(self):
        keep(odd())

        elsewhere = imports.take(ODD, project=make.project("southgate"))

        assert list(kept.offered(elsewhere)) == []

    def test_refuses_a_second_one_of_a_name(self):
        upload = odd()
        keep(upload)

        with pytest.raises(kept.NameIsKept):
            keep(upload)

        assert KeptMapping.objects.count() == 1

    def test_refuses_a_file_that_is_not_mapped(self):
        with pytest.raises(kept.NotMapped):
            keep(imports.take(ODD))


class TestUse:
    def test_maps_a_file_as_the_other_one_was(self):
        text = "nr,ask,who,said\nQ1,What is a pallet?,Kestrel,A base.\n"
        first = imports.answers(text, "april.csv", {**TARGETS, "who": "system"})
        one = keep(first)
        upload = imports.take(text.replace("A base.", "A board."), "may.csv")

        ready = kept.use(upload=upload, found=kept.kept_mapping(one))

        assert ready
        assert upload.mapping == first.mapping

    def test_asks_anew_whose_answers_a_file_holds(self):
        one = keep(odd())
        upload = imports.take(ODD, "may.csv")

        ready = kept.use(upload=upload, found=kept.kept_mapping(one))

        assert not ready
        assert upload.mapping_sha == ""
        assert upload.mapping["system"] == ""
        assert {place["column"]: place["target"] for place in upload.mapping["places"]} == TARGETS

    def test_names_the_round_by_the_file_that_it_is_for(self):
        imports.apply(imports.answers())
        one = keep(imports.grades())
        upload = imports.take(imports.GRADES, "may.csv", ImportKind.GRADES)

        assert kept.use(upload=upload, found=kept.kept_mapping(one))

        assert upload.mapping["round_name"] == "may"

    def test_leaves_no_trace_when_it_is_deleted_but_that_it_was(self):
        one = keep(odd())

        kept.forget(kept=one, by=one.created_by, now=make.NOW)

        assert not KeptMapping.objects.exists()
        assert models.AuditEvent.objects.filter(verb="mapping.deleted").count() == 1


class TestAFile:
    def test_says_the_same_when_it_is_read_again(self):
        found = kept.document(odd())

        assert kept.read_mapping(kept.written(found)) == found

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "[]",
            "{}",
            '{"format": "other"}',
            '{"format": "evalsite-mapping", "kind": "ANSWERS"}',
        ],
    )
    def test_that_is_none_is_refused(self, text):
        with pytest.raises(kept.NoMapping):
            kept.read_mapping(text)


class TestOnThePage:
    def url(self, name, *args):
        return reverse(name, args=["northport", *args])

    def client(self):
        client = Client()
        client.force_login(make.member(Role.CURATOR))
        return client

    def test_is_kept_offered_used_and_deleted(self):
        text = "nr,ask,who,said\nQ1,What is a pallet?,Kestrel,A base.\n"
        first = imports.answers(text, "april.csv", {**TARGETS, "who": "system"})
        second = imports.take(text.replace("A base.", "A board."), "may.csv")
        client = self.client()

        keeping = {"act": "keep", "name": "April export"}
        client.post(self.url("import_mapping", first.number), keeping)
        offer = client.get(self.url("import_map", second.number)).content.decode()
        one = KeptMapping.objects.get()
        using = {"act": "use", "kept": one.pk}
        used = client.post(self.url("import_mapping", second.number), using, follow=True)
        client.post(self.url("import_mapping", second.number), {"act": "forget", "kept": one.pk})

        assert "Use “April export”" in offer
        assert "Import 1 answer" in used.content.decode()
        assert not KeptMapping.objects.exists()

    def test_is_handed_out_as_a_file(self):
        upload = odd()

        response = self.client().get(self.url("import_mapping", upload.number))

        assert json.loads(response.content)["kind"] == "ANSWERS"

    def test_of_another_shape_is_not_found(self):
        one = keep(odd())
        other = imports.take("nr,asked,said\n1,2,3\n", "other.csv")

        using = {"act": "use", "kept": one.pk}
        response = self.client().post(self.url("import_mapping", other.number), using)

        assert response.status_code == 404


class TestByCommand:
    TEXT = "nr,ask,who,said\nQ1,What is a pallet?,Kestrel,A base.\n"

    @pytest.fixture
    def files(self, tmp_path):
        upload = imports.answers(self.TEXT, "april.csv", {**TARGETS, "who": "system"})
        make.member(Role.OWNER)
        mapping, rows = tmp_path / "mapping.json", tmp_path / "may.csv"
        mapping.write_text(kept.written(kept.document(upload)))
        rows.write_text(self.TEXT)
        uploading.discard(upload=upload)
        return rows, mapping

    def test_maps_a_file_without_another_word(self, files):
        rows, mapping = files

        call_command("import_responses", rows, "--project", "northport", "--mapping", mapping)

        assert models.Response.objects.seen().count() == 1

    def test_is_refused_for_a_file_of_another_kind(self, files):
        rows, mapping = files

        with pytest.raises(CommandError, match="questions and answers"):
            call_command("import_questions", rows, "--project", "northport", "--mapping", mapping)

        assert not Upload.objects.exists()

    def test_is_not_mixed_with_single_columns(self, files):
        rows, mapping = files
        more = ["--mapping", mapping, "--map", "nr=ignore"]

        with pytest.raises(CommandError, match="not both"):
            call_command("import_responses", rows, "--project", "northport", *more)
