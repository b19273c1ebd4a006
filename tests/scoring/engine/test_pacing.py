import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from scoring.endpoints.models import Endpoint
from scoring.engine.pacing import Allowance, Brake, Interrupted, PacedEndpoint, Patience
from scoring.llm.base import MachineryFailed, Trouble

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def line(brake, *, slots=2, n_workers=1, not_before=None, **given):
    made = PacedEndpoint(Endpoint(name="Meridian", **given), None, brake, lambda: NOW)
    made.allow(Allowance(slots, n_workers, 1.0, not_before))
    return made


def run(work):
    async def with_brake():
        return await work(Brake())

    return asyncio.run(with_brake())


async def soon(awaitable):
    """Wait a moment for something; say whether it came."""
    task = asyncio.ensure_future(awaitable)
    await asyncio.sleep(0.02)
    if task.done():
        return True
    task.cancel()
    return False


class TestPatience:
    def test_waits_twice_as_long_each_time_up_to_a_limit(self):
        patience = Patience(first_wait=1, longest_wait=10)

        waits = [patience.wait(n, "80000000") for n in (1, 2, 3, 9)]

        assert waits == [1, 2, 4, 10]

    def test_keeps_calls_apart(self):
        patience = Patience(first_wait=1)

        assert 0.75 <= patience.wait(1, "00000000") < patience.wait(1, "ffffffff") <= 1.25


class TestLine:
    def test_lets_in_as_many_as_there_are_slots(self):
        async def work(brake):
            mine = line(brake)
            return [await soon(mine.enter()) for _place in range(3)], mine.in_flight

        assert run(work) == ([True, True, False], 2)

    def test_lets_the_next_one_in_when_somebody_leaves(self):
        async def work(brake):
            mine = line(brake, slots=1)
            await mine.enter()
            waiting = asyncio.create_task(mine.enter())
            await asyncio.sleep(0)
            mine.leave()
            await waiting
            return mine.in_flight

        assert run(work) == 1

    def test_lets_those_in_first_who_came_first(self):
        async def work(brake):
            mine, order = line(brake, slots=1), []

            async def ask(name, times):
                for _time in range(times):
                    await mine.enter()
                    order.append(name)
                    await asyncio.sleep(0)
                    mine.leave()

            await asyncio.gather(*(ask(name, 3) for name in "abc"))
            return "".join(order), mine.in_flight

        assert run(work) == ("abcabcabc", 0)

    def test_lets_the_next_one_in_when_the_first_gives_up(self):
        async def work(brake):
            mine = line(brake, slots=1)
            await mine.enter()
            first, second = (asyncio.create_task(mine.enter()) for _place in range(2))
            await asyncio.sleep(0)
            first.cancel()
            mine.leave()
            await second
            return mine.in_flight

        assert run(work) == 1

    def test_keeps_requests_apart_by_what_a_minute_allows(self):
        async def work(brake):
            mine = line(brake, per_minute=600, n_workers=2)
            first = await soon(mine.enter())
            at_once = await soon(mine.enter())
            await asyncio.sleep(0.2)
            return first, at_once, await soon(mine.enter())

        assert run(work) == (True, False, True)

    def test_waits_until_the_server_may_be_asked_again(self):
        async def work(brake):
            return await soon(line(brake, not_before=NOW + timedelta(seconds=9)).enter())

        assert run(work) is False

    def test_interrupts_who_waits_when_the_job_stops(self):
        async def work(brake):
            mine = line(brake, slots=0)
            waiting = asyncio.create_task(mine.enter())
            await asyncio.sleep(0)
            brake.pull("asked")
            with pytest.raises(Interrupted):
                await waiting

        run(work)

    def test_goes_slower_at_once_but_keeps_what_is_in_flight_in_mind(self):
        async def work(brake):
            mine = line(brake, slots=8, max_in_flight=8)
            for _place in range(6):
                await mine.enter()
            mine.cut(0.5)
            return mine.limit, mine.holds

        assert run(work) == (4, 6)

    def test_is_hopeless_after_many_failures_without_a_reply(self):
        async def work(brake):
            mine = line(brake, slots=2)
            for _time in range(9):
                mine.note(MachineryFailed(Trouble.CONNECTION, "Gone."))
            before = mine.is_hopeless
            mine.note(MachineryFailed(Trouble.CONNECTION, "Gone."))
            after = mine.is_hopeless
            mine.note(None)
            return before, after, mine.is_hopeless

        assert run(work) == (False, True, False)


class TestBrake:
    def test_ends_a_sleep(self):
        async def work(brake):
            asyncio.get_running_loop().call_later(0.01, brake.pull, "asked")
            with pytest.raises(Interrupted):
                await brake.sleep(30)

        run(work)

    def test_keeps_the_first_reason(self):
        async def work(brake):
            brake.pull("budget")
            brake.pull("asked")
            return brake.reason

        assert run(work) == "budget"
