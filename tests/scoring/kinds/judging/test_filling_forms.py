from decimal import Decimal

import pytest

from annotation.common.scales import Scale
from scoring.endpoints.models import Endpoint
from scoring.engine.models import Judgment, LLMCall, Run, Step
from scoring.kinds.judging import kind as judging
from scoring.kinds.judging.geval import kind as filling_forms
from scoring.protocols import samples as protocols_samples
from tests import make
from tests.scoring import connected, judged
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db


def found(**values):
    """Return what a test found of an endpoint; a pair is a value with facts."""
    return {
        name: {"value": value[0], "facts": value[1]}
        if isinstance(value, tuple)
        else {"value": value}
        for name, value in values.items()
    }


def geval_judge(name="Forms", *, script=None, tested=None, **settings):
    endpoint = connected.endpoint(name, script=script or {}, found=tested or {})
    return judged.judge(name, kind="geval", endpoint=endpoint, **{"repeats": 3, **settings})


def to_ten():
    """Return a round of one answer that is graded from 0 to 10."""
    make.rubric_version("grade", maximum=10, criteria=("grade",))
    return make.open_round(n_items=1, n_releases=1)


def scores(run, **given):
    return list(Judgment.objects.filter(run=run, **given).order_by("pk"))


class TestFillingForms:
    def test_writes_the_steps_of_each_criterion_once_and_then_weighs_every_answer(self):
        round_ = make.open_round(n_items=2, n_releases=2, criteria=("facts", "style"))

        run = judged.ran(round_, geval_judge())

        assert (run.state, run.steps.count()) == (Run.State.DONE, 2 + 4)
        roles = list(LLMCall.objects.filter(run=run).values_list("role", flat=True))
        assert (roles.count("planner"), roles.count("judge")) == (2, 8)
        for one in scores(run):
            assert (one.repeat, one.n_valid, one.label) == (0, 1, protocols_samples.WEIGHTED)
            assert 0.5 <= one.mass <= 1
            assert 0 <= one.value <= 2
        assert any(one.value % 1 for one in scores(run))

    def test_tells_the_judge_the_steps_that_were_written(self):
        round_ = make.open_round(n_items=1, n_releases=1)

        run = judged.ran(round_, geval_judge())

        first = run.steps.get(response__isnull=True)
        texts = "\n".join(run.texts.values_list("text", flat=True))
        assert "1. " + first.result["steps"][0] in texts

    def test_draws_samples_where_the_endpoint_gives_no_probabilities(self):
        round_ = make.open_round(n_items=1, n_releases=1)

        run = judged.ran(round_, geval_judge(script={"logprobs": False}))

        mean, *samples = scores(run)
        assert (mean.label, mean.n_valid, mean.mass) == (protocols_samples.SAMPLED, 3, None)
        assert [one.repeat for one in samples] == [1, 2, 3]

    def test_asks_for_no_weights_where_the_endpoint_s_test_found_none(self):
        round_ = make.open_round(n_items=1, n_releases=1)

        script = {"replies": [{"contains": "Evaluation form", "reply": "1"}]}
        run = judged.ran(round_, geval_judge(script=script, tested=found(logprobs=False)))

        assert run.estimate["calls"] == LLMCall.objects.filter(run=run).count() == 1 + 3
        assert scores(run)[0].label == protocols_samples.SAMPLED

    def test_takes_samples_alone_if_it_is_configured_so(self):
        run = judged.ran(make.open_round(n_items=1, n_releases=1), geval_judge(weights="samples"))

        assert scores(run)[0].label == protocols_samples.SAMPLED

    def test_a_value_of_several_tokens_is_never_taken_for_its_beginning(self):
        round_ = to_ten()
        judge = geval_judge(script={"one_digit_tokens": True, "replies": [
            {"contains": "Evaluation form", "reply": "10"}
        ]})  # fmt: skip

        run = judged.ran(round_, judge)

        assert (scores(run)[0].value, scores(run)[0].label) == (10, protocols_samples.SAMPLED)

    def test_refuses_to_weigh_alone_what_the_endpoint_s_test_says_cannot_be_weighed(self):
        tested = found(logprobs=True, multi_token_scores=(True, {"10": 2}))
        judge = geval_judge(tested=tested, weights="only_weights")

        with pytest.raises(filling_forms.CannotBeWeighed, match="several tokens"):
            judged.requested(to_ten(), judge)

        assert not Run.objects.exists()

    def test_leaves_without_a_score_what_could_only_have_been_weighed(self):
        judge = geval_judge(script={"logprobs": False}, weights="only_weights")

        run = judged.ran(make.open_round(n_items=1, n_releases=1), judge)

        (one,) = scores(run)
        assert (one.outcome, one.reason) == (
            Judgment.Outcome.UNSCORED, "The endpoint returned no log-probabilities.",
        )  # fmt: skip

    def test_judges_no_answer_before_all_steps_are_written(self):
        round_ = make.open_round(n_items=1, n_releases=1, criteria=("facts", "style"))
        run = judged.requested(round_, geval_judge())

        keys = [one.key for one in judging.KIND.plan(run)]

        assert [key.split(" (")[0] for key in keys] == ["steps of facts", "steps of style"]
        assert list(judging.KIND.more(run)) == []


