import asyncio
from decimal import Decimal

from scoring.engine.calls import Prices, Purse
from scoring.llm.base import Message, Reply, Request, Role, Settings

PRICES = Prices({"1": {"prompt": "1000000", "completion": "1000000"}, "2": {"prompt": None}})
ASKED = Request(Role.JUDGE, (Message("user", "word"),), Settings(max_tokens=10))


def purse(budget, spent=0):
    async def read():
        await asyncio.sleep(0)
        return Decimal(spent)

    return Purse(PRICES, None if budget is None else Decimal(budget), read)


class TestPrices:
    def test_are_those_of_the_tokens_that_the_server_counted(self):
        assert PRICES.of_reply(1, ASKED, Reply("x", prompt_tokens=5, completion_tokens=2)) == 7

    def test_are_estimated_where_it_did_not_count(self):
        assert PRICES.of_reply(1, ASKED, Reply("word")) == 1 + 4 + 3 + 1

    def test_are_unknown_where_no_price_is(self):
        assert PRICES.of_reply(2, ASKED, Reply("x", prompt_tokens=5, completion_tokens=2)) is None


class TestPurse:
    def test_expects_the_most_that_may_come_until_it_knows_better(self):
        mine = purse(100)
        before = mine.expect(1, ASKED)
        for _reply in range(5):
            mine.learn(ASKED, Reply("x", completion_tokens=3))

        assert (before, mine.expect(1, ASKED)) == (18, 11)

    def test_lets_pass_what_fits_and_nothing_beyond(self):
        async def work():
            mine = purse(10, spent=4)
            return await mine.reserve(Decimal(6)), await purse(10, spent=4).reserve(Decimal(7))

        assert asyncio.run(work()) == (True, False)

    def test_waits_for_calls_in_flight_before_it_says_no(self):
        async def work():
            mine = purse(10)
            await mine.reserve(Decimal(6))
            waiting = asyncio.create_task(mine.reserve(Decimal(6)))
            await asyncio.sleep(0.01)
            waited = not waiting.done()
            mine.settle(Decimal(6))  # it was cheap: nothing of it was spent
            return waited, await waiting

        assert asyncio.run(work()) == (True, True)

    def test_lets_one_of_two_pass_that_come_at_once(self):
        async def work():
            mine = purse(10)
            both = [asyncio.create_task(mine.reserve(Decimal(6))) for _place in range(2)]
            await asyncio.sleep(0.02)
            done = [one.result() for one in both if one.done()]
            mine.settle(Decimal(6))
            await asyncio.gather(*both)
            return done

        assert asyncio.run(work()) == [True]

    def test_without_a_limit_lets_everything_pass(self):
        assert asyncio.run(purse(None).reserve(Decimal(10**9)))
