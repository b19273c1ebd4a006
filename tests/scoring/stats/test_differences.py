import itertools
import json
from fractions import Fraction

import pytest
from hypothesis import given, settings

from scoring.stats import differences, scores
from scoring.stats.reasons import Reason
from tests.scoring.ratings import frame_of, rated, record_lists, width
from tests.scoring.stats.test_scores import paper_records


def scored(records, **options):
    return scores.scores(frame_of(records), **{"resamples": 300, **options})


def paired(marks_a, marks_b):
    return [
        rated(f"q{i}", mark, release=release)
        for release, marks in (("A", marks_a), ("B", marks_b))
        for i, mark in enumerate(marks)
    ]


class TestDifferences:
    def test_are_those_of_the_lalaeval_example(self, golden):
        records, _ = paper_records(golden)

        (found,) = differences.differences(scored(records))

        assert (found.left, found.right) == ("A", "B")
        assert found.value == Fraction(125, 168) - Fraction(71, 168)

    @settings(max_examples=25)
    @given(record_lists())
    def test_turn_their_sign_with_the_pair(self, records):
        made = scored(records, resamples=50)
        pairs = list(itertools.combinations(made.releases, 2))

        there = differences.differences(made, pairs=pairs)
        back = differences.differences(made, pairs=[(b, a) for a, b in pairs])

        for one, other in zip(there, back, strict=True):
            assert one.reason is other.reason
            if one.value is not None and other.value is not None:
                assert one.value == -other.value
            if one.low is not None and other.high is not None:
                assert one.low == pytest.approx(-other.high, abs=1e-9)

    def test_are_narrower_than_unpaired_where_questions_are_hard_for_both(self):
        made = scored(paired([0, 1, 2, 3] * 8, [1, 1, 2, 3] * 8), resamples=1000)

        (found,) = differences.differences(made, capability="k1")

        a = made.find("A")
        assert width(found) < width(a) / 2
        assert found.value == Fraction(-1, 12)
        assert json.dumps(found.plain(), allow_nan=False)

    def test_can_be_taken_in_a_group_and_for_accuracy(self):
        made = scored(paired([3, 2, 1, 1], [0, 2, 0, 1]), groups={"All": ["k1"]})

        (found,) = differences.differences(made, group="All", figure="accuracy")

        assert (found.value, found.group) == (Fraction(1, 2), "All")

    def test_refuse_systems_graded_on_different_parts(self):
        records = [
            *paired([3, 2, 1], [1, 2, 0]),
            *(rated(f"z{i}", i, release="B", capability="k2") for i in range(3)),
        ]

        (found,) = differences.differences(scored(records))

        assert (found.value, found.reason) == (None, Reason.DIFFERENT_PARTS)

    def test_refuse_what_one_side_has_no_grades_for(self):
        records = [rated("q1", 3), rated("q2", 3, release="B", capability="k2")]

        (found,) = differences.differences(scored(records), capability="k2")

        assert found.reason is Reason.NO_GRADES

    def test_refuse_an_interval_from_one_question_or_without_resamples(self):
        (one,) = differences.differences(scored(paired([3], [1])))
        (none,) = differences.differences(scored(paired([3, 1], [1, 1]), resamples=0))

        assert (one.value, one.interval_reason) == (Fraction(2, 3), Reason.FEW_QUESTIONS)
        assert none.interval_reason is Reason.NOT_RESAMPLED

    def test_refuse_a_release_that_was_not_scored(self):
        with pytest.raises(KeyError):
            differences.differences(scored(paired([3], [1])), pairs=[("A", "Z")])
