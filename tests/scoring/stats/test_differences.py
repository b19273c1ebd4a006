import itertools
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from scoring.stats.claims import Certainty
from scoring.stats.plain import Reason, plain
from scoring.stats.resampled import exact
from scoring.stats.scores import differences, scores
from tests.scoring.ratings import frame_of, rated, record_lists, width
from tests.scoring.stats.test_scores import paper_records


def scored(records, **options):
    return scores.scores(frame_of(records), **options)


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
        made = scored(records)
        pairs = list(itertools.combinations(made.releases, 2))

        there = differences.differences(made, pairs=pairs)
        back = differences.differences(made, pairs=[(b, a) for a, b in pairs])

        for one, other in zip(there, back, strict=True):
            assert one.reason is other.reason
            if one.value is not None and other.value is not None:
                assert one.value == -other.value
            for mine, back_ in ((one.these, other.these), (one.others, other.others)):
                assert mine.interval_reason is back_.interval_reason
                if mine.low is not None:
                    assert mine.low == pytest.approx(-back_.high, abs=1e-9)
                    assert mine.p == pytest.approx(back_.p)

    def test_are_narrower_than_unpaired_where_questions_are_hard_for_both(self):
        made = scored(paired([0, 1, 2, 3] * 8, [1, 1, 2, 3] * 8))

        (found,) = differences.differences(made, capability="k1")

        a = made.find("A")
        assert width(found.these) < width(a.these) / 2
        assert found.value == Fraction(-1, 12)
        assert json.dumps(plain(found), allow_nan=False)

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

    def test_refuse_an_interval_from_one_question_or_where_nobody_asked(self):
        (one,) = differences.differences(scored(paired([3], [1])))
        (none,) = differences.differences(scored(paired([3, 1], [1, 1]), intervals=False))

        assert (one.value, one.these.interval_reason) == (Fraction(2, 3), Reason.UNDER_SIX)
        assert none.these.interval_reason is Reason.NOT_RESAMPLED

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
        assert found.these.low < 0 < found.these.high
        assert found.these.p > 0.05
        assert found.certainty is not Certainty.CLEAR
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
        assert found.these.interval_reason is Reason.NOTHING_SHARED
        assert (found.n_questions, found.n_either, found.these.p) == (0, 12, None)

    @settings(max_examples=25)
    @given(record_lists())
    def test_are_those_of_the_common_grades_scored_alone(self, records):
        graded = [one for one in records if one["value"] is not None]

        for found in differences.differences(scored(records)):
            pair = (found.left, found.right)
            left, right = ({_cell(r) for r in graded if r["release"] == one} for one in pair)
            kept = [r for r in graded if r["release"] in pair and _cell(r) in left & right]
            assert found.n_questions == len({one["group"] for one in kept})
            if found.value is not None:
                a, b = (scores.scores(frame_of(kept), intervals=False).find(one) for one in pair)
                assert found.value == a.value - b.value

    def test_of_the_same_questions_are_those_of_the_scores(self):
        made = scored(of_equal_systems(np.random.default_rng(3), 20))

        (found,) = differences.differences(made)

        assert found.value == made.find("A").value - made.find("B").value
        assert (found.n_left_out, found.n_pairs) == (0, 60)


def _cell(record):
    return tuple(record[name] for name in ("group", "rater", "capability", "criterion"))


def told(*cells):
    """Grades of A and B: question, item, annotator, criterion, mark."""
    return [
        rated(question, mark, release=release, item=item, rater=rater, criterion=criterion)
        for release, question, item, rater, criterion, mark in cells
    ]


class TestCells:
    def test_are_common_where_question_item_annotator_and_criterion_are_the_same(self):
        records = told(
            ("A", "q1", "i1", "r1", "c1", 3),
            ("B", "q1", "i1", "r1", "c1", 2),
            ("A", "q2", "i2", "r1", "c1", 1),  # another item of the question
            ("B", "q2", "i3", "r1", "c1", 1),
            ("A", "q3", "i4", "r1", "c1", 1),  # another annotator
            ("B", "q3", "i4", "r2", "c1", 1),
            ("A", "q4", "i5", "r1", "c1", 1),  # another criterion
            ("B", "q4", "i5", "r1", "c2", 1),
        )

        (found,) = differences.differences(scored(records))

        assert (found.value, found.n_questions, found.n_either) == (Fraction(1, 3), 1, 4)
        assert (found.n_pairs, found.n_left_out) == (1, 6)

    def test_hold_no_grade_that_could_not_be_given(self):
        records = [rated(f"q{i}", 1, release="A") for i in range(3)]
        records += [rated(f"q{i}", None if i else 2, release="B") for i in range(3)]

        (found,) = differences.differences(scored(records))

        assert (found.n_questions, found.n_either, found.n_left_out) == (1, 3, 2)

    def test_are_the_same_however_they_are_numbered(self, monkeypatch):
        records = [
            rated(f"q{i % 5}", i % 4, release="AB"[i % 2], rater=f"r{i % 3}", criterion=f"c{i % 2}")
            for i in range(60)
        ]
        before = differences.differences(scored(records))
        monkeypatch.setattr(exact, "DENSE", 0)

        assert differences.differences(scored(records)) == before

    @pytest.mark.parametrize("of", [{"capability": "k9"}, {"group": "g"}, {"figure": "worth"}])
    def test_refuse_what_was_not_scored(self, of):
        with pytest.raises(KeyError):
            differences.differences(scored(paired([1], [2])), **of)

    def test_of_no_pairs_are_none(self):
        assert differences.differences(scored(paired([1], [2])), pairs=()) == ()


class TestEquivalence:
    def test_is_said_where_the_interval_at_90_percent_lies_within_the_margin(self):
        rng = np.random.default_rng(1)
        marks = rng.integers(0, 4, 200)
        nudged = np.clip(marks + rng.choice([-1, 0, 0, 0, 1], 200), 0, 3)
        made = scored(
            [
                rated(f"q{i}", mark, release=release, rater=f"r{n}")
                for release, some in (("A", marks), ("B", nudged))
                for i, mark in enumerate(some)
                for n in range(3)
            ]
        )

        (near,) = differences.differences(made)
        (nearer,) = differences.differences(made, margin=0.001)

        assert near.certainty is Certainty.EQUAL
        assert near.these.p_equal < 0.05 < nearer.these.p_equal
        assert nearer.certainty is not Certainty.EQUAL

    @pytest.mark.parametrize("margin", [0, 1, -0.1])
    def test_refuses_a_margin_that_is_no_share(self, margin):
        with pytest.raises(ValueError, match="margin is a share"):
            differences.differences(scored(paired([1], [2])), margin=margin)


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
        assert (found.value, found.these.interval_reason) == (1, Reason.NOT_RESAMPLED)

    def test_is_on_what_both_were_graded_on(self):
        found = differences.widest(scored(of_equal_systems(np.random.default_rng(3), 40, of_a=0.5)))

        assert abs(float(found.value)) < 0.06

    def test_of_one_system_or_of_what_nobody_shares_is_none(self):
        assert differences.widest(scored([rated("q1", 1)])) is None
        assert differences.widest(scored([rated("q1", 1), rated("q2", 1, release="B")])) is None
