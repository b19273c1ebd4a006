import json

import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.search import similarity
from tests import make

pytestmark = pytest.mark.django_db
URL = "/p/northport/bank/hints/"


@pytest.fixture
def designer(client):
    client.force_login(make.member(Role.DESIGNER))
    make.item("I1", question="Who loads 20 pallets <b>under</b> FCA?")
    similarity.index_rest(project=make.project())


def sent(client, body, **headers):
    return client.post(URL, json.dumps(body), content_type="application/json", headers=headers)


def asked(text, **more):
    return {"turns": [{"role": "user", "content": text}], **more}


class TestQuestionHints:
    def test_stands_where_it_is_expected(self):
        assert reverse("question_hints", args=["northport"]) == URL

    def test_says_what_asks_the_same_and_how_it_differs(self, client, designer):
        (near,) = sent(client, asked("Who loads 30 pallets <b>under</b> FCA?")).json()["near"]

        assert near["id"] == "I1"
        assert near["likeness"] == "NUMBERS"
        assert near["differences"] == [["20", "30"]]
        assert near["url"].startswith("/p/northport/items/")

    def test_says_where_the_answer_is_given_away(self, client, designer):
        body = asked("The port is Rotterdam. Which port?", answer="Rotterdam.", key_points=["x"])

        (leak,) = sent(client, body).json()["leaks"]

        assert leak["sentence"] == "The standard answer stands in the question."
        assert (leak["turn"], leak["start"], leak["end"]) == (0, 12, 21)

    def test_takes_a_form_and_answers_with_a_part_of_a_page(self, client, designer):
        page = client.post(
            URL,
            {
                "role": ["user"],
                "content": ["Who loads 30 pallets <b>under</b> FCA, the first pallet?"],
                "key_points": "the first pallet\nx",
            },
            headers={"accept": "text/html"},
        ).content.decode()

        assert "Key point 1 stands in the question." in page
        page = client.post(
            URL,
            {"content": ["Who loads 30 pallets <b>under</b> FCA?"]},
            headers={"accept": "text/html"},
        ).content.decode()
        assert "<del>" in page
        assert "30" in page.split("<ins>")[1]
        assert "<b>under" not in page
        assert "&lt;b&gt;under" in page

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("", "None yet."),
            ("What is a tide table?", "None yet."),
        ],
    )
    def test_says_why_there_is_no_hint(self, client, designer, text, said):
        assert said in sent(client, asked(text), accept="text/html").content.decode()

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"turns": "x"}, "turns"),
            ({"turns": ["x"]}, "turns"),
            (asked("x" * 100_001), "turns"),
            (asked("x", answer=3), "answer"),
            (asked("x", key_points=[3]), "key_points"),
            (asked("x", question="one"), "question"),
        ],
    )
    def test_refuses_what_is_no_question(self, client, designer, body, field):
        answer = sent(client, body)

        assert answer.status_code == 422
        assert list(answer.json()["fields"]) == [field]
        page = sent(client, body, accept="text/html")
        assert page.status_code == 422
        assert 'role="alert"' in page.content.decode()

    def test_refuses_a_body_that_cannot_be_read(self, client, designer):
        answer = client.post(URL, "{", content_type="application/json")

        assert answer.status_code == 422

    def test_keeps_the_edited_question_from_being_its_own_duplicate(self, client, designer):
        version = make.question_version("DRAFT")
        text = version.turns[-1]["content"]

        assert len(sent(client, asked(text)).json()["near"]) == 1
        assert sent(client, asked(text, question=version.question_id)).json()["near"] == []
