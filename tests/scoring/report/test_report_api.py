import json

import pytest
from django.urls import reverse

from annotation.rounds import drafting as unblinding
from tests import make
from tests.scoring import rounds, worked
from tests.scoring.worker import compute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("analyst")]
AT = "/api/v1/projects/northport/rounds/1/"
#: What would hold a key of the database.
KEYS = {"release", "response", "item", "rater"}


def keys(data):
    if isinstance(data, list):
        for one in data:
            yield from keys(one)
    if isinstance(data, dict):
        yield from data
        for one in data.values():
            yield from keys(one)


class TestReport:
    def test_says_all_of_it_and_names_nobody(self, client):
        rounds.graded(n_items=4, marks=lambda system, item, rater: 0 if rater == 0 else 2)
        waiting = client.get(f"{AT}report/?width=20")
        csv = client.get(f"{AT}report.csv?width=20")
        compute()

        said = client.get(f"{AT}report/?width=20").json()
        less = client.get(f"{AT}report/?width=20&annotators=none").json()

        assert (waiting.status_code, csv.status_code) == (202, 202)
        assert waiting["Location"] == f"{AT}report/?width=20"
        assert {"scores", "agreement", "disputes", "annotators", "plan", "versions"} <= set(said)
        assert said["is_final"]
        assert "Kestrel" not in json.dumps(said)
        # By their number in the list.
        known = {one["number"] for one in said["releases"]}
        assert {one["release"] for one in [*said["scores"], *said["ranks"]]} <= known
        releases = said.pop("releases"), said.pop("scores"), said.pop("ranks")
        assert releases
        assert not KEYS & set(keys(said)) - {"rater"}
        assert "Annotator 1" not in json.dumps(less)
        assert b"headline" in b"".join(client.get(f"{AT}report.csv?width=20"))

    def test_refuses_what_cannot_be_used(self, client):
        rounds.graded(n_items=1)

        answer = client.get(f"{AT}report/?width=much")

        assert (answer.status_code, answer.json()["code"]) == (422, "bad_setting")

    def test_holds_the_movement_since_an_earlier_round(self, client, analyst):
        for one in worked.two_rounds():
            unblinding.show_names(round_=one, by=analyst, now=make.NOW)
        url = f"{reverse('api_report', args=['northport', 2])}?before=1"
        client.get(url)
        compute()

        (moved,) = client.get(url).json()["movement"]

        assert (moved["system"], moved["before"], moved["after"]) == ("Kestrel", 1, 2)
