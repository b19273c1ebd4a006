from fractions import Fraction

import pytest

from scoring.movement import board
from scoring.movement import queries as movement
from tests.scoring import moved


def told(same=3, common=5, intervals=None, **causes):
    found = moved.whole(moved.figure(None, intervals, **causes), common=common, same=same)
    return board.sentences(movement.ShownMovement(found, "score", None))


class TestSentences:
    def test_name_the_change_the_causes_that_stand_out_and_the_part_of_the_system(self):
        intervals = {
            "change": (0.1, 0.4),
            "questions": (-0.2, -0.05),
            "responses": (0.1, 0.4),
            "same_raters": (-0.1, 0.1),
        }

        assert told(intervals=intervals, questions=-0.1) == [
            "The score rose by 25.0 points (95 %: 10.0 to 40.0).",
            "2 causes stand out (95 % intervals without 0): Other questions (−10.0), Other "
            "responses (+25.0).",
            "Other responses of the system itself: +25.0 (10.0 to 40.0).",
        ]

    @pytest.mark.parametrize("ends", [(-0.1, 0.3), (0.0, 0.3), (-0.3, 0.0)])
    def test_name_no_cause_whose_interval_holds_nought(self, ends):
        found = told(intervals={"responses": ends})

        assert found[1] == "No cause stands out: each 95 % interval holds 0."

    def test_name_a_single_one(self):
        found = told(intervals={"responses": (-0.3, -0.1)}, responses=-0.2)

        assert found[1] == (
            "One cause stands out (95 % interval without 0): Other responses (−20.0)."
        )

    def test_without_intervals_say_so(self):
        assert told(change=Fraction(-1, 4)) == [
            "The score fell by 25.0 points.",
            "No cause has an interval: any may be chance.",
            "Other responses of the system itself: +25.0.",
        ]

    def test_of_a_fall_with_its_interval(self):
        found = told(change=Fraction(-1, 4), intervals={"change": (-0.4, -0.1)})

        assert found[0].endswith("fell by 25.0 points (95 %: −40.0 to −10.0).")

    def test_of_a_score_that_stayed(self):
        found = told(change=Fraction(1, 10_000))

        assert found[0] == "The score is the same, to a tenth of a point."

    def test_say_that_no_response_changed(self):
        found = told(same=5, responses=0.0)

        assert found[-1].startswith("No response to a common question changed")

    def test_claim_nothing_of_the_system_where_drift_is_mixed_in(self):
        found = told(responses=None, same_raters=None, together=0.1)

        assert found[-1] == ("System and annotators cannot be told apart.")

    def test_leave_out_what_nothing_is_known_of(self):
        assert len(told(responses=None)) == 2
        assert len(told(same=0, common=0, responses=0.0)) == 2


def of(criterion, points, **intervals):
    """Return a figure of a criterion, or of all where none is named."""
    return moved.figure(criterion, intervals, change=Fraction(points, 100), responses=points / 100)


class TestByCriterion:
    def test_says_what_rose_and_what_fell_though_nothing_moved_together(self):
        figures = [
            of(None, 0, change=(-0.1, 0.1)),
            of("correct", 37, change=(0.3, 0.4), responses=(0.3, 0.4)),
            of("tone", -37, change=(-0.4, -0.3)),
            of("style", 1, change=(-0.1, 0.1)),
        ]
        found = moved.whole(*figures, common=5)
        criteria = movement.by_criterion(found, "score", {"correct": "Correct", "tone": "Tone"})

        told = board.sentences(movement.ShownMovement(found, "score"), criteria)

        assert [one.title for one in criteria] == ["Correct", "Tone", "style"]
        assert told[0] == "The score is the same, to a tenth of a point."
        assert told[-1] == (
            "By criterion: Correct +37.0, by Other responses (+37.0); "
            "Tone −37.0, by no cause that stands out."
        )


def titled(*figures):
    """Return the title of a movement of all, with those of its criteria."""
    found = moved.whole(*figures)
    criteria = movement.by_criterion(found, "score", {"correct": "Correct", "tone": "Tone"})
    return board.title("Kestrel", movement.ShownMovement(found, "score"), criteria)


class TestTitle:
    def test_says_what_rose_and_what_fell(self):
        assert (
            titled(
                of(None, 0, change=(-0.1, 0.1)),
                of("correct", 37, change=(0.3, 0.4)),
                of("tone", -37, change=(-0.4, -0.3)),
            )
            == "Kestrel rose on Correct, but fell on Tone"
        )

    def test_says_no_more_of_the_whole_than_its_interval_allows(self):
        whole = of(None, 2, change=(-0.1, 0.1))

        assert titled(whole) == "Kestrel rose by 2.0 points, which could be chance"
        assert titled(whole, of("tone", -9, change=(-0.1, -0.01))) == (
            "Kestrel fell on Tone; overall the change could be chance"
        )
        assert titled(of(None, 2)).endswith("no interval")
        assert titled(of(None, 0, change=(-0.1, 0.1))) == "Kestrel stands where it stood"

    def test_names_a_cause_that_is_sure_and_makes_half_of_the_change(self):
        ends = {"change": (0.1, 0.4), "responses": (0.1, 0.4)}

        assert titled(of(None, 25, **ends)) == (
            "Kestrel rose by 25.0 points, mainly by its other responses"
        )
        assert titled(of(None, 25, **ends | {"responses": (-0.1, 0.6)})) == (
            "Kestrel rose by 25.0 points"
        )

    def test_names_no_cause_that_makes_less_than_half(self):
        ends = {"change": (-0.4, -0.1), "responses": (-0.11, -0.09)}
        found = moved.figure(None, ends, change=Fraction(-1, 4), responses=-0.1, other_raters=-0.15)

        assert titled(found) == "Kestrel fell by 25.0 points"
