"""Questions of multiple choice come in through the pages of imports."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.files.models import Upload
from annotation.imports import undoing
from annotation.people.models import Role
from annotation.systems.models import Item
from tests import imports, make

pytestmark = pytest.mark.django_db
ARC = imports.lines(
    {
        "id": "Harbour_1",
        "question": {
            "stem": "What holds a ship?",
            "choices": [{"text": "a rope", "label": "A"}, {"text": "a bell", "label": "B"}],
        },
        "answerKey": "A",
    }
)


def url(name, *args):
    return reverse(name, args=["northport", *args])


@pytest.fixture
def client():
    found = Client()
    found.force_login(make.member(Role.CURATOR))
    return found


def send(client, text, name):
    file = SimpleUploadedFile(name, text.encode())
    client.post(url("import_new"), {"kind": "CHOICES", "file": file})
    return Upload.objects.get()


def sent(client, upload, **more):
    page = client.get(url("import_map", upload.number))
    data = {}
    for form in [*page.context["columns"], page.context["options"]]:
        for field in form:
            data[field.html_name] = field.value() or ""
    return data | more


def text_of(response):
    return response.content.decode()


class TestChoices:
    def test_of_a_published_layout_need_no_columns(self, client):
        upload = send(client, ARC, "arc.jsonl")

        page = client.get(url("import_map", upload.number))
        assert page.context["columns"] == []
        assert "Layout of ARC" in text_of(page)
        checked = client.post(url("import_check", upload.number), sent(client, upload), follow=True)
        assert "a bell" in text_of(checked)
        applied = client.post(url("import_check", upload.number), {"act": "import"}, follow=True)

        assert "1 new, 0 known" in text_of(applied)
        made = Item.objects.get()
        assert (made.external_id, made.extra["dataset"]) == ("Harbour_1", "ARC")
        assert made.extra["options"] == {"A": "a rope", "B": "a bell"}
        shown = text_of(client.get(url("item", made.pk)))
        assert "a bell" in shown
        assert "answer_label" not in shown

    def test_of_a_table_are_mapped_by_their_columns(self, client):
        upload = send(client, imports.CHOICES, "quay.csv")

        refused = client.post(url("import_check", upload.number), sent(client, upload))
        assert refused.status_code == 422
        data = sent(client, upload, dataset="Quay")
        client.post(url("import_check", upload.number), data)
        client.post(url("import_check", upload.number), {"act": "import"})

        assert set(Item.objects.values_list("extra__answer_label", flat=True)) == {"A", "C"}

    def test_say_which_columns_lack(self, client):
        upload = send(client, "ask,x,y\nWhy?,a,b\n", "odd.csv")
        names = {f"c{place}-target": "question_details" for place in range(3)}
        data = sent(client, upload, dataset="Quay", **names)

        page = client.post(url("import_check", upload.number), data)

        assert "Fewer than two columns hold options." in text_of(page)
        assert "No column says which option is right." in text_of(page)

    def test_can_be_undone(self, client):
        batch = imports.apply(imports.choices())

        undoing.undo(batch=batch, by=batch.created_by, clock=imports.clock)

        assert not Item.objects.exists()
