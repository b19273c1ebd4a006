from collections import Counter

import pytest

from evalsite import errors
from scoring.engine import kinds
from scoring.engine import working as planning
from scoring.engine.models import Judgment, LLMCall, Run, Step
from scoring.kinds.interviews import kind as interviewing
from scoring.kinds.interviews import operations as evaluators
from scoring.kinds.interviews import verdicts_v1 as verdicts
from scoring.kinds.interviews.models import Dialogue, Exchange
from scoring.stats.machines import interviews as scores
from tests import make
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


class TestInterviews:
    def test_hold_a_dialogue_for_each_question_and_candidate(self):
        run = interviewed.held(n=5)

        assert run.state == Run.State.DONE
        assert run.scripted
        assert Dialogue.objects.filter(run=run).count() == 10
        assert {one.n_planned for one in Dialogue.objects.all()} == {3}
        assert {one.dataset for one in Dialogue.objects.all()} >= {"quay"}

    def test_keep_the_dialogue_as_one_response_in_the_order_it_was_held(self):
        run = interviewed.held(n=1)

        for dialogue in Dialogue.objects.filter(run=run):
            said = [one["content"] for one in dialogue.response.messages]
            pairs = [
                text for one in dialogue.exchanges.all() for text in (one.question, one.answer)
            ]
            assert said == [dialogue.answer, *pairs]
            assert dialogue.response.origin == "DIALOGUE"
            assert dialogue.step.response_id == dialogue.response_id

    def test_write_a_judgment_for_each_exchange_and_aspect(self):
        run = interviewed.held(n=2)

        for exchange in Exchange.objects.all():
            rows = Judgment.objects.filter(
                run=run, response=exchange.dialogue.response_id, target_index=exchange.k
            )
            found = {one.criterion.name: one.value for one in rows}
            assert set(found) == set(evaluators.ASPECTS)
            assert found == (exchange.scores or dict.fromkeys(evaluators.ASPECTS))
        assert {one.target_level for one in Judgment.objects.all()} == {"TURN"}
        assert {one.rater_id for one in Judgment.objects.all()} == {run.judge.rater_id}

    def test_of_malformed_verdicts_are_counted_and_never_scored(self):
        by = interviewed.evaluator(script={"seed": 9, "malformed": 0.8})

        run = interviewed.held(n=5, by=by)

        unread = Exchange.objects.filter(scores__isnull=True)
        assert 0 < unread.count() < Exchange.objects.count()
        assert all(one.unscored for one in unread)
        outcomes = Counter(Step.objects.filter(run=run).values_list("outcome", flat=True))
        assert (
            outcomes[Step.Outcome.NO_READING]
            == Dialogue.objects.filter(exchanges__scores__isnull=True).distinct().count()
        )
        gone = Judgment.objects.filter(outcome=Judgment.Outcome.UNSCORED)
        assert gone.count() == unread.count() * len(evaluators.ASPECTS)
        assert {one.value for one in gone} == {None}

    def test_are_the_same_for_the_same_seed(self):
        items = interviewed.questions(3)
        releases = [one.pk for one in interviewed.candidates()]
        by = interviewed.evaluator()
        runs = [
            interviewed.held(number=number, items=items, releases=releases, by=by)
            for number in (1, 2)
        ]

        said = [
            list(
                Exchange.objects.filter(dialogue__run=run)
                .order_by("dialogue__item", "dialogue__release", "k")
                .values_list("question", "answer", "scores")
            )
            for run in runs
        ]
        assert said[0] == said[1]
        assert len(said[0]) > 6

    def test_store_texts_once_however_long_the_dialogue(self):
        run = interviewed.held(
            n=1, planned=8, by=interviewed.evaluator(script={"seed": 9, "stop": 0})
        )

        dialogue = Dialogue.objects.filter(run=run).first()
        calls = LLMCall.objects.filter(step=dialogue.step)
        assert calls.count() >= 1 + 3 * dialogue.exchanges.count()
        answers = {one.answer for one in Exchange.objects.filter(dialogue__run=run)}
        kept = Counter(run.texts.values_list("text", flat=True))
        assert all(kept[text] <= 1 for text in answers)

    def test_show_the_correct_answer_to_the_interactor_alone(self):
        run = interviewed.held(n=2)

        texts = dict(run.texts.values_list("sha", "text"))
        for call in LLMCall.objects.filter(run=run).exclude(role="interactor"):
            told = "\n".join(texts[sha] for _role, sha in call.messages)
            assert "made fast to a bollard" not in told.replace(texts.get(call.text_sha, ""), "")


