import pytest

from annotation.imports import collecting as wanted
from annotation.systems.models import Response
from scoring.endpoints.queries import EndpointRetired
from scoring.engine import requests as control
from scoring.engine.models import LLMCall, Run, Step
from scoring.kinds.collect import operations as collecting
from scoring.llm.base import SystemFailed, Trouble
from tests import make
from tests.scoring import connected

pytestmark = pytest.mark.django_db
TURN = {"role": "user", "content": "What is a berth?"}


def fixed(*, contains: str, reply: str, finish: str = "stop") -> dict[str, object]:
    return {"contains": contains, "reply": reply, "finish": finish}


class TestCollecting:
    def test_keeps_the_answers_of_a_release_as_its_responses(self):
        made = connected.connection(system_prompt="Be brief.", temperature=0.3)
        item = make.item("Q01")

        run = connected.done(connected.request())

        assert run.state == Run.State.DONE
        kept = Response.objects.get()
        assert (kept.item, kept.release, kept.origin) == (item, made.release, "GENERATED")
        assert kept.messages[0]["role"] == "assistant"
        assert kept.messages[0]["content"].strip()
        assert kept.details == {
            "run": run.number,
            "step": 0,
            "connection": made.pk,
            "truncated": False,
            "scripted": True,
        }
        step = run.steps.get()
        assert (step.outcome, step.response) == (Step.Outcome.OK, kept)
        call = LLMCall.objects.get()
        assert call.settings["temperature"] == 0.3
        assert [role for role, _sha in call.messages] == ["system", "user"]

    def test_sends_the_turns_of_a_script_in_order(self):
        connected.connection()
        make.item("Q01", question="And a pallet?", earlier=[TURN])

        connected.done(connected.request())

        kept = Response.objects.get()
        assert [one["role"] for one in kept.messages] == ["assistant", "user", "assistant"]
        assert kept.messages[1]["content"] == "And a pallet?"
        assert LLMCall.objects.count() == 2

    def test_takes_a_system_that_fails_for_one_without_an_answer(self):
        script = {"replies": [fixed(contains="pallet", reply="", finish="content_filter")]}
        connected.connection(to=connected.endpoint(script=script))
        make.item("Q01")
        make.item("Q02", question="What is a berth?")

        run = connected.done(connected.request())

        assert run.state == Run.State.DONE
        failed = run.steps.get(outcome=Step.Outcome.SYSTEM_FAILED)
        assert failed.trouble == Trouble.FILTERED
        assert failed.response.messages == [{"role": "assistant", "content": ""}]
        assert failed.response.details["failed"] == "FILTERED"
        assert run.steps.filter(outcome=Step.Outcome.OK).count() == 1
        assert not run.steps.filter(outcome=Step.Outcome.MACHINERY_FAILED).exists()

    def test_says_of_an_answer_that_it_was_cut_off(self):
        connected.connection(max_tokens=2)
        make.item("Q01")

        connected.done(connected.request())

        assert Response.objects.get().details["truncated"] is True

    def test_takes_several_samples_that_differ(self):
        connected.connection(temperature=1.0)
        make.item("Q01")

        connected.done(connected.request(samples=3))

        assert sorted(Response.objects.values_list("sample_no", flat=True)) == [1, 2, 3]
        assert Response.objects.values("content_sha").distinct().count() == 3

    def test_asks_again_in_another_run_and_reuses_no_reply(self):
        connected.connection(make.release("Kestrel", "1"))
        make.item("Q01")
        connected.done(connected.request(1))
        connected.connection(make.release("Kestrel", "2"))

        connected.done(connected.request(2))

        assert list(LLMCall.objects.values_list("run__number", flat=True)) == [1, 2]
        assert wanted.of_bank(make.project(), [], [], make.NOW).n_missing == 0

    def test_keeps_nothing_of_a_step_in_which_the_machinery_failed(self):
        connected.connection()
        make.item("Q01")
        run = connected.request()

        control.cancel(run=run, user=None, now=make.NOW)
        connected.done(run)

        assert not Response.objects.exists()

    def test_is_called_off_where_nothing_is_missing(self):
        made = connected.connection()
        make.response(make.item("Q01"), made.release)

        with pytest.raises(collecting.NothingMissing):
            connected.request()

    def test_is_refused_where_an_endpoint_was_retired(self):
        made = connected.connection()
        make.item("Q01")
        made.endpoint.retired_at = make.NOW
        made.endpoint.save(update_fields=["retired_at"])

        with pytest.raises(EndpointRetired, match="Scripted"):
            connected.request()

    def test_names_every_step_once(self):
        connected.connection(make.release("K" * 150, "1"))
        connected.connection(make.release("K" * 150, "2"))
        for number in (1, 2):
            make.item("Q" * 150 + str(number))

        run = connected.done(connected.request(samples=2))

        assert run.steps.count() == 8
        assert max(len(key) for key in run.steps.values_list("key", flat=True)) <= 200

    def test_keeps_a_failure_that_the_procedure_did_not_catch(self):
        connected.connection()
        make.item("Q01")
        run = connected.request()
        step = Step(run=run, ordinal=0, item=make.item("Q02"), spec={"sample": 1})
        step.release_id = run.config["releases"]["Kestrel · 1"]["release"]

        collecting.KIND.record_failure(step, SystemFailed(Trouble.EMPTY, "Nothing."), make.NOW)

        assert Response.objects.get().messages == [{"role": "assistant", "content": ""}]
