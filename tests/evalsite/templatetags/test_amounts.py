from decimal import Decimal

import pytest

from evalsite.templatetags import amounts


class TestMoney:
    @pytest.mark.parametrize(
        ("amount", "text"),
        [
            (Decimal("41.2"), "41.20\u00a0EUR"),
            (Decimal("0.0042"), "0.0042\u00a0EUR"),
            (Decimal("0.000000421"), "0.00000042\u00a0EUR"),
            (0, "0.00\u00a0EUR"),
            (None, "–"),
        ],
    )
    def test_has_as_many_decimals_as_say_something(self, amount, text):
        assert amounts.money(amount, "EUR") == text

    def test_needs_no_currency(self):
        assert amounts.money("3.456") == "3.46"


class TestSpell:
    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (None, "–"),
            (0.004, "under 0.1 s"),
            (2.34, "2.3 s"),
            (59, "59 s"),
            (1080, "18 min"),
            (7500, "2 h 5 min"),
            (3 * 86400 + 7200, "3 d 2 h"),
        ],
    )
    def test_keeps_the_units_that_matter(self, seconds, text):
        assert amounts.spell(seconds) == text


class TestWhole:
    def test_parts_thousands(self):
        assert amounts.whole(1234567) == "1\u202f234\u202f567"
        assert amounts.whole(None) == "–"
