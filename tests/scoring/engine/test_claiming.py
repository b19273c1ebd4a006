from datetime import timedelta

import pytest

from scoring.engine import claims as claiming
from scoring.engine import requests
from scoring.engine.models import Run, Step
from scoring.llm.base import SystemFailed, Trouble
from tests import make
from tests.scoring import running

pytestmark = pytest.mark.django_db
LEASE = timedelta(seconds=60)


@pytest.fixture
def run():
    made = running.requested(n=4)
    Run.objects.filter(pk=made.pk).update(state=Run.State.RUNNING)
    for number in range(4):
        Step.objects.create(run=made, ordinal=number, key=f"step {number}")
    return made


def claim(run, n, worker="a", at=make.NOW):
    return claiming.claim(run=run, n=n, worker=worker, until=at + LEASE, now=at)


class TestClaim:
    def test_takes_the_first_free_steps(self, run):
        first, then = claim(run, 3), claim(run, 3, "b")

        assert [one.ordinal for one in first] == [0, 1, 2]
        assert [(one.ordinal, one.fence, one.attempt) for one in then] == [(3, 1, 1)]

    def test_takes_those_of_a_worker_that_was_not_heard_of(self, run):
        claim(run, 4)
        later = make.NOW + LEASE + timedelta(seconds=1)

        again = claim(run, 2, "b", later)

        assert [(one.ordinal, one.fence, one.worker) for one in again] == [(0, 2, "b"), (1, 2, "b")]

    def test_leaves_a_step_that_is_not_due(self, run):
        run.steps.filter(ordinal=0).update(not_before=make.at(5))

        assert [one.ordinal for one in claim(run, 1)] == [1]


class TestStepsOverWhichWorkersEnd:
    def lose(self, run, n_times, only):
        """Let workers end so often over one step, which they had in hands alone."""
        for _time in range(n_times):
            run.steps.filter(ordinal=only).update(
                state=Step.State.CLAIMED, lease_until=make.NOW - LEASE
            )
            claiming.free_lost(now=make.NOW)

    def test_come_last_and_alone(self, run):
        self.lose(run, claiming.ALONE, only=1)

        first, none = (
            claim(run, 4),
            claiming.claim(
                run=run, n=4, worker="b", until=make.NOW + LEASE, now=make.NOW, alone=False
            ),
        )
        alone = claim(run, 4, "c")

        assert [one.ordinal for one in first] == [0, 2, 3]
        assert none == []
        assert [(one.ordinal, one.lost) for one in alone] == [(1, claiming.ALONE)]

    def test_come_one_at_a_time(self, run):
        for ordinal in range(4):
            self.lose(run, claiming.ALONE, only=ordinal)

        assert [one.ordinal for one in claim(run, 4)] == [0]

    def test_fail_at_last_with_words_and_can_be_tried_again(self, run):
        self.lose(run, claiming.MOST_LOST, only=1)

        step = run.steps.get(ordinal=1)
        assert (step.state, step.outcome) == (Step.State.FAILED, Step.Outcome.MACHINERY_FAILED)
        assert step.problem == (
            "The worker ended 6 times in the midst of this step. Its log says why."
        )
        run.refresh_from_db()
        requests.retry_failed(run=run, user=None, now=make.NOW)
        step.refresh_from_db()
        assert (step.state, step.lost, step.problem) == (Step.State.FREE, 0, "")

    def test_are_not_those_that_were_given_back(self, run):
        for _time in range(claiming.MOST_LOST):
            claiming.release(claim(run, 1))

        assert run.steps.get(ordinal=0).lost == 0


class TestEnd:
    def test_is_refused_to_a_worker_that_lost_the_step(self, run):
        mine = claim(run, 1)[0]
        claim(run, 4, "b", make.NOW + LEASE + timedelta(seconds=1))

        ended = claiming.end(step=mine, kind=running.KIND, result={"said": ["x"]}, now=make.NOW)

        assert not ended
        assert run.steps.get(ordinal=0).state == Step.State.CLAIMED

    def test_stores_what_came_of_it(self, run):
        mine = claim(run, 1)[0]

        claiming.end(step=mine, kind=running.KIND, result={"said": ["x"]}, now=make.NOW)

        step = run.steps.get(ordinal=0)
        assert (step.state, step.outcome, step.result) == ("DONE", "OK", {"said": ["x"]})
        assert (step.finished_at, step.lease_until) == (make.NOW, None)

    def test_by_the_system_is_an_outcome_of_its_own(self, run):
        mine = claim(run, 1)[0]
        failed = SystemFailed(Trouble.EMPTY, "It said nothing.")

        claiming.end_by_system(step=mine, kind=running.KIND, failed=failed, now=make.NOW)

        step = run.steps.get(ordinal=0)
        assert (step.state, step.outcome, step.trouble) == ("DONE", "SYSTEM", "EMPTY")


class TestRelease:
    def test_gives_back_only_what_is_still_held(self, run):
        mine = claim(run, 2)
        run.steps.filter(ordinal=1).update(fence=9)

        claiming.release(mine)

        assert list(run.steps.values_list("state", flat=True).order_by("ordinal")[:2]) == [
            "FREE",
            "CLAIMED",
        ]


class TestRenew:
    def test_tells_how_many_are_still_held(self, run):
        mine = claim(run, 2)
        run.steps.filter(ordinal=1).update(worker="b")

        assert claiming.renew(steps=mine, worker="a", until=make.at(9)) == 1


class TestFinish:
    def test_waits_for_the_last_step(self, run):
        early = claiming.finish(run=run, now=make.NOW)
        run.steps.update(state="FAILED")

        assert not early
        assert claiming.finish(run=run, now=make.NOW)
        run.refresh_from_db()
        assert (run.state, run.finished_at) == (Run.State.DONE, make.NOW)
