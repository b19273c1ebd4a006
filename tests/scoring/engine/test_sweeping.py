from datetime import timedelta

import pytest
from django.db import transaction

from evalsite import queue
from scoring.engine import claims as claiming
from scoring.engine import requests as sweeping
from scoring.engine.models import Run, Step
from tests import fake_queue, make
from tests.scoring import running

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = timedelta(seconds=60)


@transaction.atomic
def claim(run, n):
    claiming.claim(run=run, n=n, worker="a", until=make.NOW + LEASE, now=make.NOW)


@pytest.fixture
def run(settings):
    settings.RUN_WORKERS = 2
    made = running.requested(n=3)
    Run.objects.filter(pk=made.pk).update(state=Run.State.RUNNING)
    for number in range(3):
        Step.objects.create(run=made, ordinal=number, key=f"step {number}")
    claim(made, 2)
    fake_queue.empty()
    return made


class TestSweep:
    def test_frees_steps_whose_worker_was_not_heard_of(self, run):
        sweeping.sweep(make.NOW + LEASE + timedelta(seconds=1))

        assert running.outcomes(run) == {("FREE", ""): 3}

    def test_leaves_the_others_in_their_hands_and_rings_for_what_is_free(self, run):
        n = sweeping.sweep(make.NOW)

        assert (n, running.outcomes(run)) == (1, {("FREE", ""): 1, ("CLAIMED", ""): 2})
        assert queue.waiting("runs") == [("scoring.run_jobs.work", {"run_id": run.pk})] * 2

    def test_rings_for_a_run_that_nobody_has_ended(self, run):
        Step.objects.filter(run=run).update(state="DONE")

        assert sweeping.sweep(make.NOW) == 1

    def test_is_silent_where_all_is_in_hand_or_over(self, run):
        claim(run, 1)

        assert sweeping.sweep(make.NOW) == 0
        Run.objects.filter(pk=run.pk).update(state=Run.State.DONE)
        assert sweeping.sweep(make.NOW) == 0


class TestHandOutAgain:
    def test_frees_the_steps_of_all_workers(self, run):
        sweeping.hand_out_again(make.NOW)

        assert running.outcomes(run) == {("FREE", ""): 3}
        assert len(queue.waiting("runs")) == 2
