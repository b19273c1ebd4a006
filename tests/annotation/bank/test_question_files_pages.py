import csv
import io
import json

import pytest

from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def curator(client):
    client.force_login(make.member(Role.CURATOR))


def fetched(client, ending, **query):
    answer = client.get(f"/p/northport/bank/questions.{ending}", query)
    assert f"northport-questions.{ending}" in answer["Content-Disposition"]
    return b"".join(answer.streaming_content).decode()


class TestQuestionsCsv:
    def test_holds_no_formula(self, client):
        make.question_version("DRAFT", text=make.question_text(answer="=1+1"))

        [line] = csv.DictReader(io.StringIO(fetched(client, "csv").removeprefix("\ufeff")))

        assert line["standard_answer"] == "'=1+1"
        assert json.loads(line["key_points"]) == ["a receipt", "a title"]

    def test_keeps_to_the_filters_of_the_list(self, client):
        make.question_version("DRAFT", external_id="Q1")
        page = client.get("/p/northport/bank/", {"state": "DRAFT"}).content.decode()

        assert "questions.csv?state=DRAFT" in page
        assert "Q1" in fetched(client, "csv", state="DRAFT")
        assert "Q1" not in fetched(client, "csv", state="ACCEPTED")


class TestQuestionsJsonl:
    def test_holds_a_question_a_line(self, client):
        make.question_version("DRAFT", external_id="Q1")
        make.question_version("DRAFT", external_id="Q2")

        lines = [json.loads(line) for line in fetched(client, "jsonl").splitlines()]

        assert [one["external_id"] for one in lines] == ["Q2", "Q1"]
