import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.files.models import Upload
from annotation.imports import operations as applying
from annotation.people.models import Role
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


class TestScores:
    """Scores are written by scoring; what the pages ask of them is asked here."""

    TEXT = "item,system,rouge,gpt_coherence\nQ1,Kestrel,0.4,5\nQ2,Kestrel,0.1,2\n"

    @pytest.fixture(autouse=True)
    def _answers(self):
        imports.apply(imports.answers())

    def test_go_from_a_file_to_what_was_brought(self):
        client = client_of()
        upload = self.upload(client, self.TEXT + "Q1,Harbour,0.3,1\n")

        page = client.get(url("import_map", upload.number))
        rows = page.context["options"].machines
        assert [(one.line.label, one.initial["kind"], one.initial["maximum"]) for one in rows] == [
            ("rouge", "METRIC", "1"),
            ("gpt", "JUDGE", "5"),
        ]
        checked = client.post(url("import_check", upload.number), self.sent(page), follow=True)
        assert "3 scores, from 1 to 5" in text_of(checked)
        applied = client.post(url("import_check", upload.number), {"act": "import"}, follow=True)

        assert "6 new, 0 known" in text_of(applied)

    def test_ask_again_for_a_machine_that_comes_up_with_the_mapping(self):
        client = client_of()
        upload = self.upload(client)
        data = self.sent(client.get(url("import_map", upload.number)))

        response = client.post(url("import_check", upload.number), {**data, "c2-rater": "r-1"})

        assert response.status_code == 422
        assert "New: r-1" in text_of(response)
        data = self.sent(response)
        assert "m2-name" in data
        again = client.post(url("import_check", upload.number), data)
        assert again.status_code == 302

    def test_say_what_is_wrong_with_a_range(self):
        client = client_of()
        upload = self.upload(client)
        data = self.sent(client.get(url("import_map", upload.number)))

        response = client.post(url("import_check", upload.number), {**data, "m0-minimum": "2"})

        assert response.status_code == 422
        assert "must lie below the highest" in text_of(response)

    def test_name_line_and_remedy_of_a_score_out_of_range(self):
        client = client_of()
        upload = self.upload(client)
        data = self.sent(client.get(url("import_map", upload.number)))
        data |= {"m1-maximum": "4"}

        checked = client.post(url("import_check", upload.number), data, follow=True)

        assert imports.problems(Upload.objects.get(number=upload.number)) == [
            ("out_of_range", 2, "gpt_coherence"),
            ("range_guessed", None, ""),
        ]
        assert "declare another range for gpt" in text_of(checked)

    def test_ask_for_a_range_that_is_a_guess_and_take_the_answer(self):
        client = client_of()
        upload = self.upload(client)
        data = self.sent(client.get(url("import_map", upload.number)))

        asked = client.post(url("import_check", upload.number), data, follow=True)
        assert "is a guess" in text_of(asked)
        assert "This range is right" in text_of(asked)
        data = self.sent(asked) | {"m1-sure": "on"}
        checked = client.post(url("import_check", upload.number), data, follow=True)

        assert Upload.objects.get(number=upload.number).report["ok"]
        assert "2 scores, from 2 to 5" in text_of(checked)

    def test_offer_columns_where_none_is_recognised(self):
        client = client_of()
        upload = self.upload(client, "place,score,comment\n1,0.5,\n2,0.7,ok\n")

        page = client.get(url("import_map", upload.number))
        assert page.status_code == 200
        data = self.sent(page)
        data |= {name: "ignore" for name in data if name.endswith("-target") and not data[name]}
        refused = client.post(url("import_check", upload.number), data)

        assert refused.status_code == 422
        assert "No column says which question is graded. Map one to the question." in text_of(
            refused
        )
        assert "It is not said which system answered." in text_of(refused)

    def test_have_a_row_for_each_criterion_of_a_judge(self):
        client = client_of()
        upload = self.upload(client, self.TEXT.replace("rouge", "gpt_fluency"))

        rows = client.get(url("import_map", upload.number)).context["options"].machines

        assert [one.line.label for one in rows] == ["gpt, coherence", "gpt, fluency"]
        assert [one.shown()[0] is None for one in rows] == [False, True]

    def test_remember_what_was_declared(self):
        client = client_of()
        upload = self.upload(client)
        data = self.sent(client.get(url("import_map", upload.number)))
        data |= {"m0-direction": "lower", "m1-family": "Kestrel", "m1-minimum": ""}
        client.post(url("import_check", upload.number), data)

        again = self.sent(client.get(url("import_map", upload.number)))

        assert {key: again[key] for key in ("m0-direction", "m1-family", "m1-minimum")} == {
            "m0-direction": "lower",
            "m1-family": "Kestrel",
            "m1-minimum": "",
        }

    def test_ask_what_words_stand_for(self):
        client = client_of()
        text = "item,system,judge,score\nQ1,Kestrel,duel,A better\nQ2,Kestrel,duel,yes\n"
        upload = self.upload(client, text)

        data = self.sent(client.get(url("import_map", upload.number)))
        assert data["words"] == "A better = \nyes = 1"
        refused = client.post(url("import_check", upload.number), data)
        assert "needs an equals sign" in text_of(refused)
        data["words"] = "A better = 1\nyes = 0"
        checked = client.post(url("import_check", upload.number), data, follow=True)

        assert "On 2 questions and 1 system." in text_of(checked)

    def upload(self, client, text=TEXT):
        send(client, text, "scores.csv", "SCORES")
        return Upload.objects.order_by("-number")[0]

    @staticmethod
    def sent(page):
        """Return what the form sends if nothing is changed in it."""
        options = page.context["options"]
        forms = [*page.context["columns"], options, *options.machines]
        return {field.html_name: field.value() or "" for form in forms for field in form}
