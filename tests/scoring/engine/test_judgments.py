import pytest

from annotation.rounds.models import Round
from scoring.engine.models import Judgment, Run
from tests import make
from tests.scoring import beside_people, judged, rounds

pytestmark = pytest.mark.django_db


def counting():
    """Return the runs whose judgments count, by number."""
    rows = Judgment.objects.counted().filter(run__isnull=False)
    return set(rows.values_list("run__number", flat=True))


class TestSeen:
    @pytest.mark.parametrize("state", ["OPEN", "REVIEW"])
    def test_hides_what_was_judged_until_the_round_is_final(self, state):
        round_ = rounds.graded(state=state)
        judged.ran(round_)

        assert Judgment.objects.exists()
        assert not Judgment.objects.seen().exists()
        Round.objects.filter(pk=round_.pk).update(state="FINAL")
        assert Judgment.objects.seen().count() == Judgment.objects.count()


class TestCounted:
    def test_takes_the_run_of_a_judge_that_finished_last(self):
        round_, judge = rounds.graded(), judged.judge()
        judged.ran(round_, judge, 1)
        second, third = (judged.requested(round_, judge, number) for number in (2, 3))
        judged.done(third, minute=5)
        judged.done(second, minute=9)

        assert counting() == {second.number}

    def test_takes_no_run_that_is_not_finished(self):
        round_, judge = rounds.graded(), judged.judge()
        judged.ran(round_, judge, 1)
        later = judged.ran(round_, judge, 2)
        Run.objects.filter(pk=later.pk).update(state="CANCELLED")

        assert counting() == {1}
        Run.objects.update(state="RUNNING")
        assert counting() == set()

    def test_of_two_that_finish_at_once_takes_the_later_one(self):
        round_, judge = rounds.graded(), judged.judge()
        for number in (1, 2):
            judged.done(judged.requested(round_, judge, number), minute=3)

        assert counting() == {2}

    def test_every_judge_and_every_round_has_a_last_run_of_its_own(self):
        first, second = rounds.graded(), make.open_round()
        Round.objects.filter(pk=second.pk).update(state="FINAL")
        judge = judged.judge()
        judged.ran(first, judge, 1)
        judged.ran(second, judge, 2)
        judged.ran(first, judged.judge("Other", reference=False), 3)

        assert counting() == {1, 2, 3}

    def test_always_takes_what_was_imported(self):
        beside_people.world()

        assert Judgment.objects.counted().count() == Judgment.objects.count() > 0
