import pytest

from annotation.systems.models import Response
from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.endpoints.queries import EndpointRetired
from scoring.engine.models import Judgment, LLMCall, Run, Step
from scoring.kinds.assistants import operations as assistants
from scoring.kinds.assistants import v1
from scoring.kinds.assistants.asking_v1 import Kind
from tests import make
from tests.scoring import assisted, connected, judged
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db


def scores(run):
    return list(Judgment.objects.filter(run=run).order_by("pk"))


class TestAssisting:
    @pytest.mark.parametrize("kind", list(Kind))
    def test_gives_each_answer_a_score_of_its_range(self, kind):
        round_ = make.open_round(n_items=2, n_releases=2)

        run = assisted.ran(round_, assisted.assistant(kind=kind))

        low, high = assistants.RANGES.get(kind, (0, 1))
        assert run.state == Run.State.DONE
        assert run.scripted
        assert [one.outcome for one in scores(run)] == ["SCORED"] * 4
        assert all(low <= one.value <= high and one.n_valid == 1 for one in scores(run))
        assert {one.rater.kind for one in scores(run)} == {"METRIC"}
        assert LLMCall.objects.filter(run=run).count() == run.estimate["calls"]

    def test_sends_several_answers_in_one_request_where_it_is_told_to(self):
        round_ = make.open_round(n_items=3, n_releases=2)

        run = assisted.ran(round_, assisted.assistant(at_once=4))

        assert [one.key for one in run.steps.order_by("ordinal")] == ["answers 1–4", "answers 5–6"]
        assert LLMCall.objects.filter(run=run).count() == 2
        assert len(scores(run)) == 6

    def test_a_score_outside_its_range_is_a_problem_and_no_score(self):
        endpoint = connected.endpoint(script={"lift": 3.0})

        run = assisted.ran(make.open_round(), assisted.assistant(endpoint=endpoint))

        assert {(one.outcome, one.value) for one in scores(run)} == {("UNSCORED", None)}
        assert "outside the declared range" in scores(run)[0].reason
        assert {one.outcome for one in run.steps.all()} == {Step.Outcome.NO_READING}

    def test_leaves_out_what_has_nothing_to_compare_with(self):
        round_ = make.open_round(n_items=1, n_releases=1)

        run = assisted.ran(round_, assisted.assistant(premise="texts"))

        (one,) = scores(run)
        assert (one.outcome, one.reason) == ("SKIPPED", v1.NO_PREMISE)
        assert not LLMCall.objects.exists()

    def test_a_likelihood_may_go_without_context(self):
        round_ = make.open_round(n_items=1, n_releases=1)

        run = assisted.ran(round_, assisted.assistant(kind=Kind.LIKELIHOOD, premise=""))

        answer = Response.objects.get().messages[0]["content"]
        assert [one.outcome for one in scores(run)] == ["SCORED"]
        assert answer in run.texts.values_list("text", flat=True)

    def test_the_same_run_again_gives_the_same_scores(self):
        round_, assistant = make.open_round(), assisted.assistant()

        first, second = (assisted.ran(round_, assistant, number) for number in (1, 2))

        assert [one.value for one in scores(first)] == [one.value for one in scores(second)]

    def test_asks_a_server_over_http(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        round_ = make.open_round()
        with serving.in_thread() as server:
            endpoint = connected.endpoint("Served", kind=Endpoint.Kind.SERVER, url=server.url)
            run = assisted.ran(round_, assisted.assistant(endpoint=endpoint, at_once=4))
            counts = server.counts()

        assert [one.outcome for one in scores(run)] == ["SCORED"] * 4
        assert (counts["calls"], run.scripted) == (1, False)


class TestCheck:
    def test_refuses_a_draft(self):
        with pytest.raises(errors.StillADraft):
            assisted.requested(make.draft_round(), assisted.assistant())

    def test_refuses_an_import_that_is_not_there(self):
        assistant = assisted.assistant()
        run = Run(
            project=make.project(), kind=Run.Kind.ASSIST, protocol=v1.PROTOCOL, judge=assistant
        )
        run.config = {"import": 99}

        with pytest.raises(assistants.NothingToScore):
            assistants.KIND.check(run)

    def test_refuses_a_judge(self):
        with pytest.raises(assistants.NothingToScore):
            assistants.KIND.check(
                Run(project=make.project(), protocol="direct/v1", judge=judged.judge())
            )

    def test_refuses_an_endpoint_that_is_not_in_use(self):
        assistant = assisted.assistant()
        Endpoint.objects.update(retired_at=make.NOW)
        assistant.refresh_from_db()

        with pytest.raises(EndpointRetired):
            assisted.requested(make.open_round(), assistant)

    @pytest.mark.parametrize("value", [False, "chat"])
    def test_refuses_a_likelihood_where_the_endpoint_s_test_found_none(self, value):
        endpoint = connected.endpoint(found={"prompt_logprobs": {"value": value}})

        with pytest.raises(assistants.CannotWeigh):
            assisted.requested(
                make.open_round(), assisted.assistant(kind=Kind.LIKELIHOOD, endpoint=endpoint)
            )
