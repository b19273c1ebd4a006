from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import scales

D = Decimal
THREE = scales.Scale(D(0), D(2), D(1), D(2))
OPEN = scales.Scale(D(0), D(1))


class TestScale:
    @pytest.mark.parametrize(
        ("numbers", "says"),
        [
            (("1", "1", "1", None), "below its highest"),
            (("2", "1", None, None), "below its highest"),
            (("0", "NaN", None, None), "finite"),
            (("0", "2", "Infinity", None), "finite"),
            (("0", "2", "0", None), "greater than 0"),
            (("0", "2", "-1", None), "greater than 0"),
            (("0", "1", "0.3", None), "do not lead from 0 to 1"),
            (("0", "10000", "1", None), "at most"),
            (("0", "1e20", "1e-20", None), "at most"),
            (("0", "2", "1", "3"), "between 0 and 2"),
            (("0", "2", "1", "-0.5"), "between 0 and 2"),
        ],
    )
    def test_refuses_a_scale_that_cannot_be(self, numbers, says):
        with pytest.raises(ValueError, match=says):
            scales.Scale(*(number and D(number) for number in numbers))

    def test_lists_its_levels(self):
        assert THREE.levels() == (D(0), D(1), D(2))
        assert scales.Scale(D("-1"), D(1), D("0.5")).levels() == (
            D("-1"),
            D("-0.5"),
            D(0),
            D("0.5"),
            D(1),
        )

    def test_lists_none_without_steps(self):
        assert OPEN.levels() == ()

    @given(st.integers(-50, 50), st.integers(1, 60), st.integers(1, 400))
    def test_accepts_every_level_and_nothing_between(self, low, count, hundredths):
        step = D(hundredths) / 100
        scale = scales.Scale(D(low), D(low) + count * step, step)

        assert [scale.check(level) for level in scale.levels()] == list(scale.levels())
        assert len(scale.levels()) == count + 1
        with pytest.raises(ValueError, match="must"):
            scale.check(D(low) + step / 2)


class TestCheck:
    def test_gives_the_plain_value(self):
        assert str(THREE.check(D("2.00"))) == "2"

    def test_takes_anything_in_range_without_steps(self):
        assert OPEN.check(D("0.123")) == D("0.123")

    @pytest.mark.parametrize("value", ["3", "-1", "0.5", "NaN", "Infinity", "1e30"])
    def test_refuses_and_says_what_is_allowed(self, value):
        with pytest.raises(ValueError, match="The value must be 0, 1 or 2"):
            THREE.check(D(value))

    def test_says_the_range_when_there_are_many_levels(self):
        with pytest.raises(ValueError, match=r"between 0 and 100, in steps of 0\.5"):
            scales.Scale(D(0), D(100), D("0.5")).check(D(101))
        with pytest.raises(ValueError, match=r"between 0 and 1\."):
            OPEN.check(D(2))


class TestPasses:
    def test_compares_with_the_pass_mark(self):
        assert THREE.passes(D(2)) is True
        assert THREE.passes(D(1)) is False

    def test_says_nothing_without_one(self):
        assert OPEN.passes(D(1)) is None


class TestAllPass:
    @pytest.mark.parametrize(
        ("low", "pass_at", "all_pass"),
        [(0, 0, True), (0, 1, False), (1, 1, True), (0, None, False)],
    )
    def test_is_so_from_the_lowest_value_on(self, low, pass_at, all_pass):
        mark = None if pass_at is None else Decimal(pass_at)

        assert scales.Scale(Decimal(low), Decimal(4), Decimal(1), mark).all_pass == all_pass

    @pytest.mark.parametrize(
        ("low", "high", "step", "half"),
        [
            ("0", "1", "1", "1"),
            ("0", "2", "1", "1"),
            ("0", "3", "1", "2"),
            ("1", "5", "1", "3"),
            ("1", "4", "1", "3"),
            ("0", "100", None, "50"),
            ("0", "1", None, "0.5"),
        ],
    )
    def test_suggests_where_the_upper_half_begins(self, low, high, step, half):
        scale = scales.Scale(Decimal(low), Decimal(high), None if step is None else Decimal(step))

        assert scale.upper_half() == Decimal(half)

    @given(st.integers(-9, 9), st.integers(1, 30))
    def test_suggests_a_level_that_not_all_reach(self, low, count):
        scale = scales.Scale(Decimal(low), Decimal(low + count), Decimal(1))

        assert scale.upper_half() in scale.levels()
        assert scale.upper_half() > scale.minimum


class TestCanonical:
    @pytest.mark.parametrize(
        ("value", "written"), [("2", "2"), ("2.0", "2"), ("0.00", "0"), ("-0", "0"), ("2E+0", "2")]
    )
    def test_writes_one_form(self, value, written):
        assert THREE.canonical(D(value)) == written

    def test_writes_no_exponent(self):
        assert scales.text(D("1E+3")) == "1000"
        assert scales.text(D("1E-6")) == "0.000001"
        assert scales.text(D("-2.50")) == "-2.5"


class TestParse:
    @pytest.mark.parametrize(
        ("written", "value"),
        [("2", "2"), (" 2.50 ", "2.5"), ("-0.0", "0"), ("+1.", "1"), (".5", "0.5"), ("1e2", "100")],
    )
    def test_reads_a_number(self, written, value):
        assert str(scales.parse(written)) == value

    @pytest.mark.parametrize(
        "written",
        ["", "two", "NaN", "inf", "-Infinity", "1,5", "1_0", "1e999", "２", "0x1", "1 2", "1" * 41],
    )
    def test_refuses_what_is_none(self, written):
        with pytest.raises(ValueError, match="with a point"):
            scales.parse(written)

    @pytest.mark.parametrize("written", ["1000000", "1e99", "0.1234567", "1e-99"])
    def test_refuses_more_digits_than_a_grade_has(self, written):
        with pytest.raises(ValueError, match="before the point"):
            scales.parse(written)

    @given(st.decimals(-999999, 999999, places=6))
    def test_reads_back_what_text_writes(self, number):
        assert scales.parse(scales.text(number)) == number
