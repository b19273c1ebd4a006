import pytest

from evalsite import errors
from scoring.endpoints.queries import EndpointRetired
from scoring.engine import auditing, estimating, requests
from scoring.engine.models import Judgment, LLMCall, Run, Step
from scoring.kinds.fusion import kind as fusing
from scoring.kinds.fusion import operations
from scoring.kinds.fusion.v1 import Variant
from tests import imports, make
from tests.scoring import connected, fused, rounds

pytestmark = pytest.mark.django_db


def prompts(run, variant):
    """Return what the judge of a variant was asked first of each answer, by the step."""
    judge = next(one["judge"] for one in run.config["judges"] if one["variant"] == variant)
    found = {}
    for call in LLMCall.objects.filter(run=run, repeat=1).select_related("step"):
        if call.step.spec["judge"] == judge:
            texts = dict(run.texts.values_list("sha", "text"))
            found[call.step.response_id] = texts[call.messages[1][1]]
    return found


class TestFusing:
    def test_evaluates_every_answer_by_every_judge_and_keeps_each_prediction(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")
        every = (Variant.FE, Variant.FE_NO_PLAN, Variant.DE)

        run = fused.ran(fused.wish(task, *every, plan=fused.plan(task), batch=batch))

        assert run.state == Run.State.DONE
        assert run.steps.filter(outcome=Step.Outcome.OK).count() == 4 * 3
        assert Judgment.objects.filter(run=run).count() == 4 * 3 * 2 * (1 + 2)
        mean = Judgment.objects.filter(run=run, repeat=0).first()
        assert (mean.outcome, mean.n_valid) == ("SCORED", 2)
        assert 1 <= mean.value <= 5

    def test_asks_for_all_predictions_in_one_request_where_the_endpoint_gives_them(self):
        batch = fused.scored()
        task = fused.version("overlap")
        several = connected.endpoint("Several", found={"n": {"value": True}}, script={"seed": 3})
        wish = fused.wish(task, Variant.DE, by=several, batch=batch, predictions=3, temperature=0.9)

        expected, _asked = connected.reckoned(operations.START, *wish)
        run = fused.ran(wish)

        calls = LLMCall.objects.filter(run=run)
        assert (calls.count(), expected.calls) == (4, 4)
        assert {one.settings["n"] for one in calls} == {3}
        assert expected.completion_tokens == 3 * 4 * 2 * fusing.A_CRITERION
        means = Judgment.objects.filter(run=run, repeat=0)
        assert set(means.values_list("outcome", "n_valid")) == {("SCORED", 3)}
        assert Judgment.objects.filter(run=run, repeat=3).count() == 4 * 2
        assert any(means.values_list("sd", flat=True))
        assert auditing.audit(run=run).differences == ()

    def test_asks_for_each_criterion_by_itself_where_that_is_chosen(self):
        batch = fused.scored()
        task = fused.version("overlap", overall=fused.ONE_TO_FIVE)
        wish = fused.wish(task, Variant.FE_NO_PLAN, batch=batch, predictions=2, apart=True)

        expected, _asked = connected.reckoned(operations.START, *wish)
        run = fused.ran(wish)

        calls = LLMCall.objects.filter(run=run)
        assert (calls.count(), expected.calls) == (4 * 3 * 2, 4 * 3 * 2)
        assert set(calls.values_list("part", flat=True)) == {"clear", "right", "overall"}
        means = Judgment.objects.filter(run=run, repeat=0)
        assert set(means.values_list("outcome", "n_valid")) == {("SCORED", 2)}
        assert means.count() == 4 * 3
        assert run.protocol == "fusion_eval/v2"
        assert auditing.audit(run=run).differences == ()

    def test_tells_the_judge_what_each_variant_is_to_know(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")
        every = (Variant.FE, Variant.FE_NO_PLAN, Variant.DE)

        run = fused.ran(fused.wish(task, *every, plan=fused.plan(task), batch=batch))

        told = {one: "\n".join(prompts(run, one).values()) for one in every}
        assert [("Look at overlap" in told[one]) for one in every] == [True, False, False]
        assert [("overlap: 0.900" in told[one]) for one in every] == [True, True, False]
        assert all("What is a quay?" in text for text in told.values())

    def test_says_of_a_score_that_is_missing_that_it_is_not_available(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")

        run = fused.ran(fused.wish(task, Variant.FE_NO_PLAN, batch=batch))

        lacking = [text for text in prompts(run, "FE_NO_PLAN").values() if "overlap: 0.700" in text]
        assert len(lacking) == 1
        assert "entailment: not available" in lacking[0]

    def test_two_plans_make_two_prompts_and_two_sets_of_scores(self):
        batch = fused.scored()
        task = fused.version("overlap", "entailment")
        by = connected.endpoint(script={"obey_plan": 1.0})
        one = fused.plan(task, "Follow overlap alone.")
        other = fused.plan(task, "Follow entailment alone.", clear=["entailment"])

        first, second = (
            fused.ran(fused.wish(task, Variant.FE, by=by, plan=plan, batch=batch), number)
            for number, plan in enumerate((one, other), start=1)
        )

        assert set(prompts(first, "FE").values()).isdisjoint(prompts(second, "FE").values())
        high, low = fused.means(first, Variant.FE), fused.means(second, Variant.FE)
        # overlap says 0.9 and 0.2 of the answers to Q1, entailment 0.1 and 0.8.
        assert high["Q1", "Kestrel", "Clear"] > high["Q1", "Harbour", "Clear"]
        assert low["Q1", "Kestrel", "Clear"] < low["Q1", "Harbour", "Clear"]

    def test_never_makes_a_score_of_a_reply_that_cannot_be_read(self):
        batch = fused.scored()
        task = fused.version()

        run = fused.ran(
            fused.wish(task, by=connected.endpoint(script={"malformed": 1.0}), batch=batch)
        )

        means = Judgment.objects.filter(run=run, repeat=0)
        unread = means.exclude(outcome="SCORED")
        assert unread.exists()
        assert set(unread.values_list("value", "n_valid")) <= {(None, 0), (None, 1)}
        assert run.steps.filter(outcome=Step.Outcome.NO_READING).exists()

    def test_hides_what_it_found_until_the_round_is_final(self):
        round_ = rounds.graded(state="REVIEW", n_items=2)
        task = fused.version()

        run = fused.ran(fused.wish(task, round_=round_))

        assert run.state == Run.State.DONE
        assert Judgment.objects.filter(run=run).exists()
        assert not Judgment.objects.counted().filter(run=run).exists()

    def test_keeps_the_assistants_scores_as_they_were_when_it_was_planned(self):
        batch = fused.scored()
        task = fused.version("overlap")
        run = fused.requested(fused.wish(task, Variant.FE_NO_PLAN, batch=batch))
        steps = list(fusing.FUSION_KIND.plan(run))

        assert sorted(one.spec["scores"]["overlap"] for one in steps) == [0.1, 0.2, 0.7, 0.9]


class TestCheck:
    def test_refuses_a_round_that_is_a_draft(self):
        task = fused.version()

        with pytest.raises(errors.StillADraft):
            fused.requested(fused.wish(task, round_=make.draft_round()))

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"predictions": 0, "fewest_valid": 0}, "predictions"),
            ({"predictions": 33}, "predictions"),
            ({"temperature": 2.1}, "temperature"),
            ({"max_tokens": 10}, "max_tokens"),
        ],
    )
    def test_refuses_a_setting_beyond_its_limits(self, given, field):
        with pytest.raises(requests.BadWish) as refused:
            fused.requested(fused.wish(fused.version(), batch=fused.scored(), **given))

        assert field in refused.value.fields

    def test_refuses_an_import_without_answers(self):
        with pytest.raises(fusing.NoAnswersToJudge):
            fused.requested(fused.wish(fused.version(), batch=99))

    def test_refuses_an_endpoint_that_was_retired_meanwhile(self):
        batch = fused.scored()
        task, by = fused.version(), connected.endpoint()
        run = fused.requested(fused.wish(task, by=by, batch=batch))
        type(by).objects.filter(pk=by.pk).update(retired_at=make.NOW)

        with pytest.raises(EndpointRetired):
            fusing.FUSION_KIND.check(run)


class TestPrompts:
    def test_refuses_a_prompt_of_ten_thousand_words_before_anything_is_asked(self):
        text = "id,question,system,response\nQ1," + "word " * 10_000 + ",Kestrel,Yes.\n"
        batch = imports.apply(imports.answers(text))
        by = connected.endpoint(context_length=4096)

        with pytest.raises(estimating.TooLong, match="too long"):
            fused.requested(fused.wish(fused.version(), by=by, batch=batch.number))
        assert not Run.objects.exists()
