import pytest
from django.urls import reverse

from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def address(name, *args):
    return reverse(name, args=[make.project().slug, *args])


class TestRuns:
    def test_lists_them_the_newest_first(self, as_analyst):
        run_rows.step(run_rows.run())
        run_rows.run(scripted=True)

        new, old = as_analyst.get(address("api_runs")).json()["results"]

        assert (new["number"], new["note"]) == (2, "scripted, not a measurement")
        assert old["steps"] == {"total": 1, "left": 0, "failed": 0}


class TestRun:
    def test_says_all_that_is_counted_and_no_secret(self, as_analyst):
        run = run_rows.run(secret="z" * 64)
        run_rows.call(run_rows.step(run))
        run_rows.call(run_rows.step(run, outcome="SYSTEM"), None)

        answer = as_analyst.get(address("api_run", run.number))
        found = answer.json()["progress"]

        assert found["steps"]["system_failed"] == 1
        assert (found["calls"], found["cost"], found["currency"]) == (2, "0.00014000", "USD")
        assert found["asked"][0]["failed"] == 1
        assert "z" * 64 not in answer.content.decode()


class TestRunSteps:
    def test_are_filtered_like_the_page(self, as_analyst):
        run = run_rows.run()
        run_rows.step(run)
        run_rows.step(run, outcome="SYSTEM")

        found = as_analyst.get(address("api_run_steps", run.number) + "?outcome=SYSTEM").json()

        assert [one["step"] for one in found["results"]] == [2]


class TestRunCalls:
    def test_hold_their_texts(self, as_analyst):
        run = run_rows.run()
        run_rows.call(run_rows.step(run))
        run_rows.call(run_rows.step(run), "Two.")

        [found] = as_analyst.get(address("api_run_calls", run.number) + "?step=2").json()["results"]

        assert (found["reply"], found["hidden"]) == ("Two.", False)

    def test_hide_what_judges_said_until_the_round_is_final(self, as_analyst):
        run = run_rows.run(round=make.open_round())
        run_rows.call(run_rows.step(run), "I say four.")

        answer = as_analyst.get(address("api_run_calls", run.number))

        assert answer.json()["hidden_until_final"]
        assert "I say four." not in answer.content.decode()


class TestCompare:
    def test_puts_two_runs_beside_each_other(self, as_analyst):
        run_rows.run(seed=1)
        run_rows.run(seed=2)

        found = as_analyst.get(address("api_runs_compare", 1, 2)).json()

        assert found["different"] == [{"name": "Seed", "a": "1", "b": "2"}]
        assert found["agreement"] == []


class TestFiles:
    def test_stream(self, as_analyst):
        run = run_rows.run()
        run_rows.step(run)

        answer = as_analyst.get(address("api_run_steps_csv", run.number))

        assert b"".join(answer.streaming_content).startswith(b"run,step,key")
