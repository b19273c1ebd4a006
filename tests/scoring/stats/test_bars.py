import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.machines import bars
from scoring.stats.machines.bars import Bar


class TestScale:
    def test_takes_choices_by_what_they_are_worth(self):
        found = bars.scale([1, 0, 0, 1], ["YES", "NO", "NO", "YES"])

        assert found == [Bar("NO"), Bar("YES")]

    def test_tells_choices_apart_that_are_worth_the_same(self):
        assert bars.scale([0, 0, 1], ["NO", "N/A", "YES"]) == [Bar("N/A"), Bar("NO"), Bar("YES")]

    def test_takes_few_values_as_they_are(self):
        assert bars.scale([2, 0.5, 2], ["", "", ""]) == [Bar(low=0.5, high=0.5), Bar(low=2, high=2)]

    def test_takes_round_ranges_of_many(self):
        found = bars.scale([float(n) for n in range(1, 101)], [""] * 100)

        assert [(one.low, one.high) for one in found[:2]] == [(0, 10), (10, 20)]
        assert (found[-1].low, found[-1].high) == (100, 110)

    def test_keeps_ranges_of_whole_numbers_whole(self):
        found = bars.scale([float(n) for n in range(27)], [""] * 27)

        assert [one.low for one in found[:3]] == [0, 5, 10]
        assert [one.low for one in bars.scale([float(n) for n in range(13)], [""] * 13)[:2]] == [
            0,
            1,
        ]

    def test_puts_rare_labels_together(self):
        labels = [*["often"] * 3, *(f"once {n:02d}" for n in range(12))]

        found = bars.scale([1.0] * 15, labels)

        assert (len(found), found[-1]) == (13, Bar())
        assert bars.count(found, [1.0] * 15, labels)[-1] == 1

    def test_has_none_for_nothing(self):
        assert bars.scale([], []) == []
        assert bars.count([], [], []) == []

    @pytest.mark.parametrize("values", [[float("nan")], [1.0, 2.0]])
    def test_refuses_what_is_no_number_or_has_no_place_for_a_label(self, values):
        with pytest.raises(ValueError, match="finite"):
            bars.scale(values, [""])

    def test_survives_the_largest_numbers(self):
        values = [(-1) ** n * 1.7e308 / (n + 1) for n in range(20)]

        found = bars.scale(values, [""] * 20)

        assert sum(bars.count(found, values, [""] * 20)) == 20
        assert all(one.low not in {float("inf"), float("-inf")} for one in found[1:])

    @given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60))
    def test_puts_every_value_into_the_bar_that_says_so(self, values):
        labels = [""] * len(values)
        found = bars.scale(values, labels)
        counts = bars.count(found, values, labels)

        assert sum(counts) == len(values)
        assert len(found) <= 2 * bars.MOST
        for one, n in zip(found, counts, strict=True):
            if one.low == one.high:
                assert n == values.count(one.low)
