"""The table of calls: every one is written before anybody sees its reply, and read when a step is resumed.

* A hard limit to what a run costs: no call is sent that would go beyond it.
* The ChatModel of a step: what was answered before is answered from the table, the rest is asked once.
"""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db.models import Max, Sum

from evalsite.db import prepared
from scoring.engine import claims as claiming
from scoring.engine import pacing as sharing
from scoring.engine.claims import StepDesk
from scoring.engine.estimating import cost_of
from scoring.engine.models import CallText, LLMCall, Run, Step
from scoring.engine.pacing import Brake, Interrupted, PacedEndpoint, Patience
from scoring.llm import base as tokens
from scoring.llm import records
from scoring.llm.base import (
    OF_THE_SYSTEM,
    PASSING,
    Failed,
    MachineryFailed,
    Reply,
    Request,
    Role,
    SystemFailed,
    Trouble,
)
from scoring.llm.config import thinking_room

_CALLS = prepared.Insert(LLMCall)
_TEXTS = prepared.Insert(CallText, but_known=True)

#: The hash of a request, and which sample of it.
Key = tuple[str, int]


@dataclass
class Past:
    """What earlier attempts at a step brought."""

    replies: dict[Key, Reply] = field(default_factory=dict)
    #: What the endpoint said no to for a reason of its own, and would again.
    refusals: dict[Key, Failed] = field(default_factory=dict)
    #: How often each was asked, and how often it was too soon.
    n_asked: Counter[Key] = field(default_factory=Counter)
    n_limited: Counter[Key] = field(default_factory=Counter)


def past(step: Step) -> Past:
    """Return the calls of earlier attempts at a step."""
    found = Past()
    if step.attempt < 2:
        return found
    rows = list(LLMCall.objects.filter(step=step).order_by("pk"))
    wanted = {row.text_sha for row in rows if row.text_sha}
    texts = CallText.objects.filter(run=step.run_id, sha__in=wanted)
    text_of = dict(texts.values_list("sha", "text"))
    for row in rows:
        key = (row.request_sha, row.repeat)
        found.n_asked[key] += 1
        if not row.trouble:
            # A text that was kept for a time only is asked for once more.
            if row.text_sha in text_of:
                found.replies[key] = reply_of(row, text_of[row.text_sha])
        elif row.trouble == Trouble.RATE_LIMITED:
            found.n_limited[key] += 1
        elif row.trouble in OF_THE_SYSTEM:
            found.refusals[key] = refusal_of(row, text_of.get(row.text_sha, ""))
    return found


def call_row(
    *, step: Step, endpoint_id: int, request: Request, sha: str, attempt: int, at: datetime
) -> LLMCall:
    """Return the row of a call, without what came of it."""
    return LLMCall(
        step_id=step.pk,
        run_id=step.run_id,
        endpoint_id=endpoint_id,
        request_sha=sha,
        repeat=request.repeat,
        attempt=attempt,
        role=request.role.value,
        part=request.part[:80],
        exchange=request.exchange,
        messages=records.of_messages(request),
        settings=records.of_settings(request),
        schema_sha=records.schema_sha(request),
        at=at,
    )


def with_reply(row: LLMCall, reply: Reply, cost: Decimal | None) -> LLMCall:
    """Write down what came, with what it cost: also of a call that failed all the same."""
    if reply.text or not row.trouble:
        row.text_sha = records.text_sha(reply.text)
    row.reply = records.of_reply(reply)
    row.prompt_tokens, row.completion_tokens = reply.prompt_tokens, reply.completion_tokens
    row.cost, row.seconds = cost, reply.seconds or row.seconds
    return row


def with_failure(row: LLMCall, failed: Failed, seconds: float) -> LLMCall:
    row.trouble, row.problem = failed.trouble.value, str(failed)[:500]
    row.status, row.seconds = failed.status, seconds
    return row


def store(*, step: Step, row: LLMCall, texts: dict[str, str]) -> bool:
    """Write a call down, with those of its texts that the run has not yet; return whether the step was held.

    In the caller's transaction.
    """
    if not claiming.held(step):
        return False
    _TEXTS.add_all(
        [CallText(run_id=step.run_id, sha=sha, text=text) for sha, text in texts.items()]
    )
    _CALLS.add_all([row])
    return True


