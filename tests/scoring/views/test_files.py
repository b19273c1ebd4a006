import csv
import io

import pytest
from django.urls import reverse

from annotation.models import AuditEvent, Role
from tests import make
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
NAMES = ["grades_csv", "grades_jsonl", "table_csv"]


@pytest.fixture
def analyst(client):
    person = make.member(Role.ANALYST)
    client.force_login(person)
    return person


def at(name):
    return reverse(name, args=["northport", 1])


class TestFiles:
    @pytest.mark.parametrize("name", NAMES)
    def test_stream_under_a_name_that_says_round_and_time(self, client, analyst, name):
        rounds.graded()

        answer = client.get(at(name))

        assert answer.streaming
        assert b"Factuality" in b"".join(answer)
        assert 'attachment; filename="northport-round-1-20' in answer["Content-Disposition"]

    @pytest.mark.parametrize("name", NAMES)
    def test_are_recorded(self, client, analyst, name):
        rounds.graded()

        client.get(at(name))
        event = AuditEvent.objects.get(verb="round.exported")

        assert (event.subject, event.actor) == ("round:1", analyst.public_id)
        assert event.data == {"form": name.replace("_", "."), "named": False}

    def test_hold_names_only_for_those_who_have_them_shown(self, client, analyst):
        rounds.graded()
        hidden = b"".join(client.get(at("grades_csv")))
        client.post(at("results_names"))

        assert b"Kestrel" not in hidden
        assert b"Kestrel" in b"".join(client.get(at("grades_csv")))

    def test_of_scores_hold_interval_and_n(self, client, analyst):
        rounds.graded(n_items=6)
        waiting = client.get(at("results_csv"))
        compute()

        rows = list(csv.DictReader(io.StringIO(b"".join(client.get(at("results_csv"))).decode())))

        assert waiting.status_code == 302
        assert rows[0]["figure"] == "score"
        assert rows[0]["part"] == "Overall"
        assert (rows[0]["grades"], rows[0]["questions"], rows[0]["raters"]) == ("18", "6", "3")
        assert float(rows[0]["low"]) <= float(rows[0]["percent"]) <= float(rows[0]["high"])
