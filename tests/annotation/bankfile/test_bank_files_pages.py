import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from annotation import models
from annotation.bankfile.models import BankFile
from tests import make
from tests.annotation.bankfile import stocked

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/files/"


@pytest.fixture
def inline(settings):
    settings.QUEUE_INLINE = True


def a_file(data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("bank.zip", data, "application/zip")


class TestBankFiles:
    def test_says_what_to_choose(self, client, curator):
        page = client.post(URL)

        assert page.status_code == 422
        assert "Choose the file" in page.content.decode()

    def test_refuses_an_empty_file(self, client, curator):
        page = client.post(URL, {"file": a_file(b"")})

        assert "The file is empty" in page.content.decode()
        assert not BankFile.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("inline")
class TestBankFile:
    def test_goes_from_one_project_to_another(self, client):
        stocked.bank()
        client.force_login(make.user("northport-owner"))
        made = client.post(f"{URL}new/")
        page = client.get(made.url).content.decode()
        assert "Download" in page
        data = b"".join(client.get(f"{made.url}bank.zip").streaming_content)
        assert len(zipfile.ZipFile(io.BytesIO(data)).namelist()) == 10

        make.project("south")
        client.force_login(make.user("south-owner"))
        taken = client.post("/p/south/bank/files/", {"file": a_file(data)})
        assert "Preview" in client.get(taken.url).content.decode()
        client.post(f"{taken.url}confirm/")

        assert "Outcome" in client.get(taken.url).content.decode()
        assert models.Question.objects.filter(project__slug="south").count() == 5
        assert "q-4" in client.get(reverse("questions", args=["south"])).content.decode()

    def test_tells_every_problem(self, client, curator):
        made = client.post(URL, {"file": a_file(b"no archive")})

        assert "This is no bank file" in client.get(made.url).content.decode()

    def test_is_deleted(self, client, curator):
        made = client.post(f"{URL}new/")

        client.post(f"{made.url}delete/")

        assert not BankFile.objects.exists()

    def test_refreshes_a_page_that_waited(self, client, curator):
        made = client.post(f"{URL}new/")

        answer = client.get(made.url, headers={"HX-Request": "true"})

        assert answer["HX-Refresh"] == "true"


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("inline")
class TestApi:
    def test_does_the_same(self, client):
        stocked.bank()
        client.force_login(make.user("northport-owner"))
        api = "/api/v1/projects/northport/bank-files/"
        asked = client.post(api, {"named": True}, content_type="application/json")
        assert asked.status_code == 202
        assert client.get(f"{api}1/").json()["state"] == "READY"
        sent = client.get(f"{api}1/bank.zip", headers={"Accept": "application/zip"})
        assert sent["Content-Type"] == "application/zip"
        data = b"".join(sent.streaming_content)
        assert data == b"".join(client.get(f"{URL}1/bank.zip").streaming_content)

        assert client.post(api, {"file": a_file(data)}).status_code == 202
        found = client.get(f"{api}2/").json()
        assert (found["state"], found["report"]["counts"]["questions"]["same"]) == ("READY", 5)
        assert client.post(f"{api}2/", {}, content_type="application/json").status_code == 202
        assert client.get(f"{api}2/").json()["state"] == "APPLIED"
        assert len(client.get(api).json()["results"]) == 2
        assert client.get(f"{api}2/bank.zip").json()["code"] == "not_written"
