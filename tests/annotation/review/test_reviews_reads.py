import pytest

from annotation.review import operations as reviews
from tests import make
from tests.annotation import reviewed
from tests.scoring import rounds

pytestmark = pytest.mark.django_db


class TestStandings:
    def test_leaves_out_what_was_taken_back(self):
        round_ = rounds.graded(n_items=2)
        first = reviewed.decide("KEEP", round_)
        second = reviewed.decide("KEEP", round_, n=1)

        reviewed.take_back(first)

        assert reviews.standings(round_) == {(second.item_id, 0): [second]}


class TestLines:
    def test_asks_the_database_as_often_for_many_as_for_one(self, django_assert_num_queries):
        round_ = rounds.graded(n_items=3)
        for n in range(3):
            reviewed.decide("STRIKE_GRADE", round_, n=n)

        with django_assert_num_queries(1):
            found = reviews.lines(reviews.decisions_of(round_))
            assert [one.decision.by.display_name for one in found] == ["Reviewer"] * 3

    def test_says_what_can_be_taken_back(self):
        round_ = rounds.graded(n_items=1, state="REVIEW")
        for act in ("STRIKE_GRADE", "REGRADE"):
            reviewed.decide(act, round_)

        found = reviews.lines(reviews.decisions_of(round_))

        assert [(one.decision.act, one.can_be_reversed) for one in found] == [
            ("REGRADE", False),
            ("STRIKE_GRADE", True),
        ]


class TestHasPart:
    def test_is_so_for_whoever_graded_and_for_nobody_else(self):
        round_ = rounds.graded(n_items=1)

        assert reviews.has_part(round_, make.account(reviewed.grade(round_).rater))
        assert not reviews.has_part(round_, reviewed.reviewer(round_))


class TestWaiting:
    def test_is_what_others_decided_and_nobody_confirmed_or_took_back(self):
        round_ = rounds.graded(n_items=3)
        reviewed.decide("STRIKE_GRADE", round_)
        reviewed.two_reviewers(round_)
        mine = reviewed.reviewer(round_, "second")
        reviewed.decide("STRIKE_GRADE", round_, n=1)
        reviewed.decide("KEEP", round_, n=1, by=mine)
        reviewed.take_back(reviewed.decide("STRIKE_GRADE", round_, n=2))

        assert reviews.waiting(round_.project, mine) == [reviews.WaitingDecisions(1, "Round 1", 1)]
