"""The ChatModel of a step: what was answered before is answered from the table, the rest is asked once.

A reply is in the table of calls before the procedure sees it. So a step that is done again after a
kill runs up to where it was without asking anybody.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal

from scoring.llm import records
from scoring.llm.base import PASSING, Failed, MachineryFailed, Reply, Request, Role, Trouble
from scoring.models import LLMCall, Step
from scoring.operations.runs import sharing, storing
from scoring.operations.runs.budgeting import Purse
from scoring.operations.runs.desk import Desk
from scoring.operations.runs.pacing import Brake, Interrupted, Line, Patience
from scoring.operations.runs.storing import Key, Past

#: Seconds beyond an endpoint's own before a client that does not keep to them is given up.
GRACE = 5.0
#: What no further attempt can mend: somebody has to look at the endpoint.
OF_THE_ENDPOINT = frozenset({Trouble.KEY, Trouble.REFUSED_ADDRESS, Trouble.CERTIFICATE})

BUDGET, ENDPOINT = "budget", "endpoint"


@dataclass
class House:
    """What all steps of a job share."""

    desk: Desk
    brake: Brake
    purse: Purse
    lines: Mapping[int, Line]
    clock: Callable[[], datetime]
    patience: Patience = field(default_factory=Patience)
    #: Texts that are known to be in the table.
    texts: set[str] = field(default_factory=set)
    #: What is wrong with an endpoint, if that is why the job stops.
    problem: str = ""

    def stop_for(self, line: Line, failed: Failed) -> None:
        """Stop the job because an endpoint does not answer."""
        self.problem = self.problem or f"{line.endpoint.name}: {failed}"
        self.brake.pull(ENDPOINT)


class Remembering:
    """Answers the requests of one step."""

    def __init__(self, house: House, step: Step, endpoints: Mapping[Role, int], past: Past) -> None:
        self._house, self._step, self._endpoints, self._past = house, step, endpoints, past
        self._asked: dict[Key, asyncio.Future[Reply]] = {}
        #: Something was not answered because the job stops: what comes of the step does not count.
        self.interrupted = False

    async def reply(self, request: Request) -> Reply:
        key = (request.sha(), request.repeat)
        if key in self._asked:
            return await asyncio.shield(self._asked[key])
        mine = self._asked[key] = asyncio.get_running_loop().create_future()
        mine.add_done_callback(_look_at)
        try:
            reply = await self._answer(request, key)
        except asyncio.CancelledError:
            del self._asked[key]
            mine.cancel()
            raise
        except BaseException as problem:
            self.interrupted |= isinstance(problem, Interrupted)
            mine.set_exception(problem)
            raise
        mine.set_result(reply)
        return reply

    async def _answer(self, request: Request, key: Key) -> Reply:
        if key in self._past.replies:
            return self._past.replies[key]
        if key in self._past.refusals:
            raise self._past.refusals[key]
        line = self._house.lines[self._endpoints[request.role]]
        while True:
            try:
                return await self._ask(line, request, key)
            except Failed as failed:
                line.note(failed)
                if failed.trouble in OF_THE_ENDPOINT or line.is_hopeless:
                    self._house.stop_for(line, failed)
                    raise Interrupted(ENDPOINT) from failed
                if failed.trouble not in PASSING or not self._again(failed, key):
                    raise
                await self._wait(line, failed, key)

    async def _ask(self, line: Line, request: Request, key: Key) -> Reply:
        """Ask once, and write down what came of it before anybody sees it."""
        house = self._house
        expected = await self._reserve(line, request)
        try:
            await line.enter()
            try:
                return await self._call(line, request, key)
            finally:
                line.leave()
        finally:
            house.purse.settle(expected)

    async def _reserve(self, line: Line, request: Request) -> Decimal:
        expected = self._house.purse.expect(line.endpoint.pk, request)
        self._house.brake.check()
        if not await self._house.purse.reserve(expected):
            self._house.brake.pull(BUDGET)
            raise Interrupted(BUDGET)
        return expected

    async def _call(self, line: Line, request: Request, key: Key) -> Reply:
        row = storing.call_row(
            step=self._step,
            endpoint_id=line.endpoint.pk,
            request=request,
            sha=key[0],
            attempt=self._past.n_asked[key] + 1,
            at=self._house.clock(),
        )
        began = time.perf_counter()
        try:
            reply = await _in_time(line, request)
        except Failed as failed:
            storing.with_failure(row, failed, time.perf_counter() - began)
            texts = records.texts_of(request)
            if failed.reply is not None:
                storing.with_reply(row, failed.reply, self._cost(line, request, failed.reply))
                texts |= {row.text_sha: failed.reply.text} if failed.reply.text else {}
                self._house.purse.learn(request, failed.reply)
            await self._store(row, texts)
            self._past.n_asked[key] += 1
            self._past.n_limited[key] += failed.trouble is Trouble.RATE_LIMITED
            raise
        storing.with_reply(row, reply, self._cost(line, request, reply))
        await self._store(row, {**records.texts_of(request), row.text_sha: reply.text})
        line.note(None)
        self._house.purse.learn(request, reply)
        return reply

    def _cost(self, line: Line, request: Request, reply: Reply) -> Decimal | None:
        return self._house.purse.prices.of_reply(line.endpoint.pk, request, reply)

    async def _store(self, row: LLMCall, texts: dict[str, str]) -> None:
        known = self._house.texts
        new = {sha: text for sha, text in texts.items() if sha not in known}
        step = self._step
        if not await self._house.desk.write(lambda: storing.store(step=step, row=row, texts=new)):
            self.interrupted = True
            raise Interrupted("lost")
        known.update(new)

    def _again(self, failed: Failed, key: Key) -> bool:
        """Return whether a call may be tried again.

        What was tried before a pause or a kill counts; a step that failed and was freed by somebody
        begins a new count, since it failed at a full one.
        """
        n_limited = self._past.n_limited[key]
        if failed.trouble is Trouble.RATE_LIMITED:
            return n_limited % self._house.patience.limited != 0
        return (self._past.n_asked[key] - n_limited) % self._house.patience.attempts != 0

    async def _wait(self, line: Line, failed: Failed, key: Key) -> None:
        patience, n_limited = self._house.patience, self._past.n_limited[key]
        if failed.trouble is not Trouble.RATE_LIMITED:
            n = (self._past.n_asked[key] - n_limited - 1) % patience.attempts + 1
            await self._house.brake.sleep(patience.wait(n, key[0]))
            return
        now, endpoint = self._house.clock(), line.endpoint
        told = await self._house.desk.write(
            lambda: sharing.slow_down(endpoint=endpoint, retry_after=failed.retry_after, now=now)
        )
        line.cut(told.share)
        line.hold_until(told.not_before)
        if failed.retry_after is None:
            n = (n_limited - 1) % patience.limited + 1
            await self._house.brake.sleep(patience.wait(n, key[0]))


async def _in_time(line: Line, request: Request) -> Reply:
    try:
        async with asyncio.timeout(line.endpoint.timeout + GRACE):
            return await line.model.reply(request)
    except TimeoutError:
        raise MachineryFailed(
            Trouble.TIMEOUT, f"No reply within {line.endpoint.timeout} seconds."
        ) from None


def _look_at(future: "asyncio.Future[Reply]") -> None:
    """Have the loop not complain of an exception that nobody else waited for."""
    if not future.cancelled():
        future.exception()
