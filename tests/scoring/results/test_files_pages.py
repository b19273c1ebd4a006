import csv
import io

import pytest
from django.urls import reverse

from annotation import models
from annotation.people.models import AuditEvent
from tests.scoring import rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
NAMES = ["grades_csv", "grades_jsonl", "table_csv", "ratings_csv", "ratings_jsonl"]


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
        rounds.graded(n_items=18, marks=lambda system, item, rater: (item + rater // 2) % 3)
        waiting = client.get(at("results_csv"))
        compute()

        rows = list(csv.DictReader(io.StringIO(b"".join(client.get(at("results_csv"))).decode())))

        assert waiting.status_code == 302
        assert rows[0]["figure"] == "score"
        assert rows[0]["part"] == "Overall"
        assert (rows[0]["grades"], rows[0]["questions"], rows[0]["raters"]) == ("54", "18", "3")
        low, value, high = (float(rows[0][name]) for name in ("low", "percent", "high"))
        assert float(rows[0]["low_others"]) <= low <= value <= high <= float(rows[0]["high_others"])


class TestFilesOfACut:
    def test_of_scores_say_their_weights_and_filters(self, client, analyst):
        rounds.graded(n_items=6, capabilities=("A", "B"))
        pk = models.Capability.objects.get(name="A").pk
        query = f"?w.c-{pk}=3&capability={pk}"
        client.get(at("results_csv") + query)
        compute()

        text = b"".join(client.get(at("results_csv") + query)).decode()
        row = next(csv.DictReader(io.StringIO(text)))

        assert row["weights"] == "A 3"
        assert row["filters"] == "Capability: A; Weight of A: 3"

    def test_of_the_breakdown_stream_once_it_is_computed(self, client, analyst):
        rounds.graded(n_items=6)
        waiting = client.get(at("breakdown_csv"))
        compute()

        rows = list(csv.DictReader(io.StringIO(b"".join(client.get(at("breakdown_csv"))).decode())))

        assert waiting["Location"] == at("results_breakdown")
        assert {one["part"] for one in rows} == {"Overall", "Factuality"}
        assert AuditEvent.objects.filter(verb="round.exported").count() == 1

    def test_of_a_cell_hold_its_grades(self, client, analyst):
        rounds.graded(n_items=2)

        text = b"".join(client.get(at("results_items_csv") + "?at_release=1")).decode()

        assert len(list(csv.DictReader(io.StringIO(text)))) == 6

    @pytest.mark.parametrize("name", ["results_csv", "breakdown_csv", "results_items_csv"])
    def test_that_cannot_be_made_lead_to_the_page_that_says_why(self, client, analyst, name):
        rounds.graded(n_items=2)

        assert client.get(at(name) + "?w.x=1").status_code == 302
