from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.common import draws as sampling
from annotation.common.draws import DrawUnit, Preference

STRATA = ("1|SIMPLE", "1|DIFFICULT", "2|SIMPLE", "")
UNITS = st.lists(
    st.builds(
        DrawUnit,
        key=st.text(min_size=1, max_size=8),
        stratum=st.sampled_from(STRATA),
        priority=st.integers(0, 3),
        recent=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda unit: unit.key,
)
WANTED = st.dictionaries(st.sampled_from(STRATA), st.integers(0, 20))
PREFERENCES = st.sampled_from(Preference)


def units(n: int, stratum: str = "", **more) -> list[DrawUnit]:
    return [DrawUnit(f"{stratum}-{more}-{place}", stratum, **more) for place in range(n)]


def drawn(sample) -> Counter[str]:
    return Counter(pick.stratum for pick in sample.picks)


class TestAllocate:
    def test_gives_the_rest_to_the_largest_remainders(self):
        shares = sampling.allocate(10, {"a": 45, "b": 28, "c": 27})  # 4.5, 2.8, 2.7

        assert shares == {"a": 4, "b": 3, "c": 3}

    @given(
        st.integers(0, 10_000),
        st.dictionaries(st.text(max_size=3), st.integers(1, 1000), min_size=1),
    )
    def test_shares_out_everything_and_nobody_is_more_than_one_off(self, total, weights):
        shares = sampling.allocate(total, weights)

        assert sum(shares.values()) == total
        whole = sum(weights.values())
        for name, weight in weights.items():
            assert abs(shares[name] - Fraction(total * weight, whole)) < 1

    @pytest.mark.parametrize(("total", "weights"), [(-1, {"a": 1}), (1, {"a": -1}), (1, {"a": 0})])
    def test_refuses_what_cannot_be_shared(self, total, weights):
        with pytest.raises(ValueError, match="shared out"):
            sampling.allocate(total, weights)

    def test_shares_nothing_out_among_nobody(self):
        assert sampling.allocate(0, {}) == {}


class TestDraw:
    @given(UNITS, WANTED, PREFERENCES, st.booleans(), st.randoms(use_true_random=False))
    @settings(deadline=None)
    def test_depends_on_seed_and_content_and_never_on_the_order_of_rows(
        self, pool, wanted, preference, make_up, chaos
    ):
        mixed = list(pool)
        chaos.shuffle(mixed)

        one, two = (
            sampling.draw(rows, wanted, seed="s", preference=preference, make_up=make_up)
            for rows in (pool, mixed)
        )

        assert one == two

    @given(UNITS, WANTED, PREFERENCES)
    @settings(deadline=None)
    def test_meets_every_quota_or_names_what_is_missing(self, pool, wanted, preference):
        sample = sampling.draw(pool, wanted, seed="s", preference=preference)

        counts = drawn(sample)
        for stratum in sample.strata:
            assert counts[stratum.name] == stratum.drawn
            assert stratum.drawn + stratum.missing == wanted.get(stratum.name, 0)
            assert not stratum.missing or stratum.drawn == stratum.available
        assert {one.name for one in sample.strata} == {*wanted, *(unit.stratum for unit in pool)}
        assert len({pick.key for pick in sample.picks}) == len(sample.picks)

    @given(UNITS, WANTED, PREFERENCES, st.booleans())
    @settings(deadline=None)
    def test_knows_the_chance_of_everything(self, pool, wanted, preference, make_up):
        sample = sampling.draw(pool, wanted, seed="s", preference=preference, make_up=make_up)

        assert set(sample.chances) == {unit.key for unit in pool}
        for stratum in sample.strata:
            chances = [sample.chances[u.key] for u in pool if u.stratum == stratum.name]
            assert sum(chances) == pytest.approx(stratum.drawn)
        for pick in sample.picks:
            assert 0 < pick.probability == sample.chances[pick.key] <= 1

    @given(UNITS, WANTED)
    @settings(deadline=None)
    def test_makes_up_as_much_as_there_is_and_never_more(self, pool, wanted):
        sample = sampling.draw(pool, wanted, seed="s", make_up=True)

        there = Counter(unit.stratum for unit in pool)
        reachable = sum(there[name] for name, n in wanted.items() if n)
        assert len(sample.picks) == min(sum(wanted.values()), reachable)

    def test_draws_each_with_the_chance_it_says(self):
        pool = units(5)

        counts = Counter(
            pick.key
            for number in range(2000)
            for pick in sampling.draw(pool, {"": 2}, seed=f"{number}").picks
        )

        assert all(abs(counts[unit.key] - 800) < 100 for unit in pool)  # 4.5 sd

    def test_takes_what_was_used_lately_last_and_says_so(self):
        pool = units(3) + units(4, recent=True)

        sample = sampling.draw(pool, {"": 5}, seed="s")

        (stratum,) = sample.strata
        assert (stratum.recent, stratum.drawn_recent) == (4, 2)
        assert Counter(pick.probability for pick in sample.picks) == {1.0: 3, 0.5: 2}

    def test_takes_p0_first_where_that_is_wanted(self):
        pool = units(3, priority=0) + units(8, priority=2)

        sample = sampling.draw(pool, {"": 5}, seed="s", preference=Preference.FIRST)

        assert Counter(pick.probability for pick in sample.picks) == {1.0: 3, 0.25: 2}

    def test_takes_p0_first_among_those_that_are_used_again(self):
        again = units(2, priority=0, recent=True) + units(4, priority=1, recent=True)
        pool = units(2, priority=3) + again

        sample = sampling.draw(pool, {"": 5}, seed="s", preference=Preference.SHORT)

        assert Counter(pick.probability for pick in sample.picks) == {1.0: 4, 0.25: 1}

    def test_makes_up_from_p0_first(self):
        pool = units(1, "short") + units(9, "core", priority=0) + units(9, "broad", priority=3)

        sample = sampling.draw(pool, {"short": 4, "core": 2, "broad": 2}, seed="s", make_up=True)

        assert drawn(sample) == {"short": 1, "core": 5, "broad": 2}
        by_name = {one.name: one for one in sample.strata}
        assert (by_name["short"].missing, by_name["core"].made_up) == (3, 3)

    def test_refuses_two_units_with_one_key(self):
        with pytest.raises(ValueError, match="same key"):
            sampling.draw([DrawUnit("a"), DrawUnit("a")], {"": 1}, seed="s")

    def test_refuses_a_negative_quota(self):
        with pytest.raises(ValueError, match="quota"):
            sampling.draw(units(2), {"": -1}, seed="s")


class TestNAnchors:
    @pytest.mark.parametrize(
        ("n_fresh", "expected"), [(0, 0), (20, 20), (30, 30), (100, 30), (270, 30), (450, 50)]
    )
    def test_is_the_larger_of_a_tenth_and_thirty_and_at_most_half(self, n_fresh, expected):
        assert sampling.n_anchors(n_fresh) == expected

    @pytest.mark.parametrize(("n_all", "expected"), [(0, 0), (41, 20), (100, 30), (500, 50)])
    def test_takes_no_more_than_half_of_all_away(self, n_all, expected):
        assert sampling.n_anchors(n_all, of_all=True) == expected

    @given(st.integers(1, 5000))
    def test_keeps_to_the_rule_over_the_whole_round(self, n_fresh):
        n = sampling.n_anchors(n_fresh)

        whole = n_fresh + n
        assert n <= whole / 2
        assert n >= min(n_fresh, max(30, whole / 10))


SIZES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


class TestChancesBySize:
    def test_are_shared_out_by_size_above_what_is_spread_evenly(self):
        # Of two, half evenly: 0.5 · 2/4 = 0.25 each; the other one by size: 3/4 and 1/4 of it.
        found = sampling.chances_by_size([3, 1, 0, 0], 2, even=0.5)

        assert found == pytest.approx([1.0, 0.5, 0.25, 0.25])

    def test_make_certain_what_would_come_out_above_1(self):
        # By size alone the first would have 0.125 + 1.5 · 10/12 > 1; the others share the rest by theirs.
        found = sampling.chances_by_size([10, 1, 1, 0], 2, even=0.25)

        shares = [0.25 / 4 + 0.75 * one / 12 for one in (1, 1, 0)]
        assert found == pytest.approx([1, *(one / sum(shares) for one in shares)])

    def test_are_alike_where_nothing_has_a_size(self):
        assert sampling.chances_by_size([0, 0, 0, 0], 3, even=0.1) == pytest.approx([0.75] * 4)

    @given(SIZES, st.integers(1, 40), st.floats(0.05, 1))
    def test_are_above_0_and_as_many_as_are_drawn(self, sizes, n, even):
        n = min(n, len(sizes))

        found = sampling.chances_by_size(sizes, n, even=even)

        assert sum(found) == pytest.approx(n)
        assert all(0 < one <= 1 for one in found)

    @pytest.mark.parametrize(
        ("sizes", "n", "even"),
        [([1], 2, 0.5), ([1], 0, 0.5), ([1], 1, 0), ([-1], 1, 0.5), ([float("nan")], 1, 0.5)],
    )
    def test_refuse_what_cannot_be(self, sizes, n, even):
        with pytest.raises(ValueError, match=r"drawn|size"):
            sampling.chances_by_size(sizes, n, even=even)


class TestDrawByChance:
    @given(SIZES, st.integers(1, 40), st.text(max_size=5))
    def test_draws_a_fixed_number_with_all_that_is_certain(self, sizes, n, seed):
        chances = sampling.chances_by_size(sizes, min(n, len(sizes)), even=0.2)
        named = {f"u{place}": one for place, one in enumerate(chances)}

        drawn = sampling.draw_by_chance(named, seed=seed)

        assert len(drawn) == len(set(drawn)) == min(n, len(sizes))
        assert {key for key, one in named.items() if one == 1} <= set(drawn)
        assert drawn == sampling.draw_by_chance(dict(reversed(named.items())), seed=seed)

    def test_draws_each_as_often_as_its_chance_says(self):
        chances = sampling.chances_by_size([0, 0.1, 0.2, 0.3, 0.9, 5], 3, even=0.2)
        named = {str(place): one for place, one in enumerate(chances)}

        times = 4_000
        found = Counter(
            key for seed in range(times) for key in sampling.draw_by_chance(named, seed=str(seed))
        )

        # Four standard errors of a share.
        for key, chance in named.items():
            assert abs(found[key] / times - chance) <= 4 * (chance * (1 - chance) / times) ** 0.5

    @pytest.mark.parametrize("chances", [{"a": 0.0, "b": 1.0}, {"a": 0.4, "b": 0.4}, {"a": 1.5}])
    def test_refuses_what_are_no_chances(self, chances):
        with pytest.raises(ValueError, match="whole number"):
            sampling.draw_by_chance(chances, seed="s")
