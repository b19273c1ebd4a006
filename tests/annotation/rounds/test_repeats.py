"""A walk through a round by these rules: whoever is given an item that comes twice meets it again."""

from dataclasses import dataclass, field

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from annotation.rounds import rules as rounds
from annotation.rounds.rules import RoundDesign


@dataclass
class Person:
    graded: list[tuple[int, int]] = field(default_factory=list)  # (item, occasion)

    def items(self) -> list[int]:
        return [item for item, occasion in self.graded if occasion == 1]

    def since(self, item: int) -> int:
        return len(self.graded) - self.graded.index((item, 1)) - 1


@dataclass
class Walk:
    """A round as its people go through it; items below `n_twice` come twice."""

    design: RoundDesign
    order: list[int]
    free: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.free = dict.fromkeys(self.order, self.design.n_seats)

    def open_to(self, who: Person) -> tuple[list[int], list[int]]:
        """Return the items that come once, and those that come twice, that can be given."""
        mine = set(who.items())
        left = [one for one in self.order if self.free[one] and one not in mine]
        n = self.design.n_twice
        return [one for one in left if one >= n], [one for one in left if one < n]

    def waiting(self, who: Person) -> list[int]:
        met = {item for item, occasion in who.graded if occasion == 2}
        return [one for one in who.items() if one < self.design.n_twice and one not in met]

    def next(self, who: Person) -> tuple[int, int] | None:
        again = self.waiting(who)
        for one in again:
            if who.since(one) >= rounds.USUALLY_BETWEEN:
                return one, 2
        once, twice = self.open_to(who)
        mine = who.items()
        n_twice = sum(one < self.design.n_twice for one in mine)
        first = twice and rounds.come_first(
            self.design, n_open=len(once), n_once=len(mine) - n_twice, n_twice=n_twice
        )
        if left := twice if first else [one for one in self.order if one in {*once, *twice}]:
            return left[0], 1
        return next(((one, 2) for one in again if who.since(one) >= rounds.MIN_BETWEEN), None)

    def give(self, who: Person) -> bool:
        found = self.next(who)
        if found is None:
            return False
        if found[1] == 1:
            self.free[found[0]] -= 1
        who.graded.append(found)
        return True

    def total(self, who: Person) -> int:
        """Return of how many this person is told."""
        once, twice = self.open_to(who)
        waiting = [who.since(one) for one in self.waiting(who)]
        n = rounds.n_to_come(waiting, [], n_once=len(once), n_twice=len(twice))
        return len(who.graded) + len(once) + len(twice) + n


@st.composite
def walks(draw: st.DrawFn) -> tuple[Walk, list[Person], st.DataObject]:
    n = draw(st.integers(4, 30))
    n_twice = rounds.n_repeats(n, draw(st.integers(1, rounds.MOST_REPEATS)))
    n_seats = draw(st.integers(1, 4))
    n_people = draw(st.integers(1, 6))
    order = draw(st.permutations(range(n)))
    design = RoundDesign(n - n_twice, n_twice, n_seats, n_people)
    return Walk(design, list(order)), [Person() for _ in range(n_people)], draw(st.data())


class TestWhatComesTwice:
    @given(walks())
    def test_is_met_again_by_all_who_are_given_everything_in_whatever_order_they_come(self, drawn):
        walk, people, data = drawn
        assume(not walk.design.is_shared)
        left = list(people)
        while left:
            one = data.draw(st.sampled_from(left))
            for _ in range(data.draw(st.integers(1, 8))):
                if not walk.give(one):
                    left.remove(one)
                    break

        n = walk.design.n_once + walk.design.n_twice
        assert [len(one.graded) for one in people] == [n + walk.design.n_twice] * len(people)

    @given(walks())
    def test_is_met_again_by_whoever_comes_first_and_takes_all(self, drawn):
        walk, people, _data = drawn
        first = people[0]
        while walk.give(first):
            pass

        assert walk.waiting(first) == []

    @given(walks())
    def test_never_lies_next_to_itself(self, drawn):
        walk, people, _data = drawn
        for one in people:
            while walk.give(one):
                pass
            for item, occasion in one.graded:
                if occasion == 2:
                    apart = one.graded.index((item, 2)) - one.graded.index((item, 1))
                    assert apart > rounds.MIN_BETWEEN

    @given(walks())
    def test_is_counted_from_the_beginning(self, drawn):
        walk, people, _data = drawn
        for one in people:
            told = [walk.total(one)]
            while walk.give(one):
                told.append(walk.total(one))

            assert set(told) == {len(one.graded)}


class TestComeFirst:
    @pytest.mark.parametrize(
        ("n_open", "n_once", "n_twice", "first"),
        [(20, 0, 0, False), (3, 17, 0, True), (10, 10, 4, True), (11, 9, 4, False)],
    )
    def test_is_when_few_others_are_left(self, n_open, n_once, n_twice, first):
        design = RoundDesign(n_once=20, n_twice=5, n_seats=3, n_people=3)

        found = rounds.come_first(design, n_open=n_open, n_once=n_once, n_twice=n_twice)

        assert found is first

    @pytest.mark.parametrize(
        ("n_once", "n_twice", "first"), [(3, 0, False), (5, 0, True), (5, 1, True), (5, 2, False)]
    )
    def test_is_after_half_a_share_where_seats_are_shared(self, n_once, n_twice, first):
        design = RoundDesign(n_once=100, n_twice=20, n_seats=1, n_people=10)

        found = rounds.come_first(design, n_open=50, n_once=n_once, n_twice=n_twice)

        assert found is first


class TestNToCome:
    @pytest.mark.parametrize(
        ("waiting", "held", "n_once", "n_twice", "n"),
        [
            ([], [], 0, 1, 0),  # nothing would lie between
            ([], [], 1, 1, 0),
            ([], [], 2, 1, 1),
            ([], [], 1, 2, 2),  # the one lies between the two times of the other
            ([], [], 0, 3, 3),
            ([1], [], 0, 0, 0),
            ([1], [False], 0, 0, 1),
            ([0, 1], [False], 0, 0, 2),
            ([], [True, False, False], 0, 0, 1),
            ([], [False, False, True], 0, 0, 0),
        ],
    )
    def test_counts_what_will_be_far_enough_apart(self, waiting, held, n_once, n_twice, n):
        assert rounds.n_to_come(waiting, held, n_once=n_once, n_twice=n_twice) == n
