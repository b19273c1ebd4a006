import re
from uuid import uuid4

import pytest

from scoring.endpoints.models import Judge
from scoring.engine.models import Run
from tests.scoring import connected, interviewed

pytestmark = pytest.mark.django_db


def at(run, end="evaluators/"):
    return f"/p/northport/runs/{run.number}/{end}"


def sent(deed, *chosen, **more):
    return {
        "deed": deed,
        "key": str(uuid4()),
        "name": "By others",
        "evaluators": chosen,
        "seed": 3,
        **more,
    }


class TestRunJudgeAgain:
    def test_says_what_it_would_take_and_starts_with_one_that_is_there_and_a_new_one(
        self, as_curator
    ):
        of = interviewed.held(n=1)
        there = interviewed.evaluator("Listener")
        endpoint = connected.endpoint("Meridian", script={"seed": 3})
        n_judges = Judge.objects.count()
        form = sent("estimate", f"judge:{there.rater_id}", f"endpoint:{endpoint.name}")

        counted = as_curator.post(at(of, "evaluators/again/"), form).content.decode()
        n_estimated = Judge.objects.count()
        started = as_curator.post(at(of, "evaluators/again/"), {**form, "deed": "start"})
        as_curator.post(at(of, "evaluators/again/"), {**form, "deed": "start"})

        assert re.search(r"Calls</dt><dd>", counted)
        assert n_estimated == n_judges
        run = Run.objects.get(kind="REJUDGE")
        assert started.headers["Location"] == at(run, "")
        assert [one["endpoint"] for one in run.config["evaluators"]] == [
            there.endpoint_id,
            endpoint.pk,
        ]
        assert run.config["judged_by"][0] == "Listener"

    def test_begins_with_a_run_that_is_started_again(self, as_curator):
        of = interviewed.held(n=1)
        again = interviewed.judged_again(of, of.judge)

        link = re.search(
            r'href="([^"]*again/\?from=[^"]*)"', as_curator.get(at(again, "")).content.decode()
        )
        page = as_curator.get(link[1]).content.decode()

        assert re.search(rf'value="judge:{of.judge.rater_id}"[^>]*checked', page)

    def test_waits_until_the_interviews_are_over(self, as_curator):
        of = interviewed.requested(n=1)

        assert "not over yet" in as_curator.get(at(of, "evaluators/again/")).content.decode()

    def test_wants_somebody(self, as_curator):
        of = interviewed.held(n=1)

        answer = as_curator.post(at(of, "evaluators/again/"), sent("start"))

        assert answer.status_code == 422
        assert not Run.objects.filter(kind="REJUDGE").exists()


class TestRunDialogue:
    def test_shows_what_others_say_beside_each_exchange(self, as_curator):
        of = interviewed.held(n=1)
        interviewed.judged_again(of, interviewed.evaluator("Listener", script={"seed": 3}))
        one, other = of.dialogues.order_by("pk")

        page = as_curator.get(at(of, f"dialogues/{one.pk}/?beside={other.pk}")).content.decode()

        assert page.count("<summary>Listener") == one.exchanges.count() + other.exchanges.count()
