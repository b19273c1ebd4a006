import contextlib
import socket
import tempfile

import pytest

from evalsite.front import outgoing
from evalsite.front.outgoing import Outlet, Shelf

BIG = b"0123456789" * 1_000_000


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.settimeout(5)
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def outlet_of():
    """Make outlets; all are closed in the end."""
    made = []

    def make(sock, shelf=None, woken=None):
        woken = [] if woken is None else woken
        made.append(Outlet(sock, lambda: woken.append(1), shelf or Shelf()))
        return made[-1]

    yield make
    for one in made:
        one.close()


def read(sock, n):
    found = b""
    while len(found) < n and (piece := sock.recv(65_536)):
        found += piece
    return found


class TestSendall:
    def test_sends_what_the_visitor_takes(self, pair, outlet_of):
        outlet_of(pair[0]).sendall(b"hello")

        assert pair[1].recv(10) == b"hello"

    def test_does_not_wait_for_a_visitor_who_does_not_read(self, pair, outlet_of):
        woken = []
        outlet = outlet_of(pair[0], woken=woken)

        outlet.sendall(BIG)
        outlet.sendall(b"the end")

        assert outlet.kept > 0
        assert woken == [1]

    def test_loses_and_mixes_nothing(self, pair, outlet_of):
        outlet = outlet_of(pair[0])
        outlet.sendall(BIG)
        outlet.sendall(b"the end")
        found = b""
        while not outlet.flush():
            found += read(pair[1], 65_536)
        found += read(pair[1], len(BIG) + 7 - len(found))

        assert found == BIG + b"the end"
        assert outlet.kept == 0

    def test_of_one_that_was_closed_tells_the_thread(self, pair, outlet_of):
        outlet = outlet_of(pair[0])
        outlet.close()

        with pytest.raises(BrokenPipeError):
            outlet.sendall(b"x")

    def test_of_a_file_sends_the_part_asked_for(self, pair, outlet_of):
        with tempfile.TemporaryFile() as file:
            file.write(b"0123456789")
            file.flush()
            outlet_of(pair[0]).sendfile(file, offset=2, count=5)

        assert pair[1].recv(20) == b"23456"


class TestIsOverdue:
    def test_where_somebody_reads_nothing(self, pair, outlet_of):
        outlet = outlet_of(pair[0])
        outlet.sendall(BIG)
        began = outlet._since

        assert not outlet.is_overdue(began + outgoing.READ_SECONDS - 1)
        assert outlet.is_overdue(began + outgoing.READ_SECONDS + 1)

    def test_never_where_all_was_taken(self, pair, outlet_of):
        outlet = outlet_of(pair[0])
        outlet.sendall(b"x")

        assert not outlet.is_overdue(1e12)


class TestShelf:
    def test_cuts_off_whoever_has_most_kept(self, pair, outlet_of):
        shelf = Shelf(most=15_000_000)
        other, theirs = socket.socketpair()
        with other, theirs:
            other.setblocking(False)
            small, large = outlet_of(pair[0], shelf), outlet_of(other, shelf)
            large.sendall(BIG)
            small.sendall(BIG[:5_000_000])
            large.sendall(BIG)

            assert (small.is_cut, large.is_cut) == (False, True)

    def test_cuts_off_one_of_many_before_a_larger_one_of_somebody_else(self, outlet_of):
        shelf = Shelf(most=25_000_000)
        with contextlib.ExitStack() as stack:
            made = []
            for _visitor in range(4):
                ours, theirs = socket.socketpair()
                stack.enter_context(ours)
                stack.enter_context(theirs)
                ours.setblocking(False)
                made.append(outlet_of(ours, shelf))
            alone, *many = made
            for one in many:
                one.owner = "somebody"

            alone.sendall(BIG)
            for one in many:
                one.sendall(BIG[:8_000_000])

            assert (alone.is_cut, any(one.is_cut for one in many)) == (False, True)

    def test_forgets_what_was_read(self, pair, outlet_of):
        shelf = Shelf(most=15_000_000)
        outlet = outlet_of(pair[0], shelf)
        outlet.sendall(BIG)

        outlet.forget()
        outlet.sendall(BIG)

        assert not outlet.is_cut

    def test_forgets_what_was_closed(self, pair, outlet_of):
        shelf = Shelf(most=15_000_000)
        first = outlet_of(pair[0], shelf)
        first.sendall(BIG)
        first.close()
        other, theirs = socket.socketpair()
        with other, theirs:
            other.setblocking(False)
            second = outlet_of(other, shelf)
            second.sendall(BIG)

            assert not second.is_cut
