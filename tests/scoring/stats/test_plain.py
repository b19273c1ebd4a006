import json
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.plain import Reason, plain


@dataclass(frozen=True)
class Result:
    value: Fraction
    _inner: object = None


numbers = st.floats() | st.integers(-(2**60), 2**60).map(np.int64) | st.floats().map(np.float64)
nested = st.recursive(
    numbers | st.text() | st.none() | st.booleans() | st.fractions(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


class TestPlain:
    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (np.int64(3), 3),
            (np.bool_(True), True),
            (np.float64("nan"), None),
            (float("inf"), None),
            (np.str_("a"), "a"),
            (Reason.NO_GRADES, "no_grades"),
            (Decimal("1.50"), "1.50"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
            (np.array([1.0, np.nan]), [1.0, None]),
            ({Reason.NO_GRADES: (1,), 2: None}, {"no_grades": [1], "2": None}),
            (Result(Fraction(1, 4)), {"value": {"num": 1, "den": 4, "value": 0.25}}),
        ],
    )
    def test_turns(self, value, expected):
        made = plain(value)

        assert made == expected
        assert type(made) is type(expected)

    @given(nested)
    def test_always_fits_json(self, value):
        assert json.loads(json.dumps(plain(value), allow_nan=False)) == plain(value)

    @pytest.mark.parametrize("value", [object(), {1.5: 1}, {(1, 2): 1}, Result])
    def test_refuses_what_has_no_plain_form(self, value):
        with pytest.raises(TypeError, match="no plain form"):
            plain(value)


class TestReason:
    def test_has_a_sentence_each(self):
        assert all(reason.sentence.endswith(".") for reason in Reason)
