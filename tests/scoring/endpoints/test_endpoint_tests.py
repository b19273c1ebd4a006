import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from annotation.people.models import AuditEvent
from evalsite import queue
from scoring.endpoints import operations as endpoints
from scoring.endpoints import testing as endpoint_tests
from scoring.endpoints.models import EndpointTest
from scoring.llm.base import MachineryFailed, Trouble
from tests import make
from tests.scoring import endpoint_rows
from tests.scoring.endpoint_rows import CANARY
from tests.scoring.llm import serving

pytestmark = pytest.mark.django_db


class WorkerEnded(BaseException): ...


def ask(of, minutes=0):
    return endpoint_tests.request(
        endpoint=of, by=endpoint_rows.owner_of(of.project), now=make.at(minutes)
    )


def carry_out(test, minutes=1, **more):
    endpoint_tests.carry_out(test_id=test.pk, clock=lambda: make.at(minutes), **more)
    test.refresh_from_db()
    return test


def served(server, **more):
    return endpoint_rows.endpoint(url=server.url, model_name="scripted", timeout=5, **more)


@pytest.fixture
def loopback(settings):
    settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]


def failing(problem):
    """Return an opener of a wire on which every question fails."""

    class Wire:
        async def post(self, path, sent, request):
            raise problem

    @asynccontextmanager
    async def open_wire(config):
        yield Wire()

    return open_wire


class TestRequest:
    def test_rings_for_a_worker(self, django_capture_on_commit_callbacks):
        made = endpoint_rows.endpoint()

        with django_capture_on_commit_callbacks(execute=True):
            test = ask(made)

        assert (endpoint_tests.JOB, {"test_id": test.pk}) in queue.waiting("runs")
        assert AuditEvent.objects.filter(verb="endpoint.test_asked").count() == 1

    def test_is_the_one_that_is_under_way(self):
        made = endpoint_rows.endpoint()

        assert ask(made) == ask(made)

    def test_is_refused_for_one_that_is_retired(self):
        made = endpoint_rows.endpoint()
        endpoints.retire(endpoint=made, by=endpoint_rows.owner_of(made.project), now=make.NOW)

        with pytest.raises(endpoints.Retired):
            ask(made)


