from datetime import timedelta

import pytest

from annotation.grading import worklist as workmessages
from annotation.rounds.models import Round
from tests import make

pytestmark = pytest.mark.django_db


class TestListMessages:
    @pytest.mark.parametrize(
        ("asks", "says"),
        [
            (None, ""),
            (make.NOW, "You get questions you have qualified for."),
        ],
    )
    def test_promise_of_an_open_round_only_what_it_gives(self, asks, says):
        round_ = make.open_round()
        Round.objects.update(qualified_only_since=asks)

        told = workmessages.list_messages(round_.project, make.annotators(round_)[0], make.at(1))

        assert [(one.title, one.text) for one in told] == [("A round is open", says)]

    def test_keep_a_name_of_another_direction_from_rearranging_the_sentence(self):
        round_ = make.open_round()
        Round.objects.update(name="\u0645\u0642\u0627\u0631\u0646\u0629 2")

        (told,) = workmessages.list_messages(round_.project, make.annotators(round_)[0], make.at(1))

        assert told.title == "\u2068\u0645\u0642\u0627\u0631\u0646\u0629 2\u2069 is open"

    def test_that_came_at_once_stand_in_the_order_of_their_rounds(self):
        first = make.open_round()
        second = make.open_round(in_=first.project)
        for one in (first, second):
            Round.objects.filter(pk=one.pk).update(name=f"Round {one.number}")

        told = workmessages.list_messages(first.project, make.annotators(first)[0], make.at(1))

        assert [one.title for one in told] == ["Round 2 is open", "Round 1 is open"]

    @pytest.mark.parametrize(
        ("closes", "since"),
        [
            (timedelta(days=2), make.NOW),  # it closed soon when it was opened
            (timedelta(days=5), make.NOW + timedelta(days=2)),
        ],
    )
    def test_that_a_round_closes_soon_are_never_older_than_the_round(self, closes, since):
        round_ = make.open_round()
        Round.objects.update(deadline=make.NOW + closes)
        now = since + timedelta(minutes=1)

        told = workmessages.list_messages(round_.project, make.annotators(round_)[0], now)

        assert [one.at for one in told if one.title == "A round closes soon"] == [since]
