import pytest

from scoring.engine.models import Judgment, Run
from scoring.kinds.interviews import results as interview_voices
from tests.scoring import interviewed

pytestmark = pytest.mark.django_db


class TestOf:
    def test_tells_the_same_evaluator_in_two_runs_apart(self):
        of = interviewed.held(n=1)
        other = interviewed.evaluator("Listener", script={"seed": 3})

        again = interviewed.judged_again(of, of.judge, other)

        names = [one.name for one in interview_voices.voices_of(of)]
        assert names == [
            f"{of.judge.name}, run {of.number}",
            f"{of.judge.name}, run {again.number}",
            "Listener",
        ]
        assert [one.is_first for one in interview_voices.voices_of(of)] == [True, False, False]

    def test_needs_an_evaluator(self):
        with pytest.raises(ValueError, match="no evaluator"):
            interview_voices.rater_of(Run(config={}))


class TestBeside:
    def test_is_what_the_judgments_say(self):
        of = interviewed.held(n=1)
        other = interviewed.evaluator("Listener", script={"seed": 3})
        interviewed.judged_again(of, other)
        dialogue = of.dialogues.first()

        said = interview_voices.beside(dialogue, interview_voices.voices_of(of))

        assert sorted(said) == [one.k for one in dialogue.exchanges.all()]
        for k, (second,) in said.items():
            rows = Judgment.objects.filter(
                rater=other.rater, response=dialogue.response, target_index=k
            )
            assert second.scores == {one.criterion.name: one.value for one in rows}


class TestVoteOf:
    def test_is_the_mean_where_an_address_says_nonsense(self):
        assert interview_voices.vote_of({"vote": "loudest"}) == "mean"
        assert interview_voices.vote_of({"vote": "median"}) == "median"


class TestVersion:
    def test_changes_with_what_was_judged(self):
        of = interviewed.held(n=1)
        before = interview_voices.version(of)

        interviewed.judged_again(of, of.judge)

        assert interview_voices.version(of) != before
