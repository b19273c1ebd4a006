import pytest

from annotation.rounds.models import Round
from scoring.engine import requests as control
from scoring.engine.models import Judgment, Run, Step
from scoring.kinds.metrics import operations as metrics
from scoring.kinds.metrics.catalogue import NoMetric
from tests import make
from tests.scoring import machines, measured, rounds

pytestmark = pytest.mark.django_db
ROUGE, NEW = "ROUGE-1 (references, mean)", "New 1-grams (article)"


class TestMeasuring:
    def test_measures_every_answer_of_an_import(self):
        measured.brought()

        run = measured.done(measured.over_import())

        assert (run.state, run.round, run.scripted) == (Run.State.DONE, None, False)
        found = measured.stored(run)
        assert len(found) == 4 * 4
        # Seven words, of which five are among the five of one reference, three among the eight of the other.
        assert found["Q1", "Kestrel", ROUGE] == pytest.approx((10 / 12 + 2 * 4 / 15) / 2)
        assert found["Q1", "Kestrel", NEW] == pytest.approx(1 / 7)
        assert found["Q1", "Kestrel", "Words"] == 7
        assert found["Q2", "Kestrel", "Words"] == 1

    def test_says_why_there_is_no_value_and_never_counts_it_as_nothing(self):
        measured.brought()

        run = measured.done(measured.over_import(["rouge1", "reading_ease", "novelty1_source"]))

        found = measured.stored(run)
        assert found["Q2", "Kestrel", ROUGE].startswith("SKIPPED: The question has no text")
        assert found["Q2", "Kestrel", NEW].startswith("SKIPPED: The question has no source")
        assert found["Q2", "Harbour", ROUGE] == "SKIPPED: The answer is empty."
        assert found["Q1", "Harbour", "Flesch reading ease"].startswith("UNSCORED: The formula")
        assert found["Q1", "Harbour", ROUGE] == 0  # four words, none of them in a reference

    def test_has_a_reason_for_everything(self):
        assert metrics.REASONS.keys() == set(NoMetric)

    def test_takes_all_answers_of_a_system_as_one_text(self):
        measured.brought()

        run = measured.done(measured.over_import(["bleu", "words"]))

        steps = run.steps.filter(release__isnull=False).order_by("pk")
        assert [one.release.system.name for one in steps] == ["Kestrel", "Harbour"]
        assert steps[0].result["n"] == 2
        assert 0 < steps[0].result["system"]["bleu"] < 100
        assert not Judgment.objects.filter(step__in=steps).exists()

    def test_divides_the_work_into_steps_that_keep_questions_together(self, monkeypatch):
        monkeypatch.setattr(metrics, "AT_ONCE", 3)
        measured.brought()

        run = measured.done(measured.over_import(["words"]))

        steps = list(run.steps.order_by("ordinal"))
        assert [one.key for one in steps] == ["answers 1–3", "answers 4–4"]
        assert {one.outcome for one in steps} == {Step.Outcome.OK}
        assert len(measured.stored(run)) == 4

    def test_gives_the_same_twice(self):
        measured.brought()

        first = measured.done(measured.over_import())
        second = measured.done(measured.over_import(number=2))

        assert first.pk != second.pk
        assert measured.stored(first) == measured.stored(second)
        assert first.config_sha == second.config_sha

    def test_shows_nothing_of_a_round_before_it_is_final(self):
        round_ = rounds.graded(state="REVIEW")

        run = measured.done(measured.asked(measured.choice(["words"]), round_=round_))

        assert Judgment.objects.filter(run=run).count() == 8
        assert not Judgment.objects.seen().exists()
        Round.objects.filter(pk=round_.pk).update(state="FINAL")
        assert Judgment.objects.seen().count() == 8

    def test_counts_once_however_often_an_answer_is_measured(self):
        measured.brought()

        for number in (1, 2):
            measured.done(measured.over_import(["words"], number=number))
        unfinished = measured.over_import(["words"], number=3)

        assert unfinished.state == Run.State.STAGED
        assert Judgment.objects.count() == 8
        assert Judgment.objects.counted().count() == 4
        assert {one.run.number for one in Judgment.objects.counted()} == {2}

    def test_counts_an_answer_of_two_rounds_once_and_what_is_hidden_not_at_all(self):
        first, second = rounds.graded(number=1), rounds.graded(number=2, state="REVIEW")
        shared = first.items.earliest("pk").responses.earliest("pk").response
        second.items.earliest("pk").responses.update(response=shared)
        for number, round_ in ((1, first), (2, second)):
            measured.done(measured.asked(measured.choice(["words"]), number=number, round_=round_))

        hidden = Judgment.objects.counted().filter(response=shared).get()
        Round.objects.filter(pk=second.pk).update(state="FINAL")
        final = Judgment.objects.counted().filter(response=shared).get()

        assert (hidden.run.round, final.run.round) == (first, second)

    def test_measures_the_answers_of_its_round_alone(self):
        first, second = rounds.graded(number=1), rounds.graded(number=2)

        run = measured.done(measured.asked(measured.choice(["words"]), round_=second))

        judged = set(Judgment.objects.filter(run=run).values_list("response", flat=True))
        assert judged == set(second.items.values_list("responses__response", flat=True))
        assert judged.isdisjoint(first.items.values_list("responses__response", flat=True))

    def test_refuses_raters_that_are_not_its_own(self):
        measured.brought()
        run = measured.over_import(["words"])
        other = machines.judge(in_=make.project("southgate"))
        run.config["raters"] = {"words": [other.rater_id, 1]}

        with pytest.raises(metrics.LostRaters):
            metrics.KIND.check(run)

    def test_can_be_called_off(self):
        measured.brought()
        run = measured.over_import()

        control.cancel(run=run, user=make.user("northport-owner"), now=make.NOW)
        measured.done(run)

        assert run.state == Run.State.CANCELLED
        assert not Judgment.objects.exists()


class TestMeasureSystem:
    def test_says_why_there_is_nothing(self):
        assert metrics.measure_system([], ["bleu"]) == {"bleu": "no_reference"}


class TestProtocol:
    def test_is_named(self):
        measured.brought()

        assert measured.over_import().protocol == metrics.PROTOCOL
