from datetime import timedelta

import pytest

from annotation.inspection import rules
from annotation.inspection.rules import Handed

HOUR = timedelta(hours=1)
SECONDS = HOUR.total_seconds()


def handed(hours=None, returned=False, mended_after=None, designer=1) -> Handed:
    """Return a version decided after so many hours, mended so many after it came back."""
    waited = None if hours is None else hours * SECONDS
    mended = None if mended_after is None else mended_after * SECONDS
    return Handed(designer, returned, waited, mended)


class TestFigures:
    def test_count_what_was_decided_and_never_what_waits(self):
        found = rules.figures(
            [handed(1), handed(3, returned=True), handed(5, mended_after=2), handed()]
        )

        assert (found.n_submitted, found.n_decided, found.n_returned) == (4, 3, 1)
        assert found.return_rate == pytest.approx(1 / 3)
        assert (found.n_first, found.n_at_once) == (2, 1)

    def test_take_the_middle_of_the_times(self):
        found = rules.figures([handed(1), handed(2), handed(9), handed(mended_after=4)])

        assert found.inspecting == rules.MedianSpell(2 * HOUR, 3)
        assert found.mending == rules.MedianSpell(4 * HOUR, 1)

    def test_have_no_rate_and_no_time_of_nothing(self):
        found = rules.figures([handed()])

        assert found.return_rate is None
        assert found.inspecting == rules.MedianSpell(None, 0)


class TestSpell:
    def test_lies_between_the_two_in_the_middle(self):
        assert rules.spell([1 * SECONDS, 4 * SECONDS]) == rules.MedianSpell(2.5 * HOUR, 2)


class TestByDesigner:
    def test_keeps_people_apart(self):
        found = rules.by_designer([handed(1), handed(1, returned=True, designer=2)])

        assert {pk: one.n_returned for pk, one in found.items()} == {1: 0, 2: 1}


class TestByReason:
    def test_ranks_and_counts(self):
        found = rules.by_reason({"wrong": 2, "leak": 1, "ambiguous": 1})

        assert [(one.reason, one.n, one.percent) for one in found] == [
            ("wrong", 2, 50),
            ("ambiguous", 1, 25),
            ("leak", 1, 25),
        ]

    def test_is_empty_where_nothing_failed(self):
        assert rules.by_reason({}) == []


class TestNeed:
    @pytest.mark.parametrize(
        ("n_returned", "n_decided", "limit", "needed"),
        [
            (2, 5, 30, True),
            (2, 5, 40, False),  # exactly the limit is not above it
            (4, 4, 30, False),  # too few to say
            (0, 9, 1, False),
            (0, 0, 30, False),
        ],
    )
    def test_begins_above_the_limit_with_enough_decisions(
        self, n_returned, n_decided, limit, needed
    ):
        found = rules.need(n_returned, n_decided, [], limit)

        assert (found.too_many, found.is_there) == (needed, needed)

    def test_begins_with_a_question_that_was_invalidated(self):
        found = rules.need(0, 0, ["Q1"], 30)

        assert found.is_there
        assert found.invalidated == ("Q1",)
