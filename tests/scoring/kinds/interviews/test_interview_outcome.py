import pytest

from scoring.figures.models import Figure
from scoring.kinds.interviews.results import of_params
from tests.scoring import interviewed, worker
from tests.scoring.outcomes import outcomes_world
from tests.scoring.outcomes.outcomes_world import api_at, page_at

pytestmark = pytest.mark.django_db


def told(client, run, name="interviews", query=""):
    url = f"{api_at(run, name)}{query}"
    client.get(url)
    worker.compute()
    return client.get(url).json()


def rows_of(found, table):
    return next(one["rows"] for one in found["tables"] if one["name"] == table)


class TestInterviewOutcome:
    def test_has_scores_by_aspect_data_set_and_capability(self, as_analyst):
        found = told(as_analyst, outcomes_world.interviews())

        systems = {"Kestrel · 1", "Osprey · 1"}
        assert {one["system"] for one in found["ranking"]} == systems
        assert {one["aspect"] for one in rows_of(found, "aspects")} >= {"overall", "accuracy"}
        assert {one["dataset"] for one in rows_of(found, "datasets")} >= {"quay"}
        assert {one["capability"] for one in rows_of(found, "capabilities")} == {"Mooring"}
        assert len(rows_of(found, "parts")) > len(rows_of(found, "datasets"))

    def test_compares_pairs_on_the_chosen_aspect(self, as_analyst):
        run = interviewed.held(n=4)

        found = told(as_analyst, run)

        (one,) = found["differences"]
        (known,) = Figure.objects.get().data["pairs"]
        assert (one["difference"], one["difference_n"]) == (known["value"], known["n"])
        assert (one["left"], one["right"]) == ("Kestrel · 1", "Osprey · 1")
        assert found["chosen"]["aspect"] == "overall"

    def test_has_each_system_under_each_profile(self, as_analyst):
        run = interviewed.held(n=3)

        found = rows_of(told(as_analyst, run), "profiles")

        known = Figure.objects.get().data["profiles"]
        assert len(found) == 2 * len(known)
        assert found[0]["profile"] == "linear"
        assert {one["stopping"] for one in found} == {True}
        assert found[0]["score"] == known[0]["values"][0]

    def test_has_all_four_ways_of_weights_and_early_stopping(self, as_analyst):
        run = interviewed.held(n=3, mark_but_continue=True)

        found = rows_of(told(as_analyst, run), "ablation")

        ways = {(one["decaying_weights"], one["early_stopping"]) for one in found}
        assert (len(ways), len(found)) == (4, 8)

    def test_counts_every_reason_to_stop_and_leads_to_these_dialogues(self, as_analyst):
        impatient = interviewed.evaluator(script={"seed": 9, "stop": 1.0})
        run = interviewed.held(n=6, by=impatient)

        found = rows_of(told(as_analyst, run), "dialogues")

        for one, known in zip(found, Figure.objects.get().data["facts"], strict=True):
            counted = {key: n for key, n in one.items() if key.startswith("stopped_")}
            assert sum(counted.values()) == sum(known["reasons"].values())
            assert one["n"] == 6
        assert sum(one["n_stopped"] for one in found) == 12
        page = as_analyst.get(page_at(run, "interviews")).content.decode()
        assert page_at(run, "dialogues", "?reason=") in page

    def test_is_another_under_another_profile_which_has_a_name(self, as_analyst):
        run = interviewed.held(n=3)

        linear = told(as_analyst, run)
        released = told(as_analyst, run, query="?scale=released&decay=fifth&unscored=shifts_up")

        assert linear["ranking"] != released["ranking"]
        page = as_analyst.get(page_at(run, "interviews")).content.decode()
        assert "Profile: linear." in page
        assert "scale=released" in page

    def test_is_none_while_no_dialogue_has_been_held(self, as_analyst):
        run = interviewed.requested(n=1)
        told(as_analyst, run)

        page = as_analyst.get(page_at(run, "interviews")).content.decode()

        assert "No dialogue has been held yet" in page

    def test_is_computed_again_where_it_failed(
        self, as_analyst, django_capture_on_commit_callbacks
    ):
        run = interviewed.held(n=1)
        told(as_analyst, run)
        Figure.objects.update(state=Figure.State.FAILED, problem="Something happened.")
        failed = as_analyst.get(page_at(run, "interviews")).content.decode()
        there = page_at(run, "figures", "again/")

        with django_capture_on_commit_callbacks(execute=True):
            elsewhere = as_analyst.post(there, {"next": "https://elsewhere.example/"})
            answer = as_analyst.post(there, {"next": page_at(run, "interviews")})
        worker.compute()

        assert "Something happened." in failed
        assert there in failed
        assert elsewhere.headers["Location"] == f"/p/northport/runs/{run.number}/"
        assert answer.headers["Location"] == page_at(run, "interviews")
        assert told(as_analyst, run)["ranking"]


class TestProfiles:
    def test_are_the_usual_ones_where_an_address_says_nonsense(self):
        assert of_params({"scale": "nonsense", "aspect": "beauty"}).profile.name == "linear"


class TestEvaluatorOutcome:
    def test_has_every_evaluator_the_panel_offset_and_agreement(self, as_curator):
        run = outcomes_world.evaluators()

        found = told(as_curator, run, "evaluators", "?vote=median")

        names = {run.judge.name, "Listener"}
        assert {one["evaluator"] for one in rows_of(found, "verdicts")} == names
        assert {one["evaluator"] for one in rows_of(found, "aspects")} == {*names, "panel, median"}
        (pair,) = rows_of(found, "pairs")
        assert {pair["left"], pair["right"]} == names
        assert pair["kappa_quadratic_reason"] or pair["kappa_quadratic"] is not None
        assert {one["aspect"] for one in rows_of(found, "offsets")} > {"accuracy", "overall"}
        (together,) = rows_of(found, "coefficients")
        assert together["n"] == 12
        assert {"pearson", "spearman", "kendall_b"} < set(together)

    def test_says_that_one_is_alone_and_counts_anew_when_more_was_judged(self, as_curator):
        run = interviewed.held(n=1)
        alone = told(as_curator, run, "evaluators")

        again = interviewed.judged_again(run, run.judge, seed=99)

        both = told(as_curator, run, "evaluators")
        assert "One evaluator so far" in alone["hints"][0]
        assert both["hints"] == []
        named = {one["evaluator"] for one in rows_of(both, "verdicts")}
        assert f"{run.judge.name}, run {again.number}" in named
        assert (
            page_at(run, "evaluators")
            in as_curator.get(f"/p/northport/runs/{again.number}/").content.decode()
        )
