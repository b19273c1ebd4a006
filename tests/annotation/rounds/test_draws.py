import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rounds import rules as draws
from annotation.rounds.rules import Draw, DrawHow


class TestDraw:
    def test_comes_back_from_json_as_it_was(self):
        wanted = Draw(
            capabilities=[3, 1],
            how=DrawHow.QUOTAS,
            strata=("domain", "capability"),
            quotas={"1|2": 4},
            anchors_from=2,
            repeats=10,
        )

        kept = wanted.as_json()

        assert Draw.from_json(kept).as_json() == kept
        assert kept["strata"] == ["capability", "domain"]

    def test_reads_what_an_older_draft_says_and_leaves_the_rest(self):
        old = {"capabilities": [1], "n_items": 5, "prepared": {"items": 5}}

        assert Draw.from_json(old) == Draw(capabilities=[1], n_items=5)


class TestStratum:
    def test_is_one_with_one_lot_over_everything(self):
        assert Draw().stratum(1, "SIMPLE", 2) == ""

    @pytest.mark.parametrize(
        ("strata", "expected"),
        [
            (("capability", "difficulty"), "1|SIMPLE"),
            (("domain", "capability"), "1|"),
            (("difficulty",), "SIMPLE"),
        ],
    )
    def test_is_named_by_its_dimensions_in_their_order(self, strata, expected):
        wanted = Draw(how=DrawHow.SHARES, strata=strata)

        name = wanted.stratum(1, "SIMPLE", None)

        assert name == expected
        assert list(wanted.parts(name)) == [one for one in draws.DIMENSIONS if one in strata]


class TestGoals:
    def test_are_everything_that_fits_without_a_number(self):
        assert Draw().goals({"": 7}) == {"": 7}
        assert Draw(n_items=3).goals({"": 7}) == {"": 3}

    def test_are_shared_out_by_what_there_is_or_by_weights(self):
        available = {"a": 30, "b": 10}

        assert Draw(how=DrawHow.SHARES, n_items=8).goals(available) == {"a": 6, "b": 2}
        weighed = Draw(how=DrawHow.SHARES, n_items=8, quotas={"a": 1, "b": 1, "c": 0})
        assert weighed.goals(available) == {"a": 4, "b": 4}

    def test_are_nothing_where_there_is_nothing(self):
        assert Draw(how=DrawHow.SHARES, n_items=8).goals({}) == {}

    def test_are_the_quotas_themselves(self):
        wanted = Draw(how=DrawHow.QUOTAS, quotas={"a": 2, "b": 0})

        assert wanted.goals({"a": 1}) == {"a": 2}


class TestNRepeats:
    @pytest.mark.parametrize(
        ("n", "percent", "expected"), [(100, 5, 5), (10, 25, 3), (10, 0, 0), (3, 50, 0)]
    )
    def test_is_a_share_where_something_can_lie_between(self, n, percent, expected):
        assert draws.n_repeats(n, percent) == expected

    @given(st.integers(4, 10_000), st.integers(0, draws.MOST_REPEATS))
    def test_is_never_more_than_half(self, n, percent):
        assert draws.n_repeats(n, percent) <= n / 2 + 0.5
