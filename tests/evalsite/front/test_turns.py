from dataclasses import dataclass

from evalsite.front.worker import Turns


@dataclass(eq=False)
class Request:
    address: str = "192.0.2.1"
    credential: bytes = b""
    brings_much: bool = False


def taken(turns):
    found = []
    while (one := turns.next()) is not None:
        found.append(one)
    return found


def filled(*requests, known=()):
    turns = Turns(8)
    for credential, account in known:
        before = Request(credential=credential)
        turns.add(before)
        turns.next()
        turns.done(before, account)
    for one in requests:
        turns.add(one)
    return turns


class TestNext:
    def test_goes_by_the_order_in_which_they_came(self):
        requests = [Request(f"192.0.2.{n}") for n in range(10)]

        assert taken(filled(*requests)) == requests[:8]

    def test_leaves_threads_to_others_than_one_address(self):
        other = Request("192.0.2.9")

        found = taken(filled(*(Request() for _ in range(100)), other))

        assert len(found) == 3 + 1
        assert found[-1] is other

    def test_does_not_believe_what_somebody_shows(self):
        made_up = [Request(credential=f"made up {n}".encode()) for n in range(8)]
        nothing = [Request() for _ in range(8)]
        other = Request("192.0.2.9")

        assert taken(filled(*made_up, *nothing, other)) == [*made_up[:3], other]

    def test_leaves_a_thread_to_others_than_an_account_and_its_address(self):
        known = [Request(credential=b"session") for _ in range(8)]
        new = [Request(credential=f"new token {n}".encode()) for n in range(8)]
        other = Request("192.0.2.9")

        found = taken(filled(*known, *new, other, known=[(b"session", "7")]))

        assert found == [*known[:4], *new[:3], other]

    def test_leaves_half_of_the_threads_to_what_is_small(self):
        large = [Request(f"192.0.2.{n}", brings_much=True) for n in range(8)]
        small = [Request(f"192.0.2.{n}") for n in range(10, 14)]

        assert taken(filled(*large, *small)) == [*large[:4], *small]

    def test_gives_one_account_half_of_the_threads_whatever_it_shows(self):
        known = [(b"session", "7"), (b"token", "7"), (b"another", "8")]
        mine = [Request(credential=b"session") for _ in range(3)]
        mine += [Request(credential=b"token") for _ in range(3)]
        other = Request(credential=b"another")

        assert taken(filled(*mine, other, known=known)) == [*mine[:4], other]

    def test_lets_many_accounts_at_one_address_have_all_threads(self):
        known = [(f"session {n}".encode(), str(n)) for n in range(8)]
        requests = [Request(credential=credential) for credential, _account in known]

        assert taken(filled(*requests, known=known)) == requests

    def test_goes_on_when_a_thread_is_free_again(self):
        turns = filled(*(Request() for _ in range(6)))
        first = taken(turns)

        turns.done(first[0])

        assert len(taken(turns)) == 1

    def test_forgets_who_showed_something_that_is_no_longer_good(self):
        turns = filled(known=[(b"session", "7")])
        after = Request(credential=b"session")
        turns.add(after)
        turns.next()
        turns.done(after, "")
        turns.add(Request(credential=b"session"))

        assert turns.who(taken(turns)[0]) == ("address", "192.0.2.1")

    def test_still_knows_who_asked_for_what_is_open_to_all(self):
        turns = filled(known=[(b"session", "7")])
        style = Request(credential=b"session")
        turns.add(style)
        turns.next()
        turns.done(style)

        assert turns.who(Request(credential=b"session")) == ("account", "7")


class TestDrop:
    def test_forgets_one_that_nobody_waits_for(self):
        first, second = Request("192.0.2.1"), Request("192.0.2.2")
        turns = filled(first, second)

        turns.drop(first)

        assert taken(turns) == [second]
