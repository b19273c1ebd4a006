import pytest

from evalsite import errors
from scoring.endpoints.models import Endpoint
from scoring.engine import kinds
from scoring.engine.models import Judgment, LLMCall, Run, Step
from scoring.kinds.interviews import operations as evaluators
from scoring.kinds.interviews import rejudging
from scoring.kinds.interviews import results as interview_voices
from scoring.kinds.interviews.models import Dialogue
from tests import make
from tests.scoring import connected, interviewed
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db


class TestRejudging:
    def test_gives_every_exchange_a_verdict_of_every_evaluator_and_asks_nobody_else(self):
        of = interviewed.held(n=2)
        others = [
            interviewed.evaluator(name, script={"seed": n})
            for n, name in ((3, "Listener"), (4, "Reader"))
        ]

        run = interviewed.judged_again(of, *others)

        assert run.state == Run.State.DONE
        assert set(LLMCall.objects.filter(run=run).values_list("role", flat=True)) == {"evaluator"}
        for dialogue in Dialogue.objects.filter(run=of):
            for judge in others:
                rows = Judgment.objects.filter(
                    run=run, rater=judge.rater, response=dialogue.response, target_level="TURN"
                )
                n_exchanges = dialogue.exchanges.count()
                assert rows.count() == n_exchanges * len(evaluators.ASPECTS)
        assert run.scripted

    def test_shows_an_evaluator_no_word_of_the_first_ones_verdicts(self):
        of = interviewed.held(n=1)

        run = interviewed.judged_again(of, interviewed.evaluator("Listener", script={"seed": 3}))

        first = {
            one.comments["overall"]
            for dialogue in Dialogue.objects.filter(run=of)
            for one in dialogue.exchanges.all()
            if one.scores
        }
        told = "\n".join(
            run.texts.exclude(
                sha__in=LLMCall.objects.filter(run=run).values("text_sha")
            ).values_list("text", flat=True)
        )
        assert first
        assert not any(one and one in told for one in first)
        assert all(one.answer in told for one in Dialogue.objects.filter(run=of))

    def test_keeps_none_of_the_words_of_the_dialogue_again_in_its_steps(self):
        of = interviewed.held(n=1)

        run = interviewed.judged_again(of, interviewed.evaluator("Listener"))

        for step in Step.objects.filter(run=run):
            assert set(step.result["exchanges"][0]) == {"exchange", "verdict", "unscored"}

    def test_leaves_the_first_verdicts_as_they_were(self):
        of = interviewed.held(n=1)
        before = list(Judgment.objects.filter(run=of).order_by("pk").values())

        interviewed.judged_again(of, of.judge, seed=99)

        assert list(Judgment.objects.filter(run=of).order_by("pk").values()) == before

    def test_of_malformed_verdicts_is_counted_and_never_scored(self):
        of = interviewed.held(n=3)

        run = interviewed.judged_again(
            of, interviewed.evaluator("Mumbler", script={"seed": 2, "malformed": 0.9})
        )

        unread = Judgment.objects.filter(run=run, outcome="UNSCORED")
        assert unread.exists()
        assert {one.value for one in unread} == {None}
        assert Step.objects.filter(run=run, outcome=Step.Outcome.NO_READING).exists()


class TestOverHttp:
    def test_a_server_is_asked_for_the_verdicts_and_for_nothing_else(self, settings):
        settings.ENDPOINT_NETWORKS = ("127.0.0.0/8",)
        of = interviewed.held(n=1)
        faults = {"429": 0.3, "at_most": 1, "retry_after": 0}
        with serving.in_thread({"seed": 4, "malformed": 0.1}, faults) as server:
            to = connected.endpoint("Served", kind=Endpoint.Kind.SERVER, url=server.url)
            by = evaluators.met(
                project=of.project,
                chosen=to,
                settings=evaluators.InterviewSettings(),
                by=of.requested_by,
                now=make.NOW,
            )
            run = interviewed.judged_again(of, by)

        assert run.state == Run.State.DONE
        calls = LLMCall.objects.filter(run=run, trouble="")
        assert set(calls.values_list("role", "endpoint")) == {("evaluator", to.pk)}
        n_exchanges = sum(one.exchanges.count() for one in of.dialogues.all())
        judged = Judgment.objects.filter(run=run, criterion__name="overall")
        assert judged.count() == n_exchanges
        # Whoever judges: what was judged came from a script.
        assert run.scripted


class TestPrompts:
    def test_count_every_verdict(self):
        of = interviewed.held(n=2)
        run = interviewed.judged_again(of, interviewed.evaluator("Listener", script={"seed": 3}))

        counted = sum(one.calls for one in kinds.kind_called(run.kind).prompts(run))

        n_exchanges = sum(one.exchanges.count() for one in Dialogue.objects.filter(run=of))
        assert counted == n_exchanges


class TestStart:
    def test_is_one_run_when_it_is_asked_for_twice(self):
        of = interviewed.held(n=1)
        by = interviewed.evaluator("Listener")

        first = interviewed.judged_again(of, by, number=8)
        again = interviewed.judged_again(of, by, number=8, seed=1)

        assert again == first
        assert [one.run for one in interview_voices.voices_of(of)] == [of, first]

    def test_refuses_interviews_that_are_not_over(self):
        of = interviewed.requested(n=1)

        with pytest.raises(errors.Refusal, match="not over yet"):
            interviewed.judged_again(of, interviewed.evaluator("Listener"))

    def test_refuses_nobody(self):
        of = interviewed.held(n=1)

        with pytest.raises(evaluators.NoEvaluator, match="from 1 to 12"):
            interviewed.judged_again(of)

    def test_estimates_an_evaluator_that_is_not_made_yet(self):
        of = interviewed.held(n=1)
        endpoint = of.judge.endpoint

        head = connected.head(1, "Again", 1)
        wish = rejudging.JudgeAgain(**head, endpoints=(endpoint.name,))
        found, _asked = connected.reckoned(rejudging.KIND, of, wish)

        assert found.calls == sum(one.exchanges.count() for one in of.dialogues.all())
