from fractions import Fraction

import numpy as np
import pytest

from scoring.stats.plain import Reason
from scoring.stats.scores import scores
from tests.scoring.ratings import frame_of, rated, width


def quick(records, **options):
    return scores.scores(frame_of(records), **{"resamples": 50, **options})


class TestScoresRefuse:
    def test_accuracy_without_a_pass_mark_on_a_scale_not_from_0(self):
        made = quick([rated("q1", 2, scale_min=1)])

        found = made.find("A", figure="accuracy")

        assert found.value is None
        assert found.reason is Reason.NO_THRESHOLD
        assert found.interval_reason is Reason.NO_THRESHOLD
        assert "pass mark" in found.reason.sentence

    @pytest.mark.parametrize("top", [None, 0])
    def test_a_share_of_an_open_or_empty_scale(self, top):
        assert quick([rated("q1", 0, top=top)]).find("A").reason is Reason.OPEN_SCALE

    def test_an_interval_from_one_question(self):
        found = quick([rated("q1", 2), rated("q1", 1, rater="r2")]).find("A", "k1")

        assert found.value == Fraction(1, 2)
        assert found.low is None
        assert found.interval_reason is Reason.FEW_QUESTIONS

    def test_an_overall_interval_when_one_capability_has_one_question(self):
        records = [rated("q1", 2), rated("q2", 1), rated("q3", 1, capability="k2")]

        assert quick(records).find("A").interval_reason is Reason.FEW_QUESTIONS

    @pytest.mark.parametrize("n", [2, 3])
    def test_an_interval_from_two_or_three_questions(self, n):
        found = quick([rated(f"q{i}", i) for i in range(n)]).find("A", "k1")

        assert found.interval_reason is Reason.FEW_QUESTIONS
        assert "at least four questions" in found.interval_reason.sentence

    def test_an_interval_of_a_criterion_with_one_question_beside_others(self):
        records = [rated(f"q{i}", i % 4) for i in range(8)]
        records.append(rated("q1", 1, criterion="c2"))

        assert quick(records).find("A", "k1").interval_reason is Reason.FEW_QUESTIONS

    def test_an_interval_nobody_asked_for(self):
        records = [rated("q1", 2), rated("q2", 1)]

        assert quick(records, resamples=0).find("A").interval_reason is Reason.NOT_RESAMPLED

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
    def test_resample_capabilities_apart_unless_they_share_questions(self):
        apart = [
            rated(f"{capability}{i}", i % 4, capability=capability)
            for capability in ("k1", "k2")
            for i in range(20)
        ]
        shared = [{**record, "group": record["group"][2:]} for record in apart]

        wide = quick(shared, resamples=1000).find("A")
        narrow = quick(apart, resamples=1000).find("A")

        assert (wide.n_questions, narrow.n_questions) == (20, 40)
        assert width(wide) == pytest.approx(np.sqrt(2) * width(narrow), rel=0.15)
