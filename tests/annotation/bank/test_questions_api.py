import json

import pytest

from annotation.bank.models import QuestionVersion
from annotation.people.models import Role
from tests import make
from tests.pages import url

pytestmark = pytest.mark.django_db


def send(client, method, address, body):
    return getattr(client, method)(address, json.dumps(body), content_type="application/json")


def text(**more):
    return {
        "turns": [{"role": "user", "content": "Who loads under FCA?"}],
        "answer": "The seller.",
        "capability_id": make.capability().pk,
        "difficulty": "SIMPLE",
        "cited": [{"source_version": make.source_version().pk, "place": "A4"}],
        **more,
    }


class TestQuestions:
    def test_lists_the_newest_version_of_each(self, client, designer):
        version = make.question_version("SUBMITTED", author=designer)

        [row] = client.get(url("api_questions") + "?state=SUBMITTED").json()["results"]

        assert (row["id"], row["state"], row["life"]) == (version.question_id, "SUBMITTED", "LIVE")

    def test_begins_a_question(self, client, designer):
        answer = send(client, "post", url("api_questions"), text(external_id="F1"))

        assert answer.status_code == 201
        assert answer.json()["versions"][0]["state"] == "DRAFT"
        assert answer.json()["external_id"] == "F1"

    def test_refuses_what_another_project_has(self, client, designer):
        answer = send(client, "post", url("api_questions"), text(domain_id=10**6))

        assert answer.status_code == 422
        assert "domain_id" in answer.json()["fields"]


class TestQuestion:
    def test_saves_a_draft_and_hands_it_in(self, client, designer):
        version = make.question_version("DRAFT", author=designer)
        here = url("api_question", version.question_id)

        saved = url("api_question_draft", version.question_id)
        send(client, "post", saved, text(rev=0, answer="The seller loads."))
        done = send(client, "post", here, {"act": "submit", "rev": 1})

        assert done.json()["versions"][0]["state"] == "SUBMITTED"
        assert QuestionVersion.objects.get().answer == "The seller loads."

    def test_says_what_is_to_be_answered_before_it_is_handed_in_again(self, client, designer):
        version = make.question_version("RETURNED", author=designer)
        here = url("api_question", version.question_id)
        draft = url("api_question_draft", version.question_id)

        begun = send(client, "post", here, {"act": "revise"}).json()
        refused = send(client, "post", here, {"act": "submit"})
        answers = {key: f"Mended: {words}" for key, words in begun["to_answer"].items()}
        send(client, "post", draft, text(rev=0, replies=answers))
        done = send(client, "post", here, {"act": "submit", "rev": 1})

        assert (refused.status_code, refused.json()["code"]) == (422, "incomplete")
        assert list(refused.json()["fields"]) == ["reply-correct"]
        assert done.json()["versions"][0]["state"] == "SUBMITTED"

    def test_refuses_a_stale_revision(self, client, designer):
        version = make.question_version("DRAFT", author=designer)

        answer = send(client, "post", url("api_question_draft", version.question_id), text(rev=7))

        assert (answer.status_code, answer.json()["code"]) == (409, "stale_draft")

    def test_answers_nothing_once_the_question_is_gone(self, client, designer):
        version = make.question_version("DRAFT", author=designer)

        answer = send(client, "post", url("api_question", version.question_id), {"act": "discard"})

        assert answer.status_code == 204

    def test_lets_curators_retire_and_revive(self, client):
        version = make.question_version("ACCEPTED")
        client.force_login(make.member(Role.CURATOR))
        here = url("api_question", version.question_id)

        assert send(client, "post", here, {"act": "retire", "reason": "Old."}).json()["life"] == (
            "RETIRED"
        )
        assert send(client, "post", here, {"act": "revive", "reason": "New."}).json()["life"] == (
            "LIVE"
        )


class TestComments:
    def test_says_something_of_a_field(self, client, designer):
        version = make.question_version("SUBMITTED", author=designer)
        here = url("api_question_comments", version.question_id)

        send(client, "post", here, {"text": "Sure?", "field": "answer"})

        [row] = client.get(here).json()["results"]
        assert (row["text"], row["field"], row["version"]) == ("Sure?", "answer", 1)
