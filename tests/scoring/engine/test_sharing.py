from datetime import timedelta

import pytest

from scoring.endpoints.models import EndpointUser
from scoring.engine import pacing as sharing
from tests import make
from tests.scoring import running

SOON = timedelta(seconds=4)


def seconds(n):
    return make.NOW + timedelta(seconds=n)


@pytest.fixture
def endpoint(db):
    return running.endpoint(max_in_flight=8)


def check_in(endpoint, worker, *, holds=0, at=0.0):
    return sharing.check_in(
        endpoint=endpoint, worker=worker, holds=holds, now=seconds(at), seen_within=SOON
    )


class TestCheckIn:
    def test_gives_one_worker_everything(self, endpoint):
        assert check_in(endpoint, "a").slots == 8

    def test_gives_a_newcomer_only_what_the_first_has_let_go(self, endpoint):
        check_in(endpoint, "a")

        newcomer = check_in(endpoint, "b")
        first = check_in(endpoint, "a", holds=8, at=1)
        still = check_in(endpoint, "b", at=1.5)
        check_in(endpoint, "a", holds=4, at=2)
        then = check_in(endpoint, "b", at=2.5)

        assert (newcomer.slots, first.slots, still.slots, then.slots) == (0, 4, 0, 4)
        assert [one.settled for one in (newcomer, first, still, then)] == [
            False,
            False,
            False,
            True,
        ]

    def test_never_gives_more_than_there_is(self, endpoint):
        has = {}
        for at, worker in enumerate("abcab" * 3):
            has[worker] = check_in(endpoint, worker, holds=has.get(worker, 0), at=at / 10).slots

            assert sum(EndpointUser.objects.values_list("slots", flat=True)) <= 8

    def test_gives_what_is_left_over_to_the_first(self, endpoint):
        for _round in range(3):
            slots = [check_in(endpoint, one).slots for one in "abc"]

        assert slots == [3, 3, 2]

    def test_forgets_a_worker_that_is_not_seen_any_more(self, endpoint):
        check_in(endpoint, "a")

        assert check_in(endpoint, "b", at=5).slots == 8

    def test_forgets_one_that_leaves(self, endpoint):
        check_in(endpoint, "a")

        sharing.check_out(worker="a")

        assert check_in(endpoint, "b").slots == 8


class TestSlowDown:
    def slow(self, endpoint, at, retry_after=None):
        return sharing.slow_down(endpoint=endpoint, retry_after=retry_after, now=seconds(at))

    def test_halves_the_speed_of_all_once_for_the_refusals_of_a_moment(self, endpoint):
        shares = [self.slow(endpoint, at).share for at in (0, 0.2, 0.4, 1.5)]

        assert shares == [0.5, 0.5, 0.5, 0.25]
        assert check_in(endpoint, "a", at=2).slots == 2

    def test_never_stops_altogether(self, endpoint):
        for at in range(0, 20, 2):
            told = self.slow(endpoint, at)

        assert told.share == 1 / 8
        assert check_in(endpoint, "a", at=19).slots == 1

    def test_holds_all_until_the_server_may_be_asked_again(self, endpoint):
        self.slow(endpoint, 0, retry_after=30)
        self.slow(endpoint, 1, retry_after=2)

        assert check_in(endpoint, "b", at=2).not_before == seconds(30)

    def test_does_not_wait_for_hours(self, endpoint):
        told = self.slow(endpoint, 0, retry_after=7200)

        assert told.not_before == make.NOW + sharing.MOST_WAITING

    def test_is_over_after_a_while(self, endpoint):
        self.slow(endpoint, 0)
        for at in range(0, 60, 3):
            share = check_in(endpoint, "a", at=at).share

        assert share == 1
