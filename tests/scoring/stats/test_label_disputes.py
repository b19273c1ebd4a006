from fractions import Fraction
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.people import disputes
from tests.scoring.ratings import frame_of, rated


def labels(*marks, group="g1", criterion="tone", response="x"):
    return [
        rated(group, one, rater=f"r{n}", criterion=criterion, mark="LABEL", response=response)
        for n, one in enumerate(marks)
    ]


class TestDifferentLabels:
    def test_are_counted_by_pairs_as_worked_out_by_hand(self):
        # 1, 1, 2: two of three pairs differ. 3, 3: none of one. Together two of four.
        rows = labels(1, 1, 2) + labels(3, 3, response="y")

        (found,), (place,) = disputes.of_labels(frame_of(rows))

        assert (found.value, found.n_apart, found.n_pairs) == (Fraction(1, 2), 2, 4)
        assert (found.question, found.criterion, found.n_raters) == ("g1", "tone", 3)
        assert (place.response, place.divided, place.alone, place.n_raters) == ("x", True, (), 3)

    def test_put_the_most_divided_question_first(self):
        rows = labels(1, 1, 2) + labels(1, 2, 3, group="g2", response="z")

        found, _places = disputes.of_labels(frame_of(rows))

        assert [one.question for one in found] == ["g2", "g1"]

    def test_are_none_where_all_agree_or_nobody_graded(self):
        assert disputes.of_labels(frame_of(labels(2, 2))) == ((), ())
        assert disputes.of_labels(frame_of(labels(None, None))) == ((), ())

    @given(st.lists(st.integers(1, 4), min_size=2, max_size=6))
    def test_count_what_pairs_do(self, marks):
        found, _places = disputes.of_labels(frame_of(labels(*marks)))

        apart = sum(a != b for a, b in combinations(marks, 2))
        assert [one.n_apart for one in found] == ([apart] if apart else [])
