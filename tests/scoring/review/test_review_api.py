import uuid

import pytest
from django.urls import reverse

from annotation import models
from tests.annotation import reviewed
from tests.scoring import preferred, rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
KEY = str(uuid.UUID(int=3))


def at(name="api_review", **more):
    return reverse(name, kwargs={"project": "northport", "number": 1, **more})


def lonely(system, item, rater):
    return 0 if rater == 0 and item == 0 else 2


def post(client, **more):
    data = {"key": KEY, "question": 1, "act": "KEEP", "reason": "It was so.", **more}
    return client.post(at("api_decisions"), data, content_type="application/json")


class TestQueue:
    def test_is_computed_first_and_then_lists_what_waits(self, client, curator):
        rounds.graded(n_items=2, marks=lonely)

        assert client.get(at()).status_code == 202
        compute()

        answer = client.get(at()).json()
        assert (answer["open"], answer["decided"]) == (1, 0)
        assert [(one["item"], one["ck"] > 0) for one in answer["results"]] == [("Q1-0", True)]
        assert client.get(at() + "?only=none").json()["code"] == "invalid_parameter"


class TestQuestion:
    def test_holds_grades_under_letters_and_no_system(self, client, curator):
        rounds.graded(n_items=1, marks=lonely)

        answer = client.get(at("api_review_question", place=1))

        found = answer.json()
        assert [one["response"] for one in found["responses"]] == ["A", "B"]
        grades = found["responses"][0]["criteria"][0]["grades"]
        assert [one["value"] for one in grades] == ["0", "2", "2"]
        assert "Kestrel" not in answer.content.decode()


class TestDecisions:
    def test_are_made_once_under_a_key(self, client, curator):
        rounds.graded(n_items=1, marks=lonely)
        wanted = {"act": "ADJUDICATE", "response": "A", "criterion": "grade", "value": "2"}

        answers = [post(client, **wanted) for _ in range(2)]

        assert [one.status_code for one in answers] == [201, 201]
        assert answers[0].json() == answers[1].json()
        assert answers[0].json()["standing"] == "HOLDS"
        assert models.Grade.objects.filter(kind="ADJUDICATED").count() == 1
        listed = client.get(at("api_decisions")).json()["results"]
        assert [one["act"] for one in listed] == ["ADJUDICATE"]

    @pytest.mark.parametrize(
        ("wrong", "status"),
        [
            ({"act": "NONSENSE"}, 400),
            ({"reason": ""}, 400),
            ({"act": "ADJUDICATE"}, 422),
            ({"question": 7}, 404),
            ({"act": "STRIKE_GRADE", "grade": 99999}, 422),
        ],
    )
    def test_refuse_what_cannot_be(self, client, curator, wrong, status):
        rounds.graded(n_items=1)

        assert post(client, **wrong).status_code == status
        assert not models.Decision.objects.exists()


class TestChoices:
    """Of a round of pairs: A and B are those of the page, whichever answer is named."""

    wanted = {"act": "ADJUDICATE", "criterion": "better", "value": "2"}

    def test_are_settled_as_the_page_has_them(self, client, curator):
        preferred.chosen(n_items=1, state="REVIEW")

        for key, named in enumerate(({}, {"response": "A"}), start=1):
            sent = post(client, key=str(uuid.UUID(int=key)), **self.wanted, **named)

            assert sent.status_code == 201
            part = client.get(at("api_review_question", place=1)).json()["choices"][0]
            assert part["adjudicated"] == "A is better"

    def test_are_refused_as_told_from_the_other_side(self, client, curator):
        preferred.chosen(n_items=1, state="REVIEW")

        refused = post(client, response="B", **self.wanted)

        assert refused.status_code == 422
        assert list(refused.json()["fields"]) == ["response"]
        assert not models.Decision.objects.exists()


class TestConfirm:
    def test_lets_a_decision_of_another_hold(self, client, curator):
        round_ = rounds.graded(n_items=1)
        reviewed.two_reviewers(round_)
        made = reviewed.decide("STRIKE_GRADE", round_)
        url = at("api_decision_confirm", pk=made.pk)

        answer = client.post(url)

        assert answer.json()["standing"] == "HOLDS"
        assert client.post(url).status_code == 409