class TestCarryOut:
    def test_finds_what_a_server_can_do_and_stores_it(self, loopback):
        with serving.in_thread(key=CANARY) as server:
            made = served(server, key=CANARY)
            test = carry_out(ask(made))

        made.refresh_from_db()
        assert (test.state, test.ended_at, test.lease_until) == ("DONE", make.at(1), None)
        assert made.tested_at == make.at(1)
        assert made.found["json_schema"] == {
            "value": True,
            "how": "seen",
            "facts": {},
            "at": make.at(1).isoformat(),
        }
        assert made.found["latency"]["value"] > 0
        assert CANARY not in str(made.found)

    def test_finds_what_a_script_can_do(self):
        made = endpoint_rows.scripted(logprobs=False)

        carry_out(made.tests.get())

        made.refresh_from_db()
        assert made.found["logprobs"]["value"] is False
        assert made.found["json_schema"]["value"] is True

    def test_gives_up_on_a_server_that_says_nothing_whatever_it_may_wait(self):
        made = endpoint_rows.endpoint(timeout=3600)

        class Silent:
            async def post(self, path, sent, request):
                await asyncio.sleep(3600)

        @asynccontextmanager
        async def open_wire(config):
            yield Silent()

        test = carry_out(ask(made), open_wire=open_wire, longest=timedelta(seconds=0.05))

        assert (test.state, test.trouble) == ("FAILED", "TIMEOUT")
        assert "took longer" in test.problem

    @pytest.mark.parametrize("fault", ["empty", "tool_call", "filtered", "cut_off"])
    def test_fails_where_the_server_answers_nothing(self, loopback, fault):
        with serving.in_thread(faults={fault: 1.0}) as server:
            made = served(server)
            test = carry_out(ask(made))

        made.refresh_from_db()
        assert (test.state, made.tested_at) == ("FAILED", None)
        assert test.problem

    def test_says_what_a_model_that_thinks_answered(self, loopback):
        with serving.in_thread(faults={"thinking": 1.0}) as server:
            made = served(server)
            test = carry_out(ask(made))

        made.refresh_from_db()
        assert test.state == "DONE"
        assert made.found["answers"]["how"] == "reasons"
        assert "<think>" not in made.found["answers"]["facts"]["reply"]

    def test_says_that_a_key_is_wrong_without_showing_it(self, loopback):
        with serving.in_thread(key="another-key") as server:
            test = carry_out(ask(served(server, key=CANARY)))

        assert (test.state, test.trouble) == ("FAILED", "KEY")
        assert "canary" not in test.problem

    def test_says_that_an_address_may_not_be_asked(self, settings):
        settings.ENDPOINT_NETWORKS = ["127.0.0.0/8"]
        made = endpoint_rows.endpoint(url="http://127.0.0.1:9/v1")
        settings.ENDPOINT_NETWORKS = []

        assert carry_out(ask(made)).trouble == "REFUSED_ADDRESS"

    def test_says_that_the_key_cannot_be_opened(self, settings):
        made = endpoint_rows.endpoint(key=CANARY)
        settings.SECRET_KEY = "another"

        test = carry_out(ask(made))

        assert test.state == "FAILED"
        assert "Set the key again" in test.problem

    def test_leaves_what_was_known_where_it_fails(self):
        made = endpoint_rows.scripted()
        carry_out(made.tests.get())
        problem = MachineryFailed(Trouble.KEY, "Nobody there.")

        test = carry_out(ask(made), open_wire=failing(problem))

        made.refresh_from_db()
        assert (test.state, test.problem) == ("FAILED", "Nobody there.")
        assert made.found["json_schema"]["value"] is True

    def test_is_done_once(self):
        made = endpoint_rows.scripted()
        test = carry_out(made.tests.get())

        again = carry_out(test, 5, open_wire=failing(AssertionError("asked twice")))

        assert again.ended_at == make.at(1)

    def test_leaves_a_test_that_is_in_other_hands(self):
        test = endpoint_rows.scripted().tests.get()
        EndpointTest.objects.update(lease_until=make.at(9))

        assert carry_out(test, 1).state == "MOVING"
        assert carry_out(test, 10).state == "DONE"


class TestRingAgain:
    def test_rings_for_a_test_that_nobody_took(self):
        test = ask(endpoint_rows.endpoint())

        assert endpoint_tests.ring_again(make.NOW) == 0
        assert endpoint_tests.ring_again(make.NOW + timedelta(seconds=30)) == 1
        carry_out(test, open_wire=failing(MachineryFailed(Trouble.KEY, "Shut.")))
        assert endpoint_tests.ring_again(make.at(60)) == 0

    def test_rings_for_a_test_whose_worker_died(self):
        ask(endpoint_rows.endpoint())
        EndpointTest.objects.update(lease_until=make.at(5))

        assert endpoint_tests.ring_again(make.at(4)) == 0
        assert endpoint_tests.ring_again(make.at(6)) == 1

    def test_rings_within_minutes_however_long_the_endpoint_may_take(self):
        test = ask(endpoint_rows.endpoint(timeout=3000))
        with pytest.raises(WorkerEnded):
            carry_out(test, open_wire=failing(WorkerEnded()))

        assert endpoint_tests.ring_again(make.at(11)) == 0
        assert endpoint_tests.ring_again(make.at(13)) == 1

    def test_fails_where_workers_ended_over_it_for_too_long(self):
        test = ask(endpoint_rows.endpoint())
        EndpointTest.objects.update(lease_until=make.NOW)

        endpoint_tests.carry_out(test_id=test.pk, clock=lambda: make.at(60))

        test.refresh_from_db()
        assert test.state == EndpointTest.State.FAILED
        assert "The worker ended in the midst of this test" in test.problem
