from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation.people.models import Role
from scoring.engine.models import Run
from tests import make
from tests.scoring import judged, rounds, run_rows

pytestmark = pytest.mark.django_db


def client_of(role=Role.CURATOR):
    client = Client()
    client.force_login(make.member(role))
    return client


def text_of(name, *args, role=Role.CURATOR, query=""):
    answer = client_of(role).get(reverse(name, args=[make.project().slug, *args]) + query)
    assert answer.status_code == 200
    return answer.content.decode()


class TestRuns:
    def test_say_how_to_begin(self):
        assert "No runs yet" in text_of("runs")

    def test_are_listed_with_how_far_they_are(self):
        run = run_rows.run(name="Judges in March", scripted=True)
        run_rows.step(run)
        run_rows.free(run)

        text = text_of("runs")

        assert "Judges in March" in text
        assert "scripted, not a measurement" in text
        assert 'value="1" max="2"' in text

    def test_are_filtered_by_the_address(self):
        run_rows.run(name="At work")
        run_rows.run(name="Over", state=Run.State.DONE)

        text = text_of("runs", query="?state=DONE")

        assert "Over" in text
        assert "At work" not in text
        assert "Nothing matches" in text_of("runs", query="?kind=METRICS")


class TestRun:
    def test_says_that_workers_ended_in_the_midst_of_steps_that_are_left(self):
        run = run_rows.run()
        run_rows.step(run, lost=1)
        run_rows.free(run)
        assert "within a step" not in text_of("run", run.number)

        run_rows.free(run, lost=2)

        assert "A worker ended within a step" in text_of("run", run.number)

    @pytest.mark.parametrize(("state", "leads"), [("FINAL", True), ("REVIEW", False)])
    def test_leads_from_a_judge_to_people_once_its_scores_can_be_read(self, state, leads):
        run = judged.ran(rounds.graded(state=state))
        beside = f"{reverse('judge_people', args=['northport', run.judge.rater_id])}?round=1"

        assert (beside in text_of("run", run.number)) is leads

    def test_opens_over_a_final_round_although_no_judge_is_noted(self):
        run = run_rows.run(state=Run.State.DONE, round=rounds.graded())

        assert "Judges vs people" not in text_of("run", run.number)

    def test_shows_what_is_counted(self):
        run = run_rows.run(budget=Decimal("0.5"))
        run_rows.call(run_rows.step(run))
        run_rows.step(run, outcome="NO_READING", problem="No score in the reply.")
        run_rows.step(run, state="FAILED", outcome="MACHINE", trouble="TIMEOUT")

        text = text_of("run", run.number)

        assert "3 of 3 steps" in text
        assert "limit 0.50\u00a0USD" in text
        assert "No score in the reply." in text
        assert "Retry 1 failed step" in text

    def test_has_buttons_for_those_only_who_may(self):
        run = run_rows.run()

        assert reverse("run_pause", args=["northport", run.number]) in text_of("run", run.number)
        assert reverse("run_pause", args=["northport", run.number]) not in text_of(
            "run", run.number, role=Role.ANALYST
        )

    @pytest.mark.parametrize(
        ("state", "polls"),
        [("STAGED", True), ("RUNNING", True), ("PAUSED", False), ("DONE", False)],
    )
    def test_asks_again_by_itself_only_while_it_is_at_work(self, state, polls):
        run = run_rows.run(state=state)

        assert ("every 2s" in text_of("run", run.number)) is polls

    def test_wears_the_banner_of_a_script(self):
        run = run_rows.run(scripted=True)

        assert "Demo: made by a script." in text_of("run", run.number)


class TestRunLive:
    def test_sends_the_part_that_moves(self):
        run = run_rows.run()
        run_rows.step(run)

        text = text_of("run_live", run.number, query="?state=RUNNING")

        assert text.lstrip().startswith('<div id="live"')
        assert "<main" not in text

    def test_sends_one_sentence_to_be_read_aloud(self):
        run = run_rows.run()
        run_rows.step(run)

        text = text_of("run_live", run.number, query="?part=said&state=RUNNING")

        assert text.strip() == "1 of 1 steps done."

    def test_loads_the_page_anew_when_the_state_is_another(self):
        run = run_rows.run(state=Run.State.DONE)
        url = reverse("run_live", args=["northport", run.number])

        answer = client_of().get(f"{url}?state=RUNNING")

        assert answer.headers["HX-Refresh"] == "true"
