import pytest

from scoring.engine import auditing
from scoring.engine.models import LLMCall
from scoring.llm.base import MachineryFailed, SystemFailed, Trouble
from tests import make, tampering
from tests.scoring import connected, judged, measured, running

pytestmark = pytest.mark.django_db


def failing(kind, trouble, where):
    async def first(request, _model):
        if where in request.messages[-1].content:
            raise kind(trouble, "Said no.")

    return running.Model(first)


class TestAudit:
    def test_finds_a_run_as_it_was(self):
        run = running.worked(running.requested(n=4, calls=3), running.Model())

        found = auditing.audit(run=run)

        assert (found.n_same, found.n_left_out, found.differences) == (4, 0, ())

    def test_finds_an_outcome_of_the_system_as_it_was(self):
        run = running.requested(n=2, role="candidate")
        running.worked(run, failing(SystemFailed, Trouble.FILTERED, "step 1"))

        found = auditing.audit(run=run)

        assert (found.n_same, found.differences) == (2, ())

    def test_leaves_out_what_the_machinery_failed_in(self):
        run = running.requested(n=2)
        running.worked(run, failing(MachineryFailed, Trouble.BAD_REQUEST, "step 1"))

        found = auditing.audit(run=run)

        assert (found.n_same, found.n_left_out, found.differences) == (1, 1, ())

    def test_repeats_what_is_computed(self):
        run = running.worked(running.requested(n=2, computes=True), running.Model())

        assert auditing.audit(run=run).n_same == 2

    def test_names_a_step_whose_result_was_changed(self):
        run = running.worked(running.requested(n=2), running.Model())
        with tampering.unguarded():
            run.steps.filter(key="step 0").update(result={"said": ["other"]})

        (one,) = auditing.audit(run=run).differences

        assert one.key == "step 0"
        assert "said" in one.why

    def test_names_a_step_that_would_ask_for_something_else(self):
        run = running.worked(running.requested(n=2), running.Model())
        with tampering.unguarded():
            run.steps.filter(key="step 1").update(key="step 9")

        (one,) = auditing.audit(run=run).differences

        assert one.key == "step 9"
        assert "No recorded call" in one.why

    def test_asks_nobody(self):
        run = running.worked(running.requested(n=2), running.Model())
        before = LLMCall.objects.count()

        auditing.audit(run=run)

        assert LLMCall.objects.count() == before

    def test_plays_a_judge_back(self):
        run = judged.ran(make.open_round(n_items=2, n_releases=2))

        found = auditing.audit(run=run)

        assert (found.n_same, found.n_left_out, found.differences) == (4, 0, ())

    def test_plays_collected_answers_back(self):
        connected.connection(temperature=0.3)
        make.item("Q01")
        run = connected.done(connected.request(samples=2))

        found = auditing.audit(run=run)

        assert (found.n_same, found.n_left_out, found.differences) == (2, 0, ())

    def test_measures_again(self):
        measured.brought()
        run = measured.done(measured.over_import(["bleu", "rouge1", "reading_ease"]))

        found = auditing.audit(run=run)

        assert found.n_same == run.steps.count()
        assert found.differences == ()
