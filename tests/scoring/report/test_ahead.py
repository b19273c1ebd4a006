"""Figures of rounds that have become final are there before somebody looks."""

from datetime import timedelta

import pytest
from django.urls import reverse

from annotation.people.models import Role
from annotation.rounds import drafting as unblinding
from annotation.rounds.models import Round
from evalsite import panels
from scoring.figures.models import Figure
from scoring.report import queries as ahead
from tests import make
from tests.scoring import beside_people, rounds, worked
from tests.scoring.worker import compute

pytestmark = pytest.mark.django_db
PAGES = (
    "results",
    "results_breakdown",
    "results_agreement",
    "results_disputes",
    "results_annotators",
    "results_model",
    "results_plan",
    "results_report",
)


def final(**wanted):
    """Return a round that became final at minute 10, in a project with an owner."""
    round_ = rounds.graded(**wanted)
    make.member(Role.OWNER, in_=round_.project)
    Round.objects.filter(pk=round_.pk).update(final_at=make.at(10))
    return round_


class TestSweep:
    def test_asks_for_what_the_pages_of_a_final_round_show(self, client, analyst):
        final()

        assert ahead.sweep(make.at(11)) == 1

        compute()
        there = Figure.objects.count()
        for page in PAGES:
            answer = client.get(reverse(page, args=["northport", 1])).content.decode()
            assert "being computed" not in answer, page
        assert Figure.objects.count() == there

    def test_asks_for_what_moved_and_the_trend(self):
        for one in worked.two_rounds():
            Round.objects.filter(pk=one.pk).update(final_at=make.at(10))
            owner = make.member(Role.OWNER, in_=one.project)
            unblinding.show_names(round_=one, by=owner, now=make.NOW)

        ahead.sweep(make.at(11))

        asked = Figure.objects.filter(round__number=2)
        assert asked.filter(name="fluctuation").exists()
        assert asked.filter(name="trend").exists()

    def test_asks_for_what_the_pages_of_judges_show(self, as_analyst):
        beside_people.world()
        make.member(Role.OWNER, in_=Round.objects.get().project)
        Round.objects.update(kind=Round.Kind.IMPORTED, state="FINAL", final_at=make.at(10))
        key = beside_people.judge("good")

        ahead.sweep(make.at(11))
        compute()

        there = Figure.objects.count()
        for page in ("judges/people", f"judges/{key}/people"):
            answer = as_analyst.get(f"/p/northport/{page}/").content.decode()
            assert "being computed" not in answer, page
        assert Figure.objects.count() == there

    def test_asks_once(self):
        final()

        assert [ahead.sweep(make.at(minute)) for minute in (11, 12)] == [1, 0]

    def test_asks_again_once_the_program_computes_otherwise(self):
        final()
        ahead.sweep(make.at(11))
        Figure.objects.update(params={"formula": "of an earlier version"})

        assert ahead.sweep(make.at(12)) == 1

    def test_what_was_computed_before_the_round_was_final_does_not_count(self):
        final()
        ahead.sweep(make.at(11))
        Figure.objects.update(wanted_at=make.at(9))

        assert ahead.sweep(make.at(12)) == 1

    @pytest.mark.parametrize(
        "otherwise",
        [
            {"state": "REVIEW"},
            {"kind": Round.Kind.TRIAL},
            {"final_at": make.at(10) - timedelta(32)},
        ],
    )
    def test_leaves_alone_rounds_that_are_not_lately_final(self, otherwise):
        final()
        Round.objects.update(**otherwise)

        assert ahead.sweep(make.at(11)) == 0
        assert not Figure.objects.exists()

    def test_does_a_few_rounds_at_once(self):
        first = final()
        for number in range(2, ahead.AT_ONCE + 3):
            rounds.graded(number=number, in_=first.project)
        Round.objects.update(final_at=make.at(10))

        assert [ahead.sweep(make.at(minute)) for minute in (11, 12, 13)] == [ahead.AT_ONCE, 2, 0]

    def test_is_called_by_the_sweeper(self):
        assert panels.registered()["results.ask"] is ahead.sweep