class TestUnweighable:
    @pytest.mark.parametrize(
        ("scale", "tested", "why"),
        [
            (("1", "5", "1"), found(logprobs=True), ""),
            (("1", "5", None), found(logprobs=True), "without steps"),
            (("1", "5", "1"), found(logprobs=False), "no log-probabilities"),
            (("1", "10", "1"), found(multi_token_scores=(True, {"10": 1, "4.5": 3})), ""),
            (("1", "10", "1"), found(multi_token_scores=(True, {"10": 2})), "several tokens"),
            (("1", "5", "0.5"), found(multi_token_scores=(True, {"10": 1, "4.5": 3})), "several"),
            (("1", "10", "1"), {}, ""),
        ],
    )
    def test_follows_from_the_scale_and_what_the_test_found(self, scale, tested, why):
        low, high, step = scale
        asked = Scale(Decimal(low), Decimal(high), Decimal(step) if step else None)

        said = filling_forms.unweighable(connected.endpoint(found=tested), asked)

        assert why in said
        assert bool(why) == bool(said)


class TestSteps:
    def test_without_them_no_answer_is_judged(self):
        withheld = {"contains": "Write the steps", "reply": "no", "finish": "content_filter"}

        run = judged.ran(make.open_round(), geval_judge(script={"replies": [withheld]}))

        (step,) = run.steps.all()
        assert step.state == Step.State.FAILED
        assert scores(run) == []


class TestOverHttp:
    def test_weighs_what_a_server_tells(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        round_ = make.open_round(n_items=1, n_releases=2)
        with serving.in_thread() as server:
            endpoint = connected.endpoint("S", kind=Endpoint.Kind.SERVER, url=server.url)
            run = judged.ran(round_, judged.judge("S", kind="geval", endpoint=endpoint, repeats=2))
            calls = server.counts()["calls"]

        assert (run.state, run.scripted, calls) == (Run.State.DONE, False, 1 + 2)
        assert all(one.label == protocols_samples.WEIGHTED and one.mass for one in scores(run))

    def test_a_server_that_is_busy_for_a_while_changes_no_score(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        round_ = make.open_round(n_items=1, n_releases=1)
        with serving.in_thread(faults={"429": 0.4, "at_most": 1, "retry_after": 0}) as server:
            endpoint = connected.endpoint("S", kind=Endpoint.Kind.SERVER, url=server.url)
            run = judged.ran(round_, judged.judge("S", kind="geval", endpoint=endpoint, repeats=2))

        assert run.state == Run.State.DONE
        assert [one.outcome for one in scores(run)] == ["SCORED"]
