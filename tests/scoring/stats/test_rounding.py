from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats import plain as rounding


class TestPercent:
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (Fraction(4, 7), 1, "57.1"),
            (Fraction("0.80250"), 1, "80.3"),
            (Fraction("-0.80250"), 1, "-80.3"),
            (Fraction(1), 0, "100"),
            (Fraction(0), 2, "0.00"),
        ],
    )
    def test_rounds_halves_up(self, value, digits, text):
        assert str(rounding.percent(value, digits)) == text

    @given(st.decimals(-1000, 1000, places=6), st.integers(0, 4))
    def test_agrees_with_decimal(self, value, digits):
        expected = value.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)

        assert rounding.rounded(Fraction(value), digits) == expected
