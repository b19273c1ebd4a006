from types import SimpleNamespace

import pytest

from evalsite.front import worker as lines
from evalsite.front.worker import ClientLine, Doing


def line(address, doing, received=0):
    made = ClientLine(None, (address, 1), None, None)
    made.doing = doing
    made.incoming = SimpleNamespace(received=received)  # type: ignore[assignment]
    return made


class TestAddress:
    @pytest.mark.parametrize(
        ("address", "network"),
        [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),  # as a socket for both kinds says it
            ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
            ("", ""),
        ],
    )
    def test_is_whom_an_address_stands_for(self, address, network):
        assert line(address, Doing.IDLE).address == network


class TestLeastWanted:
    def test_is_of_the_address_that_has_most(self):
        one = line("192.0.2.1", Doing.IDLE)
        many = [line("192.0.2.2", Doing.RECEIVING, n) for n in (3, 1, 2)]

        assert lines.least_wanted([one, *many]) == [many[1]]

    def test_says_nothing_before_it_sends_little(self):
        idle = line("192.0.2.1", Doing.IDLE)

        assert lines.least_wanted([line("192.0.2.1", Doing.RECEIVING), idle]) == [idle]

    def test_is_none_that_a_thread_is_at(self):
        assert lines.least_wanted([line("192.0.2.1", Doing.ANSWERING)]) == []

    def test_is_one_that_waits_where_its_address_has_most(self):
        waiting = [line("192.0.2.2", Doing.WAITING) for _ in range(3)]

        assert lines.least_wanted([line("192.0.2.1", Doing.IDLE), *waiting]) == waiting[:1]

    def test_are_several_at_a_time_and_leave_no_fewer_than_the_next_address_has(self):
        some = [line("192.0.2.1", Doing.RECEIVING, n) for n in range(3)]
        most = [line("192.0.2.2", Doing.RECEIVING, n) for n in range(8)]

        assert lines.least_wanted([*some, *most], most=4) == most[:4]
        assert lines.least_wanted([*some, *most], most=9) == most[:5]
