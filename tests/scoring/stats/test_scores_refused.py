from fractions import Fraction

import numpy as np
import pytest

from scoring.stats.plain import Reason
from scoring.stats.scores import scores
from tests.scoring.ratings import frame_of, rated, width


def quick(records, **options):
    return scores.scores(frame_of(records), **options)


class TestScoresRefuse:
    def test_accuracy_without_a_pass_mark_on_a_scale_not_from_0(self):
        made = quick([rated("q1", 2, scale_min=1)])

        found = made.find("A", figure="accuracy")

        assert found.value is None
        assert found.reason is Reason.NO_THRESHOLD
        assert found.these.interval_reason is Reason.NO_THRESHOLD
        assert "pass mark" in found.reason.sentence

    @pytest.mark.parametrize("top", [None, 0])
    def test_a_share_of_an_open_or_empty_scale(self, top):
        assert quick([rated("q1", 0, top=top)]).find("A").reason is Reason.OPEN_SCALE

    def test_an_interval_from_one_question(self):
        found = quick([rated("q1", 2), rated("q1", 1, rater="r2")]).find("A", "k1")

        assert found.value == Fraction(1, 2)
        assert found.these.low is None
        assert found.these.interval_reason is Reason.UNDER_SIX

    @pytest.mark.parametrize("n", [2, 5])
    def test_an_interval_from_fewer_than_six_questions(self, n):
        found = quick([rated(f"q{i}", i) for i in range(n)]).find("A", "k1").these

        assert found.interval_reason is Reason.UNDER_SIX
        assert "at least six questions" in found.interval_reason.sentence

    @pytest.mark.parametrize(
        ("marks", "why"),
        [
            ([3] * 20, Reason.NO_SPREAD),
            ([3] * 16 + [2] * 4, Reason.FEW_DIFFERENT),
            ([3] * 15 + [2] * 5, None),
        ],
    )
    def test_an_interval_unless_five_questions_differ_from_the_commonest(self, marks, why):
        found = quick([rated(f"q{i}", mark) for i, mark in enumerate(marks)]).find("A").these

        assert found.interval_reason is why
        assert (found.low is None) == (why is not None)

    @pytest.mark.parametrize(("n", "why"), [(2, Reason.FEW_RATERS), (3, None)])
    def test_to_speak_of_other_annotators_below_three(self, n, why):
        found = quick(
            [rated(f"q{i}", (i + j) % 4, rater=f"r{j}") for i in range(12) for j in range(n)]
        ).find("A")

        assert found.these.low is not None
        assert found.others.interval_reason is why

    def test_an_interval_nobody_asked_for(self):
        records = [rated("q1", 2), rated("q2", 1)]

        assert (
            quick(records, intervals=False).find("A").these.interval_reason is Reason.NOT_RESAMPLED
        )

    def test_an_overall_score_of_weight_nothing(self):
        assert quick([rated("q1", 2)], weights={"k1": 0}).find("A").reason is Reason.NO_WEIGHT

    @pytest.mark.parametrize("weight", [-1, "heavy", float("nan"), float("inf")])
    def test_a_strange_weight(self, weight):
        with pytest.raises(ValueError, match="weight of k1"):
            quick([rated("q1", 2)], weights={"k1": weight})

    def test_rows_without_a_question(self):
        with pytest.raises(ValueError, match="no group"):
            quick([rated(None, 2)])

    def test_sums_beyond_what_is_exact(self):
        with pytest.raises(ValueError, match="summed exactly"):
            quick([rated("q1", 2.0**53, top=2.0**53)])

    def test_a_row_that_does_not_exist(self):
        with pytest.raises(KeyError):
            quick([rated("q1", 2)]).find("Z")


class TestIntervals:
    def test_take_a_question_of_several_capabilities_as_one(self):
        apart = [
            rated(f"{capability}{i}", i % 4, capability=capability)
            for capability in ("k1", "k2")
            for i in range(20)
        ]
        shared = [{**record, "group": record["group"][2:]} for record in apart]

        wide, narrow = (quick(records).find("A") for records in (shared, apart))

        assert (wide.n_questions, narrow.n_questions) == (20, 40)
        assert width(wide.these) == pytest.approx(np.sqrt(2) * width(narrow.these), rel=0.1)

    def test_are_not_lost_by_one_capability_or_criterion_with_a_single_question(self):
        records = [rated(f"q{i}", i % 4) for i in range(8)]
        whole = width(quick(records).find("A").these)

        part = quick([*records, rated("z", 1, capability="k2")]).find("A").these
        side = quick([*records, rated("q1", 1, criterion="c2")]).find("A", "k1").these

        # Half of the weight rests on one question now, whose variance is taken from the others.
        assert whole < width(part) <= 1
        assert whole < width(side) <= 1
