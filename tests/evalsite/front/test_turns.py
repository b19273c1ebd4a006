from dataclasses import dataclass

from evalsite.front.turns import Turns


@dataclass(eq=False)
class Request:
    address: str = "192.0.2.1"
    credential: bytes = b""


def taken(turns):
    found = []
    while (one := turns.next()) is not None:
        found.append(one)
    return found


def filled(*requests):
    turns = Turns(8)
    for one in requests:
        turns.add(one)
    return turns


class TestNext:
    def test_goes_by_the_order_in_which_they_came(self):
        requests = [Request(f"192.0.2.{n}") for n in range(10)]

        assert taken(filled(*requests)) == requests[:8]

    def test_leaves_threads_to_others_than_one_address(self):
        other = Request("192.0.2.9")
        turns = filled(*(Request() for _ in range(100)), other)

        found = taken(turns)

        assert len(found) == 7
        assert found[-1] is other

    def test_gives_one_account_half_of_the_threads(self):
        mine = [Request(f"192.0.2.{n}", b"me") for n in range(8)]
        other = Request("192.0.2.1", b"you")

        assert taken(filled(*mine, other)) == [*mine[:4], other]

    def test_goes_on_when_a_thread_is_free_again(self):
        turns = filled(*(Request(credential=b"me") for _ in range(6)))
        first = taken(turns)

        turns.done(first[0])

        assert len(taken(turns)) == 1
