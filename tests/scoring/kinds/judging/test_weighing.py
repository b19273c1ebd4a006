import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as some

from annotation.common.scales import Scale
from scoring.kinds.judging.geval import weighing
from scoring.llm.base import TokenChance

FIVE = Scale(Decimal(1), Decimal(5), Decimal(1))
TEN = Scale(Decimal(1), Decimal(10), Decimal(1))
HALVES = Scale(Decimal(1), Decimal(5), Decimal("0.5"))


def token(written, **others):
    chances = {name.strip("_"): chance for name, chance in others.items()}
    first = chances.pop("own")
    return TokenChance(
        written, math.log(first), tuple((name, math.log(one)) for name, one in chances.items())
    )


class TestWeigh:
    def test_is_the_expectation_over_the_values_that_were_seen(self):
        tokens = [
            TokenChance("Score", -0.1),
            TokenChance(":", 0),
            token(" 4", own=0.6, _3=0.3, x=0.1),
        ]

        found = weighing.weigh(tokens, FIVE)

        assert found.value == pytest.approx((4 * 0.6 + 3 * 0.3) / 0.9)
        assert found.mass == pytest.approx(0.9)

    def test_adds_up_spellings_of_one_value_and_counts_the_written_token_once(self):
        tokens = [
            TokenChance(
                "4",
                math.log(0.5),
                (("4", math.log(0.5)), (" 4", math.log(0.3)), ("2", math.log(0.2))),
            )
        ]

        found = weighing.weigh(tokens, FIVE)

        assert found.value == pytest.approx(4 * 0.8 + 2 * 0.2)

    def test_weighs_ten_where_it_is_one_token(self):
        tokens = [token("10", own=0.5, _9=0.3, _1=0.2)]

        assert weighing.weigh(tokens, TEN).value == pytest.approx(5 + 2.7 + 0.2)

    @pytest.mark.parametrize(
        ("tokens", "scale", "why"),
        [
            ([token("1", own=0.9), TokenChance("0", -0.1)], TEN, "score is written in several"),
            (
                [token("4", own=0.9), TokenChance(".", 0), TokenChance("5", 0)],
                HALVES,
                "score is written in several",
            ),
            ([token("1", own=0.9, _9=0.1)], TEN, "value of the scale is written in several"),
            ([token("4", own=0.9)], HALVES, "value of the scale is written in several"),
            ([token("4", own=0.2, x=0.8)], FIVE, "too little"),
            ([TokenChance("good", -0.1)], FIVE, "no number"),
            ([], FIVE, "no log-probabilities"),
            (None, FIVE, "no log-probabilities"),
            ([token("4", own=0.9)], Scale(Decimal(1), Decimal(5)), "without steps"),
        ],
    )
    def test_gives_a_reason_in_place_of_a_guess(self, tokens, scale, why):
        found = weighing.weigh(tokens, scale)

        assert found.value is None
        assert why in found.reason

    @given(some.lists(some.floats(0.01, 1), min_size=5, max_size=5))
    def test_lies_within_the_scale(self, weights):
        total = sum(weights)
        others = tuple((str(n), math.log(one / total)) for n, one in enumerate(weights, start=1))

        found = weighing.weigh([TokenChance("1", others[0][1], others)], FIVE)

        assert 1 <= found.value <= 5
        assert found.mass == pytest.approx(1)