class TestVerification:
    def test_goes_on_drawing_until_enough_are_verified_or_the_draw_is_used_up(self):
        run = interviewed.held(n=6, questions=2, verify=True)

        steps = Step.objects.filter(run=run, spec__stage="verify").order_by("ordinal")
        right = [one.item_id for one in steps if one.result["verified"]]
        held = set(Dialogue.objects.filter(run=run).values_list("item", flat=True))
        assert run.state == Run.State.DONE
        assert held == set(right[:2])
        assert len(right) >= 2 or steps.count() == 6
        assert [one.item_id for one in steps] == run.config["items"][: steps.count()]

    def test_with_nothing_verified_ends_without_a_dialogue(self):
        items = [make.item("free", reference="Something nobody says.").pk]

        run = interviewed.held(items=items, verify=True)

        assert (run.state, Dialogue.objects.count()) == (Run.State.DONE, 0)

    def test_that_was_stopped_while_it_was_extended_is_made_up_for(self):
        run = interviewed.requested(n=4, questions=4, verify=True)
        planning.plan(run=run, clock=lambda: make.NOW)
        run.refresh_from_db()
        for step in run.steps.all():
            Step.objects.filter(pk=step.pk).update(
                state=Step.State.DONE, outcome="OK", result={"verified": True}
            )
        plan = list(interviewing.KIND.more(run))

        planning._write(run, enumerate(plan[:3], start=4), Run.State.RUNNING)
        assert planning.extend(run=run)
        assert not planning.extend(run=run)

        assert list(run.steps.order_by("ordinal").values_list("key", flat=True))[4:] == [
            one.key for one in plan
        ]


class TestCheck:
    def test_refuses_questions_without_an_answer(self):
        items = [make.item("blank", reference="").pk]

        with pytest.raises(errors.Refusal, match="“blank” has no standard answer"):
            interviewed.requested(items=items)

    def test_refuses_an_endpoint_that_was_retired(self):
        by = interviewed.evaluator()
        type(by.endpoint).objects.filter(pk=by.endpoint_id).update(retired_at=make.NOW)

        with pytest.raises(errors.Refusal, match="was changed or retired"):
            interviewed.requested(by=by)


class TestPrompts:
    def test_count_every_call_that_is_made(self):
        by = interviewed.evaluator(script={"seed": 9, "stop": 0})
        run = interviewed.held(n=3, by=by)

        counted = sum(one.calls for one in kinds.kind_called(run.kind).prompts(run))

        # First answers, then three requests an exchange; no verdict stops or is malformed.
        assert counted == 3 * 2 * (1 + 3 * 3)
        if not Dialogue.objects.exclude(ended="PLANNED").exists():
            assert LLMCall.objects.filter(run=run).count() == counted


class TestScores:
    def test_of_any_profile_come_from_the_stored_verdicts(self):
        run = interviewed.held(n=3)
        n_calls = LLMCall.objects.count()

        for dialogue in Dialogue.objects.filter(run=run).prefetch_related("exchanges"):
            told = tuple(
                one.scores["overall"] if one.scores else None for one in dialogue.exchanges.all()
            )
            exchanges = scores.Exchanges(told, dialogue.n_planned, dialogue.stopped_at)
            for profile in scores.PROFILES:
                found = scores.score(exchanges, profile)
                assert found is None or 0 <= found <= 100
        assert LLMCall.objects.count() == n_calls


class TestAspects:
    def test_are_those_of_the_verdict(self):
        assert (*verdicts.ASPECTS, "overall") == evaluators.ASPECTS
        assert set(evaluators.criteria_of(interviewed.evaluator().rater_id)) == set(
            evaluators.ASPECTS
        )
