from decimal import Decimal

import pytest

from annotation.rubrics.rules import Measure


class TestMeasure:
    @pytest.mark.parametrize(
        ("low", "high", "says"),
        [
            ("0", "1.0", "between 0 and 1"),
            ("-1", "100", "between -1 and 100"),
            ("0.5", None, "from 0.5 on"),
            (None, "0", "up to 0"),
            (None, None, "anywhere"),
        ],
    )
    def test_says_its_range(self, low, high, says):
        ends = [None if end is None else Decimal(end) for end in (low, high)]

        assert Measure("x", *ends).bounds() == says
