import pytest

from annotation import models
from annotation.review import operations as looks
from annotation.rounds import states
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


def look(round_, rater, note="Asked: a misread rubric."):
    return looks.look(
        round_=round_,
        rater=rater,
        because={"gold": 12},
        note=note,
        by=round_.created_by,
        now=make.NOW,
    )


class TestLook:
    def test_is_kept_and_nothing_follows_from_it(self):
        round_ = rounds.graded(n_items=1)
        grades = list(models.Grade.objects.values())

        made = look(round_, round_.annotators.first().rater)

        assert (made.because, models.Invalidation.objects.count()) == ({"gold": 12}, 0)
        assert list(models.Grade.objects.values()) == grades

    @pytest.mark.parametrize("note", ["", "  ", "x" * 1001])
    def test_says_what_was_found(self, note):
        round_ = rounds.graded(n_items=1)

        with pytest.raises(looks.NoteMissing):
            look(round_, round_.annotators.first().rater, note)

    def test_refuses_those_whose_signals_they_are(self):
        round_ = rounds.graded(n_items=1)
        rater = round_.annotators.first().rater

        with pytest.raises(looks.OwnSignals):
            looks.look(
                round_=round_,
                rater=rater,
                because={"gold": 12},
                note="I was tired.",
                by=make.account(rater),
                now=make.NOW,
            )

        assert not models.Look.objects.exists()

    def test_refuses_somebody_who_graded_nothing(self):
        with pytest.raises(states.NotOfThisRound):
            look(rounds.graded(n_items=1), make.rater(make.user("elsewhere")))
