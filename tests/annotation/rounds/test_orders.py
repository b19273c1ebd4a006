import itertools
import time
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.common import draws as seeds
from annotation.rounds import orders

ragged = st.integers(1, 9).flatmap(
    lambda releases: st.lists(
        st.sets(st.integers(0, releases - 1), min_size=1, max_size=8), max_size=60
    )
)


def uneven(seats, deals):
    """The (size, release) whose counts over the positions differ by more than one."""
    counts = defaultdict(Counter)
    for releases, dealt in zip(seats, deals, strict=True):
        for position, release in enumerate(dealt.order):
            counts[len(releases), release][position] += 1
    return [
        key
        for key, count in counts.items()
        if max(count[i] for i in range(key[0])) - min(count[i] for i in range(key[0])) > 1
    ]


class TestWilliams:
    @pytest.mark.parametrize("q", range(1, 13))
    def test_balances_positions_and_neighbours(self, q):
        rows = orders.williams(q)
        places = Counter((place, n) for row in rows for place, n in enumerate(row))
        pairs = Counter(pair for row in rows for pair in itertools.pairwise(row))

        assert len(rows) == (q if q % 2 == 0 else 2 * q)
        assert all(sorted(row) == list(range(q)) for row in rows)
        assert set(places.values()) == {len(rows) // q}
        assert len(pairs) == q * (q - 1)
        assert len(set(pairs.values())) <= 1

    @pytest.mark.parametrize("q", range(1, 10))
    def test_starts_with_a_latin_square(self, q):
        assert all(len(set(column)) == q for column in zip(*orders.williams(q)[:q], strict=True))

    def test_refuses_nothing_to_order(self):
        with pytest.raises(ValueError, match="at least one"):
            orders.williams(0)


class TestDeal:
    @given(ragged, st.text(max_size=5))
    def test_puts_every_release_everywhere_equally_often(self, seats, seed):
        deals = orders.deal([sorted(seat) for seat in seats], seed=seed)

        assert [sorted(dealt.order) for dealt in deals] == [sorted(seat) for seat in seats]
        assert uneven(seats, deals) == []

    @given(
        st.integers(2, 8).flatmap(
            lambda m: st.lists(st.permutations(range(m + 3)).map(lambda p: p[:m]), max_size=70)
        )
    )
    def test_does_so_where_every_seat_shows_another_set(self, seats):
        assert uneven(seats, orders.deal(seats, seed="ragged")) == []

    @given(st.integers(1, 8), st.integers(1, 60), st.text(max_size=3))
    def test_does_so_where_all_seats_show_the_same(self, m, n, seed):
        deals = orders.deal([range(m)] * n, seed=seed)

        assert uneven([range(m)] * n, deals) == []
        assert all(dealt.order == orders.williams(m)[dealt.row] for dealt in deals)

    @pytest.mark.parametrize("m", range(2, 9))
    def test_balances_neighbours_in_whole_squares(self, m):
        size = len(orders.williams(m))
        deals = orders.deal([range(m)] * (5 * size), seed="whole")
        pairs = Counter(pair for dealt in deals for pair in itertools.pairwise(dealt.order))

        assert set(pairs.values()) == {5 * size // m}
        assert Counter(dealt.square for dealt in deals) == dict.fromkeys(range(5), size)

    @given(st.integers(4, 8), st.integers(1, 90), st.text(max_size=3))
    def test_gives_three_seats_in_a_row_different_rows(self, m, n, seed):
        rows = [dealt.row for dealt in orders.deal([range(m)] * n, seed=seed)]

        assert all(len(set(rows[i : i + 3])) == len(rows[i : i + 3]) for i in range(n))

    def test_does_not_repeat_a_pattern_by_which_seats_could_be_told(self):
        rows = [dealt.row for dealt in orders.deal([range(4)] * 4000, seed="pattern")]
        first_seats = Counter(rows[::4])

        assert all(200 < first_seats[row] < 300 for row in range(4))

    def test_is_the_same_again_and_another_with_another_seed(self):
        seats = [range(4)] * 40 + [range(1, 4)] * 5 + [(0, 1, 3)] * 7

        assert orders.deal(seats, seed="a") == orders.deal(seats, seed="a")
        assert orders.deal(seats, seed="a") != orders.deal(seats, seed="b")

    def test_does_not_see_in_which_order_responses_came(self):
        assert orders.deal([(2, 0, 1)] * 7, seed="a") == orders.deal([(0, 1, 2)] * 7, seed="a")

    @pytest.mark.parametrize("seat", [(), (1, 1)])
    def test_refuses_a_seat_that_cannot_be(self, seat):
        with pytest.raises(ValueError, match="Seat 2 needs"):
            orders.deal([(0, 1), seat], seed="a")

    def test_deals_a_large_round_at_once(self):
        started = time.perf_counter()
        deals = orders.deal([range(4)] * 30_000, seed="large")

        assert len(deals) == 30_000
        assert time.perf_counter() - started < 3  # 0.1 s on a quiet machine

    def test_deals_a_large_ragged_round_too(self):
        rng = seeds.generator(1, "ragged")
        seats = [sorted(rng.permutation(16)[:8].tolist()) for _ in range(5_000)]

        assert uneven(seats, orders.deal(seats, seed="large")) == []


class TestWays:
    @given(st.text(max_size=4), st.text(max_size=4), st.integers(1, 400))
    def test_comes_to_each_once(self, seed, person, n):
        assert sorted(orders.visits(seed, person, n, 0, n)) == list(range(n))

    def test_leads_each_person_another_way(self):
        firsts = Counter(
            one for p in range(2000) for one in orders.visits("seed", f"person {p}", 5, 0, 1)
        )
        ways = {tuple(orders.visits("seed", f"person {p}", 5, 0, 5)) for p in range(2000)}

        assert all(320 < firsts[item] < 480 for item in range(5))
        assert len(ways) == 120


class TestVisits:
    @given(st.integers(1, 300), st.integers(0, 310), st.integers(0, 20))
    def test_are_a_stretch_of_the_same_way(self, n, start, count):
        way = orders.visits("seed", "person", n, 0, n)

        assert orders.visits("seed", "person", n, start, count) == way[start : start + count]

    def test_need_no_memory_for_a_large_round(self):
        assert len(set(orders.visits("seed", "person", 10**9, 10**8, 100))) == 100


class TestDealMore:
    def test_gives_an_order_not_dealt_yet_while_there_is_one(self):
        dealt = [deal.order for deal in orders.deal([[0, 1, 2, 3]] * 3, seed="s")]

        more = orders.deal_more([3, 2, 1, 0], dealt, seed="s", seat=12)

        assert sorted(more.order) == [0, 1, 2, 3]
        assert more.order not in dealt
        assert orders.williams(4)[more.row or 0] == more.order

    def test_gives_one_of_the_rarest_when_all_were_dealt(self):
        dealt = [*orders.williams(2), orders.williams(2)[0]]

        assert orders.deal_more([0, 1], dealt, seed="s", seat=3).order == orders.williams(2)[1]

    def test_is_the_same_from_the_same_seed(self):
        deals = {orders.deal_more(range(8), [], seed="s", seat=5) for _ in range(3)}

        assert len(deals) == 1


class TestSchedule:
    @pytest.mark.parametrize("n", range(12))
    def test_has_every_pair_once_and_is_balanced_wherever_it_ends(self, n):
        pairs = orders.schedule(n)

        assert {frozenset(one) for one in pairs} == {
            frozenset(one) for one in itertools.combinations(range(n), 2)
        }
        assert len(pairs) == n * (n - 1) // 2
        met = Counter(dict.fromkeys(range(n), 0))
        for one in pairs:
            met.update(one)
            assert max(met.values()) - min(met.values()) <= 1

    def test_of_three_goes_around(self):
        assert orders.schedule(3) == ((2, 0), (1, 2), (0, 1))

    def test_refuses_less_than_nothing(self):
        with pytest.raises(ValueError, match="fewer"):
            orders.schedule(-1)


class TestPairings:
    @given(st.integers(2, 8), st.integers(1, 28), st.integers(1, 40))
    def test_let_every_pair_and_every_release_meet_equally_often(self, m, each, n):
        pairs = orders.schedule(m)

        found = orders.pairings([range(m)] * n, m, each)

        assert all(len(set(one)) == min(each, len(pairs)) for one in found)
        met = Counter(dict.fromkeys(range(len(pairs)), 0))
        met.update(place for one in found for place in one)
        shown = Counter(release for one in found for place in one for release in pairs[place])
        assert max(met.values()) - min(met.values()) <= 1
        assert max(shown.values()) - min(shown[one] for one in range(m)) <= 1

    @given(st.lists(st.sets(st.integers(0, 4)), max_size=30), st.integers(1, 10))
    def test_compare_only_what_answered(self, present, each):
        pairs = orders.schedule(5)

        for releases, chosen in zip(present, orders.pairings(present, 5, each), strict=True):
            possible = len(releases) * (len(releases) - 1) // 2
            assert len(chosen) == min(each, possible)
            assert all(set(pairs[place]) <= releases for place in chosen)

    def test_are_all_where_no_number_is_said(self):
        assert orders.pairings([range(4), {1, 2}], 4, None)[0] == [0, 1, 2, 3, 4, 5]
        assert len(orders.pairings([{1, 2}], 4, None)[0]) == 1


class TestSides:
    @given(
        st.integers(2, 6),
        st.integers(1, 20),
        st.integers(1, 7),
        st.integers(1, 15),
        st.text(max_size=3),
    )
    def test_are_equal_for_every_pair_and_on_every_item(self, m, n, n_seats, each, seed):
        pairs = orders.schedule(m)
        places = [
            tuple(sorted(pairs[place]))
            for chosen in orders.pairings([range(m)] * n, m, each)
            for place in chosen
        ]

        deals = orders.deal([one for one in places for _seat in range(n_seats)], seed=seed)

        of_pair: defaultdict[tuple[int, int], int] = defaultdict(int)
        for item, two in enumerate(places):
            seats = deals[item * n_seats : (item + 1) * n_seats]
            ahead = sum(1 if one.order == two else -1 for one in seats)
            assert abs(ahead) <= 1
            of_pair[two] += ahead
        assert all(abs(ahead) <= 1 for ahead in of_pair.values())
