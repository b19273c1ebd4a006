"""Figures of other benchmarks come in through the pages of imports."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.files.models import Upload
from annotation.people.models import Role
from tests import imports, make

pytestmark = pytest.mark.django_db


def url(name, *args):
    return reverse(name, args=["northport", *args])


class TestFigures:
    def test_go_from_a_file_to_what_was_brought(self):
        make.release("Kestrel")
        make.release("Osprey")
        client = Client()
        client.force_login(make.member(Role.CURATOR))
        file = SimpleUploadedFile("figures.csv", imports.FIGURES.encode())
        client.post(url("import_new"), {"kind": "FIGURES", "file": file})
        upload = Upload.objects.get()

        page = client.get(url("import_map", upload.number))
        data = {
            field.html_name: field.value() or ""
            for form in [*page.context["columns"], page.context["options"]]
            for field in form
        }
        checked = client.post(url("import_check", upload.number), data, follow=True)
        applied = client.post(url("import_check", upload.number), {"act": "import"}, follow=True)

        assert "2 values, from 55 to 71.5" in checked.content.decode()
        assert "MT-Bench" in checked.content.decode()
        assert "3 new, 0 known" in applied.content.decode()
