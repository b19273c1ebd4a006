import pytest

from scoring.endpoints.queries import EndpointRetired
from scoring.engine import kinds
from scoring.engine.models import LLMCall, Run, Step
from scoring.kinds.accuracy import operations as quizzing
from tests import make
from tests.scoring import connected, interviewed, quizzed

pytestmark = pytest.mark.django_db


class TestQuizzing:
    def test_asks_every_question_of_every_system_in_every_order(self):
        quizzed.questions(3)

        run = quizzed.done(orders=2)

        assert run.state == Run.State.DONE
        assert run.scripted
        assert Step.objects.filter(run=run, outcome=Step.Outcome.OK).count() == 6
        assert LLMCall.objects.filter(run=run, role="candidate").count() == 12
        for step in Step.objects.filter(run=run):
            assert len(step.result["asked"]) == 2
            assert step.result["right"] in range(4)

    def test_gives_examples_of_the_subject_with_their_answers_before_the_question(self):
        quizzed.questions(2, subject="mooring")
        quizzed.questions(2, subject="lifting", first=2)

        run = quizzed.done(shots=1)

        call = LLMCall.objects.filter(run=run).first()
        assert [role for role, _text in call.messages] == ["system", "user", "assistant", "user"]
        assert len(run.config["items"]) == 2
        asked = set(run.config["items"])
        assert not asked & {pk for one in run.config["examples"] for pk in one["items"]}

    def test_counts_what_names_no_option_and_never_guesses(self):
        quizzed.questions(2)
        release = make.release("Mute")
        to = connected.endpoint(
            "of Mute", script={"replies": [{"contains": "berth", "reply": "Who knows?"}]}
        )
        connected.connection(release, to=to)

        run = quizzed.done(releases=[release.pk])

        found = [one.result for one in Step.objects.filter(run=run)]
        assert [one["unread"] for one in found] == [1, 1]
        assert [one["asked"][0]["chosen"] for one in found] == [None, None]

    def test_is_the_same_for_the_same_seed(self):
        quizzed.questions(4)
        releases = [one.pk for one in interviewed.candidates()]

        one = quizzed.done(number=1, releases=releases, orders=2)
        other = quizzed.done(number=2, releases=releases, orders=2)

        assert one.config["items"] == other.config["items"]
        assert _chosen(one) == _chosen(other)

    def test_refuses_what_has_no_options(self):
        free = make.item("free")
        run = Run(
            project=make.project(),
            kind=Run.Kind.QUIZ,
            config={"items": [free.pk], "releases": [{"endpoint": 1}]},
        )

        with pytest.raises(quizzing.NoQuestionToAsk, match="free"):
            kinds.kind_called(run.kind).check(run)

    def test_refuses_an_endpoint_that_was_retired(self):
        items = quizzed.questions(1)
        endpoint = connected.endpoint("Gone")
        endpoint.__class__.objects.filter(pk=endpoint.pk).update(retired_at=make.NOW)
        config = {"items": items, "releases": [{"endpoint": endpoint.pk}]}
        run = Run(project=make.project(), kind=Run.Kind.QUIZ, config=config)

        with pytest.raises(EndpointRetired):
            kinds.kind_called(run.kind).check(run)


def _chosen(run):
    rows = Step.objects.filter(run=run).order_by("ordinal")
    return [[one["chosen"] for one in step.result["asked"]] for step in rows]
