import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from scoring.stats.plain import Reason
from scoring.stats.scores import differences, scores, shared
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

    def test_leave_out_parts_that_only_one_was_graded_on_and_name_them(self):
        records = [
            *paired([3, 2, 1], [1, 2, 0]),
            *(rated(f"z{i}", i, release="B", capability="k2") for i in range(3)),
        ]

        (found,) = differences.differences(scored(records))

        assert (found.value, found.reason) == (Fraction(3, 9), None)
        assert found.missing == ("k2",)
        assert (found.n_questions, found.n_either) == (3, 6)
        assert (found.n_pairs, found.n_left_out) == (3, 3)

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


def of_equal_systems(rng, n, *, of_a=1.0, raters=("r1", "r2", "r3")):
    """Two systems as good as each other; A was graded on the easier share of the questions alone."""
    hard = np.sort(rng.normal(0, 1, n))
    records = []
    for k, level in enumerate(hard):
        for release in ("A", "B") if k < of_a * n else ("B",):
            worth = level + rng.normal(0, 0.5)
            records += [
                rated(
                    f"q{k:03}",
                    int(np.clip(np.rint(1.5 - worth + rng.normal(0, 0.4)), 0, 3)),
                    release=release,
                    rater=rater,
                )
                for rater in raters
            ]
    return records


class TestOfSystemsThatWereGradedOnDifferentQuestions:
    def test_compare_only_the_questions_that_both_have(self):
        made = scored(of_equal_systems(np.random.default_rng(3), 40, of_a=0.5))

        (found,) = differences.differences(made)

        own = float(made.find("A").value - made.find("B").value)
        assert own > 0.2  # what the easier half alone makes of two equal systems
        assert abs(float(found.value)) < 0.06
        assert found.low < 0 < found.high
        assert found.p > 0.05
        assert (found.n_questions, found.n_either) == (20, 40)
        assert (found.n_pairs, found.n_left_out) == (60, 60)

    def test_compare_only_the_annotators_that_both_have(self):
        # r2 gives everybody two levels less, and was never shown A.
        records = [rated(f"q{i}", 3, release=r) for i in range(6) for r in ("A", "B")]
        records += [rated(f"q{i}", 1, release="B", rater="r2") for i in range(6)]

        (found,) = differences.differences(scored(records))

        assert (found.value, found.n_questions, found.n_left_out) == (0, 6, 6)

    def test_compare_only_the_criteria_that_both_have_by_the_same_annotator(self):
        records = [
            rated(f"q{i}", mark, release=release, criterion=criterion)
            for i in range(6)
            for release, criterion, mark in (("A", "c1", 2), ("B", "c1", 2), ("B", "c2", 0))
        ]

        (found,) = differences.differences(scored(records))

        assert (found.value, found.missing) == (0, ("k1 / c2",))

    def test_refuse_systems_that_nobody_graded_on_the_same_question(self):
        records = [rated(f"q{i}", i % 4, release="A") for i in range(6)]
        records += [rated(f"p{i}", i % 4, release="B") for i in range(6)]

        (found,) = differences.differences(scored(records))

        assert (found.value, found.reason) == (None, Reason.NOTHING_SHARED)
        assert found.interval_reason is Reason.NOTHING_SHARED
        assert (found.n_questions, found.n_either, found.p) == (0, 12, None)

    @settings(max_examples=25)
    @given(record_lists())
    def test_are_those_of_the_common_grades_scored_alone(self, records):
        graded = [one for one in records if one["value"] is not None]

        for found in differences.differences(scored(records, resamples=40)):
            pair = (found.left, found.right)
            left, right = ({_cell(r) for r in graded if r["release"] == one} for one in pair)
            kept = [r for r in graded if r["release"] in pair and _cell(r) in left & right]
            assert found.n_questions == len({one["group"] for one in kept})
            if found.value is not None:
                a, b = (scores.scores(frame_of(kept), resamples=0).find(one) for one in pair)
                assert found.value == a.value - b.value

    def test_do_not_depend_on_how_many_are_resampled_together(self, monkeypatch):
        rng = np.random.default_rng(5)
        records = [
            one
            for name in "ABCD"
            for one in ({**r, "release": name} for r in of_equal_systems(rng, 20)[::2])
            if rng.random() < 0.7
        ]

        whole = differences.differences(scored(records))
        monkeypatch.setattr(shared, "AT_ONCE", 1)

        assert differences.differences(scored(records)) == whole

    def test_of_the_same_questions_are_those_of_the_scores(self):
        made = scored(of_equal_systems(np.random.default_rng(3), 20))

        (found,) = differences.differences(made)

        assert found.value == made.find("A").value - made.find("B").value
        assert (found.n_left_out, found.n_pairs) == (0, 60)


def _cell(record):
    return tuple(record[name] for name in ("group", "rater", "capability", "criterion"))


class TestPartOf:
    def test_is_a_capability_or_else_a_group(self):
        assert differences.part_of("k1", "overall", "score").level == "capability"
        assert differences.part_of(None, "overall", "score").level == "overall"
        assert differences.part_of(None, "General", "accuracy").level == "group"


class TestWidest:
    def test_is_the_largest_of_a_capability_with_the_higher_one_on_the_left(self):
        records = paired([3, 3, 3], [3, 3, 2])
        records += [
            rated(f"z{i}", mark, release=release, capability="k2")
            for release, mark in (("A", 0), ("B", 3))
            for i in range(3)
        ]

        found = differences.widest(scored(records))

        assert (found.capability, found.left, found.right) == ("k2", "B", "A")
        assert (found.value, found.interval_reason) == (1, Reason.NOT_RESAMPLED)

    def test_is_on_what_both_were_graded_on(self):
        found = differences.widest(scored(of_equal_systems(np.random.default_rng(3), 40, of_a=0.5)))

        assert abs(float(found.value)) < 0.06

    def test_of_one_system_or_of_what_nobody_shares_is_none(self):
        assert differences.widest(scored([rated("q1", 1)])) is None
        assert differences.widest(scored([rated("q1", 1), rated("q2", 1, release="B")])) is None


@pytest.mark.nightly
@pytest.mark.timeout(600)
class TestCoverage:
    """Two equal systems, one graded on the easier half alone, by annotators who all grade both."""

    def test_of_the_difference_and_false_alarms(self):
        rng, trials, held, false = np.random.default_rng(8), 400, 0, 0

        for _ in range(trials):
            made = scores.scores(
                frame_of(of_equal_systems(rng, 60, of_a=0.5)), resamples=400, seed=rng
            )
            (found,) = differences.differences(made)
            held += found.low <= 0 <= found.high
            false += found.p < 0.05

        assert 0.92 <= held / trials <= 0.975
        assert false / trials <= 0.08
