import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common.scales import Scale
from annotation.rounds import rules as entries

DESK = entries.SeatDesk(
    letters="AB",
    criteria={"truth": Scale(Decimal(0), Decimal(2), Decimal(1))},
    reasons={"no_answer"},
)
PLACES = st.sampled_from(["mark/A/truth", "mark/B/truth", "comment/A", "flag"])


class TestPatched:
    @given(
        st.dictionaries(PLACES, st.text(max_size=3)),
        st.dictionaries(PLACES, st.none() | st.text(max_size=3)),
    )
    def test_takes_every_place_of_the_patch_and_leaves_the_others(self, before, patch):
        after = entries.patched(before, patch)

        for place in {*before, *patch}:
            assert after.get(place) == (patch[place] if place in patch else before.get(place))
        assert None not in after.values()


class TestCheck:
    @pytest.mark.parametrize(
        "patch",
        [
            {"mark/A/truth": "2"},
            {"mark/A/truth": None},
            {"cannot/B": "no_answer"},
            {"cannot/B": None},
            {"comment/A": "because"},
            {"evidence/A": "[[0,4],[4,9]]"},
            {"evidence/A": None},
            {"point/3": "1"},
            {"point/3": None},
            {"flag": "wrong year"},
        ],
    )
    def test_lets_through_what_the_page_has(self, patch):
        entries.check(patch, DESK)

    @pytest.mark.parametrize(
        ("place", "value"),
        [
            ("mark/C/truth", "1"),
            ("mark/A/style", "1"),
            ("mark/A", "1"),
            ("mark/A/truth", "3"),
            ("mark/A/truth", "two"),
            ("cannot/A", "mood"),
            ("cannot/Z", "no_answer"),
            ("comment/Z", "x"),
            ("comment/A", "x" * 5001),
            ("evidence/Z", "[]"),
            ("evidence/A", "{}"),
            ("evidence/A", "no json"),
            ("evidence/A", "[[1,2,3]]"),
            ("evidence/A", "[[4,2]]"),
            ("evidence/A", "[[0,5],[3,9]]"),
            ("evidence/A", "[[true,2]]"),
            ("point/x", "1"),
            ("point/1", "2"),
            ("flag/A", "x"),
            ("system/A", "x"),
            ("", "x"),
        ],
    )
    def test_names_the_place_that_does_not_belong_here(self, place, value):
        with pytest.raises(entries.UnfitPlace) as refused:
            entries.check({"comment/A": "fine", place: value}, DESK)

        assert refused.value.place == place

    def test_refuses_more_marked_places_than_anybody_needs(self):
        many = json.dumps([[2 * n, 2 * n + 1] for n in range(entries.MOST_SPANS + 1)])

        with pytest.raises(entries.UnfitPlace):
            entries.check({"evidence/A": many}, DESK)


class TestSpans:
    def test_reads_pairs_in_order(self):
        assert entries.spans("[[0,2],[5,6]]") == [(0, 2), (5, 6)]


class TestValues:
    def test_are_the_marks_alone(self):
        table = {"mark/A/truth": "2", "comment/A": "x", "mark/B/truth": "0.5"}

        assert list(entries.values(table)) == [
            ("A", "truth", Decimal(2)),
            ("B", "truth", Decimal("0.5")),
        ]


class TestOfKind:
    def test_takes_one_kind_by_what_follows_it(self):
        table = {"comment/A": "x", "comment/B": "y", "cannot/A": "no_answer"}

        assert entries.of_kind(table, "comment") == {"A": "x", "B": "y"}
