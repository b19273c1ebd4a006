import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.files import scores as machines
from annotation.files.scores import Machine, Seen


def seen(*values, name="rouge"):
    made = Seen(name)
    for value in values:
        made.add(value)
    return made


class TestSuggest:
    @pytest.mark.parametrize(
        ("values", "ends"),
        [
            ((0.2, 0.8), ("0", "1")),
            ((-0.2, 0.8), ("-1", "1")),
            ((35.556, 41.0), ("0", "100")),
            ((1.0, 3.0), ("1", "3")),
            ((2.0, 5.0), ("1", "5")),
            ((0.0, 5.0), ("0", "5")),
            ((1.0, 9.0), ("1", "10")),
            ((1.5, 4.25), ("1", "5")),
            ((120.5, 7.0), ("0", "")),
            ((-7.5, 2.0), ("", "")),
            ((), ("", "")),
        ],
    )
    def test_takes_the_narrowest_usual_range(self, values, ends):
        assert machines.suggest_range(seen(*values)) == ends

    @pytest.mark.parametrize(
        ("name", "kind", "better"),
        [
            ("rouge1_stem_f", "METRIC", True),
            ("BERTScore_F1", "METRIC", True),
            ("gpt-x", "JUDGE", True),
            ("Fusion-Eval", "JUDGE", True),
            ("o1", "JUDGE", True),
            ("o3-mini", "JUDGE", True),
            ("GLM-4", "JUDGE", True),
            ("Kimi K2", "JUDGE", True),
            ("auto-j", "JUDGE", True),
            ("text_davinci_003", "JUDGE", True),
            ("Kimi", "METRIC", True),
            ("pro1", "METRIC", True),
            ("TER", "METRIC", False),
            ("perplexity", "METRIC", False),
            ("METEOR", "METRIC", True),
        ],
    )
    def test_reads_kind_and_direction_from_the_name(self, name, kind, better):
        (made,) = machines.suggest(seen(0.5, name=name))

        assert (made.kind, made.higher_is_better) == (kind, better)

    def test_knows_what_some_words_stand_for(self):
        assert machines.suggest_words(["True", "tie"]) == {"True": "1", "tie": ""}

    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), min_size=1))
    def test_never_leaves_a_score_outside(self, values):
        (made,) = machines.suggest(seen(*values))

        assert all(machines.within(value, *made.ends()) for value in values)


class TestMachine:
    def test_has_open_ends_where_none_are_named(self):
        assert Machine("x").ends() == (None, None)
        assert Machine("x", minimum=" 0.5 ").ends() == (Decimal("0.5"), None)

    @pytest.mark.parametrize(
        ("low", "high", "says"),
        [
            ("1", "1", "must lie below"),
            ("low", "", "digits"),
            ("0.00001", "", "at most 4 decimals"),
        ],
    )
    def test_refuses_a_range_that_is_none(self, low, high, says):
        with pytest.raises(ValueError, match=says):
            Machine("x", minimum=low, maximum=high).ends()


class TestWithin:
    def test_goes_by_what_is_written(self):
        tenth = Decimal("0.1")

        assert machines.within(0.1, tenth, tenth)  # the float itself lies a little above
        assert not machines.within(math.nextafter(0.1, 1), None, tenth)
        assert machines.within(-1e300, None, None)
