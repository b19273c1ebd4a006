import pytest
from django.http import Http404

from annotation.people.models import Role
from annotation.people.permissions import Scope
from annotation.rounds.models import Round
from scoring.engine import queries as run_reading
from tests import make
from tests.scoring import run_rows

pytestmark = pytest.mark.django_db


def scope(user):
    return Scope(make.project(), user, frozenset({Role.ANALYST}))


class TestAllowed:
    def test_keeps_the_texts_of_an_open_round_from_its_annotators(self):
        round_ = make.open_round()
        run = run_rows.run(round=round_)
        annotator = make.account(make.annotators(round_)[0])

        with pytest.raises(run_reading.NotForItsAnnotators):
            run_reading.allowed(scope(annotator), run.number)

        assert run_reading.reading_of(scope(annotator), run.number).is_closed

    def test_lets_them_in_once_it_is_final(self):
        round_ = make.open_round()
        run = run_rows.run(round=round_)
        annotator = make.account(make.annotators(round_)[0])
        Round.objects.update(state="FINAL")

        assert run_reading.allowed(scope(annotator), run.number).run == run

    def test_knows_no_run_of_another_project(self):
        run = run_rows.run(in_=make.project("southgate"))

        with pytest.raises(Http404):
            run_reading.reading_of(scope(make.user()), run.number)


class TestReading:
    def test_hides_nothing_of_a_run_over_no_round(self):
        reading = run_reading.reading_of(scope(make.user()), run_rows.run().number)

        assert not reading.hides("judge")
        assert reading.shown

    def test_hides_the_side_of_the_judge(self):
        run = run_rows.run(round=make.open_round())
        reading = run_reading.reading_of(scope(make.user()), run.number)

        assert reading.hides("judge")
        assert not reading.hides("candidate")