def reply_of(row: LLMCall, text: str) -> Reply:
    """Return the reply that a call recorded."""
    return records.reply_from(
        row.reply or {"finish": "stop"},
        text,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        seconds=row.seconds,
    )


def refusal_of(row: LLMCall, text: str) -> Failed:
    """Return the failure that a call recorded."""
    kind = SystemFailed if row.role == Role.CANDIDATE else MachineryFailed
    came = None if row.reply is None else reply_of(row, text)
    return kind(Trouble(row.trouble), row.problem, status=row.status, reply=came)


#: Tokens of a reply where nothing is known: no limit was given, and none came back yet.
A_REPLY = 400
#: After so many replies of a role their mean says what the next one costs.
ENOUGH = 5


class Prices:
    """What calls of a run cost, by the prices it began with."""

    def __init__(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        self._of = {
            int(pk): (_decimal(one.get("prompt")), _decimal(one.get("completion")))
            for pk, one in known.items()
        }
        self._cached = {int(pk): _decimal(one.get("cached")) for pk, one in known.items()}

    def of_reply(self, endpoint_id: int, request: Request, reply: Reply) -> Decimal | None:
        """Return what a call cost; what a server did not count is estimated."""
        n_in = reply.prompt_tokens
        return self.of_tokens(
            endpoint_id,
            tokens.of_messages(request.messages) if n_in is None else n_in,
            _n_tokens(reply),
            reply.cached_tokens or 0,
        )

    def of_tokens(
        self, endpoint_id: int, n_in: int, n_out: int, n_cached: int = 0
    ) -> Decimal | None:
        """Return what tokens cost; those of the prompt that were cached have a price of their own."""
        whole, cheap = self._of.get(endpoint_id, (None, None)), self._cached.get(endpoint_id)
        if cheap is None or not n_cached:
            return cost_of(*whole, n_in, n_out)
        rest = cost_of(*whole, max(n_in - n_cached, 0), n_out)
        return None if rest is None else rest + (cost_of(cheap, Decimal(0), n_cached, 0) or 0)


class Purse:
    """What a run may still spend. `spent` asks the table of calls, so that other workers count too."""

    def __init__(
        self, prices: Prices, budget: Decimal | None, spent: Callable[[], Awaitable[Decimal]]
    ) -> None:
        self.prices, self.budget, self._spent = prices, budget, spent
        self._reserved = Decimal(0)
        self._replies: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
        self._changed = asyncio.Event()

    def expect(self, endpoint_id: int, request: Request, room: int = 0) -> Decimal:
        """Return what a call is going to cost, about; `room` is what it may think beside."""
        n_replies, n_tokens = self._replies[request.role.value]
        n_out = request.settings.max_tokens or A_REPLY
        if n_replies >= ENOUGH:
            n_out, room = -(-n_tokens // n_replies), 0
        n_in = tokens.of_messages(request.messages)
        n_out = (n_out + room) * (request.settings.n or 1)
        return self.prices.of_tokens(endpoint_id, n_in, n_out) or Decimal(0)

    async def reserve(self, amount: Decimal) -> bool:
        """Set money aside for a call; return whether there is enough. Waits for calls in flight."""
        while self.budget is not None:
            self._reserved += amount
            spent = await self._spent()
            if spent + self._reserved <= self.budget:
                return True
            self._reserved -= amount
            if spent + amount > self.budget:
                return False
            if self._reserved:  # else the others gave up at the same moment
                self._changed.clear()
                await self._changed.wait()
        self._reserved += amount
        return True

    def settle(self, amount: Decimal) -> None:
        """Give back what was set aside: the call is in the table, or was not made."""
        self._reserved -= amount
        self._changed.set()

    def learn(self, request: Request, reply: Reply) -> None:
        """Remember how long a reply was."""
        known = self._replies[request.role.value]
        known[0] += request.settings.n or 1
        known[1] += _n_tokens(reply)


class Till:
    """The sum of what a run's calls cost, read as they come in. For one thread."""

    #: On PostgreSQL a smaller key may be committed later: now and then everything is counted anew.
    RECOUNT = 200

    def __init__(self, run: Run) -> None:
        self._run = run
        self._last, self._sum, self._n_reads = 0, Decimal(0), 0

    def read(self) -> Decimal:
        if self._n_reads % self.RECOUNT == 0:
            self._last, self._sum = 0, Decimal(0)
        self._n_reads += 1
        new = LLMCall.objects.filter(run=self._run, pk__gt=self._last)
        found = new.aggregate(cost=Sum("cost"), last=Max("pk"))
        self._sum += found["cost"] or Decimal(0)
        self._last = found["last"] or self._last
        return self._sum


def _n_tokens(reply: Reply) -> int:
    """Return the tokens of a reply, its reasoning with it; estimated where the server did not count."""
    if reply.completion_tokens is not None:
        return reply.completion_tokens
    return tokens.of_text(reply.text) + tokens.of_text(str(reply.notes.get("reasoning", "")))


def _decimal(text: Any) -> Decimal | None:
    return None if text is None else Decimal(str(text))


#: Seconds beyond an endpoint's own before a client that does not keep to them is given up.
GRACE = 5.0
#: What no further attempt can mend: somebody has to look at the endpoint.
OF_THE_ENDPOINT = frozenset({Trouble.KEY, Trouble.REFUSED_ADDRESS, Trouble.CERTIFICATE})

BUDGET, ENDPOINT = "budget", "endpoint"


@dataclass
class House:
    """What all steps of a job share."""

    desk: StepDesk
    brake: Brake
    purse: Purse
    lines: Mapping[int, PacedEndpoint]
    clock: Callable[[], datetime]
    patience: Patience = field(default_factory=Patience)
    #: Texts that are known to be in the table.
    texts: set[str] = field(default_factory=set)
    #: What is wrong with an endpoint, if that is why the job stops.
    problem: str = ""

    def stop_for(self, line: PacedEndpoint, failed: Failed) -> None:
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

    async def _ask(self, line: PacedEndpoint, request: Request, key: Key) -> Reply:
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

    async def _reserve(self, line: PacedEndpoint, request: Request) -> Decimal:
        room = thinking_room(line.endpoint.options, line.endpoint.found)
        expected = self._house.purse.expect(line.endpoint.pk, request, room)
        self._house.brake.check()
        if not await self._house.purse.reserve(expected):
            self._house.brake.pull(BUDGET)
            raise Interrupted(BUDGET)
        return expected

    async def _call(self, line: PacedEndpoint, request: Request, key: Key) -> Reply:
        row = call_row(
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
            with_failure(row, failed, time.perf_counter() - began)
            texts = records.texts_of(request)
            if failed.reply is not None:
                with_reply(row, failed.reply, self._cost(line, request, failed.reply))
                texts |= {row.text_sha: failed.reply.text} if failed.reply.text else {}
                self._house.purse.learn(request, failed.reply)
            await self._store(row, texts)
            self._past.n_asked[key] += 1
            self._past.n_limited[key] += failed.trouble is Trouble.RATE_LIMITED
            raise
        with_reply(row, reply, self._cost(line, request, reply))
        await self._store(row, {**records.texts_of(request), row.text_sha: reply.text})
        line.note(None)
        self._house.purse.learn(request, reply)
        return reply

    def _cost(self, line: PacedEndpoint, request: Request, reply: Reply) -> Decimal | None:
        return self._house.purse.prices.of_reply(line.endpoint.pk, request, reply)

    async def _store(self, row: LLMCall, texts: dict[str, str]) -> None:
        known = self._house.texts
        new = {sha: text for sha, text in texts.items() if sha not in known}
        step = self._step
        if not await self._house.desk.write(lambda: store(step=step, row=row, texts=new)):
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

    async def _wait(self, line: PacedEndpoint, failed: Failed, key: Key) -> None:
        patience, n_limited = self._house.patience, self._past.n_limited[key]
        limited = failed.trouble is Trouble.RATE_LIMITED
        if not limited and failed.retry_after is None:
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


async def _in_time(line: PacedEndpoint, request: Request) -> Reply:
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
