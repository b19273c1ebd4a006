from datetime import timedelta

import pytest

from annotation.common import beats
from annotation.grading.models import Invalidation
from annotation.rounds.models import Round
from evalsite import queue
from scoring.figures import operations as figures
from scoring.figures.models import Figure
from tests import make
from tests.scoring import rounds

pytestmark = pytest.mark.django_db(transaction=True)


def get(round_, minutes=0.0, **params):
    return figures.get(name="scores", round_=round_, params=params, now=make.at(minutes))


def ready(figure, minutes=0.0):
    figures.store(figure=figure, data={"n": 1}, now=make.at(minutes))
    return figure


class TestGet:
    def test_asks_for_a_figure_once(self):
        round_ = rounds.graded()

        first, second = get(round_), get(round_)

        assert first.pk == second.pk
        assert queue.waiting("insight") == [(figures.JOB, {"figure_id": first.pk})]

    def test_finds_what_was_computed_for_the_same_ratings(self):
        round_ = rounds.graded()
        ready(get(round_))

        assert get(round_).data == {"n": 1}

    def test_asks_anew_for_other_params(self):
        round_ = rounds.graded()
        ready(get(round_))

        assert get(round_, weights={"1": "2"}).state == Figure.State.WANTED

    def test_asks_anew_once_a_grade_is_declared_invalid(self):
        round_ = rounds.graded()
        ready(get(round_))
        Invalidation.objects.create(
            round=round_,
            kind="GRADE",
            grade=round_.grades.first(),
            reason="Slip.",
            by=round_.created_by,
            at=make.NOW,
        )

        assert get(round_).state == Figure.State.WANTED

    def test_of_an_open_round_may_be_a_minute_old(self):
        round_ = rounds.graded(state="OPEN")
        ready(get(round_))
        round_.grades.last().delete()

        assert get(round_, 0.5).state == Figure.State.READY
        assert get(round_, 1.5).state == Figure.State.WANTED

    def test_that_has_nothing_to_show_is_not_asked_for_with_every_grade(self):
        round_ = rounds.graded(state="OPEN")
        figures.leave_empty(figure=get(round_), reason="Nobody graded.", now=make.NOW)
        round_.grades.last().delete()

        assert get(round_, 0.5).state == Figure.State.EMPTY
        assert get(round_, 1.5).state == Figure.State.WANTED

    def test_that_has_nothing_to_show_goes_when_there_is_something(self):
        round_ = rounds.graded(state="OPEN")
        empty = get(round_)
        figures.leave_empty(figure=empty, reason="Nobody graded.", now=make.NOW)
        round_.grades.last().delete()
        ready(get(round_, 1.5), 2)

        assert not Figure.objects.filter(pk=empty.pk).exists()

    @pytest.mark.parametrize("state", ["OPEN", "FINAL"])
    def test_asks_anew_for_what_another_version_of_the_program_computed(self, monkeypatch, state):
        round_ = rounds.graded(state=state)
        old = ready(get(round_))
        monkeypatch.setattr(figures, "fingerprint", lambda: "another")

        new = get(round_, 0.5)

        assert (new.state, new.ratings_sha) == (Figure.State.WANTED, old.ratings_sha)
        assert new.pk != old.pk

    def test_of_a_final_round_is_never_old(self):
        round_ = rounds.graded(state="OPEN")
        ready(get(round_))
        Round.objects.filter(pk=round_.pk).update(state="FINAL", revision=1)
        round_.refresh_from_db()

        assert get(round_).state == Figure.State.WANTED


class TestStore:
    def test_drops_what_it_replaces(self):
        round_ = rounds.graded()
        ready(get(round_))
        Round.objects.filter(pk=round_.pk).update(revision=2)
        round_.refresh_from_db()

        ready(get(round_, 1), 1)

        assert Figure.objects.count() == 1

    def test_keeps_the_newest_of_all_that_was_tried(self, monkeypatch):
        monkeypatch.setattr(figures, "MOST_KEPT", 2)
        round_ = rounds.graded()

        for n in range(4):
            ready(get(round_, n, weights={"1": str(n)}), n)

        kept = Figure.objects.order_by("pk").values_list("params", flat=True)
        assert [one["weights"]["1"] for one in kept] == ["2", "3"]

    def test_drops_what_another_version_of_the_program_computed(self, monkeypatch):
        round_ = rounds.graded()
        ready(get(round_))
        ready(get(round_, weights={"1": "2"}))
        monkeypatch.setattr(figures, "fingerprint", lambda: "another")

        ready(get(round_, 1), 1)

        assert Figure.objects.get().params == {"formula": "another"}


class TestLease:
    def test_is_given_to_one_until_it_is_over(self):
        figure = get(rounds.graded())

        assert figures.lease(figure_id=figure.pk, now=make.NOW) is not None
        assert figures.lease(figure_id=figure.pk, now=make.at(1)) is None
        assert figures.lease(figure_id=figure.pk, now=make.at(6)) is not None

    def test_is_given_no_more_after_three_workers_ended(self):
        figure = get(rounds.graded())
        for tried in range(beats.TRIES):
            assert figures.lease(figure_id=figure.pk, now=make.at(6 * tried)) is not None

        assert figures.lease(figure_id=figure.pk, now=make.at(60)) is None

        figure.refresh_from_db()
        assert figure.state == Figure.State.FAILED
        assert "ended three times" in figure.problem
        assert figures.ring_for_waiting(make.at(120)) == 0

    def test_is_given_again_where_somebody_asks_for_that(self):
        figure = get(rounds.graded())
        Figure.objects.update(tries=beats.TRIES)
        figures.fail(figure=figure, problem="No.")

        figures.ask_again(round_=figure.round, now=make.at(1))

        assert figures.lease(figure_id=figure.pk, now=make.at(2)) is not None


class TestRingForWaiting:
    def test_rings_for_what_nobody_computes(self):
        figure = get(rounds.graded())
        queue.burst("insight")
        Figure.objects.filter(pk=figure.pk).update(state="WANTED", lease_until=None)

        assert figures.ring_for_waiting(make.NOW + timedelta(seconds=30)) == 1
        assert len(queue.waiting("insight")) == 1


class TestAskAgain:
    def test_wants_a_failed_figure_once_more(self):
        figure = get(rounds.graded())
        figures.fail(figure=figure, problem="No.")

        figures.ask_again(round_=figure.round, now=make.at(1))

        figure.refresh_from_db()
        assert (figure.state, figure.problem) == (Figure.State.WANTED, "")
