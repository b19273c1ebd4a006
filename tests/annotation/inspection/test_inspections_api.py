import json

import pytest
from django.urls import reverse

from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


def decide(client, version, **body):
    url = reverse("api_inspection", args=["northport", version.pk])
    return client.post(url, json.dumps(body), content_type="application/json")


def lines(failed=()):
    return [
        {"line": one.line, "outcome": one.outcome, "reason": one.reason, "field": one.field}
        for one in make.checked(make.project(), failed=failed)
    ]


class TestInspections:
    def test_lists_what_waits_without_what_others_found(self, client, inspector):
        version = make.question_version("SUBMITTED", external_id="Q7")

        body = client.get(reverse("api_inspections", args=["northport"])).json()

        (row,) = body["results"]
        assert (row["id"], row["external_id"]) == (version.pk, "Q7")
        assert row["inspectors"] == {"wanted": 1, "done": 0}
        assert "inspections" not in row


class TestInspection:
    def test_shows_the_version_its_sources_and_the_checklist(self, client, inspector):
        version = make.question_version("SUBMITTED")

        url = reverse("api_inspection", args=["northport", version.pk])
        body = client.get(url).json()

        assert body["answer"] == version.answer
        assert body["sources"][0]["text"] == "What the handbook says."
        assert len(body["checklist"]["lines"]) == 14

    def test_decides(self, client, inspector):
        version = make.question_version("SUBMITTED")

        sent = decide(
            client,
            version,
            verdict="RETURN",
            checked=lines(failed=("correct",)),
            suggestion={"answer": "Another."},
            checklist=1,
        )

        assert sent.status_code == 201
        assert sent.json()["state"] == "RETURNED"
        assert sent.json()["suggestion"] == {"answer": "Another."}

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            ({}, 400, "invalid"),
            ({"verdict": "MAYBE", "checked": []}, 400, "invalid"),
            ({"verdict": "ACCEPT", "checked": []}, 422, "incomplete"),
            (
                {"verdict": "ACCEPT", "checked": [{"line": "x", "outcome": "PASS"}]},
                422,
                "incomplete",
            ),
        ],
    )
    def test_says_what_is_missing(self, client, inspector, body, status, code):
        version = make.question_version("SUBMITTED")

        sent = decide(client, version, **body)

        assert (sent.status_code, sent.json()["code"]) == (status, code)

    def test_knows_no_drafts(self, client, inspector):
        assert decide(client, make.question_version("DRAFT")).status_code == 404


class TestFigures:
    def test_shows_curators_everybody_and_others_themselves(self, client):
        make.question_version("RETURNED")
        url = reverse("api_inspection_figures", args=["northport"])

        client.force_login(make.member(Role.CURATOR))
        (row,) = client.get(url, {"days": "all"}).json()["designers"]
        assert (row["returned"], row["return_rate"]) == (1, 1.0)
        assert row["until_decided"] == {"median_seconds": 0.0, "n": 1}

        client.force_login(make.member(Role.INSPECTOR))
        assert client.get(url, {"days": "all"}).json()["designers"] == []
