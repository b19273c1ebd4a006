import json
import re

import pytest
from django.urls import reverse

from scoring.explore import tables
from scoring.figures.models import Figure
from scoring.results.sheets import SHEETS
from tests.scoring import beside_people, rounds
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
#: Tables without a row where a round was published from no run and asks for no labels.
OF_OTHERS = {"whole", "labels", "label-differences", "label-disputes"}
PLOTLY = "plotly-cartesian.min.js"
OTHERS = ("results", "results_agreement", "results_disputes", "results_annotators", "results_plan")


def at(query="", name="results_explore"):
    return reverse(name, args=["northport", 1]) + query


def explored(client, query=""):
    """Ask for a table, let the worker compute, and ask again."""
    client.get(at(query))
    compute()
    return client.get(at(query))


def data_of(answer):
    text = answer.content.decode()
    found = re.search(r'<script id="explored" type="application/json">(.*?)</script>', text)
    return json.loads(found.group(1))


class TestExplore:
    def test_holds_the_scores_by_part_with_their_whiskers(self, client, analyst):
        rounds.graded(n_items=12, marks=rounds.partial)

        answer = explored(client)

        data = data_of(answer)
        assert data["columns"][:4] == ["figure", "part", "criterion", "system"]
        assert data["whiskers"] == {"percent": ["low", "high"]}
        assert {"percent", "low", "high", "grades"} <= set(data["numbers"])
        choice = answer.context["choice"]
        assert (choice.x, choice.y, choice.colour) == ("percent", "part", "system")
        assert choice.where == "figure"

    def test_offers_every_table_that_can_be_downloaded(self):
        assert set(SHEETS) <= {*tables.TITLES, *tables.OF_PAIRS}

    def test_has_no_rows_of_all_outputs_where_the_round_was_drawn_from_none(self, client, analyst):
        rounds.graded(n_items=2)

        answer = explored(client, "?table=whole")

        assert answer.status_code == 200
        assert not answer.context["rows"].rows

    @pytest.mark.parametrize("name", sorted({*tables.TITLES} - {*tables.OF_JUDGES, *OF_OTHERS}))
    def test_opens_every_table(self, client, analyst, name):
        rounds.grouped({"expert": 2, "novice": 1}, n_items=9, marks=lambda s, i, r: (s + i + r) % 3)

        answer = explored(client, f"?table={name}")

        assert answer.status_code == 200
        assert data_of(answer)["rows"], name
        assert "Kestrel" not in answer.content.decode()
        assert "northport-annotator" not in answer.content.decode()

    def test_means_the_marks_of_a_question_as_a_share_of_the_scale(self, client, analyst):
        rounds.graded(n_items=2, marks=lambda system, item, rater: 2 - system)

        data = data_of(client.get(at("?table=questions-by-system")))

        at_system, at_score = data["columns"].index("system"), data["columns"].index("score")
        found = {(row[at_system], row[at_score]) for row in data["rows"]}
        assert len(found) == 2
        assert {score for _system, score in found} == {100.0, 50.0}

    def test_takes_axes_from_the_address(self, client, analyst):
        rounds.graded(n_items=2)

        choice = client.get(at("?table=grades&kind=box&x=criterion&y=score&colour=")).context[
            "choice"
        ]

        assert (choice.kind, choice.x, choice.y, choice.colour) == ("box", "criterion", "score", "")

    def test_leaves_what_no_column_is_called(self, client, analyst):
        rounds.graded(n_items=2)

        choice = client.get(at("?table=grades&x=nonsense&kind=pie")).context["choice"]

        assert choice.kind == "points"
        assert choice.x in {"mark", "score", "seconds"}

    def test_says_how_many_rows_are_left_out(self, client, analyst, monkeypatch):
        rounds.graded(n_items=2)
        monkeypatch.setattr(tables, "MOST_ROWS", 3)

        answer = client.get(at("?table=grades"))

        assert len(data_of(answer)["rows"]) == 3
        assert "First 3 rows drawn, 100 listed." in " ".join(answer.content.decode().split())

    def test_waits_for_its_figure(self, client, analyst):
        rounds.graded(n_items=2)

        page = client.get(at("?table=agreement")).content.decode()

        assert 'hx-trigger="load delay:2s"' in page
        assert PLOTLY not in page

    def test_says_that_nobody_judged(self, client, analyst):
        rounds.graded(n_items=2)

        page = client.get(at("?table=judges")).content.decode()

        assert "No judge has graded this round yet" in page
        assert PLOTLY not in page

    def test_knows_no_other_table(self, client, analyst):
        rounds.graded(n_items=2)

        assert client.get(at("?table=passwords")).status_code == 404

    def test_alone_loads_plotly(self, client, analyst):
        rounds.graded(n_items=9, marks=lambda system, item, rater: (system + item + rater) % 3)
        there = explored(client).content.decode()
        for name in OTHERS:
            client.get(at(name=name))
        compute()

        pages = {name: client.get(at(name=name)).content.decode() for name in OTHERS}

        assert PLOTLY in there
        assert not [name for name, page in pages.items() if "plotly" in page]
        assert at() in pages["results"]

    def test_shows_names_to_who_asked_for_them_alone(self, client, analyst):
        rounds.graded(n_items=2)

        hidden = data_of(client.get(at("?table=grades")))
        client.post(at(name="results_names"))
        shown = data_of(client.get(at("?table=grades")))

        assert set(hidden["looks"]) == {"System 1", "System 2"}
        assert "Kestrel" in " ".join(shown["looks"])


class TestJudges:
    def test_stand_beside_people(self, client, analyst):
        beside_people.world()

        answer = explored(client, "?table=judges")

        assert Figure.objects.filter(name="judges").exists()
        assert "judge" in data_of(answer)["columns"]
