import numpy as np
import pytest

from annotation.people.models import Role
from annotation.rounds.models import RoundItem
from scoring import jobs
from scoring.figures.models import Figure
from scoring.results import queries as results
from scoring.stats.plain import Reason
from tests import make
from tests.scoring import interviewed, rounds
from tests.scoring.interviews_published import graded, published
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db


@pytest.fixture
def drawn():
    """Return a final round of exchanges, drawn sooner where the evaluator gave a low mark."""
    run = interviewed.held(n=6)
    return graded(published(run, "exchanges", n=20, rule=f"low:{run.judge.rater_id}:overall"))


def at(round_, name=""):
    return f"/p/northport/rounds/{round_.number}/results/{name}"


def figure(round_):
    return jobs.compute(name="whole", round_=round_, params=results.params(round_))


def shown(client, url):
    client.get(url)
    compute()
    return " ".join(client.get(url).content.decode().split())


class TestFigure:
    def test_weighs_what_people_said_by_the_chance_of_each(self, drawn):
        found = figure(drawn)

        for system in found["systems"]:
            values, weights = [], []
            for item in RoundItem.objects.filter(round=drawn).prefetch_related("responses"):
                for shown in item.responses.all():
                    if shown.release_id == system["release"]:
                        marks = shown.response.grades.values_list("value", flat=True)
                        values.append((float(sum(marks)) / len(marks) - 1) / 3)
                        weights.append(1 / item.inclusion_probability)
            assert system["value"] == pytest.approx(np.average(values, weights=weights))
            assert system["plain"] == pytest.approx(np.mean(values))
            assert (system["n_graded"], system["n_chosen"]) == (len(values), len(values))
        assert {one["value"] != one["plain"] for one in found["systems"]} == {True}

    def test_says_how_it_was_drawn_and_from_how_many(self, drawn):
        found = figure(drawn)

        chances = list(drawn.items.values_list("inclusion_probability", flat=True))
        made = drawn.publication
        assert found["drawn"]["rule"] == made.rule
        assert (found["drawn"]["n_chosen"], found["drawn"]["n_frame"]) == (20, made.n_units)
        assert found["drawn"]["least_chance"] == min(chances) < max(chances)
        assert sum(one["n_frame"] for one in found["systems"]) == made.n_units

    def test_is_helped_by_what_machines_said_of_all(self, drawn):
        found = figure(drawn)

        frame = drawn.publication.frame["releases"]
        for system in found["systems"]:
            moved = abs(system["helped"] - system["value"])
            assert (moved > 0) == (system["trust"] != 0)
            assert system["n_unscored"] == frame[str(system["release"])]["unscored"]

    def test_refuses_a_round_that_no_run_was_published_as(self):
        found = figure(rounds.graded())

        assert (found["systems"], found["reason"]) == ([], Reason.NO_FRAME)

    def test_refuses_what_was_not_drawn_by_lot(self, drawn):
        RoundItem.objects.filter(round=drawn).update(
            inclusion_probability=None, chance_unknown="LATE"
        )

        reasons = {one["reason"] for one in figure(drawn)["systems"]}

        assert reasons == {Reason.NOT_RANDOM}


class TestPage:
    @pytest.fixture
    def analyst(self, client, drawn):
        client.force_login(make.member(Role.ANALYST))

    def test_is_led_to_from_scores_that_say_of_what_they_are(self, client, drawn, analyst):
        n = drawn.publication.n_units

        page = shown(client, at(drawn))

        assert f"Scores of 20 chosen outputs of {n}, not of the rest." in page
        assert "Low score: " in page
        assert f'href="{at(drawn, "whole/")}"' in page

    def test_shows_both_beside_each_other(self, client, drawn, analyst):
        page = shown(client, at(drawn, "whole/"))

        assert f"20 of {drawn.publication.n_units} outputs drawn for people." in page
        assert "25 % spread evenly" in page
        data = Figure.objects.get(name="whole").data
        for one in data["systems"]:
            assert f"<b>{100 * one['value']:.1f}</b>" in page
            assert f">{100 * one['plain']:.1f}<" in page

    def test_comes_as_a_file(self, client, drawn, analyst):
        shown(client, at(drawn, "whole/"))

        answer = client.get(at(drawn, "tables/whole.csv"))
        lines = b"".join(answer.streaming_content).decode()

        data = Figure.objects.get(name="whole").data
        assert lines.startswith("system,value,low,high,helped,")
        assert len(lines.splitlines()) == 1 + len(data["systems"])
        assert f"{100 * data['systems'][0]['value']}" in lines

    def test_is_told_to_programs(self, client, drawn, analyst):
        url = f"/api/v1/projects/northport/rounds/{drawn.number}/whole/"
        assert client.get(url).status_code == 202
        compute()

        told = client.get(url).json()

        data = Figure.objects.get(name="whole").data
        assert [one["value"] for one in told["systems"]] == [
            one["value"] for one in data["systems"]
        ]
        assert told["drawn"]["rule"] == drawn.publication.rule
        assert "release" not in told["systems"][0]

    def test_is_named_where_programs_read_the_scores(self, client, drawn, analyst):
        url = f"/api/v1/projects/northport/rounds/{drawn.number}/results/"
        client.get(url)
        compute()

        told = client.get(url).json()["sample"]

        made = drawn.publication
        assert told == {"n_chosen": 20, "n_frame": made.n_units, "rule": made.rule}


class TestOtherRounds:
    def test_speak_of_their_own_questions(self, client):
        other = rounds.graded()
        client.force_login(make.member(Role.ANALYST))

        assert "not drawn from a run" in shown(client, at(other, "whole/"))
        assert "outputs chosen" not in shown(client, at(other))
