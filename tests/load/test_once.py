"""What many ask for at the same moment is done once, and whoever asked is told the same."""

import time

import pytest

from tests.load import once
from tests.load.site import result, site

pytestmark = [pytest.mark.load, pytest.mark.timeout(600)]

N_PROCESSES, N_THREADS = 4, 5
N = N_PROCESSES * N_THREADS


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def raced(request, tmp_path_factory):
    """What everybody was told in each race, and what there is in the end."""
    with site(request.param, tmp_path_factory.mktemp("once")) as here:
        made = result(here.start("prepare", of="tests.load.once"))
        plan = {**made, "threads": N_THREADS, "began": time.time() + 8}
        crowds = [here.start("race", of="tests.load.once", **plan) for _ in range(N_PROCESSES)]
        told = [result(crowd) for crowd in crowds]
        found = result(here.start("check", of="tests.load.once", **made))
    return {name: [one for each in told for one in each[name]] for name in once.RACES}, found


class TestSubmit:
    def test_that_is_sent_many_times_counts_once(self, raced):
        told, found = raced

        assert len(told["submit"]) == N
        assert len(set(told["submit"])) == 1, told["submit"]
        assert found["receipts"][0] == 1
        assert found["grades"][0] == found["slots"][0]

    def test_from_many_tabs_counts_for_one_of_them(self, raced):
        told, found = raced
        refused = [one for one in told["submit_apart"] if one == "refused: stale_tab"]

        assert len(told["submit_apart"]) - len(refused) == 1, told["submit_apart"]
        assert found["receipts"][1] == 1
        assert found["grades"][1] == found["slots"][1]


class TestOpening:
    def test_by_many_workers_deals_every_seat_once(self, raced):
        told, found = raced

        assert set(told["open_round"]) <= {"True", "False"}, told["open_round"]
        assert found["opened"] == "OPEN"
        assert found["seats"] == 6


class TestPublishing:
    def test_by_one_key_makes_one_round(self, raced):
        told, found = raced

        assert set(told["publish"]) == {"1"}, told["publish"]
        assert found["publications"] == 1

    def test_by_many_keys_makes_as_many_rounds_of_the_same_items(self, raced):
        told, found = raced

        assert sorted(map(int, told["publish_apart"])) == list(range(2, N + 2))
        assert found["numbers"] == list(range(1, N + 2))
        assert found["items"] == found["responses"] == once.N_UNITS


class TestRequestRun:
    def test_by_one_key_makes_one_run(self, raced):
        told, found = raced

        assert set(told["request_run"]) == {"1"}, told["request_run"]
        assert found["runs"] == 1


class TestIdempotencyKey:
    def test_of_one_request_sent_many_times_counts_once(self, raced):
        told, found = raced

        assert len(told["keyed"]) == N
        assert len(set(told["keyed"])) == 1, told["keyed"]
        assert told["keyed"][0].startswith("201 ")
        assert found["harbours"] == 1

    def test_of_many_requests_counts_for_one_of_them(self, raced):
        told, found = raced
        refused = [one for one in told["keyed_apart"] if one == "refused: idempotency_key_reused"]

        assert len(told["keyed_apart"]) - len(refused) == 1, told["keyed_apart"]
        assert found["harbours_apart"] == 1
        assert found["answers"] == 2
