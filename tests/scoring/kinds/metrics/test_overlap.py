import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.kinds.metrics import measuring as overlap
from scoring.kinds.metrics.catalogue import Undefined

text = st.lists(st.sampled_from("abcd"), min_size=3, max_size=12).map(" ".join)


class TestOverlap:
    def test_is_as_counted_by_hand(self):
        # Pairs: the cat, cat sat, sat on, on the, the mat; two are in one text, one more in the other.
        others = ["the cat ran", "on the mat"]

        assert overlap.overlap("the cat sat on the mat", others, 2) == pytest.approx(3 / 5)
        assert overlap.novelty("the cat sat on the mat", others, 2) == pytest.approx(2 / 5)

    def test_counts_signs_of_chinese(self):
        assert overlap.overlap("量子力学", ["量子的力"], 1) == pytest.approx(3 / 4)

    @given(text, text, st.integers(1, 3))
    def test_falls_as_sequences_grow_and_is_whole_within_itself(self, one, other, n):
        shares = [overlap.overlap(one, [other], k) for k in (1, 2, 3)]

        assert all(0 <= share <= 1 for share in shares)
        assert overlap.overlap(one, [one, other], n) == 1

    def test_refuses_a_response_that_is_too_short(self):
        with pytest.raises(Undefined, match="too_short"):
            overlap.overlap("one two", ["one two three"], 3)


class TestRepetition:
    def test_is_as_counted_by_hand(self):
        # Pairs of "a b a b a": ab ba ab ba, two of four were there before.
        assert overlap.repetition("a b a b a", 2) == pytest.approx(1 / 2)

    @given(text)
    def test_lies_between_0_and_1(self, one):
        assert 0 <= overlap.repetition(one, 2) < 1

    def test_refuses_a_response_that_is_too_short(self):
        with pytest.raises(Undefined, match="too_short"):
            overlap.repetition("one", 2)
