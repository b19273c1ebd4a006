from fractions import Fraction

import numpy as np
import pytest

from scoring.stats.scores import scores, shared
from tests.scoring.ratings import frame_of, rated

OVERALL = shared.Part("score", "overall", "overall")


def of(records, pairs=(("A", "B"),), parts=(OVERALL,), **options):
    scored = scores.scores(frame_of(records), **{"resamples": 50, **options})
    return list(shared.shared(scored, pairs, parts))


def told(*cells):
    """Grades of A and B: question, item, annotator, criterion, mark."""
    return [
        rated(question, mark, release=release, item=item, rater=rater, criterion=criterion)
        for release, question, item, rater, criterion, mark in cells
    ]


class TestShared:
    def test_take_a_grade_where_question_item_annotator_and_criterion_are_the_same(self):
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

        ((found,),) = of(records)

        assert (found.n_questions, found.n_either) == (1, 4)
        assert (found.n_pairs, found.n_left_out) == (1, 6)
        assert (found.left.value, found.right.value) == (1, Fraction(2, 3))

    def test_take_no_grade_that_could_not_be_given(self):
        records = [rated(f"q{i}", 1, release="A") for i in range(3)]
        records += [rated(f"q{i}", None if i else 2, release="B") for i in range(3)]

        ((found,),) = of(records)

        assert (found.n_questions, found.n_either, found.n_left_out) == (1, 3, 2)

    def test_leave_everything_as_it_is_where_all_is_common(self):
        records = [rated(f"q{i}", i, release=release) for i in range(4) for release in "AB"]
        scored = scores.scores(frame_of(records), resamples=50)

        ((found,),) = shared.shared(scored, [("A", "B")], [OVERALL])

        assert found.sums is scored._sums
        assert found.left is scored._estimates[OVERALL.key("A")]

    def test_are_of_the_same_resamples_as_the_scores(self):
        # C lacks a grade; A and B, cut to what C has, keep their lots for the other questions.
        records = [
            rated(f"q{i}", (i * 7 + n) % 4, release=r) for i in range(9) for n, r in enumerate("AB")
        ]
        records += [rated(f"q{i}", (i * 7 + 1) % 4, release="C") for i in range(9) if i != 4]
        records += [rated("q4", 1, release="C", rater="r9")]

        ((found,),) = of(records, pairs=[("B", "C")])

        (left,), (right,) = found.left.draws.values(), found.right.draws.values()
        assert np.array_equal(left, right, equal_nan=True)  # C repeats B where both were graded

    def test_of_so_many_columns_that_keys_would_overflow_are_the_same(self, monkeypatch):
        records = [
            rated(f"q{i % 5}", i % 4, release="AB"[i % 2], rater=f"r{i % 3}", criterion=f"c{i % 2}")
            for i in range(60)
        ]
        before = of(records)
        monkeypatch.setattr(shared, "MOST_KEYS", 2)

        assert str(of(records)) == str(before)

    def test_of_no_pairs_are_none(self):
        assert of([rated("q1", 1)], pairs=()) == []

    @pytest.mark.parametrize("part", [shared.Part("score", "capability", "k9"), OVERALL])
    def test_refuse_what_was_not_scored(self, part):
        with pytest.raises(KeyError):
            of(
                [rated("q1", 1), rated("q1", 1, release="B")],
                pairs=[("A", "Z" if part is OVERALL else "B")],
                parts=[part],
            )
