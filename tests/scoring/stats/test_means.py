from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.plain import Reason
from scoring.stats.scores import means
from scoring.stats.scores.means import NOTHING, Mean, MeanChild

WEIGHTS = st.fractions(min_value=Fraction(1, 10), max_value=10)
VALUES = st.fractions(min_value=0, max_value=1)


def known(value, cell=0) -> Mean:
    return Mean(Fraction(value), None, None, None, (cell,), shares={cell: 1.0})


def parts(*pairs) -> list[MeanChild]:
    return [
        MeanChild(f"part {place}", Fraction(weight), mean)
        for place, (weight, mean) in enumerate(pairs)
    ]


class TestAsWeight:
    @pytest.mark.parametrize(
        ("written", "exact"),
        [(1, "1"), ("0.1", "1/10"), (0.2, "1/5"), (Decimal("2.5"), "5/2"), ("1/3", "1/3")],
    )
    def test_takes_a_weight_as_it_is_written(self, written, exact):
        assert means.as_weight("facts", written) == Fraction(exact)

    @pytest.mark.parametrize("written", [-1, "much", float("nan"), float("inf")])
    def test_refuses_what_weighs_nothing_sensible(self, written):
        with pytest.raises(ValueError, match="weight of facts"):
            means.as_weight("facts", written)


class TestWeigher:
    def test_gives_one_to_whatever_is_not_named(self):
        weigh = means.weigher({"facts": 3})

        assert (weigh("facts"), weigh("style")) == (3, 1)


class TestCombined:
    def test_is_the_weighted_mean(self):
        made = means.combined(parts((3, known("1/2", 4)), (1, known("1", 7))))

        assert made.value == Fraction(5, 8)
        assert made.shares == {4: 0.75, 7: 0.25}

    @given(st.lists(st.tuples(WEIGHTS, VALUES), min_size=1, max_size=6))
    def test_lies_between_its_parts_and_knows_no_order(self, pairs):
        children = parts(*[(weight, known(value)) for weight, value in pairs])

        made = means.combined(children).value

        assert made == means.combined(children[::-1]).value
        assert min(v for _w, v in pairs) <= made <= max(v for _w, v in pairs)

    def test_leaves_out_and_names_a_part_without_grades(self):
        made = means.combined(parts((1, known("1/2")), (9, NOTHING)))

        assert (made.value, made.missing) == (Fraction(1, 2), ("part 1",))

    def test_is_undefined_as_a_part_is(self):
        open_ = Mean(None, Reason.OPEN_SCALE, None, None, ())

        assert means.combined(parts((1, known("1/2")), (1, open_))).reason is Reason.OPEN_SCALE
        assert means.combined(parts((0, known("1/2")))).reason is Reason.NO_WEIGHT
        assert means.combined([]).reason is Reason.NO_GRADES
