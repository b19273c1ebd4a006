import csv
import io

import pytest

from annotation.people.models import AuditEvent
from annotation.rounds import drafting as unblinding
from tests import make
from tests.scoring import rounds, worked
from tests.scoring.worker import compute

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("analyst")]
AT = "/api/v1/projects/northport/rounds/1/"
MOVED = "/api/v1/projects/northport/movement/1/2/1/"


class TestRounds:
    def test_have_tables_and_plots(self, client):
        rounds.graded(n_items=4)
        waiting = client.get(f"{AT}tables/agreement.csv")
        compute()

        table = client.get(f"{AT}tables/agreement.csv", headers={"accept": "text/csv"})
        plot = client.get(f"{AT}plots/agreement.svg", headers={"accept": "image/svg+xml"})

        assert (waiting.status_code, waiting["Retry-After"]) == (202, "2")
        rows = list(csv.DictReader(io.StringIO(b"".join(table).decode())))
        assert rows[0]["coefficient"] == "raw"
        assert b"<svg" in b"".join(plot)
        assert AuditEvent.objects.filter(verb="round.exported").count() == 2

    def test_have_no_others(self, client):
        rounds.graded(n_items=1)

        assert client.get(f"{AT}tables/nonsense.csv").status_code == 404
        assert client.get(f"{AT}plots/nonsense.svg").status_code == 404

    def test_say_when_there_is_nothing_to_draw(self, client):
        rounds.graded(n_items=0, state="OPEN")
        client.get(f"{AT}plots/pairs.svg")
        compute()

        answer = client.get(f"{AT}plots/pairs.svg")

        assert (answer.status_code, answer.json()["code"]) == (409, "nothing_to_draw")


class TestMovement:
    def test_has_tables_and_a_plot(self, client, analyst):
        made = worked.two_rounds()
        hidden = client.get(f"{MOVED}tags.csv")
        for one in made:
            unblinding.show_names(round_=one, by=analyst, now=make.NOW)
        waiting = client.get(f"{MOVED}movement.csv")
        compute()

        assert hidden.json()["code"] == "names_hidden"
        assert waiting.status_code == 202
        assert b"same_raters" in b"".join(client.get(f"{MOVED}movement.csv"))
        assert b"<svg" in b"".join(client.get(f"{MOVED}movement.svg"))
        assert b"question_by" in b"".join(client.get(f"{MOVED}tags.csv"))
