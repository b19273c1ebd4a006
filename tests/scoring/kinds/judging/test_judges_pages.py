import pytest
from django.test import Client
from django.urls import reverse

from annotation.people.models import Role
from tests import imports, make
from tests.scoring import interviewed, judged, machines, rounds

pytestmark = pytest.mark.django_db


def client_of(role):
    client = Client()
    client.force_login(make.member(role))
    return client


def address():
    return reverse("judges", args=[make.project().slug])


class TestJudges:
    def test_lists_them_with_range_and_import(self):
        imports.apply(imports.answers())
        machines.brought()

        text = client_of(Role.CURATOR).get(address()).content.decode()

        assert "between 1 and 5" in text
        assert "coherence, fluency" in text
        assert reverse("batch", args=["northport", 2]) in text

    def test_begins_a_judge_of_pairs_as_well(self):
        text = client_of(Role.CURATOR).get(address()).content.decode()

        assert f'href="{reverse("pairs_new", args=["northport"])}">Judge pairs<' in text

    def test_shows_an_analyst_no_link_to_what_only_curators_see(self):
        imports.apply(imports.answers())
        machines.brought()

        text = client_of(Role.ANALYST).get(address()).content.decode()

        assert "Import 2" in text
        assert reverse("batch", args=["northport", 2]) not in text

    @pytest.mark.parametrize(
        ("role", "says"),
        [(Role.CURATOR, ">New judge<"), (Role.ANALYST, "Curators import scores")],
    )
    def test_says_what_to_do_while_there_are_none(self, role, says):
        make.response(make.item(), make.release())

        assert says in client_of(role).get(address()).content.decode()

    def test_asks_for_answers_before_scores_of_them(self):
        text = client_of(Role.CURATOR).get(address()).content.decode()

        assert "Import answers" in text
        assert "?kind=SCORES" not in text

    def test_shows_where_the_scores_of_a_live_judge_come_from(self):
        run = judged.ran(rounds.graded(), judged.judge(repeats=2))

        text = client_of(Role.ANALYST).get(address()).content.decode()

        assert "Scripted · 2 readings" in text
        assert f"/p/northport/runs/{run.number}/" in text
        assert "Demo: made by a script." in text

    def test_says_what_is_hidden_and_what_has_judged_nothing_yet(self):
        judged.ran(rounds.graded(state="OPEN"), judged.judge())
        judged.judge("Another", reference=False)

        text = client_of(Role.ANALYST).get(address()).content.decode()

        assert "1 run, shown when its round is final" in text
        assert "nothing judged yet" in text
        assert "not a measurement" not in text

    def test_shows_an_evaluator_of_interviews_that_reads_once(self):
        interviewed.evaluator("Harbour master")

        text = client_of(Role.ANALYST).get(address()).content.decode()

        assert "Harbour master" in text
        assert "1 reading<" in text

    def test_offers_curators_alone_what_makes_scores(self):
        offered = [
            reverse(name, args=["northport"])
            for name in ("judge_new", "metrics_new", "assist", "interviews_new", "import_new")
        ]

        shown = client_of(Role.CURATOR).get(address()).content.decode()
        hidden = client_of(Role.ANALYST).get(address()).content.decode()

        assert [url for url in offered if url not in shown] == []
        assert [url for url in offered if url in hidden] == []
