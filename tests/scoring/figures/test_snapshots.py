import pandas as pd
import pytest

from scoring import jobs as scoring_jobs
from scoring.figures import snapshots
from scoring.figures.models import Snapshot
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestEnsure:
    def test_writes_the_ratings_of_a_final_round_once(self):
        round_ = rounds.graded()

        first = snapshots.ensure(round_=round_, now=make.NOW)
        again = snapshots.ensure(round_=round_, now=make.at(5))

        assert first == again
        assert first.n_ratings == 24
        pd.testing.assert_frame_equal(snapshots.table([round_]), snapshots.from_rows([round_]))

    def test_makes_one_anew_for_another_revision(self):
        round_ = rounds.graded()
        old = snapshots.ensure(round_=round_, now=make.NOW)
        round_.revision = 2
        round_.save(update_fields=["revision"])

        new = snapshots.ensure(round_=round_, now=make.NOW)

        assert list(Snapshot.objects.all()) == [new]
        assert new != old

    def test_makes_one_anew_that_cannot_be_read(self):
        round_ = rounds.graded()
        snapshots.ensure(round_=round_, now=make.NOW)
        Snapshot.objects.update(data=b"damaged")
        snapshots.forget()

        snapshots.ensure(round_=round_, now=make.NOW)

        assert snapshots.unpacked(round_) is not None

    def test_leaves_rounds_that_are_not_final(self):
        assert snapshots.ensure(round_=rounds.graded(state="REVIEW"), now=make.NOW) is None


class TestFigures:
    def test_are_the_same_from_a_snapshot(self):
        round_ = rounds.graded(n_items=6)
        names = ("scores", "agreement", "disputes", "raters", "plan")
        before = [scoring_jobs.compute(name=name, round_=round_, params={}) for name in names]

        snapshots.ensure(round_=round_, now=make.NOW)

        assert [
            scoring_jobs.compute(name=name, round_=round_, params={}) for name in names
        ] == before
