import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.charts import svg as axes


class TestTicks:
    @pytest.mark.parametrize(
        ("start", "end", "expected"),
        [
            (0, 100, [0, 20, 40, 60, 80, 100]),
            (0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]),
            (-0.2, 1, [-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1]),
        ],
    )
    def test_are_round(self, start, end, expected):
        assert axes.ticks(start, end) == pytest.approx(expected)

    @given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
    def test_lie_between_the_ends(self, start, width):
        found = axes.ticks(start, start + width)

        assert 1 <= len(found) <= 9
        assert all(start - width / 1e6 <= one <= start + width * 1.000001 for one in found)


class TestSaid:
    @pytest.mark.parametrize(
        ("value", "text"),
        [(-1.25, "−1.3"), (1.25, "1.3"), (-0.01, "0.0"), (3, "3.0"), (0.0, "0.0")],
    )
    def test_has_a_true_minus_and_none_before_nought(self, value, text):
        assert axes.said(value, 1) == text

    def test_of_an_interval_is_empty_without_one(self):
        assert axes.interval(None, 1.0, 1) == ""
        assert axes.interval(-1.0, 1.0, 1) == " (−1.0 to 1.0)"


class TestDecimals:
    def test_tell_ticks_apart(self):
        assert [axes.decimals(axes.ticks(0, end)) for end in (100, 1, 0.1)] == [0, 1, 2]


class TestCheck:
    def test_refuses_what_cannot_be_drawn(self):
        axes.check([None, 1.0])
        with pytest.raises(ValueError, match="finite"):
            axes.check([float("inf")])
