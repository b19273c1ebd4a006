import pytest

from scoring.demo import files as demo
from scoring.engine.models import Judgment, Run
from scoring.kinds.judging import queries as machines
from tests import make
from tests.scoring import connected, rounds

pytestmark = pytest.mark.django_db


def play():
    home = make.project()
    demo.play_demo(project=home, by=connected.owner(home), now=make.NOW)


class TestPlay:
    def test_leaves_a_finished_run_whose_judge_is_seen_with_its_banner(self):
        rounds.graded()

        play()

        run = Run.objects.get()
        assert (run.state, run.scripted) == (Run.State.DONE, True)
        assert Judgment.objects.counted().filter(run=run, repeat=0).count() == 8
        [line] = machines.lines(machines.page(make.project()).rows)
        assert (line.machine.rater.ref, line.is_scripted) == (demo.DEMO_JUDGE, True)

    def test_takes_a_scripted_endpoint_that_is_there(self):
        rounds.graded()
        endpoint = connected.endpoint()

        play()

        assert Run.objects.get().judge.endpoint == endpoint

    def test_does_nothing_where_no_round_is_final(self):
        rounds.graded(state="OPEN")

        play()

        assert not Run.objects.exists()
