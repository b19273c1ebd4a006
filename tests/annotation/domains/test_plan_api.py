import pytest
from django.urls import reverse

from annotation.people.models import Role
from tests import make

pytestmark = pytest.mark.django_db


class TestPlan:
    url = "/api/v1/projects/northport/plan/"

    def test_is_written_and_read(self, client, curator):
        cell = {"capability": make.capability().pk, "difficulty": "SIMPLE", "wanted": 4}

        answer = client.post(self.url, {"cells": [cell]}, content_type="application/json")

        [line] = answer.json()["results"]
        assert (line["wanted"], line["missing"], line["domain"]) == (4, 4, None)

    def test_refuses_what_is_not_there(self, client, curator):
        make.project()
        cell = {"capability": 10**9, "difficulty": "SIMPLE", "wanted": 4}

        answer = client.post(self.url, {"cells": [cell]}, content_type="application/json")

        assert (answer.status_code, answer.json()["code"]) == (422, "no_such_place")


class TestCell:
    def test_asks_somebody(self, client, curator):
        designer = make.member(Role.DESIGNER)
        url = reverse("api_plan_cell", args=["northport", make.plan_cell().pk])

        answer = client.post(
            url, {"designer": str(designer.public_id), "n": 2}, content_type="application/json"
        )

        assert answer.json()["shares"][0]["n"] == 2
